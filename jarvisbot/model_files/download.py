"""The download of a model file: it goes on where it stopped, is verified, and appears at once or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, Protocol

import httpx

from jarvisbot.errors import ModelFileError, NoRoom
from jarvisbot.model_files.host import Broken, Host, HostFile
from jarvisbot.model_files.keeping import sha256_of
from jarvisbot.model_files.machine import MARGIN_BYTES, free_bytes, share, size
from jarvisbot.model_files.partial import FULL, Partial
from jarvisbot.model_files.reference import OnHost

__all__ = ["Stopped", "Watching", "download"]

TRIES = 6
"""Failures in a row that brought no byte, before a download is given up until somebody starts it again."""
CHANGES = 3
"""How often a file may turn out to be another one than its host says."""
CONTENT_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+)")


class Watching(Protocol):
    """Who watches a download."""

    def at(self, done: int, total: int) -> None:
        """So many bytes are on the disk."""

    def checking(self, done: int, total: int) -> None:
        """All bytes are there, and so many of them are hashed."""

    def says(self, text: str) -> None:
        """Something that people may want to know."""


class Stopped(Exception):
    """A person ended the download; `saved` of `total` bytes are kept."""

    def __init__(self, saved: int, total: int) -> None:
        super().__init__(f"{saved} of {total} bytes")
        self.saved = saved
        self.total = total


class _Changed(Exception):
    """What the host sends is not the file that it described."""


def download(
    host: Host,
    wanted: OnHost,
    target: Path,
    watching: Watching,
    *,
    agree: Callable[[HostFile], None] = lambda _: None,
    free: Callable[[Path], int] = free_bytes,
    append: Callable[[Path], BinaryIO] = lambda path: path.open("ab", buffering=0),
) -> tuple[HostFile, str]:
    """Fetches the file to `target`, on top of what an earlier try left; the file as described, and its SHA-256.

    `agree` is told what is to come before anything is written, and may raise. Raises ModelFileError, NoRoom and
    Stopped (for a Ctrl-C); what has arrived stays in all three cases, for the next try.
    """
    partial = Partial(target)
    for _ in range(CHANGES):
        file = host.look_up(wanted)
        agree(file)
        try:
            partial.belongs_to(file)
            _make_room(file, partial, free)
            mended = _fetch(host, file, partial, watching, append)
            found = sha256_of(partial.path, lambda done: watching.checking(done, file.bytes))  # noqa: B023  used at once
            if file.sha256 is None or found == file.sha256:
                partial.publish()
                return file, found
            partial.discard()
            if not mended and host.look_up(wanted).sha256 == file.sha256:
                raise ModelFileError(
                    f"What arrived of {wanted.name} is not what {host.name} says it should be (SHA-256 {found[:12]}… "
                    f"instead of {file.sha256[:12]}…): it was thrown away. Try again, or another host by model.host."
                )
            watching.says("the parts that arrived do not make up the file; beginning anew")
        except _Changed:
            partial.discard()
            watching.says(f"the file has changed at {host.name}; beginning anew")
        except KeyboardInterrupt:
            raise Stopped(partial.size, file.bytes) from None
        except OSError as error:
            raise _disk_trouble(error, file, partial, target.parent, free) from error
    raise ModelFileError(f"{wanted.name} at {host.name} changes while it is downloaded: try again later.")


def _make_room(file: HostFile, partial: Partial, free: Callable[[Path], int]) -> None:
    """Raises NoRoom where the rest of the file does not fit on the disk."""
    missing = file.bytes - partial.size + MARGIN_BYTES - free(partial.path.parent)
    if missing > 0:
        raise _no_room(file, partial, missing)


def _no_room(file: HostFile, partial: Partial, missing: int) -> NoRoom:
    return NoRoom(
        f"There is no room for {file.reference.name}: {size(missing)} more are needed on the disk of "
        f"{partial.path.parent}. {share(partial.size, file.bytes)} are saved; free some space and try again."
    )


def _disk_trouble(
    error: OSError, file: HostFile, partial: Partial, folder: Path, free: Callable[[Path], int]
) -> ModelFileError:
    if error.errno in FULL:
        return _no_room(file, partial, max(file.bytes - partial.size + MARGIN_BYTES - free(folder), MARGIN_BYTES))
    return ModelFileError(f"The folder {folder} cannot be written to: {error.strerror}.")


def _fetch(
    host: Host, file: HostFile, partial: Partial, watching: Watching, append: Callable[[Path], BinaryIO]
) -> bool:
    """Brings the partial to its full size, whatever breaks on the way; whether its bytes are of several answers.

    Raises _Changed, ModelFileError, OSError.
    """
    if not file.bytes:
        raise ModelFileError(f"{file.reference.name} is empty at {host.name}.")
    retrying = host.retrying(TRIES)
    answers = 1 if partial.size else 0
    watching.at(partial.size, file.bytes)
    while (have := partial.size) < file.bytes:
        try:
            with host.body(file, offset=have, etag=partial.etag) as response:
                skip = _skipped(response, file, partial, have)
                answers = answers + 1 if partial.size else 1
                _write(response, file, partial, watching, skip=skip, append=append)
            if partial.size == have:
                raise Broken(f"{host.name} sent nothing")
        except Broken as trouble:
            if partial.size > have:
                retrying.progressed()
            retrying.after(trouble)
    return answers > 1


def _skipped(response: httpx.Response, file: HostFile, partial: Partial, have: int) -> int:
    """How many bytes of the body are here already; where the body is of another answer, what is here is dropped.

    Raises _Changed where the answer is not of this file, Broken for a part that nobody asked for.
    """
    etag = response.headers.get("etag")
    if response.status_code == 416:
        raise _Changed
    if response.status_code == 206:
        part = CONTENT_RANGE.fullmatch(response.headers.get("content-range", "").strip())
        if part is None:
            raise Broken("The host sent a part of the file and does not say which")
        if int(part[3]) != file.bytes:
            raise _Changed
        if int(part[1]) > have:
            raise Broken("The host sent another part of the file than was asked for")
        if partial.etag and etag and etag != partial.etag:
            raise _Changed
        partial.comes_from(etag)
        return have - int(part[1])
    length = response.headers.get("content-length", "")
    if length.isascii() and length.isdigit() and int(length) != file.bytes:
        raise _Changed
    if have and not (partial.etag and partial.etag == etag):
        partial.path.unlink(missing_ok=True)
        have = 0
    partial.comes_from(etag)
    return have


def _write(
    response: httpx.Response,
    file: HostFile,
    partial: Partial,
    watching: Watching,
    *,
    skip: int,
    append: Callable[[Path], BinaryIO],
) -> None:
    """Adds the body to the partial as it arrives, but for its first `skip` bytes. Raises Broken, _Changed, OSError."""
    with append(partial.path) as out:
        done = out.tell()
        for chunk in response.iter_raw():
            piece = memoryview(chunk)[skip:]
            skip -= len(chunk) - len(piece)
            if done + len(piece) > file.bytes:
                raise _Changed
            while piece:
                written = out.write(piece)
                done += written
                piece = piece[written:]
            watching.at(done, file.bytes)
