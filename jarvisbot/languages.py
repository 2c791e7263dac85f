"""The languages that replies may be asked for in: their codes, their names, the scripts they are written in."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterator, Mapping

import msgspec

__all__ = ["LANGUAGES", "Language", "find_language", "nearest_languages"]

LIKENESS = 0.6
"""How like a name has to be to be offered in place of one that is unknown, from 0 to 1."""


class Language(msgspec.Struct, frozen=True, kw_only=True):
    """One language.

    `code` is of ISO 639-1, `name` is what its speakers call it. `scripts` are the Unicode scripts a text in it has letters
    of, by the names that the `regex` module knows (`\\p{Script=Cyrillic}`), the usual one first.
    """

    code: str
    name: str
    english: str
    german: str
    scripts: tuple[str, ...]


_LATIN, _CYRILLIC, _ARABIC = ("Latin",), ("Cyrillic",), ("Arabic",)
_TABLE: tuple[tuple[str, str, str, str, tuple[str, ...]], ...] = (
    ("ar", "العربية", "Arabic", "Arabisch", _ARABIC),
    ("bg", "български", "Bulgarian", "Bulgarisch", _CYRILLIC),
    ("bn", "বাংলা", "Bengali", "Bengalisch", ("Bengali",)),
    ("cs", "čeština", "Czech", "Tschechisch", _LATIN),
    ("da", "dansk", "Danish", "Dänisch", _LATIN),
    ("de", "Deutsch", "German", "Deutsch", _LATIN),
    ("el", "ελληνικά", "Greek", "Griechisch", ("Greek",)),
    ("en", "English", "English", "Englisch", _LATIN),
    ("es", "español", "Spanish", "Spanisch", _LATIN),
    ("fa", "فارسی", "Persian", "Persisch", _ARABIC),
    ("fi", "suomi", "Finnish", "Finnisch", _LATIN),
    ("fr", "français", "French", "Französisch", _LATIN),
    ("he", "עברית", "Hebrew", "Hebräisch", ("Hebrew",)),
    ("hi", "हिन्दी", "Hindi", "Hindi", ("Devanagari",)),
    ("hr", "hrvatski", "Croatian", "Kroatisch", _LATIN),
    ("hu", "magyar", "Hungarian", "Ungarisch", _LATIN),
    ("id", "Bahasa Indonesia", "Indonesian", "Indonesisch", _LATIN),
    ("is", "íslenska", "Icelandic", "Isländisch", _LATIN),
    ("it", "italiano", "Italian", "Italienisch", _LATIN),
    ("ja", "日本語", "Japanese", "Japanisch", ("Hiragana", "Katakana", "Han")),
    ("ko", "한국어", "Korean", "Koreanisch", ("Hangul", "Han")),
    ("nl", "Nederlands", "Dutch", "Niederländisch", _LATIN),
    ("no", "norsk", "Norwegian", "Norwegisch", _LATIN),
    ("pl", "polski", "Polish", "Polnisch", _LATIN),
    ("pt", "português", "Portuguese", "Portugiesisch", _LATIN),
    ("ro", "română", "Romanian", "Rumänisch", _LATIN),
    ("ru", "русский", "Russian", "Russisch", _CYRILLIC),
    ("sk", "slovenčina", "Slovak", "Slowakisch", _LATIN),
    ("sl", "slovenščina", "Slovenian", "Slowenisch", _LATIN),
    ("sr", "српски", "Serbian", "Serbisch", ("Cyrillic", "Latin")),
    ("sv", "svenska", "Swedish", "Schwedisch", _LATIN),
    ("th", "ไทย", "Thai", "Thailändisch", ("Thai",)),
    ("tr", "Türkçe", "Turkish", "Türkisch", _LATIN),
    ("uk", "українська", "Ukrainian", "Ukrainisch", _CYRILLIC),
    ("vi", "Tiếng Việt", "Vietnamese", "Vietnamesisch", _LATIN),
    ("zh", "中文", "Chinese", "Chinesisch", ("Han",)),
)

LANGUAGES: Mapping[str, Language] = {
    code: Language(code=code, name=name, english=english, german=german, scripts=scripts)
    for code, name, english, german, scripts in _TABLE
}
"""Every language by its code, in the order of the codes."""

_OTHER_NAMES: Mapping[str, str] = {
    "nb": "no", "nn": "no", "bokmål": "no", "nynorsk": "no",
    "farsi": "fa", "mandarin": "zh", "hochchinesisch": "zh", "汉语": "zh", "漢語": "zh", "普通话": "zh",
    "castellano": "es", "castilian": "es", "flemish": "nl", "flämisch": "nl", "vlaams": "nl",
    "slovene": "sl", "slovak": "sk", "moldovan": "ro", "srpski": "sr", "brasileiro": "pt",
    "bengalese": "bn", "bangla": "bn", "indonesia": "id", "holländisch": "nl", "czechian": "cs",
}  # fmt: skip


def find_language(text: str) -> Language | None:
    """The language of that code or name, in its own words, in English or in German; case, accents and a region are ignored."""
    wanted = _flat(text)
    for known in (wanted, wanted.replace("_", "-").partition("-")[0]):
        if code := _codes().get(known):
            return LANGUAGES[code]
    return None


def nearest_languages(text: str, *, count: int = 3) -> tuple[Language, ...]:
    """The languages with the names most like the text, best first; none where nothing is like it."""
    codes = _codes()
    long = [name for name in codes if len(name) > 2]
    close = difflib.get_close_matches(_flat(text), long, n=3 * count, cutoff=LIKENESS)
    return tuple(LANGUAGES[code] for code in list(dict.fromkeys(codes[name] for name in close))[:count])


def _codes() -> Mapping[str, str]:
    return {_flat(name): code for name, code in _names()}


def _names() -> Iterator[tuple[str, str]]:
    yield from _OTHER_NAMES.items()
    for language in LANGUAGES.values():
        for name in (language.german, language.english, language.name, language.code):
            yield name, language.code


def _flat(text: str) -> str:
    """The text without case, accents and what is not a letter around it."""
    decomposed = unicodedata.normalize("NFD", text.strip().strip(".!?\"'`").casefold())
    return " ".join("".join(mark for mark in decomposed if not unicodedata.combining(mark)).split())
