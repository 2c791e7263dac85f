"""Secret values of a section: from the environment, a file of their own, systemd, or a private config file."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath

from jarvisbot.config.lines import Path
from jarvisbot.config.sources import Level, Sources, Table
from jarvisbot.config.wording import dotted
from jarvisbot.errors import ConfigError

__all__ = ["Secrets", "missing", "named_file", "resolve", "secret_keys"]

_LIMIT_BYTES = 1 << 16
_LEVELS: tuple[Level, ...] = ("flag", "environment", "file")


class Secrets(Mapping[str, str]):
    """Secret values by field name. Neither `repr` nor `str` shows one."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(f'{name}=***' for name in self._values)})"


def _ways(name: str) -> tuple[str, str, str]:
    """The keys that may give the secret `name`: an environment variable's name, a file's path, the value itself."""
    return f"{name}_env", f"{name}_file", name


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """One place that a secret is given in; `credential` is a file of systemd's."""

    key: str
    level: Level
    credential: FilePath | None = None

    @property
    def label(self) -> str:
        return f"the systemd credential {self.credential.name}" if self.credential else self.key


def resolve(
    name: str, table: Table, *, at: Path, sources: Sources, environment: Mapping[str, str]
) -> tuple[str | None, str | None]:
    """The secret `name` of the table at `at`, stripped, and a warning where there is one; (None, None) if not given.

    A flag's way of giving it displaces the environment's, and that the file's. Raises ConfigError where one source
    gives it twice or the value cannot be had; no message ever repeats what may be a secret set under the wrong key.
    """
    found = list(_given(name, table, at=at, sources=sources, environment=environment))
    for level in _LEVELS:
        match [way for way in found if way.level == level]:
            case []:
                continue
            case [way]:
                return _value(way, name, table, at=at, sources=sources, environment=environment)
            case [one, other, *_]:
                raise sources.error(
                    (*at, one.key), f"is given twice, by {one.label} and by {other.label}; keep one of them"
                )
    return None, None


def missing(name: str, *, at: Path, sources: Sources) -> ConfigError:
    """What to say where a needed secret is not given."""
    by_environment, by_file, _ = _ways(name)
    credential = f"{at[-1]}_{name}"
    return sources.error(
        (*at, name),
        f"is missing: set {by_environment} to the name of an environment variable or {by_file} to the path of a "
        f"file, or pass the systemd credential {credential}",
    )


def _given(name: str, table: Table, *, at: Path, sources: Sources, environment: Mapping[str, str]) -> Iterator[_Way]:
    for key in _ways(name):
        if key in table:
            yield _Way(key=key, level=sources.level((*at, key)))
    if folder := environment.get("CREDENTIALS_DIRECTORY"):
        for credential in (f"{at[-1]}_{name}", name):
            if (path := FilePath(folder) / credential).is_file():
                yield _Way(key=name, level="environment", credential=path)
                return


def _value(
    way: _Way, name: str, table: Table, *, at: Path, sources: Sources, environment: Mapping[str, str]
) -> tuple[str, str | None]:
    path = (*at, way.key)
    by_environment, by_file, _ = _ways(name)
    if way.credential:
        return _file_text(way.credential, path, sources=sources, is_private=True), None
    given = sources.given.get(path)
    text = given.raw if given else table[way.key]
    if not isinstance(text, str):
        raise sources.error(path, "must be text in quotes")
    if way.key == by_environment:
        return _variable(text.strip(), path, sources=sources, environment=environment), None
    if way.key == by_file:
        try:
            file = FilePath(text.strip()).expanduser()
        except RuntimeError:  # no such person, no home
            file = FilePath(text.strip())
        if way.level == "file" and sources.file:
            file = sources.file.absolute().parent / file
        return _file_text(file, path, sources=sources, is_private=False), None
    value = text.strip()
    if not value:
        raise sources.error(path, "is empty")
    if way.level == "flag":
        raise sources.error(path, f"must not be a flag, which everybody on this machine can see; use {by_file}")
    if way.level == "environment":
        return value, None
    if sources.mode & 0o077:
        raise sources.error(
            path, f"is a secret in a file that others may read: chmod 600 {sources.file}, or use {by_file}"
        )
    warning = (
        f"{sources.place(path)}: {dotted(path)} is a secret in the config file itself; {by_file} keeps them apart."
    )
    return value, warning


def _variable(variable: str, path: Path, *, sources: Sources, environment: Mapping[str, str]) -> str:
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
        raise sources.error(path, "must be the name of an environment variable, not the secret itself")
    value = environment.get(variable, "").strip()
    if not value:
        raise sources.error(path, "names an environment variable that is not set")
    return value


def _file_text(file: FilePath, path: Path, *, sources: Sources, is_private: bool) -> str:
    """The stripped text of a secret's file; `is_private` files are somebody else's to protect."""
    trouble, data, mode = "", b"", 0
    try:
        with file.open("rb") as opened:
            mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
            data = opened.read(_LIMIT_BYTES + 1)
    except FileNotFoundError:
        trouble = "names a file that does not exist"
    except IsADirectoryError:
        trouble = "names a folder, not a file"
    except OSError as error:
        trouble = f"names a file that cannot be read ({error.strerror})"
    except ValueError:
        trouble = "is not a path"
    if trouble:
        raise sources.error(path, trouble)
    if mode & 0o007 and not is_private:
        raise sources.error(path, f"names a file that everybody on this machine may read: chmod 600 {file}")
    if len(data) > _LIMIT_BYTES:
        raise sources.error(path, "names a file too large to be a secret")
    value = data.decode("utf-8", "replace").strip()
    if "\ufffd" in value or "\0" in value:
        raise sources.error(path, "names a file that is not text")
    if not value:
        raise sources.error(path, "names an empty file")
    return value


def named_file(name: str, table: Table, *, at: Path, sources: Sources) -> FilePath | None:
    """The file that the config file names for the secret, absolute; None where it is given in another way."""
    _, by_file, _ = _ways(name)
    text = table.get(by_file)
    if not isinstance(text, str) or sources.level((*at, by_file)) != "file" or sources.file is None:
        return None
    return sources.file.absolute().parent / FilePath(text.strip()).expanduser()


def secret_keys(names: Sequence[str]) -> frozenset[str]:
    """All keys by which any of the secrets may be given."""
    return frozenset(key for name in names for key in _ways(name))
