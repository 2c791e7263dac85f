"""The answer that research put on its first line, and whether a draft gives it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from jarvisbot.agent.review.figures import Figure, equal_roughly, figures, without_urls
from jarvisbot.agent.review.finding import Check, Finding
from jarvisbot.store.turns import CallRecord

__all__ = ["wrong_fact"]

TOOL = "research"

_ANSWER = re.compile(r"\s*Answer:[ \t]*(\S[^\n]*)")
_YEARS = range(1000, 2200)
_NAME_ENDS = frozenset({"jr", "sr", "ii", "iii", "iv", "phd", "md"})
_ARTICLES = frozenset(["a", "an", "the", "der", "die", "das", "den", "dem", "ein", "eine", "einen", "einem", "einer"])
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "ł": "l", "đ": "d"})
_LEAST_LETTERS = 3


def wrong_fact(calls: Sequence[CallRecord], draft: str, *, german: bool) -> Finding | None:
    """The first answer of research that the draft does not give.

    A surname stands for the name; case and accents do not count; figures pass when equal at two significant digits.
    """
    for made in calls:
        if made.result.ok and made.call.name == TOOL and (found := _ANSWER.match(made.result.text)):
            answer = re.sub(r"\.$", "", found[1].strip())
            if not _gives(draft, answer):
                return _finding(answer, german=german)
    return None


def _gives(draft: str, answer: str) -> bool:
    if "://" in answer:
        return answer.rstrip("/").lower() in draft.lower()
    said = _words(without_urls(draft))
    answer = re.sub(r"\([^)]*\)", " ", answer).strip() or answer
    wanted = [word for word in _words(answer) if word not in _ARTICLES]
    if not wanted or _runs(wanted, said):
        return True
    numbers = list(figures(answer))
    if numbers:
        return _gives_figures(draft, numbers)
    last = [word for word in wanted if word not in _NAME_ENDS][-1:] or wanted[-1:]
    return len(last[0]) >= _LEAST_LETTERS and _runs(last, said)


def _gives_figures(draft: str, wanted: Sequence[Figure]) -> bool:
    """Whether the draft has all the figures, or no others than the year that is one of them."""
    said = list(figures(draft))
    found = [any(_equal(each, figure) for each in said) for figure in wanted]
    if all(found):
        return True
    year = any(is_said and _is_year(figure) for is_said, figure in zip(found, wanted, strict=True))
    return year and all(any(_equal(each, figure) for figure in wanted) for each in said)


def _equal(said: Figure, wanted: Figure) -> bool:
    if _is_year(wanted):
        return said.text == wanted.text
    return any(equal_roughly(one, other) for one in said.values for other in wanted.values)


def _is_year(figure: Figure) -> bool:
    return figure.text.isdecimal() and len(figure.text) == 4 and int(figure.text) in _YEARS and not figure.scaled


def _words(text: str) -> list[str]:
    """Letters and digits in words, without case and accents."""
    apart = unicodedata.normalize("NFKD", text.lower().translate(_LETTERS))
    return re.findall(r"[^\W_]+", "".join(letter for letter in apart if not unicodedata.combining(letter)))


def _runs(wanted: Sequence[str], said: Sequence[str]) -> bool:
    """Whether the words stand in the text in a row; the last may have an ending."""
    return f" {' '.join(wanted)}" in f" {' '.join(said)}"


def _finding(answer: str, *, german: bool) -> Finding:
    if german:
        return Finding(
            kind=Check.WRONG_FACT,
            words=f"Die Recherche ergab „{answer}“, die Antwort nennt das nicht.",
            fix=f"Die Recherche ergab: {answer}. Nenne genau das als Antwort.",
        )
    return Finding(
        kind=Check.WRONG_FACT,
        words=f"The research found “{answer}”, and the answer does not give it.",
        fix=f"The research found: {answer}. Give exactly this as the answer.",
    )
