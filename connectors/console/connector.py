"""The talk itself: reads a message, waits for its answer, reads the next."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import io
import os
import signal
import sys
import termios
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from pydantic import BaseModel, ConfigDict

from jarvisbot.connector import Capabilities, Connector, Inbox, Markup, Once, Receipt, Secrets, Unit
from jarvisbot.errors import Disconnected, MessageTooLong, StoreError
from jarvisbot.types import Address, Author, Inbound, Outbound

from .lines import Lines  # noqa: TID251  (relative: one add-on)
from .messages import Messages  # noqa: TID251  (relative: one add-on)
from .screen import Piece, Screen, Style  # noqa: TID251

if TYPE_CHECKING:
    from .prompt import Prompt  # noqa: TID251

__all__ = ["Console", "Settings", "create"]

SECRETS: tuple[str, ...] = ()
PROMPT = "> "
UNREAD = "Nobody reads the console's output any more."


class Settings(BaseModel):
    """The console has no settings in the config: its flags are those of `jarvisbot chat`."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


def create(name: str, settings: Settings, secrets: Secrets) -> Connector:
    """A console on this process's own standard streams."""
    return Console(name=name)


class Console:
    """Reads a message, waits for its answer, reads the next. State: whether a person is typing right now."""

    def __init__(
        self,
        *,
        name: str = "console",
        question: str | None = None,
        history: Path | None = None,
        source: BinaryIO | None = None,
        output: TextIO | None = None,
        problems: TextIO | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        """`history` is the file that keeps what was typed; without it that is forgotten."""
        self._name = name
        self._question = question
        self._history = history
        self._source = source if source is not None else _standard_input()
        self._lines = Lines(self._source)
        self._output = output if output is not None else sys.stdout
        self._problems = problems if problems is not None else sys.stderr
        self._german = _language(environment).startswith("de")
        looked_at = _is_terminal(self._output)
        able = looked_at and environment.get("TERM", "dumb") not in ("", "dumb", "unknown")
        styled = able and not environment.get("NO_COLOR")
        self._screen = Screen(
            self._output,
            self._problems,
            styled=styled,
            in_place=able,
            same_terminal=styled and _is_terminal(self._problems),
        )
        self._styled = styled
        self._looked_at = looked_at
        self.interactive = question is None and looked_at and self._source.isatty()
        """Whether a person types and reads here."""
        self._edited = self.interactive and able and self._source is getattr(sys.stdin, "buffer", None)
        self._prompt: Prompt | None = None
        self._typing = False
        self._writing = asyncio.Lock()
        self._at = Address(connector=name, room="local")
        self._messages = Messages(labelled=looked_at)
        self._complained = False
        self._disk_is_full = False
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
            edits=self._question is not None or self._looked_at,
            append_only=True,
            draft_interval_s=0.05,
            native_rows=True,
        )

    # ------------------------------------------------------------ what is typed

    async def run(self, inbox: Inbox) -> None:
        """Returns after the one question, at the end of the input, or when the store takes no more."""
        try:
            await inbox.checkpoint()
            await inbox.settled()
            if self._question is not None:
                await self._ask(inbox, self._question)
                return
            if self._edited:
                self._prompt = self._make_prompt(inbox)
            while (line := await self._line()) is not None:
                if line.strip() and not await self._ask(inbox, line):
                    return
        except StoreError as error:
            self.failed = True
            if not self._complained:
                await self._write(Piece(f"{error.user_message}\n", Style.RED), problem=True)
        finally:
            with contextlib.suppress(OSError, ValueError):
                await asyncio.to_thread(self._screen.end_line)

    def _make_prompt(self, inbox: Inbox) -> Prompt:
        from .prompt import Prompt  # noqa: TID251  on use: only a terminal needs prompt_toolkit

        hint = "Noch einmal Strg-C oder Strg-D beendet." if self._german else "Ctrl-C again or Ctrl-D leaves."
        return Prompt(
            PROMPT,
            commands=inbox.commands,
            history=self._history,
            hint=lambda: self._screen.write(Piece(f"{hint}\n", Style.DIM)),
            output=self._output,
            coloured=self._styled,
        )

    async def _ask(self, inbox: Inbox, text: str) -> bool:
        """Puts the message and waits for its answer; whether the talk goes on. Ctrl-C stops the answer, twice leaves."""
        try:
            await inbox.put(self._inbound(text))
        except MessageTooLong as error:  # the next one may be taken
            self.failed = True
            await self._write(Piece(f"{error.user_message}\n", Style.RED), problem=True)
            return True
        if self._prompt is None:
            await inbox.settled()
            return True
        pressed = asyncio.Event()
        with self._silent_keys(), _interrupts(pressed.set):
            if await _settled(inbox, unless=pressed):
                return True
            pressed.clear()
            await inbox.put(self._inbound("/stop"))
            return await _settled(inbox, unless=pressed)

    def _inbound(self, text: str) -> Inbound:
        return Inbound(
            id=uuid.uuid4().hex,
            at=self._at,
            author=Author(id="local", name=os.environ.get("USER", "you")),
            text=text,
            sent=datetime.now(UTC),
        )

    @contextlib.contextmanager
    def _silent_keys(self) -> Iterator[None]:
        """What is typed while an answer is written is not shown in its middle; the next prompt finds it."""
        descriptor = self._source.fileno()
        try:
            before = termios.tcgetattr(descriptor)
        except (OSError, termios.error):
            yield
            return
        silent = [*before]
        silent[3] &= ~termios.ECHO
        termios.tcsetattr(descriptor, termios.TCSANOW, silent)
        try:
            yield
        finally:
            with contextlib.suppress(OSError, termios.error):
                termios.tcsetattr(descriptor, termios.TCSANOW, before)

    async def _line(self) -> str | None:
        """The next message, whatever bytes it holds, or None at the end."""
        if self._prompt is not None:
            async with self._writing:
                await asyncio.to_thread(self._screen.end_line)
                self._typing = True
            try:
                return await self._prompt.message()
            finally:
                self._typing = False
        return await self._bare_line()

    async def _bare_line(self) -> str | None:
        """The next line of a pipe or of a terminal without editing. The thread it waits in ends with the process."""
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
        if not self.interactive:
            return self._lines.next()
        self._screen.end_line()
        self._screen.write(Piece(PROMPT))
        line = self._lines.next()
        self._screen.typed(ended=not line)
        return line

    # ------------------------------------------------------------ what is shown

    async def send(self, outbound: Outbound) -> Receipt:
        """Writes what is not shown yet. Raises Disconnected where nobody reads the output any more."""
        if self._typing and not outbound.final:  # it is shown whole above the line that is being typed
            return Receipt(message=outbound.id, sent=datetime.now(UTC))
        try:
            if outbound.thinking_s and not outbound.body.text and not self._messages.begun(outbound.id):
                await self._pass_by(outbound)
            self._complained = self._complained or outbound.problem
            await self._write(*self._messages.pieces(outbound), problem=outbound.problem)
        except (OSError, ValueError) as error:
            if isinstance(error, OSError) and error.errno == errno.ENOSPC:
                await self._tell_of_full_disk(error)
            raise Disconnected(UNREAD) from error
        return Receipt(message=outbound.id, sent=datetime.now(UTC))

    async def overheard(self, text: str) -> None:
        """Shows what somebody else has asked in the same talk."""
        lines = text.replace("\n", "\n" + " " * len(PROMPT))
        await self._say(Piece(f"{PROMPT}{lines}\n", Style.DIM))

    async def remark(self, text: str) -> None:
        """Says something about the talk itself, where somebody looks."""
        if self.interactive:
            await self._say(Piece(f"{text}\n", Style.DIM))

    async def _say(self, piece: Piece) -> None:
        try:
            await self._write(piece)
        except (OSError, ValueError) as error:
            raise Disconnected(UNREAD) from error

    async def _write(self, *pieces: Piece, problem: bool = False) -> None:
        def write() -> None:
            self._screen.write(*pieces, problem=problem)

        if not any(piece.text for piece in pieces):
            return
        async with self._writing:
            if self._typing and self._prompt is not None:
                await self._prompt.above(write)
            else:
                await asyncio.to_thread(write)

    async def _pass_by(self, outbound: Outbound) -> None:
        line = outbound.labels[0] if outbound.labels else f"Thinking… {outbound.thinking_s:.0f} s"
        async with self._writing:
            if not self._typing:
                await asyncio.to_thread(self._screen.pass_by, line)

    async def _tell_of_full_disk(self, error: OSError) -> None:
        """Says on the other stream, once, that the file which the answers go to takes no more."""
        if self._disk_is_full:
            return
        self._disk_is_full = self.failed = True
        with contextlib.suppress(OSError, ValueError):
            await self._write(Piece(f"The answer cannot be written: {error.strerror}.\n", Style.RED), problem=True)

    async def mark(self, at: Address, message: str, key: str, *, on: bool) -> None:
        """A console has no reactions."""

    async def typing(self, at: Address) -> None:
        """The text appears as it is written; that is sign enough."""

    async def retract(self, at: Address, message: str) -> None:
        """What is printed stays printed."""


@contextlib.contextmanager
def _interrupts(heard: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C calls `heard` instead of ending the program."""
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, heard)
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)


async def _settled(inbox: Inbox, *, unless: asyncio.Event) -> bool:
    """Whether everything was answered before the event was set. Raises what `Inbox.settled` raises."""
    settled = asyncio.ensure_future(inbox.settled())
    interrupted = asyncio.ensure_future(unless.wait())
    try:
        await asyncio.wait({settled, interrupted}, return_when=asyncio.FIRST_COMPLETED)
        if not settled.done():
            return False
        settled.result()
        return True
    finally:
        settled.cancel()
        interrupted.cancel()
        await asyncio.gather(settled, interrupted, return_exceptions=True)


def _standard_input() -> BinaryIO:
    return io.BytesIO() if sys.__stdin__ is None else sys.stdin.buffer  # None: closed before the program began


def _is_terminal(stream: TextIO) -> bool:
    """Whether somebody looks there; a stream that was closed is none."""
    try:
        return stream.isatty()
    except ValueError:
        return False


def _language(environment: Mapping[str, str]) -> str:
    """The language of this machine's messages, as POSIX orders the variables."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    return next((environment[name] for name in names if environment.get(name)), "")
