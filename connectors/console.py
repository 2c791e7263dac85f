"""The console: a talk in the terminal, one question from the command line, or lines from a pipe."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import io
import os
import sys
import threading
import uuid
from datetime import UTC, datetime
from typing import BinaryIO, TextIO

from pydantic import BaseModel, ConfigDict

from jarvisbot.connector import Capabilities, Connector, Inbox, Markup, Once, Receipt, Secrets, Unit
from jarvisbot.errors import Disconnected, StoreError
from jarvisbot.types import Address, Author, Inbound, Outbound, RowState, ToolRow

__all__ = ["Console", "Settings", "create"]

SECRETS: tuple[str, ...] = ()
PROMPT = "> "
_CONTROL = dict.fromkeys([*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0)])
"""All but tab and line feed: nothing that is written here may move the cursor or talk to the terminal."""


class Settings(BaseModel):
    """The console has no settings in the config: its flags are those of `jarvisbot chat`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def create(name: str, settings: Settings, secrets: Secrets) -> Connector:
    """A console on this process's own standard streams."""
    return Console(name=name)


class Console:
    """Reads a line, waits for its answer, reads the next. State: what the answer being written has shown so far."""

    def __init__(
        self,
        *,
        name: str = "console",
        question: str | None = None,
        source: BinaryIO | None = None,
        output: TextIO | None = None,
        problems: TextIO | None = None,
    ) -> None:
        self._name = name
        self._question = question
        self._source = source if source is not None else _standard_input()
        self._output = output if output is not None else sys.stdout
        self._problems = problems if problems is not None else sys.stderr
        self._interactive = question is None and self._source.isatty() and self._output.isatty()
        self._at = Address(connector=name, room="local")
        self._writing: str | None = None
        self._shown = ""
        self._rows = 0
        self._complained = False
        self.failed = False
        """Whether a question could not be stored or an answer not be written; the reason was printed."""

    @property
    def name(self) -> str:
        """The connector's name."""
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        """Text of any length, as it is written. Lines from a pipe are answered whole: half an answer could come twice."""
        return Capabilities(
            text_limit=None,
            unit=Unit.CODE_POINTS,
            markup=Markup.MARKDOWN,
            once=Once.MARK,
            edits=self._question is not None or self._output.isatty(),
            append_only=True,
            draft_interval_s=0.05,
            native_rows=True,
        )

    async def run(self, inbox: Inbox) -> None:
        """Returns after the one question, at the end of the input, or when the store takes no more."""
        try:
            await inbox.checkpoint()
            await inbox.settled()
            if self._question is not None:
                await self._ask(inbox, self._question)
                return
            while (line := await self._line()) is not None:
                if line.strip():
                    await self._ask(inbox, line)
        except StoreError as error:
            self.failed = True
            if not self._complained:
                await asyncio.to_thread(_write, self._problems, f"{error.user_message}\n")

    async def _ask(self, inbox: Inbox, text: str) -> None:
        await inbox.put(
            Inbound(
                id=uuid.uuid4().hex,
                at=self._at,
                author=Author(id="local", name=os.environ.get("USER", "you")),
                text=text,
                sent=datetime.now(UTC),
            )
        )
        await inbox.settled()

    async def _line(self) -> str | None:
        """The next line, whatever bytes it holds, or None at the end. The thread it waits in ends with the process."""
        loop = asyncio.get_running_loop()
        read: asyncio.Future[bytes] = loop.create_future()

        def deliver(line: bytes) -> None:
            if not read.done():
                read.set_result(line)

        def wait() -> None:
            try:
                line = self._read()
            except (OSError, ValueError, RuntimeError):  # the terminal is gone or the stream is closed: no more input
                line = b""
            try:
                loop.call_soon_threadsafe(deliver, line)
            except RuntimeError:  # the loop was closed while we waited: nobody wants the line any more
                return

        threading.Thread(target=wait, name="console-input", daemon=True).start()
        line = await read
        return line.decode("utf-8", "replace").rstrip("\r\n") if line else None

    def _read(self) -> bytes:
        if not self._interactive:
            return self._source.readline()
        if self._source is not getattr(sys.stdin, "buffer", None):
            _write(self._output, PROMPT)
            line = self._source.readline()
            _write(self._output, "" if line else "\n")
            return line
        import readline  # noqa: F401  line editing for input(); only a terminal needs it

        try:
            return (input(PROMPT) + "\n").encode("utf-8", "surrogateescape")
        except UnicodeDecodeError as error:
            return bytes(error.object) + b"\n"
        except EOFError:
            _write(self._output, "\n")
            return b""

    async def send(self, outbound: Outbound) -> Receipt:
        """Writes what is not shown yet. Raises Disconnected where nobody reads the output any more."""
        shown = bool(self._shown) and self._writing == outbound.id
        text, stream = self._next(outbound)
        try:
            if shown and stream is not self._output:
                await asyncio.to_thread(_write, self._output, "\n")
            await asyncio.to_thread(_write, stream, text)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                await self._tell_of_full_disk(error)
            raise Disconnected("Nobody reads the console's output any more.") from error
        return Receipt(message=outbound.id, sent=datetime.now(UTC))

    async def _tell_of_full_disk(self, error: OSError) -> None:
        """Says on the other stream, once, that the file which the answers go to takes no more."""
        if self.failed:
            return
        self.failed = True
        with contextlib.suppress(OSError, ValueError):
            await asyncio.to_thread(_write, self._problems, f"The answer cannot be written: {error.strerror}.\n")

    def _next(self, outbound: Outbound) -> tuple[str, TextIO]:
        """The characters that bring the screen from what is shown to the message, and the stream they belong to."""
        stream = self._problems if outbound.problem else self._output
        self._complained = self._complained or outbound.problem
        if self._writing != outbound.id:
            self._writing, self._shown, self._rows = outbound.id, "", 0
        elif outbound.problem:
            self._shown = ""
        body = outbound.body.text
        goes_on = body.startswith(self._shown)
        if not goes_on and not outbound.final:
            return "", stream
        written = "" if goes_on else "\n\n"
        if not (goes_on and self._shown):
            ended = [row for row in outbound.rows if row.state is not RowState.RUNNING]
            written += "".join(_row(row) for row in ended[self._rows :])
            self._rows = max(self._rows, len(ended))
        written += body[len(self._shown) :] if goes_on else body
        self._shown = body
        if outbound.final:
            written += "\n" + "".join(f"Source: {source.url}\n" for source in outbound.sources)
            self._writing = None
        return written, stream

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        """A console has no reactions."""

    async def typing(self, at: Address) -> None:
        """The text appears as it is written; that is sign enough."""

    async def retract(self, at: Address, message: str) -> None:
        """What is printed stays printed."""


def _standard_input() -> BinaryIO:
    return io.BytesIO() if sys.__stdin__ is None else sys.stdin.buffer  # None: closed before the program began


def _row(row: ToolRow) -> str:
    seconds = f" ({row.seconds:.1f} s)" if row.seconds >= 0.05 else ""
    failed = " – failed" if row.state is RowState.FAILED else ""
    return f"· {row.label} {row.detail}{seconds}{failed}\n"


def _write(stream: TextIO, text: str) -> None:
    """Writes and flushes; what the stream's encoding has not becomes "?", control characters are left out."""
    if not text:
        return
    text = text.translate(_CONTROL)
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
