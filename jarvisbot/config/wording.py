"""Words of messages about the configuration: dotted names, nearest names, what a value must be."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Mapping

from jarvisbot.config.lines import Path

__all__ = ["dotted", "expectation", "nearest", "some", "suggestion"]

_KINDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "string": "text in quotes",
    "path": "a path in quotes",
    "tuple": "a list",
    "list": "a list",
    "set": "a list",
    "frozen_set": "a list",
    "dict": "a table",
    "model": "a table",
    "model_attributes": "a table",
    "dataclass": "a table",
}
_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
    "multiple_of": ("multiple_of", "a multiple of"),
}


def dotted(path: Path) -> str:
    """The path as people write it: `connectors.telegram.token`, `access.owners[0]`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known dotted name that `name` was most likely meant to be, or None.

    The same last part elsewhere wins, then likeness: of last parts under the same parent, else of whole names.
    """
    names = sorted(set(known))
    parent, _, last = name.rpartition(".")
    if same := [other for other in names if other.rpartition(".")[2] == last]:
        return max(same, key=lambda other: _likeness(name, other))
    score, best = max(((_score(parent, last, other), other) for other in names), default=(0.0, None))
    return best if score >= 0.6 else None


def _score(parent: str, last: str, other: str) -> float:
    other_parent, _, other_last = other.rpartition(".")
    by_last = _likeness(last, other_last)
    if parent == other_parent:
        return by_last
    whole = _likeness(f"{parent}.{last}" if parent else last, other)
    # A whole name may be like another for its parent's sake alone.
    return max(whole if by_last >= 0.5 or not parent else 0.0, by_last - 0.1)


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one.lower(), other.lower(), autojunk=False).ratio()


def suggestion(name: str, known: Collection[str]) -> str:
    """Words that name the valid name nearest to `name`, or some of those there are."""
    if best := nearest(name, known):
        return f"the nearest valid name is {best}"
    return some(known)


def some(known: Collection[str]) -> str:
    """Words that list valid names, the first ten at most."""
    names = sorted(set(known))
    if not names:
        return "there is no valid name here"
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return f"valid names are {', '.join(names[:10])}{more}"


def expectation(kind: str, message: str, *, context: Mapping[str, object], value: object) -> str:
    """What a value must be, from a pydantic error's type, message and context; `value` is never repeated."""
    if kind == "missing":
        return "is missing"
    if kind in ("literal_error", "enum"):
        allowed = str(context.get("expected", "")).replace("'", '"')
        best = (
            nearest(value, [name.strip('" ') for name in allowed.replace(" or ", ",").split(",")])
            if (isinstance(value, str))
            else None
        )
        return f"must be {allowed}" + (f'; the nearest is "{best}"' if best else "")
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return f"must be {words} {context.get(key)}"
    if kind == "value_error":
        return message.removeprefix("Value error, ").rstrip(".")
    for suffix in ("_type", "_parsing", "_from_float"):
        if (noun := _KINDS.get(kind.removesuffix(suffix))) and kind.endswith(suffix):
            return f"must be {noun}"
    return f"is refused: {message[:1].lower()}{message[1:]}".rstrip(".")
