"""The parser's rules: where they differ from markdown-it-py's, and where in the source each piece of markup stood."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.rules_block.table import escapedSplit
from markdown_it.rules_inline import (
    autolink,
    backtick,
    emphasis,
    entity,
    escape,
    image,
    link,
    strikethrough,
)
from markdown_it.rules_inline.state_inline import Delimiter, StateInline

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["Mark", "build", "marks", "surplus_cells"]

_Rule = Callable[[StateInline, bool], bool]
_LETTER = "[A-Za-zΑ-Ωα-ω]"
_OPERAND = rf"(?:\d+(?:[.,]\d+)*{_LETTER}?|{_LETTER}(?:_[A-Za-z0-9]{{1,3}})?)"
_OPENING = frozenset("([{«“‘「『（《【〈\"'")
_CLOSING = frozenset(":.,!?;…")
_ANY_CLOSING = _CLOSING | frozenset(")]}%»”’：。，！？；）】」』》〉、")
_LITERAL = re.compile(
    rf"(?<![\w*]){_OPERAND}(?:\*{{1,2}}{_OPERAND})+(?![\w*])"  # 5*3*2, 2**8, 2*x*y
    r"|(?<=\))\*{1,2}(?=\d|[A-Za-z](?![\w*]))"  # (3+4)*5, f(x)**n
    # __init__.py, module.__name__, __init__(self), _config_.yml
    r"|(?<![\w_])(?P<under>_{1,3})[A-Za-z][A-Za-z0-9_]*(?P=under)(?=\.[A-Za-z0-9]|\(|\[[\w'\"])"
    r"|(?<=[\w)\]][./])(?P<after>_{1,3})[A-Za-z][A-Za-z0-9_]*(?P=after)(?![A-Za-z0-9])"
    r"|https?://[^\s<>\[\]()`]*(?:\([^\s<>\[\]()`]*\)[^\s<>\[\]()`]*)*",
    re.ASCII,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Inline markup at `start` to `end` of a block's source.

    `opener` and `closer` are what a cut inside would have to write to close and reopen it; where both are empty no cut
    inside makes sense (a reference, an escape, an image). `inner_start` and `inner_end` bound what it formats.
    """

    start: int
    end: int
    inner_start: int
    inner_end: int
    opener: str = ""
    closer: str = ""


def build(*, max_nesting: int) -> MarkdownIt:
    """A parser of CommonMark, tables and strikethrough with the house's exceptions."""
    parser = _Parser("commonmark", {"html": False, "maxNesting": max_nesting}).enable(["table", "strikethrough"])
    parser.disable(["reference", "html_block", "html_inline"])
    inline = parser.inline.ruler
    inline.before("escape", "literal", _literal)
    inline.at("escape", _recorded(escape))
    inline.at("backticks", _recorded(backtick))
    inline.at("strikethrough", _positioned(strikethrough.tokenize))
    inline.before("emphasis", "stars", _positioned(_stars))
    inline.at("emphasis", _positioned(emphasis.tokenize))
    inline.at("link", _recorded(link))
    inline.at("image", _recorded(image))
    inline.at("autolink", _recorded(autolink))
    inline.at("entity", _recorded(entity))
    return parser


class _Parser(MarkdownIt):
    """Addresses stay as written and every link is parsed: the renderers decide what is safe to link."""

    def normalizeLink(self, url: str) -> str:
        return url

    def normalizeLinkText(self, link: str) -> str:
        return link

    def validateLink(self, url: str) -> bool:
        return True


def surplus_cells(line: str, columns: int) -> list[str]:
    """The cells of a table's source line beyond its first `columns`."""
    cells = escapedSplit(line.strip())
    if cells and not cells[0].strip():
        cells = cells[1:]
    if cells and not cells[-1].strip():
        cells = cells[:-1]
    return [cell.strip() for cell in cells[columns:]]


# ---------------------------------------------------------------- inline rules


@functools.lru_cache(maxsize=8)
def _literal_ends(source: str) -> dict[int, int]:
    """Where each run of text that looks like markup starts and ends."""
    ends: dict[int, int] = {}
    for match in _LITERAL.finditer(source):
        start, end = match.span()
        if match[0].startswith("http"):
            end = start + len(match[0].rstrip("*_~.,;:!?'\")"))
        for run in re.finditer(r"[*_~]+", source[start:end]):
            ends[start + run.start()] = start + run.end()
    return ends


def _literal(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "*_~":
        return False
    end = _literal_ends(state.src).get(state.pos)
    if end is None or end > state.posMax:
        return False
    if not silent:
        state.pending += state.src[state.pos : end]
    state.pos = end
    return True


def _stars(state: StateInline, silent: bool) -> bool:
    """Stars as CommonMark reads them, but `**Note:**text` ends behind its colon, and `字**（字）**字` is bold.

    CommonMark takes punctuation next to a letter for the other side of the run, which scripts without blanks trip over.
    Brackets next to ASCII letters and digits are left alone: they are sums, `f(x)**2`.
    """
    start = state.pos
    if silent or state.src[start] != "*":
        return False
    scanned = state.scanDelims(start, True)
    end = start + scanned.length
    before = state.src[start - 1] if start else " "
    after = state.src[end] if end < state.posMax else " "
    opens = scanned.can_open or (after in _OPENING and before.isalnum() and not before.isascii())
    closes = scanned.can_close or (after.isalpha() and before in (_CLOSING if after.isascii() else _ANY_CLOSING))
    for _ in range(scanned.length):
        state.push("text", "", 0).content = "*"
        token = len(state.tokens) - 1
        state.delimiters.append(
            Delimiter(marker=ord("*"), length=scanned.length, token=token, end=-1, open=opens, close=closes)
        )
    state.pos = end
    return True


def _recorded(rule: _Rule) -> _Rule:
    """The rule, noting in the environment from where to where in the source it applied."""

    @functools.wraps(rule)
    def record(state: StateInline, silent: bool) -> bool:
        start = state.pos
        found: list[tuple[str, int, int]] | None = state.env.get("found")
        before = len(found) if found is not None else 0
        if not rule(state, silent):
            return False
        if found is not None and not silent:
            name = rule.__name__
            if name == "image":  # its description was parsed as a source of its own
                del found[before:]
            if name == "backtick" and (not state.tokens or state.tokens[-1].type != "code_inline"):
                name = "run"
            found.append((name, start, state.pos))
        return True

    return record


def _positioned(rule: _Rule) -> _Rule:
    """The rule, leaving in each delimiter token where it stood."""

    @functools.wraps(rule)
    def position(state: StateInline, silent: bool) -> bool:
        start = state.pos
        if not rule(state, silent):
            return False
        at = state.pos
        for token in reversed(state.tokens):
            at -= len(token.content)
            token.meta["at"] = at
            if at <= start:
                break
        return True

    return position


# ---------------------------------------------------------------- where markup stands


def marks(parser: MarkdownIt, source: str) -> list[Mark]:
    """All inline markup of one block's source, outer before inner."""
    found: list[tuple[str, int, int]] = []
    tokens: list[Token] = []
    parser.inline.parse(source, parser, {"found": found}, tokens)
    result = [_found_mark(parser, source, *entry) for entry in found]
    opened: list[tuple[int, str]] = []
    for token in tokens:
        if token.type in ("strong_open", "em_open", "s_open"):
            # The token kept of a `**` is the inner star of the opener and the inner star of the closer.
            opened.append((token.meta["at"] - (token.type == "strong_open"), token.markup))
        elif token.type in ("strong_close", "em_close", "s_close") and opened:
            start, markup = opened.pop()
            at = token.meta["at"]
            result.append(
                Mark(
                    start=start,
                    end=at + len(markup),
                    inner_start=start + len(markup),
                    inner_end=at,
                    opener=markup,
                    closer=markup,
                )
            )
    return sorted(result, key=lambda mark: (mark.start, -mark.end))


def _found_mark(parser: MarkdownIt, source: str, name: str, start: int, end: int) -> Mark:
    if name == "backtick":
        ticks = len(source[start:end]) - len(source[start:end].lstrip("`"))
        run = "`" * ticks
        return Mark(start=start, end=end, inner_start=start + ticks, inner_end=end - ticks, opener=run, closer=run)
    if name == "link":
        state = StateInline(source, parser, {}, [])
        label_end = parser.helpers.parseLinkLabel(state, start, True)
        if label_end > start:
            return Mark(
                start=start,
                end=end,
                inner_start=start + 1,
                inner_end=label_end,
                opener="[",
                closer=source[label_end:end],
            )
    return Mark(start=start, end=end, inner_start=end, inner_end=end)
