"""The console's two streams: text without control characters, our own styling around it, one line that is overwritten."""

from __future__ import annotations

import enum
from typing import NamedTuple, TextIO

__all__ = ["Piece", "Screen", "Style", "plain"]

_CONTROL = dict.fromkeys(
    [*range(0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
)
"""All but tab and line feed: no text may move the cursor, talk to the terminal or turn the direction of what follows."""
_ERASE = "\r\x1b[K"
"""To the line's beginning, and nothing behind it (ECMA-48, EL)."""


class Style(enum.StrEnum):
    """How a piece looks where styles are shown: the parameters of ECMA-48's SGR."""

    NONE = ""
    DIM = "2"
    RED = "31"


class Piece(NamedTuple):
    """Text of one look."""

    text: str
    style: Style = Style.NONE


def plain(text: str) -> str:
    """The text as a terminal may get it."""
    return text.translate(_CONTROL)


class Screen:
    """Writes pieces to the output or, as problems, to the other stream; may block, so it is called in a thread.

    State: where the output's cursor is, and whether it stands in the passing line.
    """

    def __init__(
        self, output: TextIO, problems: TextIO, *, styled: bool, in_place: bool, same_terminal: bool = False
    ) -> None:
        self._output = output
        self._problems = problems
        self._styled = styled
        self._in_place = in_place
        self._same_terminal = same_terminal
        self._passing = False
        self._mid_line = False

    def write(self, *pieces: Piece, problem: bool = False) -> None:
        """Writes and flushes; a passing line makes room first. Raises what the stream raises."""
        text = "".join(self._styled_text(piece, problem=problem) for piece in pieces)
        if not text:
            return
        if problem:
            self.end_line()
            _put(self._problems, text)
            return
        erased = _ERASE if self._passing else ""
        self._passing = False
        last = next((piece.text for piece in reversed(pieces) if piece.text), "")
        self._mid_line = not last.endswith("\n")
        _put(self._output, erased + text)

    def end_line(self) -> None:
        """Goes to the beginning of a line."""
        erased = _ERASE if self._passing else ""
        feed = "\n" if self._mid_line else ""
        self._passing = self._mid_line = False
        if erased or feed:
            _put(self._output, erased + feed)

    def typed(self, *, ended: bool) -> None:
        """The terminal has shown what was typed, and the line's end unless the input has ended."""
        self._mid_line = ended
        self.end_line()

    def pass_by(self, text: str) -> None:
        """Shows a line until the next thing is written; only on a terminal and never behind half an answer."""
        if not self._in_place or self._mid_line:
            return
        self._passing = True
        _put(self._output, f"{_ERASE}{self._styled_text(Piece(text.replace(chr(10), ' '), Style.DIM))}")

    def _styled_text(self, piece: Piece, *, problem: bool = False) -> str:
        text = plain(piece.text)
        if not (self._styled and piece.style and text) or (problem and not self._same_terminal):
            return text
        body = text.rstrip("\n")
        return f"\x1b[{piece.style}m{body}\x1b[0m{text[len(body) :]}" if body else text


def _put(stream: TextIO, text: str) -> None:
    """Writes and flushes; what the stream's encoding has not becomes "?"."""
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
