"""One stream of raw output taken apart: reasoning, tool calls, visible text."""

from __future__ import annotations

import enum
import re
import unicodedata
from dataclasses import dataclass, field

import msgspec

from jarvisbot.agent.calls import UnreadableCall, read_calls
from jarvisbot.types import ToolCall

__all__ = ["Parsed", "StreamParser", "UnreadableCall", "can_be_seen"]

_THINK_OPEN, _THINK_CLOSE = "<think>", "</think>"
_FINAL_OPEN, _FINAL_CLOSE = "<final>", "</final>"
_CALL_OPEN, _CALL_CLOSE = "<tool_call>", "</tool_call>"
_FUNCTION_OPEN, _FUNCTION_CLOSE = "<function=", "</function>"
_IN_TEXT = (
    _THINK_OPEN, _THINK_CLOSE, _FINAL_OPEN, _FINAL_CLOSE, _CALL_OPEN, _CALL_CLOSE, _FUNCTION_OPEN, "<|", "`", "~~~",
)  # fmt: skip
_IN_THINKING = (_THINK_OPEN, _THINK_CLOSE, _FINAL_OPEN, _FINAL_CLOSE, _CALL_OPEN)
_LONGEST_MARK = max(map(len, _IN_TEXT))
_SPECIAL = re.compile(r"<\|[^<>|\s]{1,40}\|>")
_LONGEST_SPECIAL = 44
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"})
_BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")
_CALL_BEGINS = re.compile(r"\s*(?:```\w*\s*)?[{\[<]")
_CALL_MAY_BEGIN = re.compile(r"\s*(?:`{1,3}\w*\s*)?\Z")


class Parsed(msgspec.Struct, frozen=True, kw_only=True):
    """A whole generation, taken apart. `open_think`: the reasoning was never closed."""

    text: str
    thinking: str
    calls: tuple[ToolCall | UnreadableCall, ...]
    open_think: bool


class _Mode(enum.Enum):
    TEXT = enum.auto()
    THINK = enum.auto()
    CALL = enum.auto()


def can_be_seen(text: str) -> bool:
    """Whether anything of the text is more than a space or a control character: platforms refuse a message of those."""
    return any(unicodedata.category(mark) not in _UNSEEN and mark not in _BLANK_LETTERS for mark in text)


@dataclass(slots=True)
class StreamParser:
    """Reads one generation piece by piece; a new generation takes a new parser.

    A mark inside code (a span of backticks or a fenced block) is text. Once there is a `<final>` block, it alone is the
    visible text and all around it is reasoning. State: what was read, and `_held`, which is not decided yet.
    """

    call_prefix: str = "call"
    _held: str = ""
    _mode: _Mode = _Mode.TEXT
    _around_call: _Mode = _Mode.TEXT
    _call_close: str = _CALL_CLOSE
    _text: list[str] = field(default_factory=list)
    _thinking: list[str] = field(default_factory=list)
    _calls: list[ToolCall | UnreadableCall] = field(default_factory=list)
    _call_source: list[str] = field(default_factory=list)
    _depth: int = 0
    _has_final: bool = False
    _in_final: bool = False
    _last_final: str = ""
    _ticks: str = ""
    _fenced: bool = False

    @property
    def thinking_now(self) -> bool:
        """Whether the stream is inside a think block."""
        return self._mode is _Mode.THINK

    @property
    def visible(self) -> str:
        """The visible text so far. It shrinks where text turns out to be reasoning (a lone `</think>`)."""
        return "".join(self._text)

    def feed(self, piece: str) -> None:
        """Takes more of the stream."""
        self._held += piece
        self._read(ended=False)

    def finish(self) -> Parsed:
        """The generation as a whole."""
        self._read(ended=True)
        if self._mode is _Mode.CALL:
            self._end_call(closed=False)
        text = self.visible.strip() or self._last_final.strip()
        return Parsed(
            text=text,
            thinking=_SPECIAL.sub("", "".join(self._thinking)).strip(),
            calls=tuple(self._calls),
            open_think=self._mode is _Mode.THINK and not self._has_final,
        )

    # ------------------------------------------------------------ reading

    def _read(self, *, ended: bool) -> None:
        while self._held:
            if not self._step(ended=ended):
                return

    def _step(self, *, ended: bool) -> bool:
        """Decides about some of what is held; false where more of the stream is needed for that."""
        if self._ticks:
            return self._in_fence(ended=ended) if self._fenced else self._in_span(ended=ended)
        held, marks = self._held, self._marks()
        place, mark = min(((found, mark) for mark in marks if (found := held.find(mark)) >= 0), default=(-1, ""))
        if place < 0:
            place = len(held) if ended else self._safe_length(held, marks)
        if place > 0:
            self._take(place)
            return True
        return bool(mark) and self._at_mark(mark, ended=ended)

    def _marks(self) -> tuple[str, ...]:
        match self._mode:
            case _Mode.TEXT:
                return _IN_TEXT
            case _Mode.THINK:
                return _IN_THINKING
            case _Mode.CALL:
                return (self._call_close,)

    @staticmethod
    def _safe_length(held: str, marks: tuple[str, ...]) -> int:
        """How much of what is held cannot be the beginning of a mark."""
        for start in range(max(0, len(held) - _LONGEST_MARK), len(held)):
            if any(mark.startswith(held[start:]) for mark in marks):
                return start
        return len(held)

    def _take(self, length: int) -> None:
        """Moves that much of what is held to where it belongs."""
        taken, self._held = self._held[:length], self._held[length:]
        match self._mode:
            case _Mode.TEXT:
                self._text.append(taken)
            case _Mode.THINK:
                self._thinking.append(taken)
            case _Mode.CALL:
                self._call_source.append(taken)

    def _at_mark(self, mark: str, *, ended: bool) -> bool:
        """Acts on the mark that what is held begins with."""
        held = self._held
        if mark == "<|":
            return self._at_special(ended=ended)
        if mark in ("`", "~~~"):
            return self._at_ticks(ended=ended)
        if self._mode is _Mode.THINK and self._maybe_in_code():
            if len(held) == len(mark) and not ended:
                return False
            if self._is_in_code(held[len(mark) :]):
                self._take(len(mark))
                return True
        if mark == _CALL_OPEN and self._mode is _Mode.THINK:
            behind = held[len(mark) :]
            if not _CALL_BEGINS.match(behind):
                if _CALL_MAY_BEGIN.match(behind) and not ended:
                    return False
                self._take(len(mark))
                return True
        self._held = held[len(mark) :]
        self._turn_at(mark)
        return True

    def _at_special(self, *, ended: bool) -> bool:
        held = self._held
        if special := _SPECIAL.match(held):
            self._held = held[special.end() :]
            return True
        if not ended and len(held) < _LONGEST_SPECIAL and not re.search(r"\s", held):
            return False
        self._take(len("<|"))
        return True

    # ------------------------------------------------------------ blocks

    def _turn_at(self, mark: str) -> None:
        match mark:
            case "<think>":
                self._depth += 1
                self._mode = _Mode.THINK
            case "</think>":
                self._close_thinking()
            case "<final>":
                if not self._has_final:
                    self._thinking.extend(self._text)
                    self._text.clear()
                self._has_final = self._in_final = True
                self._depth = 0
                self._mode = _Mode.TEXT
            case "</final>":
                if self._in_final:
                    self._in_final = False
                    self._mode = _Mode.THINK
            case "<tool_call>" | "<function=":
                self._around_call = self._mode
                self._mode = _Mode.CALL
                bare = mark == _FUNCTION_OPEN
                self._call_close = _FUNCTION_CLOSE if bare else _CALL_CLOSE
                self._call_source = [_FUNCTION_OPEN] if bare else []
            case "</tool_call>" | "</function>":
                if self._mode is _Mode.CALL:
                    self._end_call(closed=True)

    def _close_thinking(self) -> None:
        """In visible text it says that all of that was reasoning: the block was opened by the prompt."""
        if self._mode is _Mode.TEXT:
            if self._in_final:
                self._last_final = self.visible
                self._has_final = self._in_final = False
            self._thinking.extend(self._text)
            self._text.clear()
        self._depth = max(0, self._depth - 1)
        if self._depth == 0 and (self._in_final or not self._has_final):
            self._mode = _Mode.TEXT

    def _end_call(self, *, closed: bool) -> None:
        source = "".join(self._call_source)
        if closed and self._call_close == _FUNCTION_CLOSE:
            source += _FUNCTION_CLOSE
        self._calls.extend(read_calls(source, id_prefix=self.call_prefix, first=len(self._calls) + 1, closed=closed))
        self._call_source.clear()
        self._mode = self._around_call

    # ------------------------------------------------------------ code

    def _maybe_in_code(self) -> bool:
        """Whether a span of code is open in this line of the reasoning."""
        line = "".join(self._thinking).rpartition("\n")[2]
        return len(re.findall("`+", line)) % 2 == 1

    def _is_in_code(self, behind: str) -> bool:
        """Whether the mark stands right beside a tick of the open span: it is talked about, not meant."""
        before = next((part for part in reversed(self._thinking) if part), "")
        return before.endswith("`") or behind.startswith("`")

    def _at_ticks(self, *, ended: bool) -> bool:
        """Three or more with nothing like them in the rest of the line begin a fenced block, other backticks a span."""
        held = self._held
        run = re.match(r"`+|~+", held)
        ticks = run[0] if run else held[0]
        line, newline, _ = held[len(ticks) :].partition("\n")
        fence = len(ticks) >= 3 and (ticks[0] not in line if ticks[0] == "`" else self._at_line_start())
        if not ended and (len(ticks) == len(held) or (fence and not newline)):
            return False
        self._take(len(ticks))
        self._ticks = ticks if fence or ticks[0] == "`" else ""
        self._fenced = fence
        return True

    def _at_line_start(self) -> bool:
        line = self.visible.rpartition("\n")[2]
        return re.fullmatch(r"[ \t]*(?:(?:>|[-*+]|\d+[.)])[ \t]*)*", line) is not None

    def _in_span(self, *, ended: bool) -> bool:
        """A span of code counts once its closing ticks are there; without them, to the paragraph's end, it was text."""
        held = self._held
        closing = re.search(rf"(?<!`){self._ticks}(?!`)", held)
        paragraph = re.search(r"\n[ \t]*(?:\n|```|~~~)", held)
        if closing is not None and (paragraph is None or closing.start() < paragraph.start()):
            if closing.end() == len(held) and not ended:
                return False
            self._take(closing.end())
            self._ticks = ""
            return True
        if paragraph is not None or ended:
            self._ticks = ""
            return True
        return False

    def _in_fence(self, *, ended: bool) -> bool:
        """Everything up to a line of nothing but the closing ticks is text."""
        held = self._held
        closing = re.search(rf"\n[ \t>]*{re.escape(self._ticks)}{re.escape(self._ticks[0])}*[ \t]*(?=\n|\Z)", held)
        if closing is not None and (ended or closing.end() < len(held)):
            self._take(closing.end())
            self._ticks = ""
            return True
        undecided = closing.start() if closing is not None else len(held.rstrip("`~> \t\n"))
        self._take(len(held) if ended else undecided)
        return ended
