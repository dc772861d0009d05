"""Goal: schemas/json says what schemas/wire.py and schemas/entry.py say. Method: generate again and compare; then feed
the schemas real messages, since a schema that is fresh but accepts nothing would be no use to anybody."""

import json
import re
from pathlib import Path

import jsonschema
import msgspec
import pytest
from jsonschema.validators import Draft202012Validator

from schemas import wire
from schemas.base import encode
from services.cli import schema


def test_committed_schemas_are_fresh() -> None:
    assert schema.stale() == [], "run `python -m services.cli.schema` and commit the result"


def test_stale_names_missing_changed_and_left_over_files(tmp_path: Path) -> None:
    assert sorted(schema.write(tmp_path)) == sorted(schema.documents())
    assert schema.stale(tmp_path) == []
    (tmp_path / "ask.json").write_text("{}")
    (tmp_path / "tell.json").unlink()
    (tmp_path / "old.json").write_text("{}")
    assert schema.stale(tmp_path) == ["ask.json", "old.json", "tell.json"]
    assert schema.write(tmp_path) == ["ask.json", "old.json", "tell.json"]
    assert schema.stale(tmp_path) == []


def test_main_refuses_unknown_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    assert schema.main(["--frob"]) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["ask.json", "tell.json", "http.json", "room.json", "entry.json"])
def test_schemas_are_valid_2020_12(name: str) -> None:
    Draft202012Validator.check_schema(json.loads((schema.FOLDER / name).read_text("utf-8")))


def test_schema_accepts_what_the_encoder_writes() -> None:
    ask = json.loads((schema.FOLDER / "ask.json").read_text("utf-8"))
    tell = json.loads((schema.FOLDER / "tell.json").read_text("utf-8"))
    act = wire.Act(id=1, seat=0, action=msgspec.Raw(b'{"type":"roll"}'), turn=3)
    update = wire.Update(
        game="K7Q2MX/1", from_=1, version=2, entry="5-0", head="00", events=({"type": "rolled"},), patch={}
    )
    jsonschema.validate(json.loads(encode(act)), ask)
    jsonschema.validate(json.loads(encode(update)), tell)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"type": "act", "id": 0, "seat": 0, "action": {}}, ask)


def test_a_line_break_is_the_end_of_nothing() -> None:
    """Python's `$` lets one follow, JSON Schema's does not: a name would be accepted here and be two lines in a log."""

    texts = "".join(map(json.dumps, schema.documents().values()))
    found = {json.loads(text) for text in re.findall(r'"pattern": ("(?:[^"\\]|\\.)*")', texts)}
    assert len(found) >= 4
    for pattern in found:
        for good in ("abcd", "K7Q2MX", "0f" * 32):
            assert re.search(pattern, good + "\n") is None, pattern
    with pytest.raises(msgspec.ValidationError):
        wire.decode_ask(b'{"type":"hello","room":"K7Q2MX","session":"abcd\\n"}')
