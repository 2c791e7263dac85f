"""The skill of the owner's actions: its call, and an answer that never says more than happened."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from jarvisbot.skills.home_actions import answer, seed

from jarvisbot.agent.review import review
from jarvisbot.config import Action
from jarvisbot.folders import bundled
from jarvisbot.reading.questions import without_opening
from jarvisbot.skill import Exemplar, Skill, load
from jarvisbot.store.turns import CallRecord
from jarvisbot.tools.home_action import made
from jarvisbot.tools.home_action.matching import matching
from jarvisbot.types import SeedContext, ToolCall, ToolResult

SKILL: Skill = load(bundled("skills") / "home-actions")
CONTEXT = SeedContext(language="en", now=datetime(2026, 11, 30, tzinfo=UTC))
ACTIONS = [
    Action(name="spotify", argv=("true",)),
    Action(name="flurlicht aus", argv=("true",), aliases=("Licht im Flur aus", "hall light off")),
]
FAILED = 'Tool "home_action" failed: '


@pytest.mark.parametrize(
    ("message", "name", "action"),
    [
        ("Open Spotify", "Spotify", "spotify"),
        ("please open Spotify", "Spotify", "spotify"),
        ("Hey Jarvis, launch spotify please!", "spotify", "spotify"),
        ("Öffne Spotify", "Spotify", "spotify"),
        ("Starte bitte Spotify", "bitte Spotify", "spotify"),
        ("Schalte das Licht im Flur aus", "Schalte das Licht im Flur aus", "flurlicht aus"),
        ("turn off the hall light", "turn off the hall light", "flurlicht aus"),
        ("Kannst du das Licht im Flur ausschalten?", "das Licht im Flur ausschalten", "flurlicht aus"),
        ("Mach das Flurlicht aus, bitte", "Mach das Flurlicht aus", "flurlicht aus"),
    ],
)
def test_the_call_has_the_persons_words_and_the_tool_finds_the_action(message: str, name: str, action: str) -> None:
    assert SKILL.matches(message, without_opening(message)) is not None
    call = seed(message, CONTEXT)
    assert call is not None
    assert (call.name, call.arguments) == ("home_action", {"name": name})
    assert matching(str(call.arguments["name"]), ACTIONS).name == action


@pytest.mark.parametrize(
    "message",
    [
        "schalte das Licht nicht aus",
        "turn off the light? Never",
        "öffne die Garage nie wieder",
        "Mach bloß kein Licht an",
        "open the garage in 10 minutes",
        "mach das Licht in einer Stunde aus",
        "schalte das Licht um 22 Uhr aus",
        "turn on the light at 7pm",
        "start the movie scene tomorrow",
        "turn off the light when I leave",
    ],
)
def test_what_is_not_to_be_done_or_not_yet_is_no_order(message: str) -> None:
    assert SKILL.matches(message) is None


@pytest.mark.parametrize(
    "message",
    [
        "turn off the light",
        "schalte das Licht im Flur aus",
        "open the garage",
        "starte Filmabend",
        "turn the heating on at 20 degrees",
        "turn on radio 4",
    ],
)
def test_orders_for_now_are_claimed(message: str) -> None:
    assert SKILL.matches(message) is not None


@pytest.mark.parametrize("message", ["", "?", "thanks", "danke!", "turn on " + "the light " * 50])
def test_without_words_for_an_action_there_is_no_call(message: str) -> None:
    assert seed(message, CONTEXT) is None


APPROVAL = "This needs a person's approval, which cannot be asked for here: Tried to run name=x"
OBSERVES = "The bot only observes here: tools that change anything are off."
NOT_DONE = [
    # result -> English, German
    (
        APPROVAL,
        "I have not run “Turn off the light”: what changes something outside this chat needs an approval, and I cannot ask "
        "for one here yet.",
        "„Turn off the light“ habe ich nicht ausgeführt: Was etwas außerhalb dieses Gesprächs auslöst, braucht eine Freigabe, "
        "und die kann ich hier noch nicht einholen.",
    ),
    (
        OBSERVES,
        "I have not run “Turn off the light”: I am set to observe here and change nothing.",
        "„Turn off the light“ habe ich nicht ausgeführt: Ich bin hier auf Beobachten gestellt und löse nichts aus.",
    ),
    (
        FAILED + 'There is no action "garage". There are: spotify, flurlicht aus',
        "I have not done that: I know no action for “garage”. There are: spotify, flurlicht aus.",
        "Das habe ich nicht getan: Zu „garage“ kenne ich keine Aktion. Es gibt: spotify, flurlicht aus.",
    ),
    (
        FAILED + 'There is no action "spotfy". The nearest is "spotify". There are: spotify, b, and 3 more',
        "I have not done that: I know no action for “spotfy”. Do you mean “spotify”? There are: spotify, b, and 3 more.",
        "Das habe ich nicht getan: Zu „spotfy“ kenne ich keine Aktion. Meinst du „spotify“? Es gibt: spotify, b und 3 weitere.",
    ),
    (
        FAILED + 'Several actions fit "light": a, b',
        "I have not done that: several actions fit, a, b. Which one shall it be?",
        "Das habe ich nicht getan: Mehrere Aktionen passen, a, b. Welche soll es sein?",
    ),
    (
        FAILED + '"it" ended with exit code 3: no such light',
        'That did not work: "it" ended with exit code 3: no such light',
        "Das hat nicht geklappt: „it“ endete mit dem Fehlercode 3. no such light",
    ),
    (
        FAILED + '"it" ended with exit code 3.',
        'That did not work: "it" ended with exit code 3.',
        "Das hat nicht geklappt: „it“ endete mit dem Fehlercode 3.",
    ),
    (
        FAILED + '"it" took longer than 15 seconds and was stopped.',
        'That did not work: "it" took longer than 15 seconds and was stopped.',
        "Das hat nicht geklappt: „it“ dauerte länger als 15 Sekunden und wurde beendet.",
    ),
    (
        FAILED + '"it" was not run: host:8123 could not be reached.',
        'That did not work: "it" was not run: host:8123 could not be reached.',
        "Das hat nicht geklappt: „it“ wurde nicht ausgeführt, host:8123 ist nicht erreichbar.",
    ),
    (
        FAILED + 'host did not answer within 15 seconds: whether "it" was run is not known.',
        'That did not work: host did not answer within 15 seconds: whether "it" was run is not known.',
        "Das hat nicht geklappt: host hat nicht innerhalb von 15 Sekunden geantwortet. Ob „it“ ausgeführt wurde, ist nicht "
        "bekannt.",
    ),
    (
        FAILED + '"it" failed: host answered 404 Not Found.',
        'That did not work: "it" failed: host answered 404 Not Found.',
        "Das hat nicht geklappt: „it“ ist fehlgeschlagen, host antwortete 404 Not Found.",
    ),
]


@pytest.mark.parametrize(("text", "english", "german"), NOT_DONE)
def test_what_was_not_done_is_said_with_its_reason(text: str, english: str, german: str) -> None:
    result = ToolResult(call_id="a", text=text, ok=False)
    assert answer("Turn off the light", result, "en") == english
    assert answer("Turn off the light", result, "de") == german
    call = ToolCall(id="a", name="home_action", arguments={"name": "x"})
    calls = [CallRecord(call=call, result=result, seconds=0.0)]
    for draft, language in ((english, "en"), (german, "de")):
        assert review(question="Turn off the light", calls=calls, draft=draft, language=language) == ()


@pytest.mark.parametrize("language", ["en", "de", "fr"])
def test_no_model_gets_to_tell_what_was_not_done(language: str) -> None:
    result = ToolResult(call_id="a", text=APPROVAL, ok=False)
    assert answer("Turn off the light and tell me a joke", result, language)


@pytest.mark.parametrize(
    ("text", "english", "german"),
    [
        ("Done: spotify", "Done: “spotify”.", "Erledigt: „spotify“."),
        (
            "Done: spotify\nplaying",
            "Done: “spotify”.\n\n```\nplaying\n```",
            "Erledigt: „spotify“.\n\n```\nplaying\n```",
        ),
        ("Done: a\n```x", "Done: “a”.\n\n```\n` ` `x\n```", "Erledigt: „a“.\n\n```\n` ` `x\n```"),
    ],
)
def test_what_was_done_is_said_in_one_line(text: str, english: str, german: str) -> None:
    result = ToolResult(call_id="a", text=text)
    assert answer("Open Spotify", result, "en") == english
    assert answer("Kannst du Spotify öffnen?", result, "de") == german


@pytest.mark.parametrize(
    "message", ["Open Spotify and tell me a joke", "Öffne Spotify und sag mir, wie das Wetter ist"]
)
def test_a_message_that_asks_for_more_than_an_action_that_was_run_goes_to_the_model(message: str) -> None:
    assert answer(message, ToolResult(call_id="a", text="Done: spotify"), "en") is None


def test_without_a_call_there_is_no_answer() -> None:
    assert answer("Open Spotify", None, "en") is None


@pytest.mark.parametrize("example", SKILL.exemplars, ids=lambda example: example.user[:24])
def test_a_worked_example_shows_a_real_result_and_an_answer_that_passes(example: Exemplar) -> None:
    assert made(ACTIONS).name == "home_action"
    (step,) = example.steps
    assert set(step.arguments) == {"name"}
    ok = step.result.startswith("Done: ")
    result = ToolResult(call_id="a", text=step.result, ok=ok)
    if "approval" not in step.result:
        assert answer(example.user, result, example.language) == example.answer
    calls = [CallRecord(call=step.call("a"), result=result, seconds=0.0)]
    assert review(question=example.user, calls=calls, draft=example.answer, language=example.language) == ()
