"""Settings: what is read, what stops a start, and that no complaint shows a secret."""

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest

from services.games import load_games
from services.settings import SECRET, Settings, SettingsError, env_name, expected, load, redis_url_of, token_keys

KEY = "k" * 40


def complaint(**environ: str) -> str:
    with pytest.raises(SettingsError) as caught:
        load(environ)
    return str(caught.value)


def test_an_empty_environment_is_the_default_installation():
    assert load({}) == Settings()
    assert load({"PATH": "/bin", "REDIS_HOST": "x"}) == Settings()


def test_every_kind_of_value_is_read():
    got = load(
        {
            "NORIPAN_PORT": " 9000 ",
            "NORIPAN_MESSAGE_RATE": "2.5",
            "NORIPAN_GAMES": "a_game, other.game ,",
            "NORIPAN_ALLOWED_ORIGINS": "https://play.example,http://localhost:5173",
            "NORIPAN_DURABILITY": "always",
            "REDIS_URL": "rediss://:pw@db.example:6380/2",
        }
    )
    assert (got.port, got.message_rate, got.games) == (9000, 2.5, ("a_game", "other.game"))
    assert got.allowed_origins == ("https://play.example", "http://localhost:5173")
    assert (got.durability, got.redis_url) == ("always", "rediss://:pw@db.example:6380/2")


def test_an_empty_variable_is_not_set():
    assert load({"NORIPAN_PORT": "", "REDIS_URL": " "}) == Settings()


@pytest.mark.parametrize(
    "name, text",
    [
        ("NORIPAN_PORT", "8o80"),
        ("NORIPAN_PORT", "65536"),
        ("NORIPAN_WORKERS", "0"),
        ("NORIPAN_WORKERS", "2.5"),
        ("NORIPAN_DURABILITY", "never"),
        ("NORIPAN_REDIS_MEMORY", "half"),
        ("NORIPAN_REDIS_MEMORY", "0mb"),
        ("NORIPAN_REDIS_MEMORY", "512"),
        ("NORIPAN_GAMES", "ok,not-a-module"),
        ("NORIPAN_ALLOWED_ORIGINS", "https://a.example/path"),
        ("NORIPAN_ALLOWED_ORIGINS", "*"),
        ("NORIPAN_MESSAGE_RATE", "nan"),
        ("NORIPAN_MESSAGE_RATE", "inf"),
        ("NORIPAN_LOG_LEVEL", "loud"),
        ("NORIPAN_SWEEP_MS", "900"),
    ],
)
def test_a_bad_value_is_named_with_what_was_expected(name, text):
    assert re.fullmatch(rf"{name}='{re.escape(text)}': expected .{{6,}}", complaint(**{name: text}))


def test_every_setting_says_in_words_what_it_expects():
    for field in msgspec.structs.fields(Settings):
        assert len(expected(field.type)) > 5, field.encode_name


def test_an_unknown_name_stops_the_start_and_names_its_neighbour():
    assert complaint(NORIPAN_PROT="1") == "NORIPAN_PROT: there is no such setting; expected NORIPAN_PORT?"
    assert "hunter2" not in complaint(NORIPAN_TOKENKEY="hunter2")


def test_all_complaints_come_at_once():
    lines = complaint(NORIPAN_PORT="x", NORIPAN_WORKERS="y", NORIPAN_NOPE="z").splitlines()
    assert [line.partition("=")[0].partition(":")[0] for line in lines] == [
        "NORIPAN_NOPE",
        "NORIPAN_PORT",
        "NORIPAN_WORKERS",
    ]


@pytest.mark.parametrize("field, value", [("redis_url", "http://:s3cret@x"), ("token_key", "s3cret")])
def test_a_secret_value_is_never_shown(field, value):
    assert field in SECRET
    text = complaint(**{env_name(field): value})
    assert text.startswith(env_name(field)) and "s3cret" not in text


@pytest.mark.parametrize(
    "tail", ["/abc", "/0/abc", "/-1", "/1.5", ":abc/0", ":99999/0", "/0?db=x", "/²"], ids=lambda tail: tail
)
def test_numbers_in_the_servers_address_are_numbers(tail):
    """Libraries end such a start with a traceback, or go to database 0 in silence."""
    text = complaint(REDIS_URL=f"redis://:s3cret@localhost{tail}")
    assert text.startswith("REDIS_URL: expected ") and "number" in text and "s3cret" not in text
    assert "number" in complaint(REDIS_URL="unix:///run/valkey.sock?db=x")


@pytest.mark.parametrize(
    "url",
    [
        "redis://h",
        "redis://h/",
        "redis://h:1/3",
        "rediss://u:p@[::1]:1/0?db=4",
        "unix:///run/valkey.sock",
        "redis://h?db=2",
    ],
)
def test_addresses_that_are_right(url):
    assert load({"REDIS_URL": url}).redis_url == url.rstrip("/")


def test_one_source_of_the_token_key():
    assert "got both" in complaint(NORIPAN_TOKEN_KEY=KEY, NORIPAN_TOKEN_KEY_FILE="/x")


def test_a_process_stops_with_code_2_and_the_complaint_on_stderr():
    code = "from services.settings import load_or_exit; load_or_exit()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NORIPAN_PORT": "x"},
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "NORIPAN_PORT='x': expected a port, 1 to 65535\n"


def test_the_token_key_is_made_once_whoever_asks_first(tmp_path):
    settings = Settings(data_dir=str(tmp_path / "data"))
    with ThreadPoolExecutor(8) as pool:
        found = set(pool.map(lambda _: token_keys(settings), range(32)))
    assert len(found) == 1
    path = tmp_path / "data" / "token.key"
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == ["token.key"]
    assert token_keys(settings) in found and len(token_keys(settings)[0]) >= 32


def test_token_keys_from_elsewhere_oldest_first(tmp_path):
    old, new = "o" * 32, "n" * 32
    assert token_keys(Settings(data_dir=str(tmp_path), token_key=f"{old},{new}")) == (old, new)
    file = tmp_path / "keys"
    file.write_text(f"{old}\n{new}\n")
    assert token_keys(Settings(data_dir=str(tmp_path), token_key_file=str(file))) == (old, new)
    file.write_text("short\n")
    with pytest.raises(SettingsError, match="32 or more"):
        token_keys(Settings(data_dir=str(tmp_path), token_key_file=str(file)))
    with pytest.raises(SettingsError, match="NORIPAN_TOKEN_KEY_FILE="):
        token_keys(Settings(data_dir=str(tmp_path), token_key_file=str(tmp_path / "none")))


def test_a_data_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="NORIPAN_DATA_DIR=.*expected a folder"):
        _ = Settings(data_dir=str(tmp_path / "file")).folder


def test_the_server_is_redis_url_or_the_one_that_runs_here(tmp_path):
    settings = Settings(data_dir=str(tmp_path))
    with pytest.raises(SettingsError, match="REDIS_URL"):
        redis_url_of(settings)
    Path(tmp_path / "redis.url").write_text("redis://127.0.0.1:7/0\n")
    assert redis_url_of(settings) == "redis://127.0.0.1:7/0"
    assert redis_url_of(msgspec.structs.replace(settings, redis_url="redis://x")) == "redis://x"


@pytest.mark.parametrize(("module", "why"), [("no_such_mod", "ModuleNotFoundError"), ("json", "AttributeError")])
def test_a_module_that_is_no_game_stops_the_start(module, why):
    with pytest.raises(SettingsError, match=f"NORIPAN_GAMES: '{module}'.*{why}"):
        load_games(load({"NORIPAN_GAMES": module}))
