"""Merge patches: the examples of RFC 7396, and merge(old, diff(old, new)) == new for whatever a view can hold."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Struct, UnsetType

from engine.patch import diff, merge
from schemas.base import encode

# RFC 7396, appendix A: original, patch, result
RFC = [
    ({"a": "b"}, {"a": "c"}, {"a": "c"}),
    ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
    ({"a": "b"}, {"a": None}, {}),
    ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
    ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
    ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
    ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
    ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
    (["a", "b"], ["c", "d"], ["c", "d"]),
    ({"a": "b"}, ["c"], ["c"]),
    ({"a": "foo"}, None, None),
    ({"a": "foo"}, "bar", "bar"),
    ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
    ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
    ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
]


@pytest.mark.parametrize(("target", "patch", "result"), RFC)
def test_merge_does_what_the_rfc_says(target, patch, result):
    before = json.dumps(target)
    assert merge(target, patch) == result
    assert json.dumps(target) == before, "the target is left alone"


class Part(Struct, frozen=True):
    n: int
    note: str | UnsetType = UNSET


class View(Struct, frozen=True, rename="camel"):
    """The shapes that views are made of."""

    some_number: int
    items: tuple[int, ...]
    by_name: dict[str, Part]
    loose: dict[str, Any]
    part: Part | UnsetType = UNSET
    flag: bool | UnsetType = UNSET


parts = st.builds(Part, st.integers(0, 3), st.sampled_from(["", "x", UNSET]))
plain = st.one_of(st.booleans(), st.integers(0, 3), st.sampled_from(["", "a"]), st.lists(st.integers(0, 2), max_size=2))
values = st.recursive(plain, lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3), max_leaves=6)
views = st.builds(
    View,
    st.integers(0, 3),
    st.lists(st.integers(0, 2), max_size=3).map(tuple),
    st.dictionaries(st.sampled_from("012"), parts, max_size=3),
    st.dictionaries(st.sampled_from("abc"), values, max_size=3),
    st.one_of(parts, st.just(UNSET)),
    st.one_of(st.booleans(), st.just(UNSET)),
)


@settings(max_examples=400, deadline=None)
@given(views, views)
def test_a_patch_turns_the_old_view_into_the_new_one(old, new):
    before, after = json.loads(encode(old)), json.loads(encode(new))
    patch = json.loads(encode(diff(old, new)))
    assert merge(before, patch) == after
    assert (patch == {}) == (before == after), "nothing is sent for what did not change"


def test_a_patch_is_no_bigger_than_the_change():
    a, b = Part(1), Part(2, "x")
    old = View(1, (1, 2), {"0": a, "1": b}, {"x": {"y": 1, "z": 2}}, a, True)
    new = View(1, (1, 2), {"0": a, "1": Part(2)}, {"x": {"y": 1, "z": 3}}, a)
    assert json.loads(encode(diff(old, new))) == {
        "byName": {"1": {"note": None}},
        "loose": {"x": {"z": 3}},
        "flag": None,
    }


def test_equal_views_need_no_patch_even_when_they_are_not_the_same_object():
    one, two = View(1, (1,), {"0": Part(1)}, {"a": [1]}), View(1, (1,), {"0": Part(1)}, {"a": [1]})
    assert diff(one, two) == {}
