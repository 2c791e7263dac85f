"""The line that people type in a terminal: editing, pasting, completion of commands, history."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app_or_none, run_in_terminal
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from .history import TypedHistory  # noqa: TID251  (relative: one add-on)

if TYPE_CHECKING:
    from typing import TextIO

__all__ = ["Prompt"]


class _Commands(Completer):
    """Completes the name of a slash command at the beginning of a message."""

    def __init__(self, commands: Sequence[tuple[str, str]]) -> None:
        self._commands = commands

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """See `Completer`."""
        typed = document.text
        if document.text_after_cursor or not typed.startswith("/"):
            return
        for name, help in self._commands:
            if f"/{name}".startswith(typed.lower()) and len(typed) <= len(name):
                yield Completion(f"/{name}", start_position=-len(typed), display_meta=help)


class Prompt:
    """Asks for one message after the other on the process's own terminal.

    State: whether Ctrl-C was pressed at the empty prompt just now. Pressed once more it leaves; on typed text it clears it.
    """

    def __init__(
        self,
        mark: str,
        *,
        commands: Sequence[tuple[str, str]],
        history: Path | None,
        hint: Callable[[], None],
        output: TextIO,
        coloured: bool,
    ) -> None:
        self._hint = hint
        self._armed = False
        completing = Condition(lambda: self._session.default_buffer.text.startswith("/"))
        self._session: PromptSession[str] = PromptSession(
            mark,
            completer=_Commands(commands),
            complete_while_typing=completing,
            history=TypedHistory(history) if history is not None else InMemoryHistory(),
            key_bindings=self._keys(),
            prompt_continuation=" " * len(mark),
            enable_suspend=True,
            reserve_space_for_menu=6,
            color_depth=None if coloured else ColorDepth.DEPTH_1_BIT,
            input=Vt100Input(sys.stdin),
            # No question about where the cursor is: whoever does not answer it would be told so in the middle of a talk.
            output=Vt100_Output(output, _size(output), term=os.environ.get("TERM"), enable_cpr=False),
        )
        self._session.default_buffer.on_text_changed += lambda _: self._disarm()

    def _disarm(self) -> None:
        self._armed = False

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("c-c")
        @keys.add("<sigint>")
        def interrupt(event: KeyPressEvent) -> None:
            if event.current_buffer.text:
                event.current_buffer.reset()
            elif self._armed:
                event.app.exit(exception=EOFError)
            else:
                self._armed = True
                run_in_terminal(self._hint)

        @keys.add("escape", "enter")
        def feed(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        return keys

    async def message(self) -> str | None:
        """The next message, or None where the person leaves or the terminal is gone."""
        self._armed = False
        try:
            text = await self._session.prompt_async(set_exception_handler=False)
        except (EOFError, KeyboardInterrupt, OSError):
            return None
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")

    async def above(self, write: Callable[[], None]) -> None:
        """Runs `write` in a thread while the line that is being typed makes room. Raises what `write` raises."""
        if get_app_or_none() is None:
            write()
            return
        await run_in_terminal(write, in_executor=True)


def _size(output: TextIO) -> Callable[[], Size]:
    def size() -> Size:
        try:
            columns, rows = os.get_terminal_size(output.fileno())
        except OSError:
            columns, rows = 0, 0
        return Size(rows=rows or 24, columns=columns or 80)

    return size
