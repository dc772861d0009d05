"""Rules about the repository itself that no other tool holds: who may import whom, what a file may be like, which words
must not be shown. Read from the sources by `ast` and regular expressions; nothing is imported.
"""

import ast
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SKIPPED = {"node_modules", "dist", "build", "__pycache__"}

# The pure part may use what gives the same answer everywhere and always.
PURE = {
    "collections",
    "enum",
    "functools",
    "hashlib",
    "hmac",
    "itertools",
    "math",
    "msgspec",
    "operator",
    "re",
    "struct",
}
PURE |= {"base64", "typing", "__future__"}
ALLOWED = {
    "schemas": {"schemas", "msgspec", "re", "typing", "collections", "enum", "__future__"},
    "engine": {"engine", "schemas"} | PURE,
}
# The list of games is found by looking at a folder, which is all the world the engine ever sees.
EXTRA = {"engine/games/__init__.py": {"importlib", "pkgutil"}}

# What every service may use. `cli` puts the services together and may use any.
SHARED = {"settings", "store", "client", "log", "games", "alive"}

LINES_MAX = 400
# path -> why it may be longer
LONG: dict[str, str] = {"services/web/src/lib/wire.ts": "generated from schemas/json"}


def files(*suffixes: str, under: str = ".") -> list[Path]:
    """Sources of that kind (a suffix, or a whole name), without what is built, installed or hidden."""

    def walk(folder: Path) -> Iterator[Path]:
        for entry in sorted(folder.iterdir()):
            if entry.name.startswith(".") or entry.name in SKIPPED or entry.name.endswith(".egg-info"):
                continue
            if entry.is_dir():
                yield from walk(entry)
            elif entry.suffix in suffixes or entry.name in suffixes:
                yield entry

    start = ROOT / under
    return list(walk(start)) if start.is_dir() else []


def short(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imports(path: Path) -> set[str]:
    """Every module named in an import, also inside functions; relative ones made absolute."""
    package = list(path.relative_to(ROOT).parts[:-1])
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            # `from services import store` names the module `services.store`
            found |= {f"{module}.{alias.name}" for alias in node.names} if module in ("services", "") else {module}
    return found


@pytest.mark.parametrize("layer", ["schemas", "engine"])
def test_the_pure_part_imports_only_what_is_pure(layer):
    sources = files(".py", under=layer)
    assert sources
    for path in sources:
        allowed = ALLOWED[layer] | EXTRA.get(short(path), set())
        strange = {name for name in imports(path) if name.partition(".")[0] not in allowed}
        assert not strange, f"{short(path)} imports {sorted(strange)}"


def test_services_share_a_few_modules_and_otherwise_never_import_each_other():
    for path in files(".py", under="services"):
        own = path.relative_to(ROOT / "services").parts[0].removesuffix(".py")
        if own == "cli":
            continue
        for name in imports(path):
            head, _, rest = name.partition(".")
            other = rest.partition(".")[0]
            allowed = name == "services" or head != "services" or other in SHARED | {own}
            assert allowed, f"{short(path)} imports {name}"


def test_nothing_imports_the_tests():
    for path in files(".py", under="engine") + files(".py", under="schemas") + files(".py", under="services"):
        assert not {name for name in imports(path) if name.partition(".")[0] == "tests"}, short(path)


def test_files_are_short_enough_to_be_read():
    long = {}
    for path in files(".py", ".ts", ".svelte", ".lua", ".mjs", ".css"):
        count = len(path.read_text(encoding="utf-8").splitlines())
        if count > LINES_MAX and short(path) not in LONG:
            long[short(path)] = count
    assert not long
    assert [name for name in LONG if not (ROOT / name).exists()] == []


def test_every_module_says_what_it_is():
    for path in files(".py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not tree.body or ast.get_docstring(tree), f"{short(path)} has no docstring"


def texts(value: object) -> Iterator[str]:
    """Every string of a JSON value, keys too, but for what a package says about its own funding."""
    if isinstance(value, dict):
        for name, part in value.items():
            if name != "funding":
                yield name
                yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)
    elif isinstance(value, str):
        yield value


def test_lock_files_and_declarations_say_nowhere_where_packages_come_from():
    """That is the installing machine's affair; hashes say what they are."""
    where = re.compile(r"[a-z+]://|^resolved$|--(?:extra-)?index-url|--find-links|\bregistry *=")
    said = {path: path.read_text(encoding="utf-8") for path in [*ROOT.glob("*.lock"), ROOT / "pyproject.toml"]}
    said[ROOT / "services/web/.npmrc"] = (ROOT / "services/web/.npmrc").read_text(encoding="utf-8")
    for path in files("package.json", "package-lock.json", under="services/web"):
        said[path] = "\n".join(texts(json.loads(path.read_text(encoding="utf-8"))))
    found = [(short(path), line) for path, text in said.items() for line in text.splitlines() if where.search(line)]
    assert [one for one in found if "--no-emit-index-url" not in one[1]] == []


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_python_locks_have_a_hash_for_everything_and_cover_what_is_declared(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    blocks = re.split(r"^(?=[a-z0-9])", text, flags=re.M)[1:]
    assert blocks and all("--hash=sha256:" in block for block in blocks)
    locked = {re.match(r"[a-z0-9-]+", block)[0] for block in blocks}
    declaration = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    project = declaration["project"]
    assert project["optional-dependencies"]["build"] == declaration["build-system"]["requires"]
    declared = project["dependencies"] + project["optional-dependencies"]["build"]
    if "dev" in name:
        declared += [one for extra in project["optional-dependencies"].values() for one in extra]
    assert {re.match(r"[A-Za-z0-9-]+", one)[0].lower() for one in declared} <= locked


@pytest.mark.parametrize("name", ["Makefile", "Dockerfile"])
def test_nothing_is_built_with_a_backend_that_is_not_in_the_lock(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    builds = re.findall(r"install .*--no-deps .*", text)
    assert builds and all("--no-build-isolation" in line for line in builds)


def test_npm_lock_has_a_hash_for_everything():
    packages = json.loads((ROOT / "services/web/package-lock.json").read_text(encoding="utf-8"))["packages"]
    assert [name for name, entry in packages.items() if name and "integrity" not in entry] == []


# Registered names of others (and their spellings): never shown. `yahtzee` in lower case is an option's value and may
# stand in code as such, so for it only words for people count: with a capital, or inside a sentence.
MARKS = re.compile(
    r"\bYahtzee\b|\bYAHTZEE\b|야찌|야찌이|\bHasbro\b|Clubhouse Games|아소비|\bNintendo\b|닌텐도|해즈브로"
)
SENTENCE = re.compile(r"""(["'`>])(?=[^"'`<>\n]*(?:\s|[가-힣]))[^"'`<>\n]*yahtzee[^"'`<>\n]*["'`<]""", re.I)


def shown() -> list[Path]:
    """Sources with text for players."""
    kinds = (".ts", ".svelte", ".html", ".json", ".webmanifest", ".md")
    return (
        files(*kinds, under="services/web/src")
        + files(".html", under="services/web")
        + files(".py", under="engine")
        + files(".py", under="schemas")
    )


def test_no_trademark_is_shown():
    found = []
    for path in shown():
        text = path.read_text(encoding="utf-8")
        marks = [match[0] for match in MARKS.finditer(text)]
        if path.suffix != ".py":
            marks += [match[0] for match in SENTENCE.finditer(text)]
        found += [(short(path), mark) for mark in marks]
    assert not found


def test_the_trademark_rule_knows_names_from_identifiers():
    assert not SENTENCE.search("""{ yahtzee: "13칸 변형" } if (scoring === "yahtzee") yahtzeeJoker""")
    assert SENTENCE.search("""yahtzee: "yahtzee 규칙" """) and SENTENCE.search("<b>the yahtzee game</b>")
    assert MARKS.search("Yahtzee") and not MARKS.search("yahtzeeJoker")


def test_no_path_of_one_machine():
    for path in files(".py", ".ts", ".svelte", ".lua", ".mjs", ".md", ".toml", ".yaml", ".sh", ".json", ".lock"):
        match = re.search(r"(?<![\w.])/(work|farm|home|root)/", path.read_text(encoding="utf-8"))
        assert not match, f"{short(path)}: {match[0]}"


def test_the_licence_is_there_and_is_the_declared_one():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "MIT" and (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def test_what_a_newcomer_looks_for_is_there():
    for name in ("README.md", "Makefile", "compose.yaml", "Dockerfile", ".ci/run", "docs/design.md"):
        assert (ROOT / name).is_file(), name
