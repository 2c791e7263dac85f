"""What a person may call a model: a name of the catalogue, a file on the host, a path."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from jarvisbot.errors import ModelFileError
from jarvisbot.model_files.catalogue import catalogue, entry

__all__ = ["Demo", "OnDisk", "OnHost", "Reference", "read"]

PREFIX = "hf:"
ON_HOST = re.compile(
    r"hf:(?P<repo>[\w.-]+/[\w.-]+)/(?P<file>[\w.-]+(?:/[\w.-]+)*\.gguf)(?:@(?P<revision>[\w./-]+))?", re.ASCII
)


class OnHost(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a repository on the host. `file` may lie in folders there."""

    repo: str
    file: str
    revision: str = "main"

    @property
    def name(self) -> str:
        """The name that the file gets here."""
        return self.file.rpartition("/")[2]

    def __str__(self) -> str:
        """As a person writes it."""
        at = "" if self.revision == "main" else f"@{self.revision}"
        return f"{PREFIX}{self.repo}/{self.file}{at}"


class OnDisk(msgspec.Struct, frozen=True, kw_only=True):
    """A file on this machine."""

    path: Path


class Demo(msgspec.Struct, frozen=True, kw_only=True):
    """The model that a Python package brings."""

    package: str


Reference = OnHost | OnDisk | Demo


def read(text: str) -> Reference:
    """What is meant by `text`. Raises ModelFileError, with what could have been meant."""
    known = entry(text)
    if known is not None:
        return Demo(package=known.package) if known.package else OnHost(repo=known.repo, file=known.file)
    if text.startswith(PREFIX):
        return _on_host(text)
    path = Path(text).expanduser()
    if path.suffix == ".gguf" and ("/" in text or path.exists()):
        return OnDisk(path=path.absolute())
    names = ", ".join(each.name for each in catalogue())
    raise ModelFileError(
        f"{text!r} is no model: name one of {names}, a file of the host as hf:org/repo/file.gguf, "
        "or the path of a GGUF file."
    )


def _on_host(text: str) -> OnHost:
    found = ON_HOST.fullmatch(text)
    parts = {*found["file"].split("/"), *found["repo"].split("/")} if found else {".."}
    if found is None or parts & {".", ".."} or ".." in (found["revision"] or "").split("/"):
        raise ModelFileError(
            f"{text!r} names no file of the host: write hf:org/repo/file.gguf, or with @revision behind."
        )
    return OnHost(repo=found["repo"], file=found["file"], revision=found["revision"] or "main")
