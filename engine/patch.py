"""JSON merge patch (RFC 7396) between two views.

View fields are never null (absent means none), so a merge patch can carry every change. `diff` walks msgspec Structs
directly and leaves everything that is the same object untouched, since most of a view does not change in one action.
"""

from collections.abc import Callable
from operator import attrgetter
from typing import Any

from msgspec import UNSET, Struct

_NESTED = (Struct, dict)
_shapes: dict[type, tuple[Callable[[Any], tuple], tuple[str, ...]]] = {}


def _shape(kind: type) -> tuple[Callable[[Any], tuple], tuple[str, ...]]:
    """(getter of all fields as a tuple, their names on the wire) of a Struct type."""
    fields = kind.__struct_fields__
    getter = attrgetter(*fields) if len(fields) > 1 else lambda value: (getattr(value, fields[0]),)
    shape = _shapes[kind] = getter, kind.__struct_encode_fields__
    return shape


def diff(old: Any, new: Any) -> dict[str, Any]:
    """The patch that turns `old` into `new`; both Structs of one type, or both dicts. {} when equal.

    Values of the patch may be Structs; encode them with `schemas.base.encode`.
    """
    patch: dict[str, Any] = {}
    if isinstance(new, dict):
        for name, b in new.items():
            a = old.get(name, UNSET)
            if a is not b:
                _put(patch, name, a, b)
        for name in old:
            if name not in new:
                patch[name] = None
    else:
        kind = type(new)
        getter, wires = _shapes.get(kind) or _shape(kind)
        for name, a, b in zip(wires, getter(old), getter(new), strict=True):
            if a is not b:
                _put(patch, name, a, b)
    return patch


def _put(patch: dict[str, Any], name: str, a: Any, b: Any) -> None:
    if isinstance(b, _NESTED) and type(a) is type(b):
        inner = diff(a, b)
        if inner:
            patch[name] = inner
    elif b is UNSET:
        patch[name] = None
    elif a != b:
        patch[name] = b


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
