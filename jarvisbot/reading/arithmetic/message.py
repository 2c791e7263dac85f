"""The sum in a message: found in prose, rewritten in strict notation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from jarvisbot.reading.arithmetic.grammar import closed_brackets, parse_from
from jarvisbot.reading.arithmetic.nodes import Binary, Call, Group, Node, Number, PercentOf, descendants, is_sum
from jarvisbot.reading.arithmetic.prose import is_asked_for, is_only_shell, masked, names_a_number, names_several_moneys
from jarvisbot.reading.arithmetic.requests import Percentage, Request, Share, requests
from jarvisbot.reading.arithmetic.tokens import Kind, Manner, Token, tokens

__all__ = ["Found", "covers", "find", "sum_in"]

MESSAGE_LIMIT = 2_000
"""Only so many characters of a message are searched."""

_GERMAN = re.compile(
    r"\b(?:was|ist|sind|wie|viel|wieviel|und|von|mal|durch|geteilt|hoch|wurzel|prozent|bitte|(?:be)?rechne|ergibt|macht"
    r"|das|der|die|mir|euro|addiere|multipliziere|dividiere|subtrahiere)\b",
    re.IGNORECASE,
)
_ENGLISH = re.compile(r"\b(?:what|is|how|much|of|times|the|please|by|calculate|percent|work|out|and)\b", re.IGNORECASE)
_RANGE_OPERATORS = frozenset("-–—−/:xX")


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A sum in a message: its strict spelling and where it stands; `percentage` where a percentage is the question."""

    expression: str
    start: int
    end: int
    percentage: Percentage | None = None


def sum_in(message: str, *, german: bool = False) -> str | None:
    """The longest sum of the message in strict notation, None where there is none; a bare number is none.

    `german`: the talk is German, which decides what 1.500 means where no word of the message does.
    A division by zero and a bomb are sums too: the calculator says what is wrong with them.
    """
    found = find(message, german=german)
    return found.expression if found else None


def covers(message: str) -> bool:
    """Whether the sum is all the message asks: the rest holds no number, no further question, no other clause."""
    found = find(message)
    return found is not None and is_only_shell(message[: found.start], message[found.end :])


def find(message: str, *, german: bool = False) -> Found | None:
    """The longest sum of the message, the first of several equally long ones, or None."""
    text = masked(message[:MESSAGE_LIMIT])
    if _GERMAN.search(text) or _ENGLISH.search(text):
        german = _ENGLISH.search(text) is None
    pieces = list(tokens(text, Manner.MESSAGE, dots_group=german))
    candidates = [*_requested(text, german), *_slices(text, pieces)]
    found = max(candidates, key=lambda found: found.end - found.start, default=None)
    if found and names_several_moneys(text):
        return None
    return found


def _requested(text: str, german: bool) -> list[Found]:
    return [_from_request(each) for each in requests(text, dots_group=german)]


def _from_request(request: Request) -> Found:
    return Found(expression=request.expression, start=request.start, end=request.end, percentage=request.percentage)


def _slices(text: str, pieces: list[Token]) -> list[Found]:
    found: list[Found] = []
    closed = closed_brackets(pieces)
    at = 0
    while at < len(pieces) - 1:
        read = parse_from(text, pieces, at, closed)
        if read is None:
            unread = pieces[at].kind
            at += 1
            while unread in (Kind.ROOT, Kind.OPERATOR) and pieces[at].kind is unread:
                at += 1
            continue
        node, after = read
        if is_sum(node) and (slice_ := _slice(text, pieces, at, after, node)):
            found.append(slice_)
        at = after
    return found


def _slice(text: str, pieces: list[Token], first: int, after: int, node: Node) -> Found | None:
    start, end = pieces[first].start, pieces[after - 1].end
    if _is_torn(pieces, first, after):
        return None
    if _may_be_a_range(node) and not _is_meant(text, start, end, node):
        return None
    return Found(expression=node.text, start=start, end=end, percentage=_percentage(node))


def _percentage(node: Node) -> Percentage | None:
    if isinstance(node, PercentOf) and isinstance(node.rate, Number) and isinstance(node.whole, Number):
        return Percentage(kind=Share.LESS if node.off else Share.PART, first=node.rate.text, second=node.whole.text)
    return None


def _is_torn(pieces: list[Token], first: int, after: int) -> bool:
    """Whether the sum goes on beyond the slice with something that is no number: 2 plus 2 plus two, x * 3 + 4."""
    before = pieces[first - 1] if first else None
    if before is not None and before.kind is Kind.OPERATOR:
        further = pieces[first - 2] if first > 1 else None
        if further is not None and further.text != "\n" and (before.text != "*" or not _is_adverb(before, further)):
            return True
    if before is not None and before.kind is Kind.OPEN and first > 1:
        outside = pieces[first - 2]
        if outside.kind in (Kind.OPERATOR, Kind.NUMBER) or outside.end == before.start:
            return True
    begins_signed = pieces[first].kind is Kind.OPERATOR
    if begins_signed and before is not None and before.kind is Kind.NAME and names_a_number(before.text):
        return True
    if before is not None and before.kind is Kind.NAME and before.end == pieces[first].start:
        return True
    following = pieces[after]
    if following.kind is Kind.CLOSE and pieces[after + 1].kind is Kind.OPERATOR:
        return True
    if following.kind is not Kind.OPERATOR or following.start == following.end:
        return False
    beyond = pieces[after + 1]
    if beyond.kind is not Kind.NAME:
        return False
    return following.text not in "-" or names_a_number(beyond.text)


def _is_adverb(operator: Token, before: Token) -> bool:
    """Whether "mal" belongs to the verb before it, as in "Rechne mal 12 * 4 aus"."""
    return operator.spelled and operator.end - operator.start == 3 and not names_a_number(before.text)


def _may_be_a_range(node: Node) -> bool:
    """Whether the slice could as well be a range, a date, a score or a size: 10-15, 2023/24, 3:1, 4x4."""
    operations = [each for each in descendants(node) if isinstance(each, Binary)]
    if operations and all(each.implicit for each in operations):
        return True
    if any(isinstance(each, Group | Call | PercentOf) for each in descendants(node)):
        return False
    if len({each.operator for each in operations}) != 1:
        return False
    return all(each.symbol in _RANGE_OPERATORS and (each.tight or each.symbol in "-–—:xX") for each in operations)


def _is_meant(text: str, start: int, end: int, node: Node) -> bool:
    """Whether what may be a range is asked for as a sum."""
    before, after = text[:start], text[end:]
    if is_only_shell(before, after):
        return True
    if re.search(r"[\w/.:=&?#@-]$", before) or not is_asked_for(before):
        return False
    return not re.match(r"\s*[^\W\d_]", after) or re.match(r"\s*(?:and|und|please|bitte)\b", after) is not None
