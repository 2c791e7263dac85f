"""Code fences of CommonMark: what opens one, what closes it, and a text whose last one is open.

The rules are those of https://spec.commonmark.org/0.31.2/#fenced-code-blocks.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jarvisbot.gateway.render.tree import markdown

if TYPE_CHECKING:
    from markdown_it.token import Token

__all__ = ["block_tokens", "close_fence", "closes"]

_CONTAINERS = re.compile(r"[^>\s]")


def block_tokens(text: str) -> list[Token]:
    """The block structure of a text; what is inside its lines is not parsed. Token maps count lines of `text`."""
    tokens: list[Token] = []
    parser = markdown()
    parser.block.parse(text, parser, {}, tokens)
    return tokens


def closes(line: str, markup: str) -> bool:
    """Whether `line`, without the prefix of its containers, closes a fence that `markup` opened.

    It takes the same character at least as often, at most three blanks before and nothing but blanks after.
    """
    body = line.strip(" \t")
    indent = len(line) - len(line.lstrip(" "))
    return indent <= 3 and len(body) >= len(markup) and body == markup[0] * len(body)


def continued(prefix: str) -> str:
    """What stands before a container's further lines, by what stands before its first: ">   " for "> - "."""
    return _CONTAINERS.sub(" ", prefix)


def close_fence(text: str) -> str:
    """The text, with the closing line of its last fence added where that is missing."""
    if "```" not in text and "~~~" not in text:
        return text
    leaves = [token for token in block_tokens(text) if token.map and token.type in _LEAVES]
    if not leaves or leaves[-1].type != "fence" or leaves[-1].map is None:
        return text
    fence = leaves[-1]
    first, end = leaves[-1].map
    lines = text.split("\n")
    if any(line.strip() for line in lines[end:]):
        return text
    prefix = lines[first][: lines[first].index(fence.markup)]
    last = lines[end - 1]
    if end - 1 > first and closes(last[len(prefix) :] if last.startswith(continued(prefix)) else last, fence.markup):
        return text
    return f"{text.rstrip()}\n{continued(prefix)}{fence.markup}"


_LEAVES = frozenset({"inline", "fence", "code_block", "hr", "table_open"})
