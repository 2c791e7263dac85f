"""How far a download is: a bar in a terminal, a line now and then elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

from jarvisbot.model_files.machine import share, size

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from jarvisbot.model_files.download import Watching

__all__ = ["Lines", "duration", "watching"]

EVERY_S = 10.0


@contextlib.contextmanager
def watching(name: str, out: TextIO | None = None) -> Iterator[Watching]:
    """Something that shows a download of `name` on `out` (stderr without one) while the block runs."""
    out = out or sys.stderr
    if not out.isatty():
        yield Lines(name, out)
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(file=out)) as progress:
        yield _Bar(progress, name)


class _Bar:
    """A bar of rich's."""

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress = progress
        self._name = name
        self._download: TaskID | None = None
        self._check: TaskID | None = None

    def at(self, done: int, total: int) -> None:
        """See `Watching.at`."""
        if self._download is None:
            self._download = self._progress.add_task(self._name, total=total, completed=done)
        self._progress.update(self._download, total=total, completed=done)

    def checking(self, done: int, total: int) -> None:
        """See `Watching.checking`."""
        if self._check is None:
            self._check = self._progress.add_task("verifying", total=total)
        self._progress.update(self._check, total=total, completed=done)

    def says(self, text: str) -> None:
        """See `Watching.says`."""
        self._progress.console.print(text, markup=False, highlight=False)


class Lines:
    """Plain lines: at the start, every ten seconds, and at the end."""

    def __init__(self, name: str, out: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._out = out
        self._clock = clock
        self._began: tuple[float, int] | None = None
        self._told = 0.0
        self._verifying = False

    def at(self, done: int, total: int) -> None:
        """See `Watching.at`."""
        now = self._clock()
        if self._began is None or done < self._began[1]:
            self._began, self._told = (now, done), now
            self.says(f"{self._name}: {share(done, total)}")
            return
        if done < total and now - self._told < EVERY_S:
            return
        self._told = now
        rate = (done - self._began[1]) / max(now - self._began[0], 1e-3)
        left = f", {duration((total - done) / rate)} left" if rate and done < total else ""
        self.says(f"{self._name}: {share(done, total)} ({done * 100 // max(total, 1)} %), {size(rate)}/s{left}")

    def checking(self, done: int, total: int) -> None:
        """See `Watching.checking`."""
        if not self._verifying:
            self._verifying = True
            self.says(f"{self._name}: verifying")

    def says(self, text: str) -> None:
        """See `Watching.says`."""
        print(text, file=self._out, flush=True)


def duration(seconds: float) -> str:
    """A time for people: `8 s`, `2 min`, `1 h 5 min`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"
