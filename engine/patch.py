"""JSON merge patch (RFC 7396) between two views.

View fields are never null (absent means none), so a merge patch can carry every change. `diff` walks msgspec Structs
directly and leaves everything that is the same object untouched, since most of a view does not change in one action.
"""

from typing import Any

from msgspec import UNSET, Struct


def diff(old: Any, new: Any) -> dict[str, Any]:
    """The patch that turns `old` into `new`; both Structs of one type, or both dicts. {} when equal.

    Values of the patch may be Structs; encode them with `schemas.base.encode`.
    """
    patch: dict[str, Any] = {}
    if isinstance(new, Struct):
        for name, wire in zip(new.__struct_fields__, new.__struct_encode_fields__, strict=True):
            a, b = getattr(old, name), getattr(new, name)
            if a is not b:
                _put(patch, wire, a, b)
    else:
        for name, b in new.items():
            a = old.get(name, UNSET)
            if a is not b:
                _put(patch, name, a, b)
        for name in old:
            if name not in new:
                patch[name] = None
    return patch


def _put(patch: dict[str, Any], name: str, a: Any, b: Any) -> None:
    if b is UNSET:
        patch[name] = None
    elif type(a) is type(b) and isinstance(b, Struct | dict):
        inner = diff(a, b)
        if inner:
            patch[name] = inner
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
