"""Words to the service manager over its notify socket, as sd_notify(3) describes them."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable, Mapping, MutableMapping

__all__ = ["SILENT", "Notifier", "from_environment"]

logger = logging.getLogger(__name__)

SOCKET, WATCHDOG, WATCHDOG_PROCESS = "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"
LONGEST_PAUSE_S = 5.0
"""Between two looks at what the status line should say."""


class Notifier:
    """Tells the service manager how the program is doing; without one it says nothing.

    State: the last status line, and whether the end has begun.
    """

    def __init__(self, address: str | None, *, watchdog_s: float | None = None) -> None:
        """`address` is a path or, with "@" in front, an abstract one; `watchdog_s` after how much silence we are killed."""
        self._address = f"\0{address[1:]}" if address is not None and address.startswith("@") else address
        self._watchdog_s = watchdog_s
        self._status = ""
        self._ends = False

    @property
    def pause_s(self) -> float:
        """Between two beats: half of what the watchdog waits, so that one that comes late does no harm."""
        return LONGEST_PAUSE_S if self._watchdog_s is None else min(LONGEST_PAUSE_S, self._watchdog_s / 2)

    def ready(self) -> None:
        """The start is over, as far as others have to wait for it."""
        self._tell("READY=1")

    def stopping(self) -> None:
        """The end has begun."""
        self._ends = True
        self._tell("STOPPING=1", "STATUS=Stopping")

    def status(self, line: str) -> None:
        """One line for `systemctl status`; the same as before is not sent again, and none once the end has begun."""
        line = " ".join(line.split())
        if line != self._status and not self._ends:
            self._status = line
            self._tell(f"STATUS={line}")

    async def beat(self, status: Callable[[], str]) -> None:
        """Feeds the watchdog from the event loop and keeps the status line up to date, until cancelled.

        A loop that hangs does not get here, and the service manager starts the program anew.
        """
        if self._address is None:
            return
        while True:
            if self._watchdog_s is not None:
                self._tell("WATCHDOG=1")
            self.status(status())
            await asyncio.sleep(self.pause_s)

    def _tell(self, *assignments: str) -> None:
        if self._address is None:
            return
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sending:
            sending.setblocking(False)
            try:
                sending.sendto("\n".join(assignments).encode(), self._address)
            except OSError as error:
                logger.warning("service_manager_unreachable", extra={"reason": error.strerror})


SILENT = Notifier(None)
"""For a program that nobody supervises."""


def from_environment(environment: MutableMapping[str, str], *, process: int) -> Notifier:
    """The notifier that the variables of sd_notify(3) and sd_watchdog_enabled(3) describe.

    They are taken out of the environment: a child must not speak for us.
    """
    watchdog_s = _watchdog_s(environment, process)
    address = environment.pop(SOCKET, "")
    for name in (WATCHDOG, WATCHDOG_PROCESS):
        environment.pop(name, None)
    if (
        not address.startswith(("/", "@")) or len(os.fsencode(address)) > 107
    ):  # others, as vsock, are for whole machines
        return SILENT
    return Notifier(address, watchdog_s=watchdog_s)


def _watchdog_s(environment: Mapping[str, str], process: int) -> float | None:
    """The watchdog's patience in seconds, or None where there is none or it watches another process."""
    microseconds = environment.get(WATCHDOG, "")
    meant = environment.get(WATCHDOG_PROCESS, str(process))
    if not microseconds.isdecimal() or int(microseconds) == 0 or meant != str(process):
        return None
    return int(microseconds) / 1e6
