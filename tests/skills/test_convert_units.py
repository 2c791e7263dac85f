"""The skill of units: what it claims, what it leaves alone, its call and its answer, and how a talk goes on."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from jarvisbot.skills.convert_units import answer, seed

from jarvisbot.agent.review import review
from jarvisbot.folders import bundled
from jarvisbot.reading.units import UnitError, convert, request_in
from jarvisbot.skill import Exemplar, Skill, load
from jarvisbot.store.turns import CallRecord
from jarvisbot.types import Assistant, Item, Result, SeedContext, ToolCall, ToolResult, User

SKILL: Skill = load(bundled("skills") / "convert-units")


def context(language: str, history: tuple[Item, ...] = ()) -> SeedContext:
    return SeedContext(language=language, now=datetime(2026, 11, 30, tzinfo=UTC), history=history)


def result_of(call: ToolCall) -> ToolResult:
    arguments = {name: str(value) for name, value in call.arguments.items()}
    try:
        return ToolResult(call_id=call.id, text=convert(**arguments).text)
    except UnitError as error:
        return ToolResult(call_id=call.id, text=f'Tool "convert" failed: {error.user_message}', ok=False)


def answered(message: str, language: str, history: tuple[Item, ...] = ()) -> str | None:
    call = seed(message, context(language, history))
    return answer(message, result_of(call) if call else None, language)


ANSWERED = [
    ("3 ft in cm", "en", "3 ft = 91.44 cm"),
    ("how many feet are in a mile", "en", "1 mi = 5,280 ft"),
    ("How many feet are there in a mile?", "en", "1 mi = 5,280 ft"),
    ("Wie viele Meter sind 3 Meilen?", "de", "3 mi = 4.828,032 m"),
    ("100 °F in Celsius", "en", "100 °F ≈ 37.7778 °C"),
    ("What is 100 fahrenheit in celsius", "en", "100 °F ≈ 37.7778 °C"),
    ("Was sind 100 Fahrenheit in Celsius?", "de", "100 °F ≈ 37,7778 °C"),
    ("5 Fuß 3 Zoll in cm", "de", "5 ft 3 in = 160,02 cm"),
    ("1,5 l in ml", "de", "1,5 l = 1.500 ml"),
    ("1,5 l in ml", "en", "1.5 l = 1,500 ml"),
    ("rechne 5 kg in Pfund um", "de", "5 kg = 10 Pfund (gelesen als Pfund zu 500 g)"),
    ("convert 5 kg to pounds", "en", "5 kg ≈ 11.0231 lb"),
    ("what is 12 stone in kg", "en", "12 stone = 76.20351816 kg"),
    ("2 TB in GiB", "en", "2 TB ≈ 1,862.65 GiB"),
    ("60 mph in km/h", "en", "60 mph = 96.56064 km/h"),
    ("10 l/100km in mpg", "en", "10 l/100 km ≈ 23.5215 mpg (read as US gallons)"),
    ("How many ounces are in a pound?", "en", "1 lb = 16 oz"),
    ("how many ounces in a cup", "en", "1 cup = 8 fl oz (read as US cups and US fluid ounces)"),
    ("Wie viele Zentimeter sind ein Zoll?", "de", "1 in = 2,54 cm"),
    ("Wie viel sind 3 Meilen in km?", "de", "3 mi = 4,828032 km"),
    ("convert 70 kg to pounds please", "en", "70 kg ≈ 154.324 lb"),
    ("Rechne 10 Fuß in Meter um", "de", "10 ft = 3,048 m"),
    ("Kannst du bitte 3 Meilen in km umrechnen?", "de", "3 mi = 4,828032 km"),
    ("wandle 3 Meilen in Kilometer um, danke", "de", "3 mi = 4,828032 km"),
    ("180 cm in feet and inches", "en", "180 cm ≈ 5 ft 10.8661 in"),
    ("what is 30°C in °F?", "en", "30 °C = 86 °F"),
    ("-40 C in F", "en", "-40 °C = -40 °F"),
    ("Was sind minus 10 Grad Celsius in Fahrenheit?", "de", "-10 °C = 14 °F"),
    ("20 Grad in Fahrenheit", "de", "20 °C = 68 °F (gelesen als Grad Celsius)"),
    ("12 inches to cm", "en", "12 in = 30.48 cm"),
    ("5 in in cm", "en", "5 in = 12.7 cm"),
    ("5 m in in", "en", "5 m ≈ 196.85 in"),
    ("5'11\" in cm", "en", "5 ft 11 in = 180.34 cm"),
    ("How tall is 5'11\" in centimetres?", "en", "5 ft 11 in = 180.34 cm"),
    ("How many cm is 5’3”?", "en", "5 ft 3 in = 160.02 cm"),
    ("What's 6 foot 2 in meters?", "en", "6 ft 2 in = 1.8796 m"),
    ("3 cups in ml?", "en", "3 cups = 709.7647095 ml (read as US cups)"),
    ("2 1/2 cups in ml", "en", "2.5 cups = 591.47059125 ml (read as US cups)"),
    ("how many seconds are in a day", "en", "1 day = 86,400 s"),
    ("wie viele Sekunden hat ein Tag?", "de", "1 Tag = 86.400 s"),
    ("how many days are in a year?", "en", "1 year = 365 days (read as a year of 365 days)"),
    ("How much is 5 lbs in kg?", "en", "5 lb = 2.26796185 kg"),
    ("wie viele Liter sind eine Gallone", "de", "1 gal = 3,785411784 l (gelesen als US-Gallonen)"),
    ("2 hours in minutes", "en", "2 h = 120 min"),
    ("Wie viel sind 90 Minuten in Stunden und Minuten?", "de", "90 min = 1 h 30 min"),
    ("1 h 30 min in minutes", "en", "1 h 30 min = 90 min"),
    ("Wie viel Gramm hat ein Pfund?", "de", "1 Pfund = 500 g (gelesen als Pfund zu 500 g)"),
    ("How many grams in half a pound?", "en", "0.5 lb = 226.796185 g"),
    ("eine halbe Meile in Meter", "de", "0,5 mi = 804,672 m"),
    ("what's ten miles in km", "en", "10 mi = 16.09344 km"),
    ("zwei Zoll in mm", "de", "2 in = 50,8 mm"),
    ("3 miles are how many km?", "en", "3 mi = 4.828032 km"),
    ("3 kg sind wie viel Gramm?", "de", "3 kg = 3.000 g"),
    ("1.500 m in km", "en", "1.5 m = 0.0015 km"),
    ("Was sind 1.500 Meter in Kilometern?", "de", "1.500 m = 1,5 km"),
    ("Was sind 1,250 km in m?", "de", "1,25 km = 1.250 m"),
    ("what is 1,500 m in km?", "en", "1,500 m = 1.5 km"),
    ("1000 m = ? km", "en", "1,000 m = 1 km"),
    ("1000 m -> km", "en", "1,000 m = 1 km"),
    ("convert 5 from miles to km", "en", "5 mi = 8.04672 km"),
    ("hey jarvis, 12 oz to grams thanks", "en", "12 oz = 340.1942775 g"),
    ("80 kg, what is that in pounds?", "en", "80 kg ≈ 176.37 lb"),
    ("Wieviel PS sind 100 kW?", "de", "100 kW ≈ 135,962 PS"),
    ("1 acre in m²", "en", "1 acre = 4,046.8564224 m²"),
    ("3 m2 in cm2", "en", "3 m² = 30,000 cm²"),
    ("Wie lang ist eine Seemeile in Metern?", "de", "1 nmi = 1.852 m"),
    ("Wie viele Pfund sind ein Zentner?", "de", "1 Zentner = 100 Pfund (gelesen als Zentner zu 50 kg und Pfund zu 500 g)"),
    ("500 Kalorien in kJ", "de", "500 kcal = 2.092 kJ (gelesen als Nahrungskalorien (kcal))"),
    ("please convert 98.6 F to C for me", "en", "98.6 °F = 37 °C"),
]  # fmt: skip
LEFT_TO_THE_MODEL = [
    "3 ft in cm and who invented the foot?",
    "What is 3 ft in cm and in m?",
    "Wie viele Sekunden hat eine Stunde und wie viele hat ein Tag?",
    "why is 3 ft in cm 91?",
    "5 km in miles 7",
    "3 ft in cm or 5 ft in cm",
    "Ich bin 180 cm groß, wie viel ist das in Fuß?",
    "how many ml in a cup of water?",
    "My table is 3 ft, the rug is 2 m; what's 3 ft in cm?",
    "Was ist schwerer, 5 kg in Gramm oder ein Stein?",
]
NO_CONVERSION = [
    "5-10 km in miles",
    "I ran 5 km in 30 minutes",
    "how many days are in february",
    "how many days are in a leap year",
    "How many liters of milk fit in a gallon jug?",
    "2 dozen eggs in kg",
    "how long is a marathon in km",
    "how many square meters are in a football field",
    "Are 5 miles more than 8 km?",
    "How many miles is a 10k?",
    "call me at 555 in pounds",
    "5 feet in the air",
    "100 people in a hurry",
    "3 men in a boat",
    "in 2 hours",
    "10:30 in Berlin",
    "see https://example.org/3-ft-in-cm",
    "",
    "in",
]


@pytest.mark.parametrize(("message", "language", "text"), ANSWERED)
def test_a_conversion_is_answered_without_a_model(message: str, language: str, text: str) -> None:
    assert answered(message, language) == text


@pytest.mark.parametrize("message", sorted({message for message, *_ in ANSWERED}))
def test_conversions_are_claimed(message: str) -> None:
    assert SKILL.matches(message)


@pytest.mark.parametrize("message", LEFT_TO_THE_MODEL)
def test_a_message_that_asks_for_more_goes_to_the_model_with_the_result(message: str) -> None:
    language = "de" if "Wie" in message or "Was" in message or "Ich" in message else "en"
    assert seed(message, context(language)) is not None
    assert answered(message, language) is None


@pytest.mark.parametrize("message", NO_CONVERSION)
def test_what_names_no_quantity_with_a_target_is_left_alone(message: str) -> None:
    for language in ("en", "de"):
        assert seed(message, context(language)) is None
        assert answered(message, language) is None


@pytest.mark.parametrize(
    ("message", "language", "text"),
    [
        ("Rechne 5 kg um", "de", "In welche Einheit soll ich 5 kg umrechnen?"),
        ("Rechne bitte 1,5 l um", "de", "In welche Einheit soll ich 1,5 l umrechnen?"),
        ("Convert 5 kg", "en", "Into which unit shall I convert 5 kg?"),
        ("please convert 20 liters", "en", "Into which unit shall I convert 20 liters?"),
    ],
)
def test_a_missing_target_is_asked_for(message: str, language: str, text: str) -> None:
    assert SKILL.matches(message)
    assert seed(message, context(language)) is None
    assert answered(message, language) == text


@pytest.mark.parametrize(
    ("message", "language", "text"),
    [
        ("5 km in kg", "en", '"km" measures length and "kg" measures mass: one cannot become the other.'),
        ("Was sind 5 km in kg?", "de", "„km“ misst eine Länge und „kg“ misst eine Masse, das eine wird nicht zum anderen."),
        ("5 pounds in euros", "en", "Money is not converted here: its rates change, and only fixed units are known."),
        ("Wie viele Euro sind 5 €?", "de", "Geld rechne ich nicht um: Die Kurse ändern sich, ich kenne nur feste Einheiten."),
        ("-300 °C in K", "en", "Nothing is colder than absolute zero: -273.15 °C, -459.67 °F or 0 K."),
    ],
)  # fmt: skip
def test_what_cannot_be_converted_is_said_in_the_language_of_the_reply(message: str, language: str, text: str) -> None:
    lead = "Das konnte ich nicht umrechnen: " if language == "de" else "I could not convert that: "
    assert answered(message, language) == lead + text


@pytest.mark.parametrize("language", ["fr", "es", "ja"])
def test_other_languages_are_left_to_the_model(language: str) -> None:
    assert answered("3 ft in cm", language) is None
    assert answered("convert 5 kg", language) is None


# ---------------------------------------------------------------- a talk that goes on


def talk(message: str, language: str = "en") -> tuple[Item, ...]:
    """The history after a message that the skill answered."""
    call = seed(message, context(language))
    text = answered(message, language) or ""
    if call is None:
        return User(text=message), Assistant(text=text)
    result = result_of(call)
    return User(text=message), Assistant(text="", calls=(call,)), Result(result=result), Assistant(text=text)


@pytest.mark.parametrize(
    ("before", "message", "language", "text"),
    [
        ("20 °C in °F", "and in Kelvin?", "en", "20 °C = 293.15 K"),
        ("20 °C in °F", "oder in Kelvin?", "de", "20 °C = 293,15 K"),
        ("5 km in miles", "and in feet?", "en", "5 km ≈ 16,404.2 ft"),
        ("5 km in miles", "and 10 km?", "en", "10 km ≈ 6.21371 mi"),
        ("5 km in miles", "and 10?", "en", "10 km ≈ 6.21371 mi"),
        ("5 km in Meilen", "und 1,5 km?", "de", "1,5 km ≈ 0,932057 mi"),
        ("5 km in miles", "What is that in yards?", "en", "5 km ≈ 5,468.07 yd"),
        ("5'3\" in cm", "and in m?", "en", "5 ft 3 in = 1.6002 m"),
        ("Convert 5 kg", "pounds", "en", "5 kg ≈ 11.0231 lb"),
        ("Convert 5 kg", "in grams please", "en", "5 kg = 5,000 g"),
        ("Rechne 5 kg um", "in Pfund", "de", "5 kg = 10 Pfund (gelesen als Pfund zu 500 g)"),
        (
            "5 km in miles",
            "and 3 kg?",
            "en",
            'I could not convert that: "kg" measures mass and "mi" measures length: one cannot become the other.',
        ),
    ],
)  # fmt: skip
def test_a_follow_up_takes_the_rest_from_the_conversion_before(
    before: str, message: str, language: str, text: str
) -> None:
    assert answered(message, language, talk(before, language)) == text


def test_a_number_alone_goes_on_from_a_conversion_whose_target_came_later() -> None:
    call = ToolCall(id="seed", name="convert", arguments={"value": "10 km", "from_unit": "", "to_unit": "meilen"})
    history = (User(text="in meilen"), Assistant(text="", calls=(call,)), Assistant(text="10 km ≈ 6,21371 mi"))
    assert answered("und 20?", "de", history) == "20 km ≈ 12,4274 mi"


@pytest.mark.parametrize(
    "message",
    [
        "440 V in kV",
        "4.7 kΩ in ohm",
        "2000 mAh in Ah",
        "1 Lichtjahr in km",
        "5 kg/m3 in g/cm3",
        "½ cup in ml",
        "3 sm in km",
    ],
)
def test_units_of_electricity_density_and_the_sky_are_claimed_and_converted(message: str) -> None:
    assert SKILL.matches(message)
    text = answered(message, "en")
    assert text is not None
    assert "could not" not in text


@pytest.mark.parametrize("message", ["and why?", "and who invented it?", "thanks", "and in Berlin?", "und jetzt?"])
def test_a_follow_up_of_another_kind_calls_nothing(message: str) -> None:
    assert seed(message, context("en", talk("5 km in miles"))) is None


@pytest.mark.parametrize("message", ["and in Kelvin?", "and 10 km?", "pounds"])
def test_a_follow_up_without_a_conversion_before_it_calls_nothing(message: str) -> None:
    assert seed(message, context("en", (User(text="Hello"), Assistant(text="Hello!")))) is None


# ---------------------------------------------------------------- SKILL.md


@pytest.mark.parametrize("example", SKILL.exemplars, ids=lambda example: example.user[:24])
def test_a_worked_example_shows_what_the_converter_really_returns_and_an_answer_that_passes(example: Exemplar) -> None:
    calls = []
    for step in example.steps:
        assert step.tool == "convert"
        assert convert(**step.arguments).text == step.result.strip()
        result = ToolResult(call_id="a", text=step.result)
        calls.append(CallRecord(call=step.call("a"), result=result, seconds=0.0))
    assert review(question=example.user, calls=calls, draft=example.answer, language=example.language) == ()
    if not example.steps:
        assert answered(example.user, example.language) == example.answer


HOSTILE = [
    "1 m " * 500,
    "1" * 2_000,
    "a " * 1_000,
    "ein " * 500,
    "how many m " * 180,
    "wie viele Meter sind " * 95,
    "5'" * 1_000,
    "1/" * 1_000,
    "what is that in " * 125,
    "half a " * 280,
    "3 ft in " * 250,
    "m/" * 1_000,
    "²" * 2_000,
    "five " * 400,
    "convert 5 " * 200,
]


@pytest.mark.speed
@pytest.mark.parametrize("message", HOSTILE, ids=lambda message: message[:12])
def test_no_message_takes_long(message: str) -> None:
    history = talk("5 km in miles")
    request_in("3 ft in cm", german=False)
    for work in (lambda: seed(message, context("en", history)), lambda: answer(message, None, "en")):
        spent = []
        for _ in range(3):
            begun = time.thread_time()
            work()
            spent.append(time.thread_time() - begun)
        assert min(spent) < 0.15
    for pattern in SKILL.patterns:
        spent = []
        for _ in range(3):
            begun = time.thread_time()
            pattern.search(message[:2_000])
            spent.append(time.thread_time() - begun)
        assert min(spent) < 0.05, pattern.pattern[:60]
