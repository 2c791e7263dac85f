"""A file that is not whole yet, beside a note of what it is a part of."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import msgspec

from jarvisbot.model_files.host import HostFile
from jarvisbot.model_files.keeping import sync_folder

__all__ = ["FULL", "Partial"]

FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""What the system says where a disk, a quota or the largest size of a file is reached."""


class _Note(msgspec.Struct, frozen=True, kw_only=True):
    """What a partial file is a part of. `etag` is that of the answer its bytes come from."""

    source: str
    commit: str
    bytes: int
    sha256: str | None
    etag: str | None = None


class Partial:
    """`NAME.part` and `NAME.part.json` in a folder, until `publish` makes `NAME` of them.

    The note is written before the first byte, so that bytes without a note are never taken for anything.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._path = target.with_name(f"{target.name}.part")
        self._note_path = target.with_name(f"{target.name}.part.json")
        self._note = self._read()

    @property
    def path(self) -> Path:
        """Where the bytes are."""
        return self._path

    @property
    def size(self) -> int:
        """How many bytes there are."""
        try:
            return self._path.stat().st_size if self._note is not None else 0
        except FileNotFoundError:
            return 0

    @property
    def etag(self) -> str | None:
        """The ETag of the answer that the bytes come from, if it can be relied on (RFC 9110, 8.8.1)."""
        return self._note.etag if self._note is not None else None

    def belongs_to(self, file: HostFile) -> None:
        """Keeps the bytes if they are of this file; else it begins anew. Raises OSError."""
        note = self._note
        same = note is not None and (note.source, note.bytes, note.sha256) == _identity(file)
        if note is None or not same or self.size > file.bytes or (file.sha256 is None and note.commit != file.commit):
            self.discard()
            note = None
        source, size, sha256 = _identity(file)
        etag = note.etag if note is not None else None
        self._write(_Note(source=source, commit=file.commit, bytes=size, sha256=sha256, etag=etag))

    def comes_from(self, etag: str | None) -> None:
        """Remembers the ETag of the answer that the next bytes come from; a weak one promises nothing. Raises OSError."""
        strong = etag if etag and not etag.startswith("W/") else None
        if self._note is not None and self._note.etag != strong:
            self._write(msgspec.structs.replace(self._note, etag=strong))

    def discard(self) -> None:
        """Forgets bytes and note. Raises OSError."""
        self._path.unlink(missing_ok=True)
        self._note_path.unlink(missing_ok=True)
        self._note = None

    def publish(self) -> None:
        """Makes the whole file appear under its name, at once and for good. Raises OSError."""
        with self._path.open("rb") as whole:
            os.fsync(whole.fileno())
        self._path.replace(self._target)
        self._note_path.unlink(missing_ok=True)
        self._note = None
        sync_folder(self._target.parent)

    def _read(self) -> _Note | None:
        try:
            return msgspec.json.decode(self._note_path.read_bytes(), type=_Note)
        except (FileNotFoundError, msgspec.DecodeError, UnicodeDecodeError):
            return None

    def _write(self, note: _Note) -> None:
        if note != self._note:
            fresh = self._note_path.with_name(f"{self._note_path.name}.new")
            fresh.write_bytes(msgspec.json.encode(note))
            fresh.replace(self._note_path)
            self._note = note


def _identity(file: HostFile) -> tuple[str, int, str | None]:
    return f"{file.reference.repo}/{file.reference.file}", file.bytes, file.sha256
