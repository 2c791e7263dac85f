"""What a talk is about: said to the model where the message means it and does not say it."""

from __future__ import annotations

import pytest

from jarvisbot.agent.topic import topic
from jarvisbot.types import Assistant, Item, Result, ToolCall, ToolResult, User


def exchange(text: str, tool: str, *, ok: bool = True, **arguments: str) -> list[Item]:
    call = ToolCall(id=f"{tool}-{text}", name=tool, arguments=arguments)
    return [
        User(text=text),
        Assistant(text="", calls=(call,)),
        Result(result=ToolResult(call_id=call.id, text="found", ok=ok)),
        Assistant(text="answer"),
    ]


ROME = exchange("What time is it in Rome?", "current_time", place="Rome")
LISBON = exchange("How is the weather in Lisbon?", "weather", place="Lisbon")
SWISS = exchange("Wie ist das Wetter in der Schweiz?", "weather", place="der Schweiz")
AUSTRIA = exchange("Wer ist Präsident von Österreich?", "research", question="Präsident von Österreich")
CHAT = [User(text="Tell me a joke."), Assistant(text="Ha.")]


def line(message: str, history: list[Item], skill: str | None = None, language: str = "en") -> str:
    return topic(message, history, skill=skill, language=language)


@pytest.mark.parametrize(
    ("message", "skill"),
    [
        ("Will it rain tomorrow?", "weather"),
        ("And the mayor?", None),
        ("Is it expensive there?", None),
        ("Who is the mayor over there?", None),
        ("Wie viele Einwohner hat die Stadt?", None),
        ("and tomorrow?", None),
    ],
)
def test_a_place_is_meant_by_its_skills_by_follow_ups_and_by_words_for_it(message: str, skill: str | None) -> None:
    assert line(message, LISBON, skill) == "This conversation is about Lisbon."


@pytest.mark.parametrize(
    ("message", "skill"),
    [
        ("Will it rain in Madrid?", "weather"),
        ("Is Lisbon expensive?", None),
        ("Weather Oslo", "weather"),
        ("Tell me a long story about a ship.", None),
        ("Why is the sea salt?", None),
        ("Is it nice there in Oslo?", None),
        ("Is there a good recipe for pizza and bread?", None),
        ("I think there are too many cars on this planet", None),
        ("What is the capital of Peru?", None),
        ("Wie heißt die Hauptstadt von Peru?", None),
        ("und seine Frau?", None),
    ],
)
def test_it_is_silent_where_a_place_is_named_or_none_is_meant(message: str, skill: str | None) -> None:
    assert line(message, LISBON, skill) == ""


def test_the_newest_counts_and_talk_in_between_does_not() -> None:
    assert line("and tomorrow?", [*ROME, *LISBON, *CHAT]) == "This conversation is about Lisbon."
    assert line("and there?", [*LISBON, *ROME]) == "This conversation is about Rome."
    assert line("and there?", CHAT) == line("and there?", []) == ""


def test_a_call_that_failed_settles_no_place() -> None:
    failed: list[Item] = [
        User(text="and Xyz?"),
        *exchange("x", "current_time", ok=False, place="Xyz")[1:],
    ]
    assert line("and there?", [*ROME, *failed]) == "This conversation is about Rome."


def test_the_line_is_in_the_replys_language_with_the_places_article() -> None:
    assert line("und morgen?", SWISS, language="de") == "In diesem Gespräch geht es um der Schweiz."


@pytest.mark.parametrize(
    "message", ["und der von Frankreich?", "und seit wann?", "wie alt ist er?", "nein, in Belgien"]
)
def test_a_follow_up_goes_on_about_what_was_looked_up(message: str) -> None:
    assert line(message, AUSTRIA, language="de") == "In diesem Gespräch geht es um Präsident von Österreich."


@pytest.mark.parametrize(
    "message", ["und Greta Thunberg?", "Wie hoch ist der Großglockner?", "danke", "Erzähl einen Witz"]
)
def test_a_new_subject_is_not_about_the_old_one(message: str) -> None:
    assert line(message, AUSTRIA, language="de") == ""


@pytest.mark.parametrize(("message", "skill"), [("is it raining?", "weather"), ("what time is it?", "current-date")])
def test_what_was_looked_up_is_not_meant_by_questions_for_weather_and_time(message: str, skill: str) -> None:
    assert line(message, AUSTRIA, skill) == ""


def test_whichever_is_newer_counts() -> None:
    assert line("and tomorrow?", [*AUSTRIA, *LISBON]) == "This conversation is about Lisbon."
    assert line("und der von Frankreich?", [*LISBON, *AUSTRIA]).endswith("about Präsident von Österreich.")
