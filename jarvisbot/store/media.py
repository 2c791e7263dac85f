"""The bytes of files that came in or go out, in a folder of the data folder."""

from __future__ import annotations

import asyncio
import errno
import hashlib
import os
import re
import tempfile
import unicodedata
from pathlib import Path

from jarvisbot.errors import StoreError, StoreFull
from jarvisbot.types import FileRef

__all__ = ["FILE_BYTES", "TOTAL_BYTES", "MediaFolder", "display_name"]

FILE_BYTES = 20 * 1024 * 1024
"""The largest file that is kept."""
TOTAL_BYTES = 1024 * 1024 * 1024
"""Beyond this the files that were kept longest ago go."""
NAME_CHARACTERS = 120
_ID = re.compile(r"[0-9a-f]{64}")
_MEDIA_TYPE = re.compile(r"[a-z0-9.+-]{1,60}/[a-z0-9.+-]{1,80}")
UNKNOWN_TYPE = "application/octet-stream"


def display_name(name: str) -> str:
    """A file's name as it may be shown: its last part in one line, without control and direction characters."""
    last = re.split(r"[/\\]", name)[-1]
    shown = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in last)
    return " ".join(shown.split())[:NAME_CHARACTERS].strip() or "file"


class MediaFolder:
    """Files under the hash of their bytes, readable by their owner alone. State: the folder on disk.

    Nothing that a platform says ever becomes a part of a path.
    """

    def __init__(self, folder: Path, *, file_bytes: int = FILE_BYTES, total_bytes: int = TOTAL_BYTES) -> None:
        self._folder = folder
        self._file_bytes = file_bytes
        self._total_bytes = total_bytes

    async def keep(self, data: bytes, *, name: str, media_type: str) -> FileRef:
        """Keeps a file, the same bytes once. Raises StoreError where it is too large or the disk takes no more."""
        if len(data) > self._file_bytes:
            raise StoreError(f"A file of more than {self._file_bytes // 1024 // 1024} MB is not kept.")
        identity = await asyncio.to_thread(self._keep, data)
        kind = media_type.casefold()
        return FileRef(
            id=identity,
            name=display_name(name),
            media_type=kind if _MEDIA_TYPE.fullmatch(kind) else UNKNOWN_TYPE,
            size_bytes=len(data),
        )

    async def read(self, file: FileRef) -> bytes:
        """The bytes of a file that was kept. Raises StoreError where they are not there any more."""
        return await asyncio.to_thread(self._read, file)

    def _keep(self, data: bytes) -> str:
        identity = hashlib.sha256(data).hexdigest()
        place = self._folder / identity
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if place.exists():
                os.utime(place)
                return identity
            self._make_room(len(data))
            with tempfile.NamedTemporaryFile(dir=self._folder, prefix=".new-", delete=False) as written:  # mode 0600
                part = Path(written.name)
                try:
                    written.write(data)
                    written.flush()
                    os.fsync(written.fileno())
                    part.replace(place)
                except OSError:
                    part.unlink(missing_ok=True)
                    raise
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StoreFull("The disk is full; free some space and I go on by myself.") from None
            raise StoreError(f"A file cannot be kept in {self._folder}: {error.strerror}.") from None
        return identity

    def _make_room(self, needed: int) -> None:
        files = [(path.stat(), path) for path in self._folder.iterdir() if path.is_file()]
        total = sum(status.st_size for status, _ in files) + needed
        for status, path in sorted(files, key=lambda file: file[0].st_mtime_ns):
            if total <= self._total_bytes:
                return
            path.unlink(missing_ok=True)
            total -= status.st_size

    def _read(self, file: FileRef) -> bytes:
        if not _ID.fullmatch(file.id):
            raise StoreError(f"The file {file.name} was not kept.")
        try:
            return (self._folder / file.id).read_bytes()
        except OSError:
            raise StoreError(f"The file {file.name} is not there any more.") from None
