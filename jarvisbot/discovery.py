"""Add-ons by name: file -> module -> object, for every kind, without importing what is not asked for."""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from types import ModuleType
from typing import Literal

from jarvisbot.errors import ConfigError, MissingPart

__all__ = ["Kind", "load", "names"]

Kind = Literal["connectors", "models", "tools", "commands", "skills"]


def names(kind: Kind) -> tuple[str, ...]:
    """The names of all add-ons of a kind, sorted: the files of its folder, then those of installed packages.

    No add-on is imported for this. A name that two of them claim is a ConfigError that names both.
    """
    folder = importlib.import_module(f"jarvisbot.{kind}")
    ours = [module.name for module in pkgutil.iter_modules(folder.__path__) if not module.name.startswith("_")]
    theirs = [(point.name, point.value) for point in importlib.metadata.entry_points(group=f"jarvisbot.{kind}")]
    seen = {name: f"jarvisbot.{kind}.{name}" for name in ours}
    for name, value in theirs:
        if name in seen:
            raise ConfigError(f"Two add-ons are named {name!r}: {seen[name]} and {value}; uninstall one of them.")
        seen[name] = value
    return tuple(sorted(seen))


def load(kind: Kind, name: str) -> ModuleType:
    """The module of one add-on.

    Raises ConfigError for a name that does not exist and MissingPart where a library it needs is not installed.
    """
    known = names(kind)
    if name not in known:
        raise ConfigError(f"There is no {kind[:-1]} named {name!r}; there are: {', '.join(known)}.")
    points = {point.name: point for point in importlib.metadata.entry_points(group=f"jarvisbot.{kind}")}
    path = points[name].value if name in points else f"jarvisbot.{kind}.{name}"
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "jarvisbot":
            raise
        raise MissingPart(
            f"The {kind[:-1]} {name!r} needs {error.name}, which is not installed: pip install 'jarvisbot[{name}]'."
        ) from error
