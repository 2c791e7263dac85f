"""Where the local socket lies and who may use it."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

from jarvisbot.errors import Disconnected

__all__ = ["NAME", "connect", "listen", "peer", "remove"]

NAME = "console.sock"
LONGEST_PATH_BYTES = 107
"""What `sun_path` of unix(7) holds before its NUL."""
BACKLOG = 32
CONNECT_S = 5.0


def listen(folder: Path) -> socket.socket:
    """A listening socket in the folder, for its owner alone. Call it with the folder's lock held: what a killed process has
    left is replaced. Blocks. Raises Disconnected.
    """
    path = folder / NAME
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        path.unlink(missing_ok=True)
        with _address(folder) as address:
            listener.bind(address)
        path.chmod(0o600)  # before `listen`: until then nobody can connect
        listener.listen(BACKLOG)
        listener.setblocking(False)
    except OSError as error:
        listener.close()
        raise Disconnected(f"`jarvisbot chat` cannot attach: {path} cannot be made ({error.strerror}).") from error
    return listener


def remove(folder: Path) -> None:
    """Takes the socket away; with the folder's lock held. Blocks."""
    with contextlib.suppress(OSError):
        (folder / NAME).unlink(missing_ok=True)


def connect(folder: Path) -> socket.socket | None:
    """A connection to the service of the folder, or None where none listens or this user may not ask. Blocks."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(CONNECT_S)
    try:
        with _address(folder) as address:
            connection.connect(address)
    except (OSError, Disconnected):
        connection.close()
        return None
    connection.setblocking(False)
    return connection


@contextlib.contextmanager
def _address(folder: Path) -> Iterator[str]:
    """A path of the socket that is short enough, whatever the folder's: through a descriptor of the folder if need be."""
    path = os.fsencode((folder / NAME).absolute())
    if len(path) <= LONGEST_PATH_BYTES:
        yield os.fsdecode(path)
        return
    descriptor = os.open(folder, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        short = f"/proc/self/fd/{descriptor}"
        if not Path(short).exists():
            raise Disconnected(
                f"`jarvisbot chat` cannot attach: the path of {folder} is longer than {LONGEST_PATH_BYTES - len(NAME) - 1} "
                "bytes, and /proc, which makes it shorter, is not mounted."
            )
        yield f"{short}/{NAME}"
    finally:
        os.close(descriptor)


def peer(connection: socket.socket) -> int:
    """The user id of the process at the other end, as the kernel saw it when that connected (SO_PEERCRED, unix(7))."""
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    _, user, _ = struct.unpack("3i", credentials)
    return int(user)
