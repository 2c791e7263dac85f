"""A reply without what it says twice."""

from __future__ import annotations

import re
from itertools import pairwise

__all__ = ["tidied"]

LEAST_BEGINNING = 8
"""Characters of a last paragraph that may be the cut-off beginning of an earlier one."""

_BREAK = re.compile(r"(\n[ \t]*\n\s*)")
_SENTENCE = re.compile(r"\S.*?(?:[.!?…]+[\"'”’»)\]]*(?=\s|\Z)|\Z)", re.DOTALL)
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_LISTED = re.compile(r"[ \t]*(?:[-*+•]|\d+[.)]|\||>|#|    )")


def tidied(text: str) -> str:
    """The text without exact repeats; where nothing repeats, the same to the byte.

    Left out are a paragraph that was said before, the same sentence twice in a row within a paragraph of one line, and a
    last paragraph that is the beginning of an earlier one. Paragraphs of several lines (lists, verse) are not looked
    into, and a text with fenced code stays as it is.
    """
    if _FENCE.search(text):
        return text
    pieces = _BREAK.split(text)
    paragraphs, gaps = pieces[::2], ["", *pieces[1::2]]
    kept: list[str] = []
    written: list[str] = []
    for at, paragraph in enumerate(paragraphs):
        said = paragraph.strip()
        is_last = not any(rest.strip() for rest in paragraphs[at + 1 :])
        if said and (said in kept or (is_last and _is_a_beginning(said, kept))):
            continue
        kept.append(said)
        written.append((gaps[at] if written else gaps[0]) + _without_double_sentences(paragraph))
    return text if len(written) == len(paragraphs) and "".join(written) == text else "".join(written).rstrip()


def _is_a_beginning(paragraph: str, earlier: list[str]) -> bool:
    return len(paragraph) >= LEAST_BEGINNING and any(said.startswith(paragraph) for said in earlier)


def _without_double_sentences(paragraph: str) -> str:
    if "\n" in paragraph.strip() or _LISTED.match(paragraph):
        return paragraph
    sentences = list(_SENTENCE.finditer(paragraph))
    doubled = [again for first, again in pairwise(sentences) if first[0] == again[0]]
    if not doubled:
        return paragraph
    written, at = "", 0
    for again in doubled:
        written += paragraph[at : again.start()].rstrip()
        at = again.end()
    return written + paragraph[at:]
