"""Generated tokens on their way to text: whole characters, stop strings, think blocks."""

from __future__ import annotations

import codecs
from collections.abc import Sequence

__all__ = ["Output", "ThinkWatch", "held_back"]


def held_back(text: str, stops: Sequence[str]) -> int:
    """The length of the longest end of `text` that may yet grow into one of `stops`."""
    longest = min(len(text), max(map(len, stops), default=1) - 1)
    return next((size for size in range(longest, 0, -1) if any(s.startswith(text[-size:]) for s in stops)), 0)


class Output:
    """Turns bytes into text that may be shown: nothing from a stop string on, no half character.

    Bytes that are no UTF-8 come out as U+FFFD.
    """

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(stop for stop in stops if stop)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self.stopped = False

    def decode(self, piece: bytes) -> str:
        """The characters that `piece` completes."""
        return self._decoder.decode(piece)

    def show(self, text: str) -> str:
        """What of the text so far may be shown now; sets `stopped` when a stop string is complete."""
        text = self._held + text
        self._held = ""
        found = [at for at in map(text.find, self._stops) if at >= 0]
        if found:
            self.stopped = True
            return text[: min(found)]
        held = held_back(text, self._stops)
        self._held = text[len(text) - held :]
        return text[: len(text) - held]

    def drop_half(self) -> None:
        """Forgets the bytes of a character that will not be completed."""
        self._decoder.reset()

    def finish(self) -> str:
        """What is left to show at the end; half a character is not."""
        self.drop_half()
        text, self._held = self._held, ""
        return "" if self.stopped else text


class ThinkWatch:
    """Counts the tokens of a think block, which can only be the first thing of a reply."""

    OPEN = "<think>"
    CLOSE = "</think>"

    def __init__(self, *, opened: bool, limit: int | None) -> None:
        self.inside = opened
        self._limit = limit
        self._spent = 0
        self._beginning: str | None = "" if not opened else None
        self._recent = ""

    @property
    def due(self) -> bool:
        """Whether the block has used up its budget and has to be closed."""
        return self.inside and self._limit is not None and self._spent >= self._limit

    def saw(self, text: str) -> None:
        """Told the characters that one more token brought."""
        if self.inside:
            self._spent += 1
            self._look_for_close(text)
        elif self._beginning is not None:
            beginning = (self._beginning + text).lstrip()
            self._beginning = beginning
            if beginning.startswith(self.OPEN):
                self.inside = True
                self._beginning = None
                self._look_for_close(beginning[len(self.OPEN) :])
            elif not self.OPEN.startswith(beginning):
                self._beginning = None

    def closed(self) -> None:
        """Told that the block was closed from outside."""
        self.inside = False

    def _look_for_close(self, text: str) -> None:
        seen = self._recent + text
        self.inside = self.CLOSE not in seen
        self._recent = seen[-len(self.CLOSE) :]
