"""Goal: the moves that the web client is tested with are those of the engine. Method: made again, they are the same bytes."""

from tests.engine.yut_vectors import FIXTURE, fixture


def test_the_clients_vectors_are_fresh():
    made = fixture()
    assert made == fixture(), "they must not depend on when they are made"
    assert FIXTURE.read_bytes() == made, "stale: python -m tests.engine.yut_vectors"
