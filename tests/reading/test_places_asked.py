"""Places in weather and clock questions of both languages, what a tool's argument may name, the place of a talk."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.reading.places import Place, candidates, last_place, place_asked, places_asked
from jarvisbot.types import Arguments, Assistant, Item, Result, ToolCall, ToolResult, User

CASES = Path(__file__).resolve().parent.parent / "cases" / "tools.jsonl"
MESSAGES: list[tuple[str, str | None]] = [
    ("Will it rain in London on Friday?", "London"),
    ("What's the weather like at the Zugspitze", "the Zugspitze"),
    ("temperature in Oslo at noon", "Oslo"),
    ("Is it raining?", None),
    ("Wie ist das Wetter auf Mallorca?", "Mallorca"),
    ("Regnet es morgen in Bad Tölz?", "Bad Tölz"),
    ("Wetter morgen Hamburg", "Hamburg"),
    ("Schneit es in den Alpen?", "den Alpen"),
    ("weather near Lake Constance", "Lake Constance"),
    ("Uhrzeit New York", "New York"),
    ("what's it like outside", None),
    ("How hot is it going to be", None),
    ("What time is it in the UK?", "the UK"),
    ("Brauche ich in Kiel einen Schirm?", "Kiel"),
    ("Do I need an umbrella in Kiel?", "Kiel"),
    ("Ist es in Wien gerade kalt?", "Wien"),
    ("Wie kalt wird es in Graz heute Nacht?", "Graz"),
    ("Is the weather nice in Nice?", "Nice"),
    ("Wetter in Frankfurt am Main morgen", "Frankfurt am Main"),
    ("Wetter in Sankt Peter-Ording", "Sankt Peter-Ording"),
    ("Wetter in St. Gallen", "St. Gallen"),
    ("Wetter in Köln.", "Köln"),
    ("Wetter in Köln. Danke!", "Köln"),
    ("time in St. John's", "St. John's"),
    ("What time is it in St. John's?", "St. John's"),
    ("Tokyo time", "Tokyo"),
    ("what time is it Tokyo", "Tokyo"),
    ("New York's weather", "New York"),
    ("Which time zone is Iceland on", "Iceland"),
    ("Welche Zeitzone hat Peru?", "Peru"),
    ("wie viel uhr es in kanada ist", "kanada"),
    ("kannst du mir sagen wie spät es in Lima ist", "Lima"),
    ("Wie spät haben die in Peking", "Peking"),
    ("Welcher Tag ist heute in Neuseeland?", "Neuseeland"),
    ("what time is it over in Chicago", "Chicago"),
    ("how about Lisbon", "Lisbon"),
    ("was ist mit Kairo?", "Kairo"),
    ("and in Oslo?", "Oslo"),
    ("und in Tokio?", "Tokio"),
    ("Jakarta?", "Jakarta"),
    ("and there?", None),
    ("und dort?", None),
    ("What's the weather in Paris, Texas?", "Paris, Texas"),
    ("Wetter in Springfield, Illinois morgen", "Springfield, Illinois"),
    ("Will it snow tonight?", None),
    ("Is it going to rain tomorrow?", None),
    ("Do I need a jacket?", None),
    ("Brauche ich eine Jacke?", None),
    ("Wird es heute regnen?", None),
    ("Regnet es?", None),
    ("Scheint die Sonne?", None),
    ("is it hot?", None),
    ("Is it cold outside?", None),
    ("What time is it?", None),
    ("what's the time", None),
    ("What day is it today?", None),
    ("Ist heute Montag?", None),
    ("What's the date?", None),
    ("Wie wird das Wetter morgen?", None),
    ("Wie wird das Wetter am Wochenende?", None),
    ("Wie wird das Wetter in den nächsten Tagen?", None),
    ("weather in 3 days", None),
    ("What will the weather be in two hours?", None),
    ("Wetter in einer Stunde", None),
    ("weather this weekend", None),
    ("forecast for the weekend", None),
    ("forecast for tomorrow", None),
    ("Wettervorhersage für morgen", None),
    ("weather for a picnic", None),
    ("Weather in the morning?", None),
    ("Is it warmer in Rome or in Athens?", "Rome"),
    ("time difference between Berlin and Tokyo", "Berlin"),
    ("current time in Lima", "Lima"),
    ("local time in Denver please", "Denver"),
    ("Weather", None),
    ("Wetter?", None),
    ("What time is it in Trinidad and Tobago?", "Trinidad and Tobago"),
    ("Uhrzeit in Bosnien und Herzegowina", "Bosnien und Herzegowina"),
    ("what is the weather like in new york city right now", "new york city"),
    ("wetter berlin", "berlin"),
    ("wetter in garmisch-partenkirchen", "garmisch-partenkirchen"),
    ("How's the weather in Rio de Janeiro today?", "Rio de Janeiro"),
    ("Wie ist das Wetter in Rothenburg ob der Tauber?", "Rothenburg ob der Tauber"),
    ("Wie warm ist es gerade in Rom?", "Rom"),
    ("Is there a storm coming to Miami?", "Miami"),
    ("wie heiß ist es in las vegas", "las vegas"),
    ("What is the temperature in L'Aquila?", "L'Aquila"),
    ("Wetter in Washington D.C.", "Washington D.C."),
    ("weather in Washington, D.C. tomorrow", "Washington, D.C."),
    ("Wetter in Frankfurt an der Oder", "Frankfurt an der Oder"),
    ("wie spät ist es in Frankfurt an der Oder?", "Frankfurt an der Oder"),
    ("Wetter in Bern oder Basel", "Bern"),
    ("what time is it in Paris, France and London, UK?", "Paris, France"),
    ("what time is it in Paris, Rome and London", "Paris"),
    ("what time is it in the Isle of Man", "the Isle of Man"),
    ("Wie wird das Wetter morgen in Bad Homburg vor der Höhe?", "Bad Homburg"),
    ("weather in Las Palmas de Gran Canaria", "Las Palmas"),
    ("Wann geht die Sonne in Oslo unter?", "Oslo"),
    ("Will I need sunglasses in Dubai tomorrow afternoon?", "Dubai"),
    ("Hallo, wie ist das Wetter in Bern?", "Bern"),
    ("Bitte sag mir das Wetter für Zürich", "Zürich"),
    ("Wie lange regnet es noch?", None),
    ("Welches Datum haben wir?", None),
    ("time in Lord Howe", "Lord Howe"),
    ("time in Georgia", "Georgia"),
    ("Was sagt der Wetterbericht?", None),
    ("Is it windy in Chicago?", "Chicago"),
    ("Wie ist es in Island?", "Island"),
    ("Is it dark in Reykjavik?", "Reykjavik"),
    ("Wie spät ist es bei euch in Hamburg?", "Hamburg"),
    ("Wie spät ist es in der Türkei gerade?", "der Türkei"),
    ("What's the time over there in Manila?", "Manila"),
    ("Gibt es morgen Gewitter in Linz?", "Linz"),
    ("Kommt in Ulm noch Schnee?", "Ulm"),
    ("Wie ist das Wetter bei dir?", None),
    ("Wie ist das Wetter bei uns?", None),
    ("What's the weather at home?", None),
    ("How is the weather where you are?", None),
    ("Can you check the weather in Cape Town for me?", "Cape Town"),
    ("weather cape town", "cape town"),
    ("Should I take an umbrella to Bergen?", "Bergen"),
    ("Uhrzeit Sydney Australien", "Sydney Australien"),
    ("Is it worth going to the beach?", None),
    ("what is the time in INDIA", "INDIA"),
    ("in Guezzam", "Guezzam"),
    ("Will it be sunny on Sunday in Split?", "Split"),
    ("Wetter Neustadt an der Weinstraße", "Neustadt an der Weinstraße"),
    ("Wie spät ist es jetzt in Halle (Saale)?", "Halle"),
    ("Wetter in Dresden, Leipzig", "Dresden, Leipzig"),
    ("Wie ist es in Island?", "Island"),
    ("Wie spät ist es in den Vereinigten Staaten?", "den Vereinigten Staaten"),
    ("What's the time in Kuwait City?", "Kuwait City"),
    ("see https://example.com/weather/in/Berlin", None),
]


def rows(kind: str) -> list[Any]:
    lines = map(json.loads, CASES.read_text(encoding="utf-8").splitlines())
    return [pytest.param(row, id=row["id"]) for row in lines if row["kind"] == kind]


@pytest.mark.parametrize("case", rows("place_asked"))
def test_a_case_names_its_place(case: dict[str, Any]) -> None:
    place = place_asked(case["message"])
    assert (place and {"display": place.display, "query": place.query}) == case["expect"]


@pytest.mark.parametrize("case", rows("place_candidates"))
def test_candidates_begin_with_the_whole_argument(case: dict[str, Any]) -> None:
    found = candidates(case["raw"])
    assert found[0] == case["expect_first"]
    assert set(case["expect_contains"]) <= set(found)


@pytest.mark.parametrize(("message", "display"), MESSAGES)
def test_a_question_names_its_place_or_none(message: str, display: str | None) -> None:
    place = place_asked(message)
    assert (place and place.display) == display


@pytest.mark.parametrize(
    ("message", "query"),
    [
        ("Wetter in der Slowakei", "Slowakei"),
        ("time in the UK", "UK"),
        ("Wie spät ist es in den USA?", "USA"),
        ("weather at the Zugspitze", "Zugspitze"),
        ("Wetter in Den Haag", "Den Haag"),
    ],
)
def test_a_place_is_looked_up_without_its_article(message: str, query: str) -> None:
    place = place_asked(message)
    assert place is not None
    assert place.query == query


@pytest.mark.parametrize(
    ("message", "displays"),
    [
        ("What time is it in Rome and Naples?", ["Rome", "Naples"]),
        ("Wie spät ist es in Tokio und in Lima?", ["Tokio", "Lima"]),
        ("Zeitunterschied zwischen Wien und Tokio", ["Wien", "Tokio"]),
        ("Uhrzeit in Rom, Paris und London", ["Rom", "Paris", "London"]),
        ("time in Oslo and set an alarm", ["Oslo"]),
        ("What time is it?", []),
    ],
)
def test_several_places_are_named_in_order(message: str, displays: list[str]) -> None:
    assert [place.display for place in places_asked(message)] == displays


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("Wetter in Moskau morgen", "Moscow"),
        ("Brüssel", "Brussels"),
        ("Bruessel", "Brussels"),
        ("Deutschland", "Germany"),
        ("what's the time in Lima right now", "Lima"),
        ("Uhrzeit Rom", "Rome"),
        ("den Niederlanden", "den Niederlanden"),
        ("the weather in Cork please", "Cork"),
    ],
)
def test_an_argument_is_tried_in_several_ways(raw: str, name: str) -> None:
    found = candidates(raw)
    assert found[0] == raw
    assert name in found


def exchange(question: str, name: str, arguments: Arguments, *, ok: bool = True) -> list[Item]:
    call = ToolCall(id=f"{name}{arguments}", name=name, arguments=arguments)
    return [
        User(text=question),
        Assistant(text="", calls=(call,)),
        Result(result=ToolResult(call_id=call.id, text="", ok=ok)),
    ]


LIMA = exchange("time in Lima", "current_time", {"place": "Lima"})
OSLO = exchange("weather in Oslo", "weather", {"place": "Oslo"})


@pytest.mark.parametrize(
    ("history", "query"),
    [
        ([], None),
        (LIMA, "Lima"),
        ([*LIMA, *OSLO], "Oslo"),
        ([*LIMA, *exchange("in Xyz", "weather", {"place": "Xyz"}, ok=False)], "Lima"),
        ([*LIMA, *exchange("what time is it", "current_time", {})], "Lima"),
        ([*LIMA, *exchange("what time is it", "current_time", {"place": "America/Sao_Paulo"})], "Lima"),
        ([*LIMA, *exchange("what time is it", "current_time", {"place": "UTC"})], "Lima"),
        ([*LIMA, *exchange("What is 2+2?", "calculator", {"expression": "2+2"})], "Lima"),
        ([User(text="Wie ist das Wetter in Bern?"), Assistant(text="Schön.")], "Bern"),
        ([User(text="I live in Bern."), Assistant(text="Nice.")], None),
        (exchange("what's the weather in Xyz", "weather", {"place": "Xyz"}, ok=False), "Xyz"),
    ],
)
def test_the_last_place_is_that_of_the_latest_call_else_of_the_latest_question(
    history: list[Item], query: str | None
) -> None:
    place = last_place(history)
    assert (place and place.query) == query


def test_a_place_of_a_call_is_shown_as_it_was_asked() -> None:
    assert last_place(LIMA) == Place(display="Lima", query="Lima")


@given(st.text(max_size=80))
def test_no_message_is_too_strange(text: str) -> None:
    for place in places_asked(text):
        assert place.query
        assert 1 <= len(place.query.split()) <= 6
    candidates(text)


@pytest.mark.speed
@pytest.mark.parametrize("piece", ["in ", "in a", "A, ", "and ", "'", "a.", "x ", "between a and b ", "der "])
def test_reading_takes_time_in_proportion_to_the_text(piece: str) -> None:
    text = (piece * 2_000)[:2_000]
    began = time.process_time()
    places_asked(text)
    assert time.process_time() - began < 0.2
