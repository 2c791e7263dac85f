"""Where values come from: the file, the environment and flags, merged, with the place of each."""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Literal, TypeAlias

from jarvisbot.config.lines import Path, line_of, lines
from jarvisbot.config.wording import dotted, nearest, some, suggestion
from jarvisbot.errors import ConfigError

__all__ = ["ENVIRONMENT_ALLOWED", "Given", "Level", "Sources", "Table", "gather"]

Table: TypeAlias = dict[str, object]
Level: TypeAlias = Literal["file", "environment", "flag"]

ENVIRONMENT_ALLOWED: Mapping[str, str] = {"JARVISBOT_CONFIG": "the path of the config file"}
"""Variables that begin like settings and are none."""

_PREFIX = "JARVISBOT_"
_LIMIT_BYTES = 1 << 20
_TRUTHS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A value of the environment or a flag: `raw` is its text as it was written."""

    level: Level
    place: str
    raw: str

    def __repr__(self) -> str:
        return f"Given({self.place})"


class Sources:
    """The merged values and the place of each. Owns text that may hold secrets, so it has no telling repr."""

    __slots__ = ("file", "given", "lines", "mode", "tree")

    def __init__(self, *, file: FilePath | None, mode: int, lines: Mapping[Path, int], tree: Table) -> None:
        self.file = file
        self.mode = mode
        """Permission bits of the file."""
        self.lines = lines
        self.tree = tree
        self.given: dict[Path, Given] = {}

    def __repr__(self) -> str:
        return f"Sources(file={str(self.file)!r})" if self.file else "Sources()"

    def given_at(self, path: Path) -> Given | None:
        """The flag or variable that set the value at `path` or something around it."""
        for length in range(len(path), 0, -1):
            if (given := self.given.get(path[:length])) is not None:
                return given
        return None

    def level(self, path: Path) -> Level:
        """Which kind of source set the value."""
        given = self.given_at(path)
        return given.level if given else "file"

    def line(self, path: Path) -> int:
        """The line of `path` in the file, 0 where it is not from there."""
        return 0 if self.given_at(path) else line_of(path, self.lines) or 0

    def place(self, path: Path) -> str:
        """`file:line`, the variable or the flag that a message about `path` points at."""
        if given := self.given_at(path):
            return given.place
        if line := line_of(path, self.lines):
            return f"{self.file}:{line}"
        for length in range(len(path), 0, -1):
            for other, given in self.given.items():
                if other[:length] == path[:length]:
                    return given.place
        return str(self.file) if self.file else "configuration"

    def error(self, path: Path, what: str) -> ConfigError:
        """A ConfigError of one sentence: place, dotted key, what is wrong."""
        return ConfigError(f"{self.place(path)}: {dotted(path)} {what}.")

    def table(self, path: Path) -> Table:
        """The table at `path`; an empty one where there is none. Raises ConfigError for a value that is no table."""
        here: Table = self.tree
        for length, part in enumerate(path, 1):
            value = here.get(str(part), {})
            if not isinstance(value, dict):
                raise self.error(path[:length], f"must be a table: [{dotted(path[:length])}]")
            here = value
        return here


def gather(
    path: FilePath | None,
    *,
    environment: Mapping[str, str],
    overrides: Mapping[str, str],
    settings: Collection[str],
    open_sections: Collection[str],
    removed: Collection[str],
) -> Sources:
    """Reads all sources.

    `settings` are the known dotted names, `removed` those that were known once; keys of `open_sections` are judged
    later.

    Raises ConfigError for a file that cannot be used and for a variable or flag that nothing reads.
    """
    sources = (
        _read(path, credentials=environment.get("CREDENTIALS_DIRECTORY"))
        if path
        else Sources(file=None, mode=0o600, lines={}, tree={})
    )
    variables = {
        name: text.strip()
        for name, text in sorted(environment.items())
        if name.startswith(_PREFIX) and name not in ENVIRONMENT_ALLOWED and text.strip()
    }
    pointed_at = set(_environment_names(sources.tree))
    pointed_at.update(text for name, text in variables.items() if name.endswith("_ENV"))
    pointed_at.update(text for name, text in overrides.items() if name.endswith("_env"))
    for name, text in variables.items():
        if name in pointed_at:
            continue
        parts = tuple(name.removeprefix(_PREFIX).lower().split("__"))
        if not _is_known(parts, settings={*settings, *removed}, open_sections=open_sections):
            meant = _in_open_section(parts, open_sections)
            best = meant or nearest(".".join(parts), settings)
            hint = f"the nearest valid name is {_variable(best)}" if best else some([*map(_variable, settings)])
            raise ConfigError(f"Environment variable {name} is not a setting; {hint}.")
        _put(sources, parts, Given(level="environment", place=f"environment variable {name}", raw=text))
    for name, text in overrides.items():
        parts = tuple(name.split("."))
        if not _is_known(parts, settings={*settings, *removed}, open_sections=open_sections):
            meant = _in_open_section(parts, open_sections)
            raise ConfigError(f"Flag {name} is not a setting; {suggestion(name, [meant] if meant else settings)}.")
        _put(sources, parts, Given(level="flag", place=f"flag {name}", raw=text))
    return sources


def _variable(name: str) -> str:
    return _PREFIX + name.replace(".", "__").upper()


def _is_known(parts: tuple[str, ...], *, settings: Collection[str], open_sections: Collection[str]) -> bool:
    if "" in parts:
        return False
    if parts[0] in open_sections:
        return len(parts) > (1 if parts[0] == "model" else 2)
    return ".".join(parts) in settings


def _in_open_section(parts: tuple[str, ...], open_sections: Collection[str]) -> str | None:
    """The dotted name with its section spelt right, where the section was most likely meant to be an open one."""
    section = nearest(parts[0], open_sections)
    return ".".join((section, *parts[1:])) if section and parts[0] not in open_sections and len(parts) > 1 else None


def _environment_names(table: Table) -> Iterator[str]:
    """The environment variables that keys ending in _env point at."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _environment_names(value)
        elif isinstance(value, str) and key.endswith("_env"):
            yield value


def _put(sources: Sources, path: tuple[str, ...], given: Given) -> None:
    if re.search("[\ud800-\udfff\0]", given.raw):
        raise ConfigError(f"{given.place}: {dotted(path)} is not UTF-8 text.")
    here = sources.tree
    for part in path[:-1]:
        value = here.setdefault(part, {})
        if not isinstance(value, dict):
            raise ConfigError(f"{given.place}: {dotted(path)} cannot be set, since {part} is not a table.")
        here = value
    here[path[-1]] = _parse(given.raw)
    for other in [other for other in sources.given if other[: len(path)] == path]:
        del sources.given[other]
    sources.given[path] = given


def _parse(text: str) -> object:
    """The value that a text of the environment or a flag stands for: TOML, else JSON, else the text itself."""
    if text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        table = {}
    if table.keys() == {"value"}:
        value: object = table["value"]
        return value
    if text.startswith(("[", "{")):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        return value
    return text


def _read(path: FilePath, *, credentials: str | None) -> Sources:
    """The file's values. An empty file is one without settings; a byte order mark is skipped.

    What systemd hands over in the folder `credentials` is for us alone, whatever its mode.
    """
    trouble = ""
    data, mode = b"", 0
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            data = file.read(_LIMIT_BYTES + 1)
    except IsADirectoryError:
        trouble = "is a folder, not a config file"
    except FileNotFoundError:
        trouble = "does not exist; config.example.toml shows what to write there"
    except OSError as error:
        trouble = f"cannot be read ({error.strerror})"
    except ValueError:
        trouble = "is not a path"
    if not trouble and len(data) > _LIMIT_BYTES:
        trouble = f"is larger than {_LIMIT_BYTES >> 20} MiB, so it is no config file"
    if trouble:
        raise ConfigError(f"{path} {trouble}.")
    place, tree, text = "", {}, ""
    try:
        text = data.decode("utf-8-sig")
        tree = tomllib.loads(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        place, trouble = f":{line}", "not UTF-8 text"
    except RecursionError:
        trouble = "nested too deeply"
    except ValueError as error:
        place, trouble = _syntax(str(error), text)
    if trouble:
        raise ConfigError(f"{path}{place}: {trouble}.")
    if credentials and path.parent == FilePath(credentials):
        mode = 0o600
    return Sources(file=path, mode=mode, lines=lines(text), tree=tree)


def _syntax(message: str, text: str) -> tuple[str, str]:
    """`:line` and the words of a TOML error."""
    found = re.search(r" \(at (?:line (\d+), column (\d+)|end of document)\)$", message)
    if not found:
        return "", f"not valid TOML: {message[:1].lower()}{message[1:]}"
    what = message[: found.start()]
    what = f"not valid TOML: {what[:1].lower()}{what[1:]}"
    if not found.group(1):
        return f":{text.rstrip().count(chr(10)) + 1}", f"{what} at the end of the file"
    return f":{found.group(1)}", f"{what} (column {found.group(2)})"
