"""Files that are to be kept: hashed, made to survive a loss of power, and written by one process at a time."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from jarvisbot.errors import ModelFileError

__all__ = ["claimed", "sha256_of", "sync_folder"]

CHUNK_BYTES = 1 << 20


def sha256_of(path: Path, progress: Callable[[int], None] = lambda _: None) -> str:
    """The SHA-256 of a file in hexadecimal digits; `progress` is told how many bytes are read. Raises OSError."""
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            digest.update(chunk)
            done += len(chunk)
            progress(done)
    return digest.hexdigest()


def sync_folder(folder: Path) -> None:
    """Makes what was renamed in the folder survive a loss of power. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Nobody else downloads into the folder while the block runs. Raises ModelFileError where somebody does already.

    The lock is the kernel's: it goes with the process, however that ends.
    """
    try:
        lock: BinaryIO = os.fdopen(os.open(folder / ".lock", os.O_RDWR | os.O_CREAT, 0o600), "r+b")
    except OSError as error:
        raise ModelFileError(f"The folder {folder} cannot be written to: {error.strerror}.") from error
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = lock.read().decode("ascii", "replace").strip() or "unknown"
            raise ModelFileError(
                f"Another installation into {folder} is under way (process {holder}): wait for it to end."
            ) from None
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n".encode("ascii"))
        lock.flush()
        yield
