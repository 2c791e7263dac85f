"""The reply's language: by the words only one language has, else as the talk went, else English."""

from __future__ import annotations

import pytest

from jarvisbot.agent.language import marked_language, reply_language
from jarvisbot.types import Assistant, User

GERMAN = [
    "Hallo Jarvis!",
    "Hi, wie geht's?",
    "Hi, wie geht’s dir?",
    "Wer war das?",
    "Was ist das?",
    "Wetter in Wien",
    "Moin",
    "Servus!",
    "Guten Morgen",
    "und 7*3?",
    "12 mal 4",
    "Gödel?",
    "Erzähl mir einen Witz",
    'Was heißt "how are you" auf Deutsch?',
    "ALLES KLAR?",
    "danke",
]
ENGLISH = [
    "who was it",
    "Was it good?",
    "Weather in München",
    "Who is Gödel?",
    "Tell me about Jürgen Klopp",
    "and 7 * 3?",
    "12 times 4",
    "good morning",
    "thanks!",
    "don’t",
    "don't",
    'Translate "ich bin müde" to English',
    "What does „Wie geht es dir“ mean?",
    "Explain `der = das + ich` please",
    "Is the bin full?",
    "Please summarise https://example.org/wiki/der-die-das-und-ich",
]
NEITHER = ["was", "hi", "hey!", "ok", "7 * 3", "", "Berlin", "also so", "die", "👍", "im", "…", "https://example.org"]


UNITS_AND_INITIALS = [
    ("2 TB in GiB", None),
    ("2 tb in gib", None),
    ("1 GiB in MB", None),
    ("3,5 TB = GiB?", None),
    ("Gib mir 2 TB in GiB", "de"),
    ("gib mal 5 GiB in MB an", "de"),
    ("14:00 IST in CET", None),
    ("14:00 IST", None),
    ("WAS IST 3 MAL 4?", "de"),
    ("jobs in IT", None),
    ("Tom Hanks in US", None),
]
"""A symbol of a unit or initials are no word of a language, whatever words they look like."""
TOPICS = [
    ("2 Wochen in Stunden", "de"),
    ("3 Tassen in ml", "de"),
    ("5 km in Meilen", "de"),
    ("12 im Quadrat", "de"),
    ("time in Zürich", "en"),
    ("Müller age", "en"),
    ("5 miles in km", "en"),
    ("Was ist ein Date?", "de"),
    ("wer ist President?", "de"),
    ("3 plus 4 mal 5", "de"),
    ("what is the Zeit", "en"),
]
THIRD = [
    ("¿qué hora es en Lima?", None),
    ("¿es verdad?", None),
    ("le prix du café", None),
    ("où est la gare du Nord", None),
    ("Wo ist das Café?", "de"),
    ("Was kostet der Crêpe?", "de"),
    ("Wetter in São Paulo", "de"),
    ("where is the café", "en"),
]
"""A third language marks neither, however its words look."""
"""What is talked about tells the language where no other word does."""


@pytest.mark.parametrize(("text", "language"), [*UNITS_AND_INITIALS, *TOPICS, *THIRD])
def test_symbols_and_initials_mark_no_language_and_topics_only_where_nothing_else_does(
    text: str, language: str | None
) -> None:
    assert marked_language(text) == language


@pytest.mark.parametrize("text", GERMAN)
def test_german_is_told_by_its_words_and_letters(text: str) -> None:
    assert marked_language(text) == "de"


@pytest.mark.parametrize("text", ENGLISH)
def test_english_is_told_by_its_words_although_names_and_quotations_are_german(text: str) -> None:
    assert marked_language(text) == "en"


@pytest.mark.parametrize("text", NEITHER)
def test_words_that_both_languages_have_mark_neither(text: str) -> None:
    assert marked_language(text) is None


@pytest.mark.parametrize("text", NEITHER)
def test_a_message_without_a_mark_keeps_the_language_of_the_talk(text: str) -> None:
    german = [User(text="Wie spät ist es?"), Assistant(text="It is late, is it not?"), User(text="ok")]
    assert reply_language(text, german) == "de"
    assert reply_language(text, [*german, User(text="Tell me the time")]) == "en"
    assert reply_language(text, ()) == "en"


def test_only_what_people_said_tells_the_language_of_the_talk() -> None:
    assert reply_language("ok", [Assistant(text="Das ist die Antwort auf deine Frage.")]) == "en"


def test_a_chosen_language_stands_above_all() -> None:
    assert reply_language("Wer bist du?", (), chosen="en") == "en"
    assert reply_language("Who are you?", (), chosen="fr") == "fr"


def test_only_the_beginning_of_a_long_message_is_read() -> None:
    assert marked_language("Who is it? " + "der die das und ich " * 100_000) == "de"
    assert marked_language("7 " * 1_000 + "the and you " * 1_000) is None
