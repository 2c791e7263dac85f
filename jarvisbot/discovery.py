"""Add-ons by name: file -> module -> object, for every kind, without importing what is not asked for."""

from __future__ import annotations

import importlib
import importlib.metadata
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Literal, get_args

from jarvisbot.errors import ConfigError, MissingPart

__all__ = ["Kind", "load", "names"]

Kind = Literal["connectors", "models", "tools", "commands", "skills", "checks"]


@cache
def _paths(kind: Kind) -> Mapping[str, str]:
    """Name -> module path of every add-on of a kind. What is installed does not change while the program runs."""
    folder = importlib.import_module(f"jarvisbot.{kind}")
    found = {
        module.name: f"jarvisbot.{kind}.{module.name}"
        for module in pkgutil.iter_modules(folder.__path__)
        if not module.name.startswith("_")
    }
    for point in _installed()[f"jarvisbot.{kind}"]:
        if point.name in found:
            both = f"{found[point.name]} and {point.value}"
            raise ConfigError(f"Two add-ons are named {point.name!r}: {both}; uninstall one of them.")
        found[point.name] = point.module
    return found


@cache
def _installed() -> Mapping[str, tuple[importlib.metadata.EntryPoint, ...]]:
    """The entry points of every installed package by group, for our groups: one look at the disk for all kinds."""
    everything = importlib.metadata.entry_points()
    return {f"jarvisbot.{kind}": tuple(everything.select(group=f"jarvisbot.{kind}")) for kind in get_args(Kind)}


def names(kind: Kind) -> tuple[str, ...]:
    """The names of all add-ons of a kind, sorted: the files of its folder and those of installed packages.

    No add-on is imported for this. A name that two of them claim is a ConfigError that names both.
    """
    return tuple(sorted(_paths(kind)))


def load(kind: Kind, name: str) -> ModuleType:
    """The module of one add-on.

    Raises ConfigError for a name that does not exist and MissingPart where a library it needs is not installed.
    """
    known = _paths(kind)
    if name not in known:
        raise ConfigError(f"There is no {kind[:-1]} named {name!r}; there are: {', '.join(sorted(known))}.")
    try:
        return importlib.import_module(known[name])
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "jarvisbot":
            raise
        raise MissingPart(
            f"The {kind[:-1]} {name!r} needs the library {error.name}, which is not installed: {_remedy(kind, name)}"
        ) from error


def _remedy(kind: Kind, name: str) -> str:
    """The command that installs what an add-on needs: its own package's, or one of our extras."""
    from jarvisbot.folders import install_command  # on use: what it imports costs each start

    point = next((point for point in _installed()[f"jarvisbot.{kind}"] if point.name == name), None)
    if point is not None and point.dist is not None:
        return f"{install_command(point.dist.name)} --upgrade"
    extras = importlib.metadata.metadata("jarvisbot").get_all("Provides-Extra") or []
    return install_command(f"jarvisbot[{name if name in extras else 'all'}]")
