"""The blocks of a text with their places in the source."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jarvisbot.gateway.render.fence import block_tokens, closes, continued

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["Kind", "Leaf", "outline"]

_QUOTES = re.compile(r"(?: {0,3}> ?)*")
_CONTAINER_MARKS = re.compile(r"(?:[ \t]*(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*")


class Kind(enum.Enum):
    """What a block holds, which decides where it may be cut."""

    TEXT = enum.auto()
    FENCE = enum.auto()
    CODE = enum.auto()
    TABLE = enum.auto()
    WHOLE = enum.auto()
    """Nothing that a cut could go through."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A block without blocks inside. Offsets are those of the text it was found in."""

    kind: Kind
    start: int
    """Of its first line, the containers' marks included."""
    end: int
    """Of its last line, without the line break."""
    prefix: str
    """What its containers put before its first line: quotation marks, list markers, blanks."""
    nested: bool
    opening: str = ""
    """A heading's marks with a blank, or a fence's opening line without the prefix."""
    markup: str = ""
    """The fence."""
    lines: tuple[tuple[int, int], ...] = ()
    """Start and end of each line of content; for text where its characters start, else where the source line starts."""

    @property
    def heading(self) -> bool:
        """Whether what follows belongs under it."""
        return self.kind is Kind.TEXT and self.opening != ""

    @property
    def further(self) -> str:
        """What its containers put before its further lines."""
        return continued(self.prefix)

    @property
    def in_list(self) -> bool:
        """Whether an item of a list holds it."""
        return self.nested and self.further != self.reopening

    @property
    def reopening(self) -> str:
        """What stands before its lines once it goes on without the lists around it."""
        if not self.nested:
            return self.prefix
        outer, quotes, _ = _margins(self.further)
        return quotes + self.further[outer + len(quotes) :].lstrip(" \t")

    def moved(self, text: str, *, inside: bool) -> str:
        """The text after a cut before this block, or `inside` it, without the indent of the lists that were cut."""
        if not self.nested:
            return text
        outer, quotes, inner = _margins(self.further if inside else self.prefix)
        return _dedented(_dedented(text, outer, ""), inner, quotes)


def _margins(prefix: str) -> tuple[int, str, int]:
    """Blanks before the quotation marks, those marks, blanks after them; without quotation marks all count as after."""
    body = prefix.lstrip(" \t")
    if not body.startswith(">"):
        return 0, "", len(prefix) - len(body)
    quotes = _quote_part(body)
    rest = body[len(quotes) :]
    return len(prefix) - len(body), quotes, len(rest) - len(rest.lstrip(" \t"))


def _quote_part(line: str) -> str:
    """The quotation marks that `line` begins with."""
    match = _QUOTES.match(line)
    return match[0] if match else ""


def _dedented(text: str, columns: int, quotes: str) -> str:
    """The text with up to `columns` blanks less before its lines, as far as the list that was cut goes on.

    A line that is indented less ends the deeper lists, and the lines after it move by no more than it did.
    """
    if columns <= 0:
        return text
    depth = quotes.count(">")
    result: list[str] = []
    position = 0
    while position < len(text):
        end = text.find("\n", position)
        end = len(text) if end < 0 else end + 1
        line = text[position:end]
        before = _quote_part(line) if depth else ""
        body = line[len(before) :]
        if body.strip():
            columns = min(columns, len(body) - len(body.lstrip(" \t")))
            if columns == 0 or before.count(">") != depth:
                break
            body = body[columns:]
        result.append(before + body)
        position = end
    return "".join(result) + text[position:]


def outline(text: str) -> list[Leaf]:
    """The leaves of a CommonMark text in order; each starts on a line of its own."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    return list(_leaves(block_tokens(text), lines, starts))


def _leaves(tokens: Sequence[Token], lines: Sequence[str], starts: Sequence[int]) -> Iterator[Leaf]:
    in_table = False
    heading = ""
    for token in tokens:
        in_table = (in_table or token.type == "table_open") and token.type != "table_close"
        if token.type == "heading_open":
            heading = token.markup if token.markup.startswith("#") else ""
        if token.map is None:
            continue
        first, end = token.map
        while end - 1 > first and not lines[end - 1].strip():
            end -= 1
        start, stop = starts[first], starts[end] - 1
        nested = token.level > 0
        match token.type:
            case "inline" if not in_table:
                yield _text(token, heading, lines, starts, stop)
                heading = ""
            case "fence":
                yield _fence(token, lines, starts, stop)
            case "code_block":
                prefix = _code_prefix(token, lines[first])
                yield Leaf(
                    kind=Kind.CODE,
                    start=start,
                    end=stop,
                    prefix=prefix,
                    nested=nested,
                    lines=tuple((starts[number], starts[number + 1] - 1) for number in range(first, end)),
                )
            case "table_open":
                marks = _CONTAINER_MARKS.match(lines[first])
                yield Leaf(
                    kind=Kind.TABLE,
                    start=start,
                    end=stop,
                    prefix=marks[0] if marks and nested else "",
                    nested=nested,
                    lines=tuple((starts[number], starts[number + 1] - 1) for number in range(first, end)),
                )
            case "hr":
                marks = _CONTAINER_MARKS.match(lines[first])
                prefix = _quote_part(lines[first]) if marks is None else marks[0]
                yield Leaf(kind=Kind.WHOLE, start=start, end=stop, prefix=prefix if nested else "", nested=nested)
            case _:
                pass


def _text(token: Token, heading: str, lines: Sequence[str], starts: Sequence[int], stop: int) -> Leaf:
    first = token.map[0] if token.map else 0
    places: list[tuple[int, int]] = []
    for number, content in enumerate(token.content.split("\n"), first):
        line = lines[number]
        body = content.strip()
        at = line.find(body, line.index(heading) + len(heading)) if heading else len(line.rstrip()) - len(body)
        if at < 0 or not line.startswith(body, at):
            places = []
            break
        places.append((starts[number] + at, starts[number] + at + len(body)))
    prefix = lines[first][: places[0][0] - starts[first]] if places else ""
    opening = ""
    if heading:
        at = lines[first].index(heading)
        prefix, opening = lines[first][:at], f"{heading} "
    known = bool(places) and bool(token.content.strip())
    return Leaf(
        kind=Kind.TEXT if known else Kind.WHOLE,
        start=starts[first],
        end=stop,
        prefix=prefix,
        nested=token.level > 1,
        opening=opening,
        lines=tuple(places),
    )


def _fence(token: Token, lines: Sequence[str], starts: Sequence[int], stop: int) -> Leaf:
    first, end = token.map or [0, 1]
    at = lines[first].index(token.markup)
    prefix = lines[first][:at]
    last = lines[end - 1]
    rest = last[len(prefix) :] if last.startswith(continued(prefix)) else last
    if end - 1 > first and closes(rest, token.markup):
        end -= 1
    return Leaf(
        kind=Kind.FENCE,
        start=starts[first],
        end=stop,
        prefix=prefix,
        nested=token.level > 0,
        opening=lines[first][at:],
        markup=token.markup,
        lines=tuple((starts[number], starts[number + 1] - 1) for number in range(first + 1, end)),
    )


def _code_prefix(token: Token, line: str) -> str:
    """What stands before the four blanks of indented code."""
    body = token.content.split("\n", 1)[0]
    before = line[: max(len(line) - len(body), 0)]
    return before[:-1] if before.endswith("\t") else before[: max(len(before) - 4, 0)]
