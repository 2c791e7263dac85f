"""Names of places folded for comparison: without case, accents and punctuation.

It imports the standard library only, since the table of cities is built with it where this package is not installed.
"""

from __future__ import annotations

import re
import unicodedata

__all__ = ["folded"]

_LETTERS = str.maketrans(
    {"ß": "ss", "ø": "o", "æ": "ae", "œ": "oe", "ł": "l", "đ": "d", "ı": "i", "ð": "d", "þ": "th", "ə": "a"}
)
_SILENT = re.compile(r"['’‘ʻʼ`´.]")
_APART = re.compile(r"[\W_]+")
_SHORT = ((re.compile(r"\bst\b"), "saint"), (re.compile(r"\bsankt\b"), "saint"))


def folded(name: str) -> str:
    """The name in lower case without accents, apostrophes and dots, its words parted by single spaces.

    "St." and "Sankt" are "saint"; ß is ss, other letters lose what decomposes. Other scripts keep their letters.
    """
    plain = unicodedata.normalize("NFKD", name.lower().translate(_LETTERS))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter))
    plain = _APART.sub(" ", _SILENT.sub("", unicodedata.normalize("NFC", plain))).strip()
    for pattern, word in _SHORT:
        plain = pattern.sub(word, plain)
    return plain
