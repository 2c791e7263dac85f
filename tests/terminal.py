"""The shipped program in a terminal of its own: keys go in, the screen is read as a person sees it."""

from __future__ import annotations

import fcntl
import os
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyte

from tests.program import environment

__all__ = ["Terminal", "terminal"]

_OWN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Keys such as Ctrl-C send signals to the program whose controlling terminal it is."""


@dataclass(slots=True)
class Terminal:
    """A running program's terminal. State: all that came out of it, and the screen that this makes."""

    master: int
    process: subprocess.Popen[bytes]
    screen: pyte.HistoryScreen
    stream: pyte.ByteStream
    raw: bytearray = field(default_factory=bytearray)

    def types(self, keys: str | bytes) -> None:
        os.write(self.master, keys.encode() if isinstance(keys, str) else keys)

    @property
    def lines(self) -> list[str]:
        """The screen's lines down to the last that shows something."""
        return "\n".join(line.rstrip() for line in self.screen.display).rstrip().split("\n")

    @property
    def text(self) -> str:
        return "\n".join(self.lines)

    def until(self, condition: Callable[[], object], seconds: float = 30) -> None:
        """Reads what the program writes until the condition holds; the screen is in the error."""
        end = time.monotonic() + seconds
        while not condition():
            ready, _, _ = select.select([self.master], [], [], max(0.0, end - time.monotonic()))
            if not ready or not self._read():
                assert condition(), f"the screen shows:\n{self.text}"
                return

    def shows(self, text: str, seconds: float = 30) -> None:
        self.until(lambda: text in self.text, seconds)

    def prompts(self, seconds: float = 30) -> None:
        """Waits for an empty prompt under all that was said."""
        self.until(lambda: self.lines[-1] == ">", seconds)

    def _read(self) -> bool:
        try:
            data = os.read(self.master, 65536)
        except OSError:  # the program has ended and with it the terminal's other side
            return False
        self.raw += data
        self.stream.feed(data)
        return bool(data)

    def ended(self, seconds: float = 30) -> int:
        """The exit code, after all that the program wrote was read."""
        end = time.monotonic() + seconds
        while select.select([self.master], [], [], max(0.0, end - time.monotonic()))[0] and self._read():
            pass
        return self.process.wait(max(1.0, end - time.monotonic()))


@contextmanager
def terminal(
    *arguments: str,
    home: Path,
    more: Mapping[str, str] | None = None,
    program: Sequence[str | Path] | None = None,
    size: tuple[int, int] = (40, 100),
    term: str = "xterm-256color",
    screen: type[pyte.HistoryScreen] = pyte.HistoryScreen,
) -> Iterator[Terminal]:
    """`jarvisbot` with these arguments in a terminal of (rows, columns); killed at the end if it still runs."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
    command = [str(word) for word in program or [Path(sys.executable).with_name("jarvisbot")]]
    process = subprocess.Popen(
        [sys.executable, "-c", _OWN_TERMINAL, *command, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment(home, {"TERM": term, "LANG": "C.UTF-8", **(more or {})}),
        cwd=home,
        start_new_session=True,
    )
    os.close(slave)
    shown = screen(size[1], size[0], history=1000)
    try:
        yield Terminal(master, process, shown, pyte.ByteStream(shown))
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        os.close(master)
