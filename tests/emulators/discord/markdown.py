"""What Discord's clients show of a message: a reading of its markdown that knows nothing of how ours is written.

The rules are those of simple-markdown, on which the clients' parser is built, with Discord's own (spoilers, masked links,
mentions, headings to level 3, quotations that do not nest).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["Piece", "mentions", "visible"]

Piece = tuple[str, frozenset[str]]
"""Text and the formatting over it."""

_FENCE = re.compile(r"```(?:([a-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```", re.IGNORECASE)
_QUOTE = re.compile(r"(?:> [^\n]*(?:\n|$))+")
_REST_QUOTE = re.compile(r">>> ([\s\S]*)")
_HEADING = re.compile(r"(#{1,3}) +([^\n]+)(?:\n|$)")
_SUBTEXT = re.compile(r"-# +([^\n]+)(?:\n|$)")
_STAR = r"\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\\*\s]|\*\*)|[^\s*\\])+?)\*(?!\*)"
_INLINE: list[tuple[str, re.Pattern[str]]] = [
    ("code", re.compile(r"(`+)([\s\S]*?[^`])\1(?!`)")),
    ("link", re.compile(r"\[((?:\\[\s\S]|[^\\\[\]])+)\]\(\s*<?(https?://[^\s<>]+?)>?\s*\)")),
    ("spoiler", re.compile(r"\|\|([\s\S]+?)\|\|")),
    ("strong", re.compile(r"\*\*((?:\\[\s\S]|[^\\])+?)\*\*(?!\*)")),
    ("underline", re.compile(r"__((?:\\[\s\S]|[^\\])+?)__(?!_)")),
    ("em", re.compile(rf"\b_((?:__|\\[\s\S]|[^\\_])+?)_\b|{_STAR}")),
    ("strike", re.compile(r"~~(?=\S)((?:\\[\s\S]|~(?!~)|[^\s\\~]|\s(?!~~))+?)~~")),
]
_ADDRESS = re.compile(r"<(https?://[^\s<>]+)>|https?://[^\s<]+[^<.,:;\"'\])\s]")
_MENTION = re.compile(r"<@[!&]?\d+>|<#\d+>|<a?:\w+:\d+>|<t:-?\d+(?::\w)?>|</[\w -]+:\d+>|<id:\w+>|@everyone|@here")


def visible(content: str) -> list[Piece]:
    """The text that people see and the formatting over it, in order."""
    return list(_blocks(content, frozenset()))


def mentions(content: str) -> list[str]:
    """What in the message would ping somebody or stand for something else, outside of code."""
    shown = [(text, over) for text, over in visible(content) if not over & {"pre", "code", "address"}]
    return [found for text, _ in shown for found in _MENTION.findall(text)]


def _blocks(text: str, over: frozenset[str]) -> Iterator[Piece]:
    at = 0
    plain = 0
    while at < len(text):
        start_of_line = at == 0 or text[at - 1] == "\n"
        found: tuple[re.Match[str], list[Piece]] | None = None
        if match := _FENCE.match(text, at):
            found = match, [(match[2], over | {"pre"})]
        elif start_of_line and "quote" not in over and (match := _REST_QUOTE.match(text, at)):
            found = match, list(_blocks(match[1], over | {"quote"}))
        elif start_of_line and "quote" not in over and (match := _QUOTE.match(text, at)):
            body = re.sub(r"^> ", "", match[0], flags=re.MULTILINE)
            found = match, list(_blocks(body, over | {"quote"}))
        elif start_of_line and (match := _HEADING.match(text, at)):
            found = match, list(_inline(match[2], over | {f"h{len(match[1])}"}))
        elif start_of_line and (match := _SUBTEXT.match(text, at)):
            found = match, list(_inline(match[1], over | {"subtext"}))
        if found is None:
            at += 2 if text[at] == "\\" else 1
            continue
        yield from _inline(text[plain:at], over)
        yield from found[1]
        at = plain = found[0].end()
    yield from _inline(text[plain:], over)


def _inline(text: str, over: frozenset[str]) -> Iterator[Piece]:
    at = 0
    while at < len(text):
        if text[at] == "\\" and at + 1 < len(text) and not text[at + 1].isalnum() and not text[at + 1].isspace():
            yield text[at + 1], over
            at += 2
            continue
        if match := _ADDRESS.match(text, at):
            yield match[1] or match[0], over | {"address"}
            at = match.end()
            continue
        matches = [(match, kind) for kind, pattern in _INLINE if (match := pattern.match(text, at))]
        if matches:
            match, kind = max(matches, key=lambda pair: (pair[1] in ("code", "link"), len(pair[0][0])))
            if kind == "code":
                yield match[2], over | {"code"}
            else:
                yield from _inline(next(group for group in match.groups() if group is not None), over | {kind})
            at = match.end()
            continue
        yield text[at], over
        at += 1
