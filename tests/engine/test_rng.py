"""The generator: golden vectors (printed in docs/format.md too), a second writing of the formula, and how even it is."""

import hashlib
import hmac
from pathlib import Path

import pytest

from engine.rng import NO_NONCE, Rng, commitment, derive_key, unit

KEY = bytes(range(32))
FIRST = (
    8278433835478949,
    3668504153305319,
    6395980362632117,
    8210523387612497,
    2286473846528543,
)  # floor(rng() * 2^53) of numbers 0..4
DICE = (6, 3, 5, 6, 2, 1, 3, 6, 2, 5, 1, 3, 2, 5, 1, 3, 3, 4, 5, 1)
DERIVED = "b1f3f8a55ec76ff3ea0971657d99fde90fbe984705a8fbcc915327b021779850"


def formula(key: bytes, n: int) -> int:
    """floor(rng() number n * 2^53)."""
    digest = hmac.new(key, b"noripan/1:" + str(n).encode(), hashlib.sha256).digest()
    return int.from_bytes(digest[:8], "big") >> 11


def test_golden_vectors():
    rng = Rng(KEY)
    assert tuple(int(rng.next() * 2**53) for _ in range(5)) == FIRST
    assert rng.n == 5
    rng = Rng(KEY)
    assert tuple(rng.die() for _ in range(20)) == DICE
    assert derive_key(KEY, "K7Q2MX/1", (bytes(32), b"\x01" * 32)).hex() == DERIVED
    assert commitment(KEY) == hashlib.sha256(KEY).hexdigest()


@pytest.mark.parametrize("n", [0, 1, 9, 10, 12345, 2**40])
def test_value_n_depends_on_key_and_n_alone(n):
    assert Rng(KEY, n).next() == formula(KEY, n) / 2**53
    assert Rng(KEY, n).die() == 1 + formula(KEY, n) * 6 // 2**53
    assert Rng(KEY, n).next() != Rng(KEY, n + 1).next() != Rng(bytes(32), n + 1).next()


def test_every_face_is_equally_likely():
    """Report 19: 600 000 dice, each face 100 000 +- 1 200."""
    rng = Rng(KEY)
    counts = [0] * 8
    for _ in range(600_000):
        counts[rng.die()] += 1
    assert counts[0] == counts[7] == 0
    assert all(abs(count - 100_000) <= 1_200 for count in counts[1:7]), counts


@pytest.mark.parametrize(("raw", "face", "last"), [(0, 1, 0), (2**64 - 1, 6, 51)])
def test_the_mapping_never_leaves_its_range(monkeypatch, raw, face, last):
    """Report 19: the largest value below 1 is a six, and 0 a one."""
    monkeypatch.setattr("engine.rng.unit", lambda digest: unit(raw.to_bytes(8, "big") + digest[8:]))
    value = Rng(KEY).next()
    assert 0 <= value < 1
    assert (Rng(KEY).die(), Rng(KEY).below(52), Rng(KEY).below(1)) == (face, last, 0)


def test_a_shuffle_draws_from_the_last_index_down_and_is_even():
    rng, items = Rng(KEY, 7), list("abcd")
    rng.shuffle(items)
    expected = list("abcd")
    for i, n in ((3, 7), (2, 8), (1, 9)):
        j = formula(KEY, n) * (i + 1) // 2**53
        expected[i], expected[j] = expected[j], expected[i]
    assert items == expected and rng.n == 10
    counts: dict[str, int] = {}
    rng = Rng(KEY)
    for _ in range(24_000):
        items = list("abcd")
        rng.shuffle(items)
        counts["".join(items)] = counts.get("".join(items), 0) + 1
    assert len(counts) == 24 and all(abs(count - 1_000) < 150 for count in counts.values()), counts
    for one in ([], ["a"]):
        rng = Rng(KEY)
        rng.shuffle(one)
        assert rng.n == 0


def test_the_key_depends_on_everything_that_was_frozen():
    nonces = (b"\1" * 32, b"\2" * 32)
    keys = {
        derive_key(KEY, "K7Q2MX/1", nonces),
        derive_key(bytes(32), "K7Q2MX/1", nonces),
        derive_key(KEY, "K7Q2MX/2", nonces),
        derive_key(KEY, "K7Q2MX/1", nonces[::-1]),
        derive_key(KEY, "K7Q2MX/1", (nonces[0], NO_NONCE)),
        derive_key(KEY, "K7Q2MX/1", nonces[:1]),
        derive_key(KEY, "K7Q2MX/1", (*nonces, NO_NONCE)),
        derive_key(KEY, "K7Q2MX/1", (b"\1" * 31, b"\1" + b"\2" * 32)),
    }
    assert len(keys) == 8 and all(len(key) == 32 for key in keys)


def test_the_published_format_prints_these_vectors():
    page = (Path(__file__).parents[2] / "docs" / "format.md").read_text()
    for vector in (" ".join(map(str, FIRST)), " ".join(map(str, DICE)), DERIVED, commitment(KEY)):
        assert vector in page
