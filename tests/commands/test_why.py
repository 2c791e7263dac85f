"""/why: the trace of an answer in words."""

from __future__ import annotations

import msgspec
import pytest

from jarvisbot.commands.why import explained
from jarvisbot.store.traces import Trace
from jarvisbot.store.turns import CallRecord
from jarvisbot.types import Review, Route, Stage, ToolCall, ToolResult
from tests.test_command import AT, Controls, say


def made(text: str, /, *, ok: bool = True, seconds: float = 0.0, name: str = "weather", **arguments: str) -> CallRecord:
    call = ToolCall(id="1", name=name, arguments=arguments)
    return CallRecord(call=call, result=ToolResult(call_id="1", text=text, ok=ok), seconds=seconds)


BY_CODE = Trace(
    question="What is 2+2?",
    state="answered",
    seconds=0.04,
    route=Route(skill="arithmetic", stage=Stage.TRIGGER, evidence="2+2"),
    calls=(made("2+2 = 4", name="calculator", seconds=0.01, expression="2+2"),),
    rounds=1,
    language="en",
)
BY_MODEL = Trace(
    question="Und wie wird es morgen in Bozen?",
    state="answered",
    seconds=12.34,
    route=Route(skill="weather", stage=Stage.CARRY_OVER, evidence="weather"),
    calls=(
        made("Nobody knows Bosen.", ok=False, seconds=0.4, city="Bosen"),
        made("7 °C", seconds=1.25, city="Bozen", days="2"),
    ),
    rounds=2,
    review=Review(findings=("It says 9, the tool said 7.",), wound_down=True, strategy="capped", thought_s=3.21),
    prompt_tokens=812,
    cached_tokens=700,
    completion_tokens=45,
    language="de",
)


def test_an_answer_of_code_says_that_no_model_was_asked() -> None:
    assert explained(BY_CODE, german=False).splitlines() == [
        "On `What is 2+2?`:",
        "",
        "- Skill: `arithmetic` – it is meant for messages with `2+2` (stage: trigger)",
        "- Call 1: `calculator` expression `2+2` came to `2+2 = 4` (0.0 s)",
        "- Calls: 1, 0 of them failed, in 1 round",
        "- Model: not asked, the answer was written by code",
        "- Language: English",
        "- It took 0.0 s.",
    ]


def test_an_answer_of_the_model_says_all_that_happened() -> None:
    assert explained(BY_MODEL, german=True).splitlines() == [
        "Zu `Und wie wird es morgen in Bozen?`:",
        "",
        "- Fähigkeit: `weather` – weitergeführt, die Nachricht schließt an die vorige an (Stufe: carry-over)",
        "- Aufruf 1: `weather` city `Bosen` schlug fehl: `Nobody knows Bosen.` (0,4 s)",
        "- Aufruf 2: `weather` city `Bozen`, days `2` ergab `7 °C` (1,2 s)",
        "- Aufrufe: 2, davon 1 fehlgeschlagen, in 2 Runden",
        "- Modell: 812 Token gelesen (davon 700 aus dem Zwischenspeicher), 45 geschrieben",
        "- Nachgedacht: 3,2 s",
        "- Strategie: capped",
        "- Prüfung: beanstandet – `It says 9, the tool said 7.`",
        "- Abgebrochen: alle Runden mit Werkzeugen waren verbraucht",
        "- Sprache: Deutsch",
        "- Gedauert hat es 12,3 s.",
    ]
    english = explained(BY_MODEL, german=False)
    for words in (
        "carried over, the message goes on with the one before (stage: carry-over)",
        "Call 1: `weather` city `Bosen` failed: `Nobody knows Bosen.` (0.4 s)",
        "Calls: 2, 1 of them failed, in 2 rounds",
        "Model: 812 tokens read (700 of them cached), 45 written",
        "Thought for 3.2 s",
        "Strategy: capped",
        "Check: flagged – `It says 9, the tool said 7.`",
        "Wound down: every round of tools was used up",
        "Language: German",
    ):
        assert words in english


@pytest.mark.parametrize(
    ("stage", "english", "german"),
    [
        (Stage.TRIGGER, "it is meant for messages with `how warm`", "sie ist für Nachrichten mit `how warm` da"),
        (Stage.SEARCH, "its keywords were in the message: `how warm`", "ihre Stichwörter kamen vor: `how warm`"),
        (Stage.CARRY_OVER, "carried over", "weitergeführt"),
        (Stage.QUESTION, "a question to look up, about `how warm`", "eine Frage zum Nachschlagen, über `how warm`"),
    ],
)
def test_each_stage_says_what_spoke_for_the_skill(stage: Stage, english: str, german: str) -> None:
    trace = msgspec.structs.replace(BY_CODE, route=Route(skill="weather", stage=stage, evidence="how warm"))
    assert f"Skill: `weather` – {english}" in explained(trace, german=False)
    assert f"Fähigkeit: `weather` – {german}" in explained(trace, german=True)


def test_a_message_that_no_skill_claimed_says_so() -> None:
    trace = msgspec.structs.replace(BY_MODEL, route=Route())
    assert "Skill: none, no skill claimed the message" in explained(trace, german=False)
    assert "Fähigkeit: keine" in explained(trace, german=True)


@pytest.mark.parametrize(
    ("review", "english", "german"),
    [
        (Review(), "Check: nothing to object to", "Prüfung: ohne Einwand"),
        (Review(corrected=True), "Check: corrected once, nothing is left to object to", "Prüfung: einmal berichtigt"),
        (Review(findings=("A.", "B.")), "Check: flagged – `A.` `B.`", "Prüfung: beanstandet – `A.` `B.`"),
    ],
)
def test_the_check_is_told(review: Review, english: str, german: str) -> None:
    trace = msgspec.structs.replace(BY_MODEL, review=review)
    assert english in explained(trace, german=False)
    assert german in explained(trace, german=True)
    assert "Wound down" not in explained(trace, german=False)


@pytest.mark.parametrize(
    ("state", "english", "german"),
    [("failed", "The answer failed.", "ist misslungen"), ("stopped", "The answer was stopped.", "wurde angehalten")],
)
def test_an_answer_that_did_not_come_says_so_and_claims_no_check(state: str, english: str, german: str) -> None:
    trace = Trace(question="Why?", state=state, seconds=1.0)
    assert explained(trace, german=False).splitlines()[2] == f"- {english}"
    assert german in explained(trace, german=True)
    for text in (explained(trace, german=False), explained(trace, german=True)):
        assert not [word for word in ("Check", "Prüfung", "Model", "Language", "Sprache") if word in text]


def test_what_others_wrote_is_shown_in_short_and_means_nothing() -> None:
    hostile = "`@everyone` [click](https://evil.example)\n# Big\n" * 40
    trace = msgspec.structs.replace(
        BY_CODE, question=hostile, calls=tuple(made(hostile, text=hostile) for _ in range(40))
    )
    text = explained(trace, german=False)
    assert "Calls: 40, 0 of them failed" in text
    assert len(text) < 4_000
    outside = text.split("`")[::2]
    assert not [part for part in outside if "everyone" in part or "evil" in part or "#" in part]


@pytest.mark.parametrize("language", ["xx", "tlh"])
def test_a_language_that_is_not_offered_any_more_is_told_by_its_code(language: str) -> None:
    assert f"Language: {language}" in explained(msgspec.structs.replace(BY_CODE, language=language), german=False)


async def test_the_command_asks_for_its_own_conversation_only() -> None:
    controls = Controls(traced=BY_CODE)
    assert await say("why", controls=controls) == explained(BY_CODE, german=False)
    assert await say("why", controls=controls, language="de") == explained(BY_CODE, german=True)
    assert controls.done == [f"trace {AT.key}"] * 2


@pytest.mark.parametrize(("language", "words"), [("en", "There is no answer"), ("de", "noch keine Antwort")])
async def test_without_an_answer_it_says_so(language: str, words: str) -> None:
    assert words in str(await say("why", language=language))
