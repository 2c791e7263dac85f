"""One stream of raw output taken apart: reasoning, tool calls, visible text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from jarvisbot.types import Arguments, ToolCall

__all__ = ["Parsed", "StreamParser", "UnreadableCall", "read_call"]

_THINK_OPEN, _THINK_CLOSE = "<think>", "</think>"
_FINAL_OPEN, _FINAL_CLOSE = "<final>", "</final>"
_CALL_OPEN, _CALL_CLOSE = "<tool_call>", "</tool_call>"
_MARKS = (_THINK_OPEN, _THINK_CLOSE, _FINAL_OPEN, _FINAL_CLOSE, _CALL_OPEN, _CALL_CLOSE)
_SPECIAL = re.compile(r"<\|[^<>|\s]{1,40}\|>")
_LONGEST_SPECIAL = 44


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadableCall:
    """A tool-call block whose content cannot be read: it is never run, the model is told `problem`."""

    source: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A whole generation, taken apart. `open_think`: the reasoning was never closed."""

    text: str
    thinking: str
    calls: tuple[ToolCall | UnreadableCall, ...]
    open_think: bool


@dataclass(slots=True)
class StreamParser:
    """Reads one generation piece by piece; a new generation takes a new parser.

    A mark inside code (a span of backticks or a fenced block) is text. State: what was read and not yet decided.
    """

    call_prefix: str = "call"
    _held: str = ""
    _mode: str = "text"
    _text: list[str] = field(default_factory=list)
    _thinking: list[str] = field(default_factory=list)
    _calls: list[ToolCall | UnreadableCall] = field(default_factory=list)
    _call_source: list[str] = field(default_factory=list)
    _depth: int = 0
    _ticks: str = ""

    @property
    def thinking_now(self) -> bool:
        """Whether the stream is inside a think block."""
        return self._mode == "think"

    @property
    def calling(self) -> bool:
        """Whether a tool-call block has begun."""
        return self._mode == "call" or bool(self._calls)

    @property
    def visible(self) -> str:
        """The visible text so far."""
        return "".join(self._text)

    def feed(self, piece: str) -> str:
        """Takes more of the stream and returns the visible text that it adds.

        Where text that was visible turns out to be reasoning (a lone `</think>`), `visible` shrinks: compare it.
        """
        self._held += piece
        before = len(self._text)
        self._read(ended=False)
        return "".join(self._text[before:]) if len(self._text) >= before else ""

    def finish(self) -> Parsed:
        """The generation as a whole."""
        self._read(ended=True)
        if self._mode == "call" and "".join(self._call_source).strip():
            self._calls.append(
                UnreadableCall(source="".join(self._call_source), problem="the call was cut off before its end")
            )
        return Parsed(
            text=self.visible.strip(),
            thinking="".join(self._thinking).strip(),
            calls=tuple(self._calls),
            open_think=self._mode == "think",
        )

    def _read(self, *, ended: bool) -> None:
        while self._held:
            if not self._step(ended=ended):
                return

    def _step(self, *, ended: bool) -> bool:
        """Decides about some of what is held; false where more of the stream is needed for that."""
        held = self._held
        if self._mode == "text" and self._ticks:
            return self._in_code(ended=ended)
        place = min((found for mark in self._wanted() if (found := held.find(mark)) >= 0), default=-1)
        if place > 0 or (place < 0 and (ended or not self._may_begin(held))):
            self._take(held if place < 0 else held[:place])
            self._held = "" if place < 0 else held[place:]
            return True
        if place < 0:
            safe = self._safe_length(held)
            if safe == 0:
                return False
            self._take(held[:safe])
            self._held = held[safe:]
            return False
        return self._mark(held, ended=ended)

    def _wanted(self) -> tuple[str, ...]:
        match self._mode:
            case "text":
                return (*_MARKS, "<|", "`", "~~~")
            case "think":
                return (_THINK_OPEN, _THINK_CLOSE, _FINAL_OPEN, _CALL_OPEN)
            case _:
                return (_CALL_CLOSE,)

    def _may_begin(self, held: str) -> bool:
        return self._safe_length(held) < len(held)

    def _safe_length(self, held: str) -> int:
        """How much of the end-less text cannot be the beginning of a mark."""
        for start in range(max(0, len(held) - max(len(mark) for mark in _MARKS)), len(held)):
            if any(mark.startswith(held[start:]) for mark in self._wanted()):
                return start
        return len(held)

    def _mark(self, held: str, *, ended: bool) -> bool:
        for mark in _MARKS:
            if mark in self._wanted() and held.startswith(mark):
                self._held = held[len(mark) :]
                self._turn_at(mark)
                return True
        if held.startswith("<|"):
            special = _SPECIAL.match(held)
            if special is None and not ended and len(held) < _LONGEST_SPECIAL and "\n" not in held and " " not in held:
                return False
            length = special.end() if special else 2
            if special is None:
                self._take(held[:length])
            self._held = held[length:]
            return True
        run = re.match(r"`+|~+", held)
        length = run.end() if run else 1
        if length == len(held) and not ended:
            return False
        self._take(held[:length])
        self._held = held[length:]
        if held[0] == "`" or self._at_line_start(held[:length]):
            self._ticks = held[:length]
        return True

    def _at_line_start(self, ticks: str) -> bool:
        line = self.visible.rpartition("\n")[2]
        return line.strip() == ticks

    def _in_code(self, *, ended: bool) -> bool:
        return self._in_fence(ended=ended) if len(self._ticks) >= 3 else self._in_span(ended=ended)

    def _in_span(self, *, ended: bool) -> bool:
        """A span of code counts once its closing ticks are there; without them, to the paragraph's end, it was text."""
        held = self._held
        closing = re.search(rf"(?<!`){self._ticks}(?!`)", held)
        paragraph = re.search(r"\n[ \t]*\n", held)
        if closing is not None and (paragraph is None or closing.start() < paragraph.start()):
            if closing.end() == len(held) and not ended:
                return False
            self._text.append(held[: closing.end()])
            self._held = held[closing.end() :]
            self._ticks = ""
            return True
        if paragraph is not None or ended:
            self._ticks = ""
            return True
        return False

    def _in_fence(self, *, ended: bool) -> bool:
        """Everything up to a line of nothing but the closing ticks is text."""
        held = self._held
        closing = re.search(rf"\n {{0,3}}{re.escape(self._ticks)}{re.escape(self._ticks[0])}*[ \t]*(?=\n|\Z)", held)
        if closing is not None and (ended or closing.end() < len(held)):
            self._text.append(held[: closing.end()])
            self._held = held[closing.end() :]
            self._ticks = ""
            return True
        undecided = closing.start() if closing is not None else len(held.rstrip("`~ \t\n"))
        decided = len(held) if ended else undecided
        self._text.append(held[:decided])
        self._held = held[decided:]
        return ended

    def _turn_at(self, mark: str) -> None:
        match mark:
            case "<think>":
                self._depth += 1
                self._mode = "think"
            case "</think>":
                if self._mode == "text":
                    self._thinking.extend(self._text)
                    self._text.clear()
                self._depth = max(0, self._depth - 1)
                if self._depth == 0:
                    self._mode = "text"
            case "<final>":
                self._depth = 0
                self._mode = "text"
            case "<tool_call>":
                self._mode = "call"
                self._depth = 0
                self._call_source.clear()
            case "</tool_call>":
                if self._mode == "call":
                    self._calls.append(
                        read_call("".join(self._call_source), f"{self.call_prefix}{len(self._calls) + 1}")
                    )
                    self._call_source.clear()
                    self._mode = "text"

    def _take(self, text: str) -> None:
        match self._mode:
            case "text":
                self._text.append(text)
            case "think":
                self._thinking.append(text)
            case _:
                self._call_source.append(text)


_FUNCTION = re.compile(r"<function=([\w.-]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([\w.-]+)>(.*?)(?:</parameter>|(?=<parameter=)|\Z)", re.DOTALL)


def read_call(source: str, call_id: str) -> ToolCall | UnreadableCall:
    """The call of one block: XML-like parameters (trimmed text) or JSON with `name` and `arguments`.

    Code fences, words behind the JSON, trailing commas and arguments given as JSON text are repaired without loss. What
    cannot be read is never replaced by empty arguments.
    """
    if found := _FUNCTION.search(source):
        if "</function>" not in source:
            return UnreadableCall(source=source, problem="the call was cut off before its end")
        parameters: Arguments = {name: value.strip() for name, value in _PARAMETER.findall(found[2])}
        return ToolCall(id=call_id, name=found[1], arguments=parameters)
    text = re.sub(r"\A\s*```\w*\s*|\s*```\s*\Z", "", source).strip()
    value = _json(text)
    if value is None and (start := text.find("{")) >= 0:
        value = _json(text[start:])
    if not isinstance(value, dict):
        return UnreadableCall(source=source, problem="it is not one JSON object with name and arguments")
    name = value.get("name")
    arguments = value.get("arguments", value.get("parameters", {}))
    if isinstance(arguments, str):
        arguments = _json(arguments)
    if not isinstance(name, str) or not name or not isinstance(arguments, dict):
        return UnreadableCall(source=source, problem="it needs a name and an object of arguments")
    return ToolCall(id=call_id, name=name, arguments=arguments)


def _json(text: str) -> object:
    """The JSON value the text begins with, or None."""
    for candidate in _candidates(text):
        try:
            return json.JSONDecoder().raw_decode(candidate)[0]
        except ValueError:
            continue
    return None


def _candidates(text: str) -> Iterator[str]:
    yield text
    yield _without_trailing_commas(text)


def _without_trailing_commas(text: str) -> str:
    """The text without commas before a closing bracket, strings left alone."""
    return re.sub(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', lambda found: found[1] or "", text)
