"""The offered languages: complete, distinct, found by whatever people call them."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.languages import LANGUAGES, find_language, nearest_languages


def test_there_are_thirty_six_with_names_of_their_own() -> None:
    assert len(LANGUAGES) == 36
    assert list(LANGUAGES) == sorted(LANGUAGES)
    for code, language in LANGUAGES.items():
        assert language.code == code
        assert regex.fullmatch(r"[a-z]{2}", code)
        assert language.scripts
    for names in zip(*((each.name, each.english, each.german) for each in LANGUAGES.values()), strict=True):
        assert len(set(names)) == len(LANGUAGES)


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_languages_own_name_is_written_in_its_scripts(code: str) -> None:
    language = LANGUAGES[code]
    letters = regex.sub(r"[^\p{L}]", "", language.name)
    pattern = "|".join(rf"\p{{Script={script}}}" for script in language.scripts)
    assert letters
    assert regex.fullmatch(f"(?:{pattern})+", letters), letters


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_is_found_by_its_code_and_by_each_of_its_names(code: str) -> None:
    language = LANGUAGES[code]
    for name in (code, language.name, language.english, language.german):
        for said in (name, name.upper(), f" {name}. "):
            assert find_language(said) == language, said


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("francais", "fr"),
        ("Franzosisch", "fr"),
        ("de-AT", "de"),
        ("pt_BR", "pt"),
        ("EN-us", "en"),
        ("Farsi", "fa"),
        ("Mandarin", "zh"),
        ("castellano", "es"),
        ("Bokmål", "no"),
        ("nb", "no"),
        ("Holländisch", "nl"),
        ("tieng viet", "vi"),
        ("Turkce", "tr"),
    ],
)
def test_other_spellings_mean_the_same(said: str, code: str) -> None:
    found = find_language(said)
    assert found is not None
    assert found.code == code


@pytest.mark.parametrize("said", ["", "klingon", "xx", "deutschland", "frenchfries", "?", "-", "in", "au"])
def test_what_names_no_language_finds_none(said: str) -> None:
    assert find_language(said) is None


@pytest.mark.parametrize(
    ("said", "code"),
    [("duetsch", "de"), ("englsh", "en"), ("Franzoesisch", "fr"), ("Spansich", "es"), ("polnsich", "pl")],
)
def test_the_nearest_name_is_offered_first(said: str, code: str) -> None:
    assert nearest_languages(said)[0].code == code
    assert len(nearest_languages(said)) <= 3


def test_nothing_is_near_to_nonsense() -> None:
    assert nearest_languages("qqqqqq") == ()


@given(st.text(max_size=200))
def test_any_text_is_looked_up_without_breaking(said: str) -> None:
    find_language(said)
    nearest_languages(said)
