"""Long answers in parts that a platform takes, each CommonMark on its own."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator

__all__ = ["split"]


def split(
    text: str, *, limit: int | None, measure: Callable[[str], int], first: int = 0, last: int = 0
) -> tuple[str, ...]:
    """The parts of a CommonMark text, in order, none blank, each measuring at most `limit`; () for a blank text.

    `measure` gives the length that the platform counts for a CommonMark text. Cuts go, in this order, between
    paragraphs, lines, sentences, words, grapheme clusters. A fence is closed and opened again around a cut, as is
    formatting longer than a part; a table's header is repeated; a list item goes on without its marker and the items
    after it move to the left. Without what was added the parts are the text, blanks at the cuts apart. Of the limit, `first`
    is kept free in the first part and `last` in the last one, for what the platform shows there besides.

    Raises ValueError where `limit` is below 1 or leaves no room beside `first` and `last`.
    """
    if limit is not None and limit < 1:
        raise ValueError(f"limit must be at least 1, not {limit}")
    if limit is not None and limit <= first + last:
        raise ValueError(f"limit must leave room beside {first} + {last}, not be {limit}")
    from jarvisbot.gateway.render.fence import close_fence

    source = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
    source = _without_blank_lines(source)
    if not source:
        return ()
    source = close_fence(source)
    if limit is None:
        return (source,)
    remembered = functools.lru_cache(maxsize=8)(measure)
    return tuple(
        part for part in _parts(source, limit, remembered, first, last) if part.strip() and remembered(part) > 0
    )


def _without_blank_lines(source: str) -> str:
    lines = source.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), len(lines))
    return "\n".join(lines[first:])


def _parts(source: str, limit: int, measure: Callable[[str], int], first: int, last: int) -> Iterator[str]:
    from jarvisbot.gateway.split.cutting import cut, cut_raw, growth

    rest = source
    room = limit - first
    while rest.strip():
        free = room
        longer = growth(rest, measure)
        # Markup may be most of a source, unless the platform counts more than that.
        most = (8 if longer == 1 else 3) * limit + 1000
        if len(rest) * longer <= most and (size := measure(rest)) <= room:
            if size <= room - last:
                yield rest
                return
            free -= last  # it fits, but not together with what the last message shows besides
        found = cut(rest, free, measure)
        if found is None or len(found.tail) >= len(rest) or not found.head.strip():
            found = cut_raw(rest, free, measure)
        if found.head.strip():
            room = limit
        yield found.head
        rest = _without_blank_lines(found.tail.rstrip())
