"""The source line at the end of an answer, lifted out for display where it is a citation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jarvisbot.types import Source

__all__ = ["lift", "merged_sources"]

_LABEL = re.compile(
    r"^[ ]{0,3}[*_(\[]*(?:sources?|references?|quellen?(?:angaben?)?|belege?|nachweise?)[*_]*\s*[:：]\s*[*_]*\s*(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_ADDRESS = r"https?://[^\s<>\[\]\"]+"
_ENTRY = re.compile(
    rf"\[(?P<label>[^\[\]]+)\]\(\s*<?(?P<linked>https?://(?:[^\s<>()]|\([^\s<>()]*\))+)>?(?:\s+\"[^\"]*\")?\s*\)"
    rf"|(?P<title>[^\s,;|·•<>()\[\]][^,;|·•<>()\[\]]*?)?\s*[-–—:(]?\s*<?(?P<bare>{_ADDRESS})>?\)?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\s*(?:[,;|·•.]|\b(?:and|und|sowie)\b|&|\)|\*+|_+)*\s*", re.IGNORECASE)
_MOST_TITLE = 80


def lift(text: str) -> tuple[str, tuple[Source, ...]]:
    """The answer without its last line, and the pages which that line names, where the line does nothing but cite pages.

    "Source: my own recollection" stays, as does a line in code, a list or a quotation, and an answer that is nothing else.
    """
    whole = text.rstrip()
    before, _, line = whole.rpartition("\n")
    match = _LABEL.match(line) if before.strip() else None
    if match is None or not _is_prose(whole):
        return text, ()
    sources = _cited(match["rest"])
    return (before.rstrip(), sources) if sources else (text, ())


def _is_prose(text: str) -> bool:
    """Whether the last line belongs to a paragraph that stands in nothing else."""
    from jarvisbot.gateway.render.fence import block_tokens

    tokens = block_tokens(text)
    return len(tokens) >= 3 and tokens[-1].type == "paragraph_close" and tokens[-1].level == 0


def _cited(rest: str) -> tuple[Source, ...]:
    """The pages of a citation, () where anything else stands in it."""
    found: list[Source] = []
    at = _after(rest, 0)
    while at < len(rest):
        match = _ENTRY.match(rest, at)
        if match is None:
            return ()
        title = (match["label"] or match["title"] or "").strip(" *_–—-:(").strip()
        if len(title) > _MOST_TITLE or "http" in title.lower():
            return ()
        url = match["linked"] or match["bare"]
        end = match.end()
        if match["bare"]:
            url, end = _trimmed(rest, match)
        found.append(Source(title=title, url=url))
        at = _after(rest, end)
    return tuple(found)


def _trimmed(rest: str, match: re.Match[str]) -> tuple[str, int]:
    """The address without the punctuation of the sentence around it, and where it ends."""
    start, end = match.span("bare")
    while rest[end - 1] in ".,;:!?*_'" or (
        rest[end - 1] == ")" and rest.count(")", start, end) > rest.count("(", start, end)
    ):
        end -= 1
    return rest[start:end], max(end, match.end() if rest[match.end() - 1] in ">" else end)


def _after(rest: str, at: int) -> int:
    match = _BETWEEN.match(rest, at)
    return match.end() if match else at


def merged_sources(cited: Sequence[Source], known: Sequence[Source]) -> tuple[Source, ...]:
    """The cited pages first, then the others of the turn, each page once, under the better known title."""
    titles = {source.url.rstrip("/"): source for source in known}
    pages = {source.url.rstrip("/"): titles.get(source.url.rstrip("/"), source) for source in (*cited, *known)}
    return tuple(pages.values())
