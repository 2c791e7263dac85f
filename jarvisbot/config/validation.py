"""Validation of a table against a pydantic model, with errors that people can act on."""

from __future__ import annotations

import datetime
import json
import types
import typing
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from pydantic import BaseModel, ValidationError

from jarvisbot.config.lines import Path
from jarvisbot.config.sources import Sources, Table
from jarvisbot.config.wording import dotted, expectation, suggestion

__all__ = ["validate"]

Settings = TypeVar("Settings", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Problem:
    path: Path
    what: str


def validate(
    model: type[Settings],
    table: Table,
    *,
    at: Path,
    sources: Sources,
    also_valid: Collection[str] = (),
    elsewhere: Collection[str] = (),
) -> Settings:
    """The table as an instance of `model`.

    Numbers, texts and truths are not converted into each other, but for values of the environment and flags, whose
    text is taken as what the model asks for. Unknown keys are refused whatever the model's own `extra` says, but for
    "allow". `also_valid` are keys at this level that others read, `elsewhere` full names that a lost key may have
    meant.

    Raises ConfigError about the first problem in the file.
    """
    problems = list(_unknown_keys(model, table, at=at, also_valid=also_valid, elsewhere=elsewhere))
    known_bad = {problem.path for problem in problems}
    instance, errors = _attempt(model, table)
    if instance is None and _take_literally(table, errors, at=at, sources=sources):
        instance, errors = _attempt(model, table)
    for loc, kind, message, context in errors:
        path = at + _present(loc, table, is_missing=kind == "missing")
        if path not in known_bad:
            known_bad.add(path)
            value = _value(table, path[len(at) :])
            what = (
                "is not a setting"
                if kind == "extra_forbidden"
                else expectation(kind, message, context=context, value=value)
            )
            problems.append(_Problem(path=path, what=what))
    if instance is not None and not problems:
        return instance
    problems.sort(key=lambda problem: sources.line(problem.path))
    first, others = problems[0], len(problems) - 1
    more = f" (and {others} more {'problem' if others == 1 else 'problems'})" if others else ""
    raise sources.error(first.path, first.what + more)


_Error = tuple[Path, str, str, Mapping[str, object]]


def _attempt(model: type[Settings], table: Table) -> tuple[Settings | None, list[_Error]]:
    """An instance, or errors. pydantic's exception ends here: its text repeats whole tables, secrets included."""
    # Strict JSON: lists become tuples and texts become paths, but "8" is no number and true is no 1.
    text = json.dumps(table, default=_plain)
    try:
        return model.model_validate_json(text, strict=True), []
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        return None, [(item["loc"], item["type"], item["msg"], item.get("ctx", {})) for item in details]


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime.date | datetime.time) else str(value)


def _take_literally(table: Table, errors: Sequence[_Error], *, at: Path, sources: Sources) -> bool:
    """Puts the text of a variable or flag where the model wants text, or a list of texts; True if it did."""
    changed = False
    for loc, kind, _, _ in errors:
        path = _present(loc, table, is_missing=False)
        given = sources.given.get(at + path)
        if given is None:
            continue
        value: object
        if kind in ("string_type", "path_type", "literal_error", "enum"):
            value = given.raw
        elif kind in ("tuple_type", "list_type", "set_type", "frozen_set_type"):
            value = [item.strip() for item in given.raw.split(",") if item.strip()]
        elif kind == "bool_type" and given.raw in ("0", "1"):
            value = given.raw == "1"
        else:
            continue
        parent = _value(table, path[:-1])
        if isinstance(parent, dict):
            parent[path[-1]] = value
            changed = True
    return changed


def _present(loc: Path, table: object, *, is_missing: bool) -> Path:
    """The part of pydantic's location that exists in the table: it also names union members and the like."""
    path: Path = ()
    here = table
    for part in loc:
        is_key = isinstance(here, dict) and part in here
        is_index = isinstance(here, list) and isinstance(part, int) and part < len(here)
        if not is_key and not is_index:
            return (*path, part) if is_missing and part == loc[-1] else path
        here = _value(here, (part,))
        path = (*path, part)
    return path


def _value(table: object, path: Path) -> object:
    here = table
    for part in path:
        if isinstance(here, dict):
            here = here.get(part)
        elif isinstance(here, list) and isinstance(part, int):
            here = here[part]
    return here


def _unknown_keys(
    model: type[BaseModel], table: Table, *, at: Path, also_valid: Collection[str] = (), elsewhere: Collection[str] = ()
) -> Iterator[_Problem]:
    if model.model_config.get("extra") == "allow":
        return
    fields = {name: field.annotation for name, field in model.model_fields.items()}
    fields |= {field.alias: field.annotation for field in model.model_fields.values() if field.alias}
    valid = [*fields, *also_valid]
    for key, value in table.items():
        path = (*at, key)
        if key not in valid:
            names = [dotted((*at, name)) for name in valid]
            yield _Problem(path=path, what=f"is not a setting; {_hint(dotted(path), names, elsewhere)}")
            continue
        shape, inner = _inner(fields.get(key))
        if inner is None:
            continue
        for part, child in _children(shape, value):
            yield from _unknown_keys(inner, child, at=path + part, elsewhere=elsewhere)


def _hint(name: str, here: Collection[str], elsewhere: Collection[str]) -> str:
    """A likely name of the same table, else one of the whole configuration, else what the table has."""
    last = name.rpartition(".")[2]
    if any(other.rpartition(".")[2] == last for other in elsewhere):  # the right key in the wrong table
        return suggestion(name, elsewhere)
    from_here = suggestion(name, here)
    if not elsewhere or from_here.startswith("the nearest"):
        return from_here
    from_all = suggestion(name, elsewhere)
    return from_all if from_all.startswith("the nearest") else from_here


_Shape = Literal["table", "map", "list"]


def _children(shape: _Shape, value: object) -> Iterator[tuple[Path, Table]]:
    match shape:
        case "table":
            if isinstance(value, dict):
                yield (), value
        case "map":
            if isinstance(value, dict):
                yield from (((key,), child) for key, child in value.items() if isinstance(child, dict))
        case "list":
            if isinstance(value, list):
                yield from (((index,), child) for index, child in enumerate(value) if isinstance(child, dict))
        case _:
            typing.assert_never(shape)


def _inner(annotation: object) -> tuple[_Shape, type[BaseModel] | None]:
    """The model that the values of a field hold, and how: itself, a mapping of them or a list of them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "table", annotation
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return _inner(arguments[0])
    if origin in (typing.Union, types.UnionType):
        models = [found for found in map(_inner, arguments) if found[1] is not None]
        return models[0] if len(models) == 1 else ("table", None)
    if origin in (dict, Mapping) and len(arguments) == 2:
        shape, inner = _inner(arguments[1])
        return "map", inner if shape == "table" else None
    if origin in (list, tuple, Sequence) and arguments:
        shape, inner = _inner(arguments[0])
        return "list", inner if shape == "table" else None
    return "table", None
