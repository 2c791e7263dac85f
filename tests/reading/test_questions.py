"""Readings of messages: follow-ups, closings, pronoun questions, what could be looked up."""

from __future__ import annotations

import time

import pytest

from jarvisbot.reading.questions import (
    content_words,
    is_closing,
    is_follow_up,
    is_pronoun_question,
    is_researchable,
    key_words,
    without_opening,
)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("Hey Jarvis, please open Spotify", "open Spotify"),
        ("Moin, was steht heute an?", "was steht heute an?"),
        ("could you write a poem", "write a poem"),
        ("and should I go?", "should I go?"),
        ("hello", "hello"),
        ("Hi Jarvis!", "Hi Jarvis!"),
        ("hide it", "hide it"),
        ("", ""),
    ],
)
def test_a_greeting_in_front_is_no_part_of_a_request(text: str, rest: str) -> None:
    assert without_opening(text) == rest


@pytest.mark.parametrize(
    "text", ["thanks!", "ok, got it", "Okay danke dir, bis später", "ciao", "bye", "great, that helps"]
)
def test_a_closing_begins_with_its_word_and_is_no_follow_up(text: str) -> None:
    assert is_closing(text)
    assert not is_follow_up(text)


@pytest.mark.parametrize("text", ["okra", "superb idea", "niceness", "Kühlschrank", ""])
def test_a_word_that_only_begins_like_a_closing_closes_nothing(text: str) -> None:
    assert not is_closing(text)


@pytest.mark.parametrize(
    "text",
    [
        "and in Cairo?",
        "und am Wochenende?",
        "Jakarta?",
        "tomorrow evening?",
        "his age",
        "nein, in Belgien",
        "what about it",
        "was ist mit Kairo?",
        "oh and on Friday",
        "and what would that be if one went there by train on a Sunday",
        "auch am Montag",
        "plus two more",
    ],
)
def test_a_follow_up_begins_with_a_connector_or_is_short_and_asks_nothing_new(text: str) -> None:
    assert is_follow_up(text)


@pytest.mark.parametrize(
    "text",
    [
        "Warum ist Blut rot?",
        "how tall is she?",
        "What's a mole?",
        "write more",
        "one two three four five",
        "I like it",
        "",
        "?!",
    ],
)
def test_a_question_a_command_and_a_long_message_stand_on_their_own(text: str) -> None:
    assert not is_follow_up(text)


@pytest.mark.parametrize(
    "text",
    [
        "What's that?",
        "what’s this",
        "Wer sind sie?",
        "Was war das?",
        "What are these?",
        "How tall is she?",
        "Ist das gefährlich?",
        "wo wohnt er",
        "Where does it come from?",
        "what is his name",
        "Welche Sprachen spricht sie?",
        "In welche Schule ging er?",
        "Wie ist ihr richtiger Name?",
        "Wo liegt das?",
    ],
)
def test_a_pronoun_question_names_nothing_itself(text: str) -> None:
    assert is_pronoun_question(text)
    assert not is_researchable(text)


@pytest.mark.parametrize(
    "text",
    [
        "Warum ist das Meer salzig?",
        "Is it true that sharks never sleep?",
        "How long does it take to fly to Mars?",
        "Why did Merkel say she would resign?",
        "Wie viele Beine hat die Spinne?",
        "What is the capital of Peru?",
        "Why did they cancel Firefly?",
        "Can you tell me how vaccines work?",
        "wie hoch ist der eiffelturm",
        "know if adele has a wife",
        "weißt du ob zidane kinder hat",
        "scholz verheiratet",
        "Explain the Treaty of Westphalia",
        "How do you make pancakes?",
        "Why do we dream?",
        "Was weißt du über Berlin?",
        "Welche Sprachen sprechen die Schweizer?",
        "Wo liegt das Matterhorn?",
    ],
)
def test_a_public_question_can_be_looked_up(text: str) -> None:
    assert is_researchable(text)


@pytest.mark.parametrize(
    "text",
    [
        "What's my favourite film?",
        "Wie heiße ich?",
        "Where do I live?",
        "What do you think?",
        "Was machst du heute noch?",
        "Hello?",
        "what's up?",
        "Wie geht's?",
        "and the other one?",
        "Explain why that happens here",
        "Erklär mir das noch einmal",
        "Erkläre mir, wie es weitergeht",
        "Tell me about the plan we made",
        "Tell us about that",
        "Write a poem?",
        "Das Essen war gut.",
        "I have two kids",
        "My wife is a nurse",
        "ok?",
        "Really?",
        "What is 42?",
        "thanks, who is Ada Lovelace?",
        "",
        "???",
    ],
)
def test_what_is_private_or_about_this_talk_is_not_looked_up(text: str) -> None:
    assert not is_researchable(text)


def test_words_are_weighed_by_what_they_say() -> None:
    assert key_words("What do you know about me?") == ["know", "me"]
    assert content_words("What is the capital of Peru today?") == ["capital", "peru"]


@pytest.mark.speed
@pytest.mark.parametrize(
    "piece", ["a ", "hey, ", "do you know ", "is it ", "wie ", "\n", "tell me ", "he ", "A ", "sag mir ", "("]
)
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    text = (piece * 2_000)[:2_000]
    began = time.process_time()
    for reading in (without_opening, is_closing, is_follow_up, is_pronoun_question, is_researchable):
        reading(text)
    assert time.process_time() - began < 0.05
