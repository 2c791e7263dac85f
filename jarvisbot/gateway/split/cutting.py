"""One cut: the longest good beginning of a text that fits a message, and the rest of it."""

from __future__ import annotations

import bisect
import functools
import re
from collections.abc import Callable, Sequence

import regex

from jarvisbot.gateway.split.outline import Kind, Leaf, outline
from jarvisbot.gateway.split.places import Cut, Grade, Place, cut_at, places

__all__ = ["cut", "cut_raw", "growth"]

_CLUSTER = regex.compile(r"\X")
_FENCE_START = re.compile(r"[^\n]*?(?:`{3}|~{3})")
_BLOCK_END = re.compile(r"\n(?=[ \t]*(?:\n|[-+*>#|`~]|\d{1,9}[.)][ \t]))")
_FULL = 0.96
"""A part filled to this share needs no closer fit."""
_LEAST_FILL = 0.5
"""A better kind of place is taken as long as the part is filled to this share of what could be had."""
_LEAST_LIMIT = 16
"""Below this many units no formatting is kept: a fence alone may need as much."""
_PARAGRAPH_END = 8_000
"""How far beyond the window the end of a paragraph is looked for, in characters."""
_SAMPLE = 500
"""So much of the text tells how much longer than its source the platform counts it."""
_REPEATED_HEADER = 4
"""A table's header is repeated where it takes at most this part of a message."""

Measure = Callable[[str], int]


def cut(text: str, limit: int, measure: Measure) -> Cut | None:
    """The best cut whose head measures at most `limit`; None where only a raw cut will do.

    The whole text, known not to fit, is not looked at: a window of it is, which grows while all of it fits.
    """
    if limit < _LEAST_LIMIT:
        return None
    size = int(2 * limit / growth(text, measure)) + 200
    while True:
        window = _window(text, size)
        found = _cut_in(window, text, limit, measure)
        if found is not None or len(window) == len(text):
            return found
        if measure(window) > limit:
            return None
        size *= 2


def growth(text: str, measure: Measure) -> float:
    """About how many times longer than its source the platform counts the text, at least 1: read off its beginning."""
    sample = text[:_SAMPLE]
    return max(1.0, measure(sample) / len(sample))


def _window(text: str, size: int) -> str:
    """About `size` characters of the text, with whole lines, and whole paragraphs where those end soon."""
    if len(text) <= size:
        return text
    block_end = _BLOCK_END.search(text, size, size + min(_PARAGRAPH_END, size))
    end = block_end.start() if block_end else text.rfind("\n", size // 2, size)
    return text[: end if end > 0 else size]


def _cut_in(window: str, text: str, limit: int, measure: Measure) -> Cut | None:
    leaves = outline(window)
    bounds = [leaf for leaf in leaves if window[: leaf.start].strip()]
    skipped = len(leaves) - len(bounds)

    @functools.cache
    def size_of(number: int) -> int:
        return measure(window[: bounds[number].start].rstrip())

    last = _furthest([leaf.start for leaf in bounds], size_of, limit)
    if last == len(bounds) - 1 and len(window) < len(text) and measure(window) <= limit:
        return None
    overflowing = leaves[last + skipped] if last + skipped >= 0 else None
    while last > 0 and leaves[last + skipped - 1].heading:
        last -= 1  # a heading goes with what it heads
    best = _at_bound(text, bounds[last]) if last >= 0 else None
    if best is not None and size_of(last) >= limit * _LEAST_FILL:
        return best
    inner = _cut_leaf(text, window, overflowing, limit, measure) if overflowing is not None else None
    return inner or best


def _at_bound(text: str, leaf: Leaf) -> Cut:
    """The cut before a block. Where that lay in a list, the rest moves to the left."""
    return Cut(head=text[: leaf.start].rstrip(), tail=leaf.moved(text[leaf.start :], inside=False))


def _cut_leaf(text: str, window: str, leaf: Leaf, limit: int, measure: Measure) -> Cut | None:
    if leaf.kind is Kind.TABLE and sum(end - start for start, end in leaf.lines[:2]) > limit // _REPEATED_HEADER:
        return None
    allowed = [place for place in places(window, leaf) if place.at > leaf.start]

    @functools.cache
    def size_of(number: int) -> int:
        return measure(cut_at(text, leaf, allowed[number]).head)

    last = _furthest([place.at for place in allowed], size_of, limit)
    for _ in range(8):
        if last < 0:
            return None
        chosen = _best(allowed, last, leaf, limit)
        if size_of(chosen) <= limit:
            return cut_at(text, leaf, allowed[chosen])
        last = chosen - 1
    return None


def _best(allowed: Sequence[Place], last: int, leaf: Leaf, limit: int) -> int:
    """The best place up to `last`: outside of formatting, of the best grade, not too far from `last`."""
    until = last + 1
    mark = allowed[last].inside
    if mark is not None:
        outside = next((number for number in range(last, -1, -1) if allowed[number].inside is None), -1)
        fits_whole = mark.end - mark.start <= limit
        if outside >= 0 and (fits_whole or allowed[outside].at >= allowed[last].at * _LEAST_FILL):
            until = outside + 1
    least = allowed[until - 1].at * _LEAST_FILL
    best = until - 1
    for number in range(until - 1, -1, -1):
        place = allowed[number]
        if place.at < least or (place.inside is None) != (allowed[until - 1].inside is None):
            break
        if place.grade < allowed[best].grade:
            best = number
            if place.grade is Grade.LINE:
                break
    if allowed[best].grade >= Grade.AWKWARD:  # better a short part than an address in two
        for number in range(best, -1, -1):
            if allowed[number].grade <= Grade.WORD and allowed[number].inside is None:
                return number
    return best


def _furthest(lengths: Sequence[int], size_of: Callable[[int], int], limit: int) -> int:
    """The last number whose size fits, or one nearly as full; -1 where none fits. `lengths` guess at the sizes."""
    low, high = -1, len(lengths)
    guess = bisect.bisect_right(lengths, limit) - 1
    tries = 0
    while high - low > 1:
        number = min(max(guess, low + 1), high - 1)
        size = size_of(number)
        if size <= limit:
            low = number
            if size >= limit * _FULL:
                break
        else:
            high = number
        tries += 1
        target = lengths[number] * limit * 0.99 / max(size, 1)
        guess = bisect.bisect_right(lengths, target) - 1 if tries < 4 else (low + high) // 2
    return low


# ---------------------------------------------------------------- without regard to formatting


def cut_raw(text: str, limit: int, measure: Measure) -> Cut:
    """A cut that looks at nothing but length: for limits that hold no fence, and for markup longer than a message.

    A fence at the start loses its fence lines. It goes between grapheme clusters, through one only where that alone is
    too long; a character that alone is too long is left out.
    """
    if _FENCE_START.match(text):
        leaves = outline(text)
        if leaves and leaves[0].kind is Kind.FENCE and leaves[0].start == 0:
            return Cut(head="", tail=_unfenced(text, leaves[0]))
    start = text[: 4 * limit + 64]
    clusters = [match.end() for match in _CLUSTER.finditer(start)]
    for ends in (clusters, range(1, min(len(start), 64) + 1)):
        last = _furthest(ends, functools.partial(_size_until, start, ends, measure), limit)
        if last >= 0:
            end = ends[last]
            blank = max(start.rfind(" ", 0, end), start.rfind("\n", 0, end))
            if end < len(text) and blank > end * _LEAST_FILL and measure(start[:blank]) <= limit:
                end = blank
            return Cut(head=text[:end], tail=text[end:].lstrip())
    return Cut(head="", tail=text[1:])


def _size_until(text: str, ends: Sequence[int], measure: Measure, number: int) -> int:
    return measure(text[: ends[number]])


def _unfenced(text: str, leaf: Leaf) -> str:
    content = "\n".join(text[start:end] for start, end in leaf.lines)
    return f"{content.strip()}\n{text[leaf.end :]}".lstrip("\n")
