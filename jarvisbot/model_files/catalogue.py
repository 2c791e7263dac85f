"""The catalogue of models that are known by a short name."""

from __future__ import annotations

import functools
from pathlib import Path

import msgspec

__all__ = ["DEMO", "Entry", "catalogue", "default", "entry"]

DEMO = "demo"
"""The one that comes as a Python package."""


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A known model. Either `repo` and `file` say where it is on the host, or `package` brings it.

    `size_mb` and `memory_mb` are rounded, in units of a million bytes; the memory is for 8192 tokens of context.
    """

    name: str
    repo: str = ""
    file: str = ""
    package: str = ""
    size_mb: int
    memory_mb: int
    licence: str
    languages: str
    good_for: str


class _Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    model: tuple[Entry, ...]


@functools.cache
def catalogue() -> tuple[Entry, ...]:
    """All of them, the default first."""
    import tomllib

    text = Path(__file__).with_name("catalogue.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), _Catalogue).model


def default() -> Entry:
    """The model that is offered where there is none."""
    return catalogue()[0]


def entry(name: str) -> Entry | None:
    """The model of that name, in whatever case it is written."""
    return next((known for known in catalogue() if known.name == name.lower()), None)
