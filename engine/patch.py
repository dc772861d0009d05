"""JSON merge patch (RFC 7396) between two views.

View fields are never null (absent means none), so a merge patch can carry every change. `diff` walks msgspec Structs
directly and leaves everything that is the same object untouched, since most of a view does not change in one action.
"""

from itertools import compress, count
from operator import attrgetter, is_not
from typing import Any

from msgspec import UNSET, Struct

# How a type is compared: (getter of all fields as a tuple, their names on the wire) of a Struct, () of a dict, None of a value.
_kinds: dict[type, Any] = {dict: ()}


def _kind(kind: type) -> Any:
    """As in `_kinds`, and remembered there."""
    found: Any = None
    if issubclass(kind, Struct):
        fields = kind.__struct_fields__
        getter = attrgetter(*fields) if len(fields) > 1 else lambda value: (getattr(value, fields[0]),)
        found = getter, kind.__struct_encode_fields__
    _kinds[kind] = found
    return found


def diff(old: Any, new: Any) -> dict[str, Any]:
    """The patch that turns `old` into `new`; both Structs of one type, or both dicts. {} when equal.

    Values of the patch may be Structs; encode them with `schemas.base.encode`.
    """
    patch: dict[str, Any] = {}
    kind = type(new)
    if kind is dict:
        get = old.get
        for name, b in new.items():
            a = get(name, UNSET)
            # equal parts are compared in C; only what differs is walked here
            if a is not b and a != b:
                patch[name] = diff(a, b) if type(a) is type(b) and _nested(type(b)) else b
        if not old.keys() <= new.keys():
            for name in old:
                if name not in new:
                    patch[name] = None
        return patch
    getter, wires = _kinds.get(kind) or _kind(kind)
    olds, news = getter(old), getter(new)
    for index in compress(count(), map(is_not, olds, news)):  # most fields are the same object
        name, a, b = wires[index], olds[index], news[index]
        if a != b:
            if b is UNSET:
                patch[name] = None
            else:
                patch[name] = diff(a, b) if type(a) is type(b) and _nested(type(b)) else b
    return patch


def _nested(kind: type) -> bool:
    return (_kinds[kind] if kind in _kinds else _kind(kind)) is not None


def merge(target: Any, patch: Any) -> Any:
    """RFC 7396 section 2 on decoded JSON: a new object, `target` is left alone."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge(result.get(name), value)
    return result
