"""What the host's API says of a repository, read from its JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping

import msgspec

__all__ = ["FileFacts", "RepositoryFacts", "read_facts"]

LICENCE_TAG = re.compile(r"license:(.+)")


class FileFacts(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a repository; `sha256` is None for a small one, which is kept without."""

    bytes: int | None
    sha256: str | None


class RepositoryFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A repository at one commit."""

    commit: str
    licence: str | None
    files: Mapping[str, FileFacts]


class _Large(msgspec.Struct):
    """How a file in the large file storage is described: older hosts call the hash `oid`."""

    size: int
    sha256: str | None = None
    oid: str | None = None


class _Sibling(msgspec.Struct):
    rfilename: str
    size: int | None = None
    lfs: _Large | None = None


class _Card(msgspec.Struct):
    license: str | list[str] | None = None
    license_name: str | None = None


class _Answer(msgspec.Struct):
    sha: str
    siblings: list[_Sibling] = []
    tags: list[str] = []
    cardData: _Card | None = None


_ANSWER = msgspec.json.Decoder(_Answer)


def read_facts(body: bytes) -> RepositoryFacts | None:
    """The answer of `/api/models/…`; None where it is none."""
    try:
        answer = _ANSWER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
    return RepositoryFacts(
        commit=answer.sha,
        licence=_licence(answer),
        files={
            each.rfilename: FileFacts(
                bytes=each.lfs.size if each.lfs else each.size,
                sha256=(each.lfs.sha256 or each.lfs.oid or "").lower().removeprefix("sha256:") or None
                if each.lfs
                else None,
            )
            for each in answer.siblings
        },
    )


def _licence(answer: _Answer) -> str | None:
    card = answer.cardData
    if card is not None and card.license_name:
        return card.license_name
    named = card.license if card is not None else None
    if isinstance(named, list):
        return ", ".join(named) or None
    return named or next((found[1] for tag in answer.tags if (found := LICENCE_TAG.fullmatch(tag))), None)
