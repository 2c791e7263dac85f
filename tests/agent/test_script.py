"""Replies that begin in a script their language does not have."""

from __future__ import annotations

import pytest

from jarvisbot.agent.script import begins_elsewhere, only_in
from jarvisbot.languages import LANGUAGES

CHINESE = "你好，我很高兴见到你，今天天气很好。"
RUSSIAN = "Привет, как дела? Сегодня хорошая погода."
GREEK = "Καλημέρα σας, τι κάνετε σήμερα;"
ARABIC = "مرحبا، كيف حالك اليوم؟ الطقس جميل."


@pytest.mark.parametrize("text", [CHINESE, RUSSIAN, GREEK, ARABIC])
@pytest.mark.parametrize("language", ["en", "de", "fr", "pl"])
def test_another_script_is_seen(text: str, language: str) -> None:
    assert begins_elsewhere(text, language, ["How are you?"])


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Hello there, how are you?", "en"),
        ("Grüße aus Zürich, schönes Wetter!", "de"),
        ("Zażółć gęślą jaźń, dobrze?", "pl"),
        (RUSSIAN, "ru"),
        (GREEK, "el"),
        (CHINESE, "zh"),
        ("こんにちは、今日はいい天気ですね。", "ja"),
        ("The word 你好 means hello in that language.", "en"),
        ("`Привет` is written in code, so this is fine as well.", "en"),
        ("12345 67890 + - 1/2", "en"),
        ("😀😀😀😀😀😀😀😀😀😀😀😀😀", "en"),
    ],
)
def test_the_languages_own_script_and_single_foreign_words_are_fine(text: str, language: str) -> None:
    assert not begins_elsewhere(text, language, ["How are you?"], whole=True)


@pytest.mark.parametrize(
    "asked",
    [
        "Translate good morning, please",
        "How do you say good morning in Greek?",
        "Wie heißt das auf Griechisch?",
        "What is ελληνικά?",
        "Write it in Greek letters",
        "Zeig mir das griechische Alphabet",
    ],
)
def test_a_script_that_was_asked_for_is_welcome(asked: str) -> None:
    assert begins_elsewhere(GREEK, "en", ["Hi", asked]) is False


def test_a_language_that_was_asked_for_is_no_leave_for_others() -> None:
    assert begins_elsewhere(CHINESE, "en", ["How do you say good morning in Greek?"])


def test_few_letters_are_waited_for_and_short_answers_left_alone() -> None:
    assert begins_elsewhere("Пр", "en", ["Hi"]) is None
    assert begins_elsewhere("Ω", "en", ["Hi"], whole=True) is False
    assert begins_elsewhere("你好你好", "en", ["Hi"], whole=True)


def test_every_language_can_be_asked_for() -> None:
    assert only_in("de") == "Antworte nur auf Deutsch."
    assert only_in("fr") == "Answer only in French."
    assert all(only_in(code) for code in LANGUAGES)
