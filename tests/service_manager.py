"""A service manager that listens, as systemd does on the socket of NOTIFY_SOCKET."""

from __future__ import annotations

import asyncio
import socket

__all__ = ["Manager"]


class Manager:
    """The service manager's end of a socket of datagrams, at a path or an abstract address that begins with "@"."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(f"\0{address[1:]}" if address.startswith("@") else address)
        self._socket.setblocking(False)

    def heard(self) -> list[str]:
        """Every line so far, once."""
        lines: list[str] = []
        while True:
            try:
                lines += self._socket.recv(4096).decode().splitlines()
            except BlockingIOError:
                return lines

    async def next(self) -> str:
        async with asyncio.timeout(20):
            return (await asyncio.get_running_loop().sock_recv(self._socket, 4096)).decode()

    def close(self) -> None:
        self._socket.close()
