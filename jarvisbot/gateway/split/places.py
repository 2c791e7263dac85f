"""Where a block may be cut, how good each place is, and the two texts that a cut there gives."""

from __future__ import annotations

import bisect
import enum
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

import regex

from jarvisbot.gateway.render.fence import closes
from jarvisbot.gateway.render.grammar import Mark, marks
from jarvisbot.gateway.render.tree import markdown
from jarvisbot.gateway.split.outline import Kind, Leaf

__all__ = ["Cut", "Grade", "Place", "cut_at", "places"]

_CLUSTER = regex.compile(r"\X")
_SENTENCE = re.compile(r"(?<=\S[^\s.!?…])[.!?…]+[\"'”’»)\]*_~`]*(?=\s)|[。！？]+[”’」』）]*")
_AWKWARD = re.compile(r"https?://\S+|(?<![\w.+-])[\w.+-]+@[\w-]+\.[\w.-]+|[*_~`]{2,}|\d[\d.,:]*\d")
_BLOCK_START = re.compile(
    r"#{1,6}(?:[ \t]|$)|>|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$)|`{3}|~{3}|(?:[-_*=][ \t]{0,9}){1,99}$|\|",
    re.MULTILINE,
)
_DELIMITERS = frozenset("*_~`\\")
_BLOCK_MARKS = frozenset("#>-+*0123456789`~_=|")


class Grade(enum.IntEnum):
    """How good a place is, best first."""

    LINE = 1
    SENTENCE = 2
    WORD = 3
    CLUSTER = 4
    AWKWARD = 5
    """Inside an address or a number."""
    MISREAD = 6
    """What follows would be read as a heading, a list or the like if it began a text."""


@dataclass(frozen=True, slots=True)
class Place:
    """A cut before the character at `at`. `inside` is the outermost formatting that it would go through."""

    at: int
    grade: Grade
    inside: Mark | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """A text in two: each reads as CommonMark on its own."""

    head: str
    tail: str


def places(text: str, leaf: Leaf) -> list[Place]:
    """Every place where `leaf` may be cut, in order of position."""
    match leaf.kind:
        case Kind.TEXT:
            return list(_text_places(text, leaf))
        case Kind.FENCE | Kind.CODE:
            return list(_code_places(text, leaf))
        case Kind.TABLE:
            return [Place(start, Grade.LINE) for start, _ in leaf.lines[3:]]
        case Kind.WHOLE:
            return []


def cut_at(text: str, leaf: Leaf, place: Place) -> Cut:
    """The text before the place and the text from there, with what both need to keep their formatting."""
    match leaf.kind:
        case Kind.TEXT:
            return _cut_text(text, leaf, place)
        case Kind.FENCE:
            return _cut_fence(text, leaf, place)
        case Kind.CODE:
            return _cut_code(text, leaf, place)
        case Kind.TABLE:
            return _cut_table(text, leaf, place)
        case Kind.WHOLE:
            return Cut(head="", tail=text)


# ---------------------------------------------------------------- running text


def _content(text: str, leaf: Leaf) -> str:
    return "\n".join(text[start:end] for start, end in leaf.lines)


def _text_places(text: str, leaf: Leaf) -> Iterator[Place]:
    content = _content(text, leaf)
    blocked = bytearray(len(content) + 1)
    inside: dict[int, Mark] = {}
    covered = 0
    for mark in marks(markdown(), content):
        opener_end = mark.inner_start if mark.opener else mark.end
        closer_start = mark.inner_end if mark.closer else mark.end
        for start, end in ((mark.start + 1, opener_end + 1 if mark.opener else opener_end), (closer_start, mark.end)):
            blocked[start:end] = b"\x01" * max(end - start, 0)
        if mark.start >= covered and mark.opener:
            inside.update(dict.fromkeys(range(mark.start + 1, mark.end), mark))
            covered = mark.end
    grades = _text_grades(content)
    offsets = [0, *itertools.accumulate(end - start + 1 for start, end in leaf.lines)]
    line = 0
    for at in _cluster_starts(content):
        while offsets[line + 1] <= at:
            line += 1
        grade = grades.get(at, Grade.CLUSTER)
        through = inside.get(at)
        if blocked[at] or (
            through is not None and grade >= Grade.CLUSTER and not _DELIMITERS.isdisjoint(content[at - 1 : at + 1])
        ):
            continue  # what closes and reopens the formatting would run into the neighbour
        yield Place(leaf.lines[line][0] + at - offsets[line], grade, through)


def _cluster_starts(content: str) -> Iterator[int]:
    if content.isascii():
        return iter(range(1, len(content)))
    return (match.start() for match in _CLUSTER.finditer(content) if match.start())


def _text_grades(content: str) -> dict[int, Grade]:
    """The grade of each place that is not merely between two characters."""
    grades: dict[int, Grade] = {}
    for match in _AWKWARD.finditer(content):
        grades.update(dict.fromkeys(range(match.start() + 1, match.end()), Grade.AWKWARD))
    for match in re.finditer(r"[ \t]+", content):
        grades[match.start()] = Grade.WORD
        grades.update(dict.fromkeys(range(match.start() + 1, match.end()), Grade.AWKWARD))
    grades.update((match.end(), Grade.SENTENCE) for match in _SENTENCE.finditer(content))
    grades.update((match.start(), Grade.LINE) for match in re.finditer("\n", content))
    follows = len(content)
    for at in range(len(content) - 1, 0, -1):
        follows = follows if content[at].isspace() else at
        if content[follows] in _BLOCK_MARKS and _BLOCK_START.match(content, follows):
            grades[at] = Grade.MISREAD
    return grades


def _cut_text(text: str, leaf: Leaf, place: Place) -> Cut:
    at = place.at
    line = bisect.bisect_right([start for start, _ in leaf.lines], at) - 1
    head = text[:at].rstrip()
    if text[len(head) : at + 1].startswith("\n") or at == leaf.lines[line][1]:
        backslashes = len(head) - len(head.rstrip("\\"))
        head = head[:-1] if backslashes % 2 else head  # a hard line break ends nothing any more
    while at >= leaf.lines[line][1] or text[at].isspace():
        at += 1
        if at > leaf.lines[line][1] and line + 1 < len(leaf.lines):
            line += 1
            at = leaf.lines[line][0]
    crossed = _crossed(text, leaf, place) if place.inside else []
    openers = "".join(mark.opener for mark in crossed)
    closers = "".join(mark.closer for mark in reversed(crossed))
    end_of_line = text.find("\n", at)
    end_of_line = len(text) if end_of_line < 0 else end_of_line
    first = leaf.reopening + leaf.opening + openers + text[at:end_of_line]
    following = text[end_of_line + 1 : leaf.end + 1]
    after = text[leaf.end + 1 :] if leaf.end > end_of_line else text[end_of_line + 1 :]
    if leaf.in_list and after.split("\n", 1)[0].strip():
        # Without its marker the paragraph would swallow a following item; a numbered one cannot interrupt it.
        break_line = f"{leaf.reopening.rstrip()}\n"
        following = following if not following or following.endswith("\n") else following + "\n"
        after = break_line + after
    return Cut(head=head + closers, tail=f"{first}\n{leaf.moved(following + after, inside=True)}")


def _crossed(text: str, leaf: Leaf, place: Place) -> list[Mark]:
    """The formatting that is open at the place, outermost first."""
    offsets = [0, *itertools.accumulate(end - start + 1 for start, end in leaf.lines)]
    line = bisect.bisect_right([start for start, _ in leaf.lines], place.at) - 1
    at = offsets[line] + place.at - leaf.lines[line][0]
    return [mark for mark in marks(markdown(), _content(text, leaf)) if mark.start < at < mark.end and mark.opener]


# ---------------------------------------------------------------- code


def _code_places(text: str, leaf: Leaf) -> Iterator[Place]:
    filled = [number for number, (start, end) in enumerate(leaf.lines) if text[start:end].strip(" \t>")]
    if not filled:
        return
    before = len(leaf.further)
    for number in range(filled[0], filled[-1] + 1):
        start, end = leaf.lines[number]
        if number > filled[0]:
            yield Place(start, Grade.LINE)
        line = text[start:end]
        skip = before if line.startswith(leaf.further) else 0
        skip += len(line[skip:]) - len(line[skip:].lstrip())
        starts = range(len(line)) if line.isascii() else [match.start() for match in _CLUSTER.finditer(line)]
        for at in starts:
            if at <= skip or (leaf.markup and _looks_closed(line, at, before, leaf.markup)):
                continue
            blank = line[at - 1] == " " and line[at] != " "
            yield Place(start + at, Grade.WORD if blank else Grade.CLUSTER)


def _looks_closed(line: str, at: int, before: int, markup: str) -> bool:
    """Whether either half of the line would be taken for the end of the fence."""
    mark = markup[0]
    ends_so = line[at - 1] in (mark, " ") and closes(line[before:at], markup)
    return ends_so or (line[at] == mark and closes(line[at:], markup))


def _line_start(leaf: Leaf, at: int) -> int:
    return leaf.lines[bisect.bisect_right([start for start, _ in leaf.lines], at) - 1][0]


def _cut_fence(text: str, leaf: Leaf, place: Place) -> Cut:
    closing = f"\n{leaf.further}{leaf.markup}"
    opening = f"{leaf.reopening}{leaf.opening}\n"
    if place.at == _line_start(leaf, place.at):
        return Cut(head=text[: place.at - 1] + closing, tail=opening + leaf.moved(text[place.at :], inside=True))
    line, following = _line_rest(text, place.at)
    return Cut(
        head=text[: place.at] + closing,
        tail=f"{opening}{leaf.reopening}{line}\n{leaf.moved(following, inside=True)}",
    )


def _cut_code(text: str, leaf: Leaf, place: Place) -> Cut:
    if place.at == _line_start(leaf, place.at):
        return Cut(head=text[: place.at].rstrip(), tail=leaf.moved(text[place.at :], inside=True))
    line, following = _line_rest(text, place.at)
    tail = f"{leaf.reopening}    {line.lstrip()}\n{leaf.moved(following, inside=True)}"
    return Cut(head=text[: place.at].rstrip(), tail=tail)


def _line_rest(text: str, at: int) -> tuple[str, str]:
    """The rest of the line from `at`, and what follows the line."""
    line, _, following = text[at:].partition("\n")
    return line, following


# ---------------------------------------------------------------- tables


def _cut_table(text: str, leaf: Leaf, place: Place) -> Cut:
    """The header is repeated, for without it the other rows would be no table."""
    (start, end), (_, ruler_end) = leaf.lines[:2]
    header = leaf.further + text[start + len(leaf.prefix) : end]
    repeated = f"{header}\n{text[end + 1 : ruler_end]}\n{text[place.at :]}"
    return Cut(head=text[: place.at].rstrip(), tail=leaf.moved(repeated, inside=True))
