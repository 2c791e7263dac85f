"""/lang: the language shown and chosen."""

from __future__ import annotations

import pytest

from jarvisbot.languages import LANGUAGES
from jarvisbot.store.people import Preferences
from tests.test_command import Choices, say


@pytest.mark.parametrize(
    ("chosen", "usual", "language", "words"),
    [
        (None, None, "en", "I answer in the language of each message; here it was English last."),
        (None, None, "de", "Ich antworte in der Sprache jeder Nachricht, hier zuletzt: Deutsch."),
        ("fr", None, "fr", "I answer in French: you chose that with `/lang`."),
        ("de", "en", "de", "Ich antworte auf Deutsch: das hast du mit `/lang` gewählt."),
        (None, "it", "it", "I answer in Italian: the config says so."),
        (None, "de", "de", "Ich antworte auf Deutsch: das steht in der Konfiguration."),
    ],
)
async def test_the_language_is_shown_with_what_chose_it(
    chosen: str | None, usual: str | None, language: str, words: str
) -> None:
    choices = Choices(chosen=Preferences(language=chosen), default=Preferences(language=usual, zone="UTC"))
    text = await say("lang", language=language, choices=choices)
    assert text is not None
    assert text.startswith(words)
    assert all(f" {code}" in text for code in LANGUAGES)
    assert choices.chosen.language == chosen


@pytest.mark.parametrize(
    ("wanted", "code"),
    [
        ("de", "de"),
        ("Deutsch", "de"),
        ("français", "fr"),
        ("FRENCH", "fr"),
        ("auf Englisch bitte", "en"),
        ("in Dutch, please", "nl"),
        ("中文", "zh"),
        ("pt-BR", "pt"),
    ],
)
async def test_a_language_is_chosen_by_code_or_name(wanted: str, code: str) -> None:
    choices = Choices()
    text = await say("lang", wanted, choices=choices)
    assert text is not None
    assert (choices.chosen.language, choices.users) == (code, {"fake:1"})
    assert ("auf Deutsch" if code == "de" else LANGUAGES[code].english) in text
    assert "`/lang auto`" in text


async def test_who_chooses_a_language_without_texts_is_told_so() -> None:
    assert "fixed texts stay in English" in str(await say("lang", "it"))
    assert "fixed texts" not in str(await say("lang", "en")) + str(await say("lang", "de"))


@pytest.mark.parametrize("wanted", ["auto", " AUTO ", "aus"])
async def test_auto_follows_the_config_again(wanted: str) -> None:
    choices = Choices(chosen=Preferences(language="fr", zone="Asia/Tokyo"))
    text = await say("lang", wanted, choices=choices, language="de")
    assert choices.chosen == Preferences(zone="Asia/Tokyo")
    assert text == "Ich antworte in der Sprache jeder Nachricht, hier zuletzt: Deutsch."


@pytest.mark.parametrize(
    ("wanted", "language", "words"),
    [
        ("duetsch", "en", "I know no language `duetsch`. The nearest: German (`/lang de`)"),
        ("englsich", "de", "Die Sprache `englsich` kenne ich nicht. Am nächsten: Englisch (`/lang en`)"),
        ("klingon", "en", "I know no language `klingon`. To choose: `/lang de`"),
        ("German or French", "en", "I know no language `German or French`."),
        ("`@everyone` " * 30, "en", "I know no language `'@everyone'"),
    ],
)
async def test_an_unknown_language_changes_nothing_and_names_the_nearest(
    wanted: str, language: str, words: str
) -> None:
    choices = Choices(chosen=Preferences(language="fr"))
    text = await say("lang", wanted, choices=choices, language=language)
    assert text is not None
    assert text.startswith(words)
    assert len(text) < 400
    assert choices.chosen.language == "fr"
