"""The shipped program as people start it: in a process of its own, with nothing of this one's environment but the path."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Outcome", "environment", "jarvisbot", "start", "tell"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a command ended."""

    code: int
    output: str
    errors: str


def environment(home: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """A person's environment: a home folder, a path, and what the test adds; coverage's own variables are kept."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(("COV", "PATH", "LANG", "LC_"))}
    return {**kept, "HOME": str(home), **(more or {})}


async def start(
    *arguments: str, home: Path, more: Mapping[str, str] | None = None, cwd: Path | None = None
) -> asyncio.subprocess.Process:
    """A running `jarvisbot` with pipes on all its streams."""
    return await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("jarvisbot")),
        *arguments,
        env=environment(home, more),
        cwd=cwd or home,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )


def tell(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    """Sends a signal to a process that still runs. asyncio's own `kill` and `send_signal` reap one that has just ended before
    the event loop does, and its exit status is lost (https://github.com/python/cpython/issues/127049).
    """
    with contextlib.suppress(ChildProcessError, ProcessLookupError):
        if os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            os.kill(process.pid, number)


async def jarvisbot(
    *arguments: str,
    home: Path,
    given: bytes = b"",
    more: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    seconds: float = 60,
) -> Outcome:
    """Runs a command to its end, with `given` on its standard input."""
    process = await start(*arguments, home=home, more=more, cwd=cwd)
    try:
        async with asyncio.timeout(seconds):
            output, errors = await process.communicate(given)
    except BaseException:
        tell(process, signal.SIGKILL)
        await process.communicate()
        raise
    assert process.returncode is not None
    return Outcome(code=process.returncode, output=output.decode(), errors=errors.decode())
