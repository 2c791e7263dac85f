"""Queries read off messages: what a question is about, what is asked about a person, what a follow-up goes on with."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jarvisbot.reading.queries import fact_ask, focus, follow_up, lookup_query, pronoun_focus

CASES = Path(__file__).resolve().parent.parent / "cases"
READINGS: dict[str, Callable[[str], str]] = {
    "focus_query": focus,
    "fact_ask_query": fact_ask,
    "pronoun_focus": pronoun_focus,
}
KINDS = (*READINGS, "follow_up_query")
OFFICE = "Präsident von Österreich"


def rows(*names: str) -> list[Any]:
    lines = [line for name in names for line in (CASES / name).read_text(encoding="utf-8").splitlines()]
    return [pytest.param(case, id=case["id"]) for case in map(json.loads, lines) if case["kind"] in KINDS]


def read(case: dict[str, Any]) -> str:
    if case["kind"] in READINGS:
        return READINGS[case["kind"]](case["message"])
    return follow_up(case["message"], subject=case.get("prior_subject"), person=case.get("prior_person"))


@pytest.mark.parametrize("case", rows("tools.jsonl", "queries_more.jsonl"))
def test_a_message_is_read_as_its_query(case: dict[str, Any]) -> None:
    expected = case["expect"] if isinstance(case["expect"], list) else [case["expect"]]
    assert read(case) in expected


# ---------------------------------------------------------------- the choice among the readings


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("Who is the mayor of Oslo?", "Who is the mayor of Oslo?"),
        ("sag mal ob scholz verheiratet ist", "scholz verheiratet"),
        ("know if adele has kids", "adele kids"),
        ("merkel husband", "merkel husband"),
        ("Is Adele married?", "Is Adele married?"),
        ("how tall is he?", "Marta Oduya how tall"),
        ("weißt du ob er verheiratet ist", "Marta Oduya verheiratet"),
        ("und seine Frau?", "Marta Oduya Frau"),
        ("nein, in Belgien", "Präsident von Belgien"),
        ("und Greta Thunberg?", "Greta Thunberg"),
        ("ok, und in Polen?", "Präsident von Polen"),
        ("danke", "danke"),
    ],
)
def test_each_kind_of_message_is_looked_up_in_its_way(message: str, query: str) -> None:
    assert lookup_query(message, subject=OFFICE, person="Marta Oduya") == query


def test_without_an_earlier_subject_a_question_stays_as_it_is() -> None:
    assert lookup_query("how tall is he?") == "how tall is he?"
    assert lookup_query("und in Polen?") == "in Polen"
    assert lookup_query("und in Polen?", subject="  ", person="") == "in Polen"


def test_an_earlier_question_serves_as_the_subject() -> None:
    assert follow_up("and in Peru?", subject="What is the capital of Chile?") == "capital of Peru"


# ---------------------------------------------------------------- whatever is written

PIECES = st.sampled_from(
    ["what", "is", "the", "how", "much", "wie", "viel", "wer", "ist", "der", "he", "sie", "sag", "mal", "ob", "know", "if", "und",
     "nein", "in", "of", "Oslo", "adele", "married", "Kinder", "bitte", "?", ",", "'s", "how old", "it", "du", "tell me", "about"]
)  # fmt: skip
SENTENCES = st.lists(PIECES, max_size=12).map(" ".join) | st.text(max_size=200)


@given(SENTENCES, st.none() | SENTENCES, st.none() | SENTENCES)
@settings(max_examples=300, deadline=None)
def test_a_message_with_a_word_always_has_a_query(message: str, subject: str | None, person: str | None) -> None:
    has_word = any(letter.isalnum() for letter in message)
    for query in (
        focus(message),
        fact_ask(message),
        pronoun_focus(message),
        follow_up(message, subject=subject, person=person),
        lookup_query(message, subject=subject, person=person),
    ):
        assert any(letter.isalnum() for letter in query) == has_word or not has_word


@given(SENTENCES)
@settings(max_examples=300, deadline=None)
def test_the_focus_is_words_of_the_message_in_their_order(message: str) -> None:
    said = iter(" ".join(message.split()).split(" "))
    assert all(any(word in whole for whole in said) for word in focus(message).split(" "))


@given(SENTENCES)
@settings(max_examples=200, deadline=None)
def test_a_name_and_what_is_asked_about_it_are_words_of_the_message(message: str) -> None:
    said = " ".join(message.split())
    for query in (fact_ask(message), pronoun_focus(message)):
        assert all(word in said for word in query.split())


@pytest.mark.parametrize(
    "message",
    [
        "What is the capital of Mongolia?",
        "Wer ist der Bürgermeister von Graz?",
        "Warum ist das Meer salzig?",
        "How much is a litre of milk?",
        "Can you tell me who wrote Middlemarch?",
    ],
)
def test_a_focus_has_nothing_more_to_lose(message: str) -> None:
    assert focus(focus(message)) == focus(message)


@given(st.sampled_from(["capital", "mayor", "population"]), st.sampled_from(["Chile", "New York", "the Netherlands"]))
def test_a_subject_at_another_place_can_move_on(office: str, place: str) -> None:
    moved = follow_up(f"and in {place}?", subject=f"{office} of Peru")
    assert moved == f"{office} of {place}"
    assert follow_up("and in Peru?", subject=moved) == f"{office} of Peru"


HOSTILE = [
    "a", "1", " ", "\n", "?", ",", "'", "(", "the ", "what is ", "how much is ", "hey ", "please ", "tell me ",
    "tell me about ", "sag mir ", "sag mal ob ", "know if ", "und ", "nein, ", "not a ", "nicht a, ", "of ", "of A ",
    "in der ", "wie ist es ", "ist ", "A's ", "kannst du mir ", "kannst du bitte ", "such im netz ", "auf der ",
    "is it true ", "stimmt es ", "danke ", "please thanks ", "so, ", "ok, and ", "look ", "mal ", "weißt du ",
    "eigentlich ", "\x00", "👍",
]  # fmt: skip


@pytest.mark.speed
@pytest.mark.parametrize("piece", HOSTILE)
def test_100_000_characters_of_anything_are_read_in_50_ms(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    for tail in ("", "x?"):
        message = tail + text if tail else text
        began = time.process_time()
        for reading in (focus, fact_ask, pronoun_focus):
            assert len(reading(message)) <= 2_000
        follow_up(message, subject=text, person=text)
        lookup_query(message, subject=text)
        follow_up("and in Rome?", subject=text)
        assert time.process_time() - began < 0.15
