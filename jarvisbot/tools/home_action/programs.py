"""A program run without a shell, within its time, with what it printed cut and cleaned."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Mapping

from jarvisbot.config import Action
from jarvisbot.errors import ToolError, ToolTimedOut

__all__ = ["cleaned", "program_environment", "run"]

OUTPUT_BYTES = 16_384
OUTPUT_CHARACTERS = 400
LINGER_S = 0.3
"""How long output is waited for that a program's children may still print after its end."""

_KEPT = frozenset({"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY"})
_KEPT_PREFIXES = ("LC_", "XDG_", "DBUS_SESSION_", "PULSE_", "PIPEWIRE_")
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def program_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """What a program needs to find the person's session, and no more: the bot's secrets stay with the bot."""
    return {name: text for name, text in environment.items() if name in _KEPT or name.startswith(_KEPT_PREFIXES)}


async def run(action: Action) -> str:
    """What the program printed, cut and cleaned. Raises ToolError where it fails, ToolTimedOut where it takes too long.

    It has a process group of its own, which is killed with all that is in it when the time is over or the call is
    cancelled. What a program leaves running when it ends by itself goes on.
    """
    read_end, write_end = os.pipe()
    # A pipe of our own: the program's end is then known at once, whoever of its children keeps the pipe open.
    try:
        process = await _started(action, write_end)
    except BaseException:
        os.close(read_end)
        raise
    finally:
        os.close(write_end)
    output = _Output()
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: output, os.fdopen(read_end, "rb", buffering=0))
    try:
        async with asyncio.timeout(action.timeout_s):
            code = await process.wait()
            await asyncio.wait({output.over}, timeout=LINGER_S)
    except TimeoutError as error:
        raise ToolTimedOut(f'"{action.name}" took longer than {action.timeout_s:g} seconds and was stopped.') from error
    finally:
        if process.returncode is None:
            _kill_group(process.pid)
            await process.wait()
        transport.close()
    printed = cleaned(bytes(output.kept))
    if code:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        raise ToolError(f'"{action.name}" {how}{f": {printed}" if printed else "."}')
    return printed


async def _started(action: Action, output: int) -> asyncio.subprocess.Process:
    try:
        return await asyncio.create_subprocess_exec(
            *action.argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env=program_environment(os.environ),
        )
    except FileNotFoundError as error:
        raise ToolError(f'"{action.name}" cannot be run: there is no program {action.argv[0]!r}.') from error
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "its arguments are no text"
        raise ToolError(f'"{action.name}" cannot be run: {reason}.') from error


class _Output(asyncio.Protocol):
    """Keeps the first bytes that come and lets the rest go, so that the program is never held up."""

    def __init__(self) -> None:
        self.kept = bytearray()
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def data_received(self, data: bytes) -> None:
        """See asyncio.Protocol."""
        self.kept += data[: OUTPUT_BYTES - len(self.kept)]

    def connection_lost(self, exc: Exception | None) -> None:
        """See asyncio.Protocol."""
        if not self.over.done():
            self.over.set_result(None)


def _kill_group(group: int) -> None:
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        return


def cleaned(output: bytes) -> str:
    """Text of one paragraph without escapes and control characters, cut where it is long."""
    text = _ESCAPES.sub("", output.decode("utf-8", "replace"))
    lines = ("".join(letter for letter in line if letter.isprintable()).strip() for line in text.splitlines())
    shown = "\n".join(line for line in lines if line)
    return shown if len(shown) <= OUTPUT_CHARACTERS else f"{shown[: OUTPUT_CHARACTERS - 1]}…"
