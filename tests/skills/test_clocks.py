"""The two clock skills: what they claim, the call that they seed, and what they leave to the model."""

from __future__ import annotations

from datetime import UTC, datetime
from types import ModuleType

import pytest

from jarvisbot.agent.language import reply_language
from jarvisbot.folders import bundled
from jarvisbot.reading.clocks import clock_line, readings
from jarvisbot.reading.timekeeping import ClockError, told
from jarvisbot.skill import Skill, load
from jarvisbot.skills import current_date, world_clock
from jarvisbot.types import Arguments, Assistant, Item, Result, SeedContext, ToolCall, ToolResult, User

SKILLS: dict[str, Skill] = {name: load(bundled("skills") / name) for name in ("current-date", "world-clock")}
NOW = datetime(2026, 9, 28, 7, 4, tzinfo=UTC)
CONTEXT = SeedContext(language="en", now=NOW, zone="Europe/Berlin")
LINE = clock_line(NOW, "Europe/Berlin")

HERE: list[tuple[str, str]] = [
    ("Wie spät ist es?", "Es ist 09:04 Uhr."),
    ("wie spät?", "Es ist 09:04 Uhr."),
    ("Uhrzeit bitte", "Es ist 09:04 Uhr."),
    ("Hallo Jarvis, wie viel Uhr ist es denn gerade?", "Es ist 09:04 Uhr."),
    ("What time is it?", "It is 09:04."),
    ("what's the time please", "It is 09:04."),
    ("Do you know what time it is?", "It is 09:04."),
    ("time?", "It is 09:04."),
    ("What's the date today?", "Today is Monday, 28 September 2026."),
    ("what day is it", "Today is Monday, 28 September 2026."),
    ("day of the week please", "Today is Monday, 28 September 2026."),
    ("Welches Datum haben wir heute?", "Heute ist Montag, der 28. September 2026."),
    ("Der wievielte ist heute?", "Heute ist Montag, der 28. September 2026."),
    ("Welchen Wochentag haben wir denn?", "Heute ist Montag, der 28. September 2026."),
    ("Was ist heute für ein Tag?", "Heute ist Montag, der 28. September 2026."),
    ("Ist heute Montag?", "Ja, heute ist Montag, der 28. September 2026."),
    ("Ist heute Donnerstag?", "Nein, heute ist Montag, der 28. September 2026."),
    ("Haben wir heute Dienstag?", "Nein, heute ist Montag, der 28. September 2026."),
    ("Is it Monday?", "Yes, today is Monday, 28 September 2026."),
    ("is it Friday today?", "No, today is Monday, 28 September 2026."),
    ("Is it the weekend?", "No, today is Monday, 28 September 2026."),
    ("Is it September?", "Yes, today is Monday, 28 September 2026."),
    ("Ist es schon Oktober?", "Nein, heute ist Montag, der 28. September 2026."),
    ("Is it a leap year?", "No, 2026 is not a leap year."),
    ("What is the current month?", "It is September 2026."),
    ("Welcher Monat ist jetzt?", "Es ist September 2026."),
    ("what year is it", "It is 2026."),
    ("Welches Jahr schreiben wir?", "Es ist das Jahr 2026."),
    ("What week is it?", "Monday, 28 September 2026 is in calendar week 40 of 2026."),
    ("Welche Kalenderwoche haben wir?", "Montag, der 28. September 2026, liegt in Kalenderwoche 40 des Jahres 2026."),
    ("What time and date is it?", "It is 09:04 on Monday, 28 September 2026."),
    ("Datum und Uhrzeit bitte", "Es ist 09:04 Uhr am Montag, dem 28. September 2026."),
    ("What day is tomorrow?", "Tomorrow is Tuesday, 29 September 2026."),
    ("Welcher Tag ist morgen?", "Morgen ist Dienstag, der 29. September 2026."),
    ("29 Feb 2028?", "29 February 2028 is a Tuesday."),
    ("31. Juni 2026?", "Den 31. Juni 2026 gibt es nicht: Der Juni hat 30 Tage."),
    ("Gibt es den 29. Februar 2028?", "Der 29. Februar 2028 ist ein Dienstag."),
    ("What date is it in 90 days?", "90 days after 28 September 2026 is Sunday, 27 December 2026."),
    ("Welches Datum ist in 90 Tagen?", "90 Tage nach dem 28. September 2026 ist Sonntag, der 27. Dezember 2026."),
]
ELSEWHERE: list[tuple[str, str]] = [
    ("What time is it in Cork?", "In Cork it is 08:04 (Europe/Dublin)."),
    ("what's the time in New York", "In New York it is 03:04 (America/New_York)."),
    ("what time is it in new york", "In New York it is 03:04 (America/New_York)."),
    ("local time in Denver please", "In Denver it is 01:04 (America/Denver)."),
    ("What's the time over there in Manila?", "In Manila it is 15:04 (Asia/Manila)."),
    ("What time is it in Europe/Berlin?", "It is 09:04 (Europe/Berlin)."),
    ("What time is it in UTC?", "It is 07:04 UTC."),
    ("MEZ", "It is 09:04 MEZ on Monday, 28 September 2026."),
    ("Uhrzeit in Seoul", "In Seoul ist es gerade 16:04 Uhr (Asia/Seoul)."),
    ("Welche Uhrzeit haben sie in Dubai?", "In Dubai ist es gerade 11:04 Uhr (Asia/Dubai)."),
    ("kannst du mir sagen wie spät es in Lima ist", "In Lima ist es gerade 02:04 Uhr (America/Lima)."),
    ("Wie spät ist es in der Slowakei?", "In der Slowakei ist es gerade 09:04 Uhr (Europe/Bratislava)."),
    ("Wie spät ist es auf Mallorca?", "Auf Mallorca ist es gerade 09:04 Uhr (Europe/Madrid)."),
    ("What's the date in Sydney?", "In Sydney it is Monday, 28 September 2026."),
    ("Welcher Tag ist heute in Neuseeland?", "In Neuseeland ist heute Montag, der 28. September 2026."),
    ("Welche Zeitzone hat Peru?", "In Peru gilt die Zeitzone America/Lima (UTC-5); dort ist es gerade 02:04 Uhr."),
    (
        "Welche Zeitzone hat die Schweiz?",
        "In der Schweiz gilt die Zeitzone Europe/Zurich (UTC+2); dort ist es gerade 09:04 Uhr.",
    ),
    (
        "Which time zone is Iceland on",
        "In Iceland the time zone is Atlantic/Reykjavik (UTC+0); it is 07:04 there now.",
    ),
    ("What time zone am I in?", "The time zone is Europe/Berlin (UTC+2); it is 09:04 now."),
    ("What time is it in Rome and Lima?", "In Rome it is 09:04 (Europe/Rome). In Lima it is 02:04 (America/Lima)."),
    ("time difference between Berlin and New York", "It is 09:04 in Berlin and 03:04 in New York: 6 hours behind."),
    (
        "What is the time difference to Kathmandu?",
        "It is 09:04 here and 12:49 in Kathmandu: 3 hours and 45 minutes ahead.",
    ),
    ("What is 14:00 UTC in Tokyo?", "14:00 UTC on Monday, 28 September 2026 is 23:00 in Tokyo."),
    ("What is 14:00 in Tokyo?", "14:00 in Tokyo on Monday, 28 September 2026 is 07:00 here."),
    ("What time is it in Tokyo at 14:00 UTC?", "14:00 UTC on Monday, 28 September 2026 is 23:00 in Tokyo."),
    ("10:30 in Berlin to UTC", "10:30 in Berlin on Monday, 28 September 2026 is 08:30 UTC."),
    (
        "Wenn es hier 15 Uhr ist, wie spät ist es in New York?",
        "15:00 Uhr hier am Montag, dem 28. September 2026, ist 09:00 Uhr in New York.",
    ),
    (
        "What is 02:30 in Berlin on 2026-10-25?",
        "02:30 in Berlin comes twice on Sunday, 25 October 2026, when clocks are set back: it is 02:30 here the first time and "
        "02:30 here the second.",
    ),
    ("What time is it in Springfield, Illinois?", "In Springfield, Illinois it is 02:04 (America/Chicago)."),
    ("wie viel uhr es in kanada ist", "„Kanada“ hat mehrere Zeitzonen. Welche Stadt meinst du, zum Beispiel Ottawa?"),
    ("What time is it in Blefuscu?", "I do not know a place called “Blefuscu”. Which town do you mean?"),
    ("world clock please", "Which place do you mean: which town or country?"),
    ("Weltuhr bitte", "Welchen Ort meinst du: welche Stadt oder welches Land?"),
]
MORE: list[tuple[ModuleType, str]] = [
    (world_clock, "What time is it in Oslo and what is the capital of Peru?"),
    (world_clock, "tell me the time in Oslo and set an alarm"),
    (world_clock, "Wie spät ist es in Rom und wie wird das Wetter?"),
    (world_clock, "What is a time zone?"),
    (world_clock, "Why are there time zones?"),
    (world_clock, "What time is it in Oslo in 3 hours?"),
    (current_date, "What time is it and who invented the clock?"),
    (current_date, "Wie spät ist es, und was ist 12 * 4?"),
    (current_date, "What day is it, and write me a poem"),
    (current_date, "What's the date? Remind me to call Ada."),
]


def result_of(call: ToolCall, language: str, *, now: datetime = NOW, zone: str = "Europe/Berlin") -> ToolResult:
    place, at, to = (str(call.arguments.get(name, "")) for name in ("place", "at", "to"))
    try:
        return ToolResult(call_id=call.id, text=told(place, at, to, now=now, zone=zone, language=language))
    except ClockError as error:
        return ToolResult(call_id=call.id, text=f'Tool "current_time" failed: {error.user_message}', ok=False)


def answered(module: ModuleType, message: str) -> str | None:
    call = module.seed(message, CONTEXT)
    language = reply_language(message, ())
    reply: str | None = module.answer(message, result_of(call, language) if call else None, language)
    return reply


@pytest.mark.parametrize(("message", "text"), HERE)
def test_a_question_to_the_own_clock_is_answered(message: str, text: str) -> None:
    assert answered(current_date, message) == text


@pytest.mark.parametrize(("message", "text"), ELSEWHERE)
def test_a_question_to_another_clock_is_answered_or_asked_back(message: str, text: str) -> None:
    assert answered(world_clock, message) == text


@pytest.mark.parametrize(("module", "message"), MORE, ids=lambda value: value if isinstance(value, str) else "")
def test_a_message_that_asks_for_more_goes_to_the_model(module: ModuleType, message: str) -> None:
    assert answered(module, message) is None


@pytest.mark.parametrize(("message", "text"), [*HERE, *ELSEWHERE])
def test_another_language_is_the_models(message: str, text: str) -> None:
    for module in (current_date, world_clock):
        call = module.seed(message, CONTEXT)
        assert module.answer(message, result_of(call, "fr") if call else None, "fr") is None


@pytest.mark.parametrize(
    ("message", "skill"),
    [
        ("What is 02:30 in Berlin on 2026-10-25 in UTC?", "world-clock"),
        ("Was ist 14 Uhr MEZ in New York?", "world-clock"),
        ("10:30 in Berlin to UTC", "world-clock"),
        ("CST", "world-clock"),
        ("PST time", "world-clock"),
        ("29 Feb 2027?", "current-date"),
        ("one year after 29 Feb 2028", "current-date"),
        ("3 Wochen vor dem 1. Mai 2027", "current-date"),
        ("Welches Datum ist in 90 Tagen?", "current-date"),
        ("What day is tomorrow?", "current-date"),
        ("What time and date is it?", "current-date"),
        ("what day of the week was 9 November 1989?", "current-date"),
        ("On which day was May 5, 1975?", "current-date"),
        ("what day was it 2 weeks ago", "current-date"),
        ("Ist dort schon Dienstag?", "current-date"),
        ("what is the date and time in Honolulu", "world-clock"),
        ("what time is it for my friend in Oslo", "world-clock"),
        ("current time Singapore", "world-clock"),
        ("what time is it there?", "world-clock"),
        ("Und wie spät ist es dort gerade?", "world-clock"),
        ("Local time Buenos Aires", "world-clock"),
        ("wie viele Stunden Unterschied zwischen Wien und Lima", "world-clock"),
    ],
)
def test_times_in_zones_and_dates_are_claimed(message: str, skill: str) -> None:
    assert {name for name, known in SKILLS.items() if known.matches(message)} == {skill}


@pytest.mark.parametrize(
    "message",
    [
        "What is 4.50 in dollars?",
        "What is 9:30 in minutes?",
        "How long is it until 15:00 in the morning?",
        "The meeting is at 14:00 in Berlin",
        "one year after the war",
        "What happened on 29 Feb 2004?",
        "Is he coming on 3 May 2026 with us?",
        "What is best?",
        "est",
        "2 weeks after birth",
        "Time Machine",
        "current time complexity",
        "what day of the week was Einstein born",
        "how many hours does a cat sleep",
    ],
)
def test_what_only_sounds_like_a_clock_is_left_alone(message: str) -> None:
    assert [name for name, known in SKILLS.items() if known.matches(message)] in (
        [],
        ["world-clock"] if message == "est" else [],
    )


@pytest.mark.parametrize(
    "message", ["Das Essen war gut.", "nice", "I like it", "Berlin ist schön", "and the other one?"]
)
def test_what_asks_nothing_of_a_clock_seeds_nothing_there(message: str) -> None:
    assert world_clock.seed(message, CONTEXT) is None


def talked(arguments: Arguments) -> tuple[Item, ...]:
    call = ToolCall(id="a", name="current_time", arguments=arguments)
    return (User(text="?"), Assistant(text="", calls=(call,)), Result(result=ToolResult(call_id="a", text=LINE)))


@pytest.mark.parametrize(
    ("message", "before", "arguments"),
    [
        ("and in Oslo?", {"place": "Lima"}, {"place": "Oslo"}),
        ("und in Tokio?", {"place": "Lima"}, {"place": "Tokio"}),
        ("Jakarta?", {"place": "Lima"}, {"place": "Jakarta"}),
        ("how about Lisbon", {"place": "Lima"}, {"place": "Lisbon"}),
        ("was ist mit Kairo?", {"place": "Lima"}, {"place": "Kairo"}),
        ("and there?", {"place": "Lima"}, {"place": "Lima"}),
        ("und dort?", {"place": "Lima"}, {"place": "Lima"}),
        (
            "on 2026-03-29?",
            {"place": "Berlin", "at": "2026-10-25 02:30", "to": "UTC"},
            {"place": "Berlin", "at": "2026-03-29 02:30", "to": "UTC"},
        ),
    ],
)
def test_a_follow_up_goes_on_from_the_question_before(message: str, before: Arguments, arguments: Arguments) -> None:
    call = world_clock.seed(message, SeedContext(language="en", now=NOW, history=talked(before)))
    assert call is not None
    assert call.arguments == arguments


@pytest.mark.parametrize(
    ("message", "arguments"),
    [
        ("is it Monday there?", {"place": "Lima"}),
        ("Ist dort schon Dienstag?", {"place": "Lima"}),
        ("and the date?", {"place": "Lima"}),
        ("und das Datum?", {"place": "Lima"}),
        ("und hier?", {}),
        ("and here?", {}),
        ("what's the date?", {}),
        ("Ist heute Dienstag?", {}),
    ],
)
def test_the_own_clock_is_asked_only_where_no_place_is_meant(message: str, arguments: Arguments) -> None:
    call = current_date.seed(
        message, SeedContext(language="en", now=NOW, zone="Europe/Berlin", history=talked({"place": "Lima"}))
    )
    assert call is not None
    assert call.arguments == arguments


@pytest.mark.parametrize(
    ("message", "arguments", "language", "text"),
    [
        ("Guten Morgen! Wie spät ist es?", {}, "de", "Es ist 09:04 Uhr."),
        ("Good morning, what day is it?", {}, "en", "Today is Monday, 28 September 2026."),
        (
            "What is the date in Auckland tomorrow",
            {"place": "Auckland", "at": "tomorrow"},
            "en",
            "Auckland: Tomorrow is Tuesday, 29 September 2026.",
        ),
        (
            "If it's noon in London what time is it in Tokyo?",
            {"place": "London", "at": "noon", "to": "Tokyo"},
            "en",
            "12:00 in London on Monday, 28 September 2026 is 20:00 in Tokyo.",
        ),
        (
            "What time is it in Berlin when it's 3pm in New York?",
            {"place": "New York", "at": "3pm", "to": "Berlin"},
            "en",
            "15:00 in New York on Monday, 28 September 2026 is 21:00 in Berlin.",
        ),
        (
            "In welcher Zeitzone liegt Lima?",
            {"place": "Lima"},
            "de",
            "In Lima gilt die Zeitzone America/Lima (UTC-5); dort ist es gerade 02:04 Uhr.",
        ),
    ],
)
def test_greetings_conditions_and_other_days_elsewhere_are_read(
    message: str, arguments: Arguments, language: str, text: str
) -> None:
    call = current_date.seed(message, SeedContext(language=language, now=NOW, zone="Europe/Berlin"))
    assert call is not None
    assert call.arguments == arguments
    assert current_date.answer(message, result_of(call, language), language) == text


def test_a_time_told_on_the_way_is_turned_for_the_model_too() -> None:
    message = "I have a meeting at 3pm EST, what time is that in Berlin?"
    call = world_clock.seed(message, CONTEXT)
    assert call is not None
    assert call.arguments == {"place": "EST", "at": "3pm", "to": "Berlin"}


def test_towns_with_their_countries_are_told_once_each() -> None:
    message = "what time is it in Paris, France and London, UK?"
    call = world_clock.seed(message, CONTEXT)
    assert call is not None
    text = world_clock.answer(message, result_of(call, "en"), "en")
    assert text == "In Paris, France it is 09:04 (Europe/Paris). In London, UK it is 08:04 (Europe/London)."


def test_a_time_asked_for_in_two_places_is_the_models() -> None:
    message = "What is 9am PST in London and Berlin?"
    call = world_clock.seed(message, CONTEXT)
    assert call is not None
    assert world_clock.answer(message, result_of(call, "en"), "en") is None


@pytest.mark.parametrize("message", ["what time is it in Tokyo tomorrow", "wie spät ist es übermorgen"])
def test_the_time_of_another_day_is_no_question_to_the_clock(message: str) -> None:
    assert current_date.seed(message, SeedContext(language="en", now=NOW, zone="Europe/Berlin")) is None


def test_the_own_time_zone_is_told() -> None:
    context = SeedContext(language="en", now=NOW, zone="Europe/Berlin")
    call = world_clock.seed("what's my timezone", context)
    assert call is not None
    text = world_clock.answer("what's my timezone", result_of(call, "en"), "en")
    assert text is not None
    assert "Europe/Berlin" in text


def test_no_place_of_several_is_dropped() -> None:
    few = "what time is it in Berlin, Tokyo, Lima and New York and Sydney"
    call = world_clock.seed(few, CONTEXT)
    assert call is not None
    text = world_clock.answer(few, result_of(call, "en"), "en")
    assert text is not None
    assert all(name in text for name in ("Berlin", "Tokyo", "Lima", "New York", "Sydney"))
    many = "what time is it in Berlin, Tokyo, Lima, Rome, Oslo, Cairo, Delhi, Sydney, Vienna and Paris"
    call = world_clock.seed(many, CONTEXT)
    assert call is None or world_clock.answer(many, result_of(call, "en"), "en") is None


@pytest.mark.parametrize(
    ("zone", "chosen", "named"), [("Europe/Berlin", False, False), ("Europe/Berlin", True, True), ("UTC", False, True)]
)
def test_the_zone_is_named_where_it_was_chosen_or_the_machine_has_none(zone: str, chosen: bool, named: bool) -> None:
    context = SeedContext(language="en", now=NOW, zone=zone, zone_chosen=chosen)
    call = current_date.seed("What time is it?", context)
    assert call is not None
    reply = current_date.answer("What time is it?", result_of(call, "en", zone=zone), "en") or ""
    assert (zone in reply) is named


@pytest.mark.parametrize("skill", SKILLS.values(), ids=lambda skill: skill.name)
def test_worked_examples_have_the_tools_own_shape(skill: Skill) -> None:
    steps = [step for example in skill.exemplars for step in example.steps]
    assert steps
    for step in steps:
        moment = datetime(2025, 5, 6, 12, 7, tzinfo=UTC)
        call = ToolCall(id="a", name=step.tool, arguments=dict(step.arguments))
        assert result_of(call, "en", now=moment).text == step.result
        assert readings(step.result) or "Counted" in step.result
