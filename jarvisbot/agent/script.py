"""The script a reply begins in, read off its first letters: a small model now and then falls into another one."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import regex

from jarvisbot.languages import LANGUAGES

__all__ = ["begins_elsewhere", "only_in"]

DECIDES_AT = 12
"""Letters after which a beginning is judged."""
LEAST = 4
"""Letters of a whole reply that is judged: Ω and π are answers in every language."""
LOOKED_AT = 40
SHARE = 0.6
_LETTER = regex.compile(r"\p{L}")
_ALIEN = regex.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", regex.DOTALL)
_WRITING = regex.compile(
    r"\b(?:translat\w*|übersetz\w*|alphabets?|(?:schrift)?zeichen|buchstaben?|letters?|characters?|kanji|kana|hiragana"
    r"|katakana|hangul|kyrillisch\w*|cyrillic|hebräisch\w*|hieroglyph\w*|transliterat\w*|pronounce|ausgesprochen)\b",
    regex.IGNORECASE,
)


def begins_elsewhere(text: str, language: str, asked: Iterable[str], *, whole: bool = False) -> bool | None:
    """Whether a reply in `language` (a code) begins in a script that this language is not written in.

    None where it looks so but has too few letters to tell; `whole` says that no more will come. A script that the person wrote
    in, or whose language or letters one of the texts `asked` speaks of, is as good as the language's own.
    """
    known = LANGUAGES.get(language)
    if known is None:
        return False
    letters = _LETTER.findall(_ALIEN.sub(" ", text))[:LOOKED_AT]
    own = _script(known.scripts)
    strange = [letter for letter in letters if own.match(letter) is None]
    if not strange or len(strange) < SHARE * len(letters) or any(_welcomes(each, strange[0]) for each in asked):
        return False
    if len(letters) < (LEAST if whole else DECIDES_AT):
        return False if whole else None
    return True


def only_in(language: str) -> str:
    """The request for a language, in German or English."""
    if language == "de":
        return "Antworte nur auf Deutsch."
    return f"Answer only in {LANGUAGES[language].english}."


def _welcomes(asked: str, letter: str) -> bool:
    """Whether this message lets an answer with such a letter be expected."""
    if _WRITING.search(asked):
        return True
    written = [language for language in LANGUAGES.values() if _script(language.scripts).match(letter)]
    scripts = {script for language in written for script in language.scripts}
    if any(_script((script,)).match(letter) and _script((script,)).search(asked) for script in scripts):
        return True
    said = asked.casefold()
    names = {name.casefold() for language in written for name in (language.english, language.german, language.name)}
    return any(name in said for name in names)


@cache
def _script(scripts: tuple[str, ...]) -> regex.Pattern[str]:
    return regex.compile("[" + "".join(rf"\p{{Script={script}}}" for script in scripts) + "]")
