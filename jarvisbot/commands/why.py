"""/why: how the last answer came about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from jarvisbot.command import CommandContext, command, quoted
from jarvisbot.languages import LANGUAGES
from jarvisbot.store.traces import Trace
from jarvisbot.store.turns import CallRecord
from jarvisbot.types import Stage

__all__ = ["explained", "why"]

VALUE_LIMIT = 60
"""Characters shown of one argument."""
RESULT_LIMIT = 120
FINDING_LIMIT = 200
CALLS_SHOWN = 12


@command(
    "why",
    help="how my last answer here came about",
    german="wie meine letzte Antwort hier zustande kam",
    immediate=False,
)
async def why(context: CommandContext) -> str:
    """The whole trace of the last answer in this conversation."""
    trace = await context.controls.trace(context.at.key)
    german = context.language == "de"
    if trace is None:
        return "In diesem Gespräch gibt es noch keine Antwort." if german else "There is no answer in this talk yet."
    return explained(trace, german=german)


def explained(trace: Trace, *, german: bool) -> str:
    """The trace as CommonMark, a line a fact, in German or English; what strangers or people wrote is quoted as code."""
    facts = _in_german(trace) if german else _in_english(trace)
    opening = "Zu" if german else "On"
    return "\n".join([f"{opening} {quoted(trace.question)}:", "", *(f"- {fact}" for fact in facts)])


def _in_english(trace: Trace) -> Iterator[str]:
    if trace.state != "answered":
        yield "The answer failed." if trace.state == "failed" else "The answer was stopped."
    yield _skill_in_english(trace)
    for number, made in enumerate(trace.calls[:CALLS_SHOWN], 1):
        outcome = "came to" if made.result.ok else "failed:"
        yield f"Call {number}: {_call(made)} {outcome} {quoted(made.result.text, limit=RESULT_LIMIT)} ({made.seconds:.1f} s)"
    if trace.calls:
        failed = sum(not made.result.ok for made in trace.calls)
        yield f"Calls: {len(trace.calls)}, {failed} of them failed" + _rounds(
            trace.rounds, "in {} round", "in {} rounds"
        )
    else:
        yield "No tool was called."
    if _by_model(trace):
        yield (
            f"Model: {trace.prompt_tokens} tokens read ({trace.cached_tokens} of them cached), "
            f"{trace.completion_tokens} written"
        )
        if trace.review.thought_s:
            yield f"Thought for {trace.review.thought_s:.1f} s"
        if trace.review.strategy:
            yield f"Strategy: {trace.review.strategy}"
        yield from _check_in_english(trace)
    elif trace.state == "answered":
        yield "Model: not asked, the answer was written by code"
    if trace.language:
        language = LANGUAGES.get(trace.language)
        yield f"Language: {language.english if language else trace.language}"
    yield f"It took {trace.seconds:.1f} s."


def _in_german(trace: Trace) -> Iterator[str]:
    if trace.state != "answered":
        yield "Die Antwort ist misslungen." if trace.state == "failed" else "Die Antwort wurde angehalten."
    yield _skill_in_german(trace)
    for number, made in enumerate(trace.calls[:CALLS_SHOWN], 1):
        outcome = "ergab" if made.result.ok else "schlug fehl:"
        result = quoted(made.result.text, limit=RESULT_LIMIT)
        yield f"Aufruf {number}: {_call(made)} {outcome} {result} ({_seconds(made.seconds)})"
    if trace.calls:
        failed = sum(not made.result.ok for made in trace.calls)
        rounds = _rounds(trace.rounds, "in {} Runde", "in {} Runden")
        yield f"Aufrufe: {len(trace.calls)}, davon {failed} fehlgeschlagen{rounds}"
    else:
        yield "Kein Werkzeug wurde benutzt."
    if _by_model(trace):
        yield (
            f"Modell: {trace.prompt_tokens} Token gelesen (davon {trace.cached_tokens} aus dem Zwischenspeicher), "
            f"{trace.completion_tokens} geschrieben"
        )
        if trace.review.thought_s:
            yield f"Nachgedacht: {_seconds(trace.review.thought_s)}"
        if trace.review.strategy:
            yield f"Strategie: {trace.review.strategy}"
        yield from _check_in_german(trace)
    elif trace.state == "answered":
        yield "Modell: nicht gefragt, die Antwort hat Code geschrieben"
    if trace.language:
        language = LANGUAGES.get(trace.language)
        yield f"Sprache: {language.german if language else trace.language}"
    yield f"Gedauert hat es {_seconds(trace.seconds)}."


def _skill_in_english(trace: Trace) -> str:
    route = trace.route
    evidence = quoted(route.evidence)
    match route.stage:
        case Stage.TRIGGER:
            reason = f"it is meant for messages with {evidence}"
        case Stage.SEARCH:
            reason = f"its keywords were in the message: {evidence}"
        case Stage.CARRY_OVER:
            reason = "carried over, the message goes on with the one before"
        case Stage.QUESTION:
            reason = f"a question to look up, about {evidence}"
        case Stage.NONE:
            return "Skill: none, no skill claimed the message"
        case _:
            assert_never(route.stage)
    return f"Skill: `{route.skill}` – {reason} (stage: {route.stage})"


def _skill_in_german(trace: Trace) -> str:
    route = trace.route
    evidence = quoted(route.evidence)
    match route.stage:
        case Stage.TRIGGER:
            reason = f"sie ist für Nachrichten mit {evidence} da"
        case Stage.SEARCH:
            reason = f"ihre Stichwörter kamen vor: {evidence}"
        case Stage.CARRY_OVER:
            reason = "weitergeführt, die Nachricht schließt an die vorige an"
        case Stage.QUESTION:
            reason = f"eine Frage zum Nachschlagen, über {evidence}"
        case Stage.NONE:
            return "Fähigkeit: keine, für die Nachricht ist keine zuständig"
        case _:
            assert_never(route.stage)
    return f"Fähigkeit: `{route.skill}` – {reason} (Stufe: {route.stage})"


def _check_in_english(trace: Trace) -> Iterator[str]:
    review = trace.review
    if review.findings:
        yield f"Check: flagged – {_findings(trace)}"
    elif trace.state == "answered":
        yield (
            "Check: corrected once, nothing is left to object to" if review.corrected else "Check: nothing to object to"
        )
    if review.wound_down:
        yield "Wound down: every round of tools was used up"


def _check_in_german(trace: Trace) -> Iterator[str]:
    review = trace.review
    if review.findings:
        yield f"Prüfung: beanstandet – {_findings(trace)}"
    elif trace.state == "answered":
        yield "Prüfung: einmal berichtigt, nun ohne Einwand" if review.corrected else "Prüfung: ohne Einwand"
    if review.wound_down:
        yield "Abgebrochen: alle Runden mit Werkzeugen waren verbraucht"


def _findings(trace: Trace) -> str:
    return " ".join(quoted(finding, limit=FINDING_LIMIT) for finding in trace.review.findings)


def _by_model(trace: Trace) -> bool:
    return bool(trace.prompt_tokens or trace.completion_tokens)


def _call(made: CallRecord) -> str:
    arguments = ", ".join(
        f"{name} {quoted(str(value), limit=VALUE_LIMIT)}" for name, value in made.call.arguments.items()
    )
    return f"{quoted(made.call.name)} {arguments}".rstrip()


def _rounds(count: int, one: str, many: str) -> str:
    return f", {(one if count == 1 else many).format(count)}" if count else ""


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s".replace(".", ",")
