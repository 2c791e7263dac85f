"""The texts of a vocabulary's special tokens, kept from forming out of untrusted words.

llama.cpp finds special tokens by their text before it tokenises anything else, user-defined ones even where it is told
not to parse specials. So a break mark is put into untrusted text wherever such a text begins, the template is rendered
around it, and the prompt is tokenised in the pieces between the marks: no piece holds a special text that the template
did not write itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["BREAK", "Specials"]

BREAK = "\ufdd0"
"""A noncharacter that no text may hold: the worker marks with it where a special token's text is broken up."""
BLANK = " \t\r\n\u2581"
"""Runs of blanks are user-defined tokens in some vocabularies (Gemma); they mean nothing but themselves."""


class Specials:
    """The special texts of one vocabulary. A text of one character is its own only spelling and is let through."""

    def __init__(self, texts: Iterable[str]) -> None:
        self.texts = frozenset(text for text in texts if len(text) > 1 and text.strip(BLANK))
        self._longest = max(map(len, self.texts), default=0)
        self._lengths: dict[str, tuple[int, ...]] = {}
        for first in {text[0] for text in self.texts}:
            self._lengths[first] = tuple(sorted({len(text) for text in self.texts if text[0] == first}))
        self._firsts = re.compile(f"[{''.join(map(re.escape, self._lengths))}]" if self._lengths else "(?!)")
        self._heads = {text[:end] for text in self.texts for end in range(1, len(text))}
        self._tails = {text[start:] for text in self.texts for start in range(1, len(text))}

    def broken(self, text: str) -> str:
        """`text` with a break mark after the first character of each special text in it.

        Marks also stand at its ends where it could complete a special text together with its neighbours. The same text
        is always broken alike, so equal beginnings of a talk stay equal token by token.
        """
        text = text.replace(BREAK, "\ufffd")
        if not text or not self.texts:
            return text
        cuts = [match.start() + 1 for match in self._firsts.finditer(text) if self._starts_at(text, match.start())]
        pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        before = BREAK if self._could_end(text) else ""
        after = BREAK if self._could_begin(text) else ""
        return before + BREAK.join(pieces) + after

    def _starts_at(self, text: str, at: int) -> bool:
        return any(text[at : at + length] in self.texts for length in self._lengths[text[at]])

    def _could_begin(self, text: str) -> bool:
        return any(text[-length:] in self._heads for length in range(1, min(len(text), self._longest) + 1))

    def _could_end(self, text: str) -> bool:
        """Whether a special text could end in, or go on past, the beginning of `text`."""
        if any(text[:length] in self._tails for length in range(1, min(len(text), self._longest) + 1)):
            return True
        return len(text) < self._longest and any(text in special for special in self.texts)
