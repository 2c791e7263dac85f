"""Drafts on an action that came to nothing: they have to say so."""

from __future__ import annotations

import pytest

from jarvisbot.agent.review import review
from jarvisbot.store.turns import CallRecord
from jarvisbot.types import ToolCall, ToolResult

REFUSED = "This needs a person's approval, which cannot be asked for here: Tried to run name=light off"


def tried(*, ok: bool = False, name: str = "home_action") -> CallRecord:
    call = ToolCall(id="a", name=name, arguments={"name": "light off"})
    return CallRecord(
        call=call, result=ToolResult(call_id="a", text="Done: light off" if ok else REFUSED, ok=ok), seconds=0.0
    )


CLAIMS = [
    "The light is off.",
    "Done!",
    "I have turned off the light for you.",
    "Okay, the lights are out. Good night!",
    "Das Licht ist aus.",
    "Erledigt.",
    "Ich habe das Licht ausgeschaltet. Gute Nacht!",
]
HONEST = [
    "I could not turn it off.",
    "I can't do that: it needs an approval.",
    "That needs a person's approval first.",
    "Sorry, the light is still on.",
    "Shall I try again?",
    "Das Licht konnte ich nicht ausschalten.",
    "Dafür brauche ich eine Freigabe.",
    "Leider hat das nichts bewirkt.",
]


@pytest.mark.parametrize("draft", CLAIMS)
def test_a_draft_that_passes_over_the_failure_is_objected_to(draft: str) -> None:
    for language in ("en", "de"):
        found = review(question="Licht aus, please", calls=[tried()], draft=draft, language=language)
        assert "false-done" in [finding.kind for finding in found]


@pytest.mark.parametrize("draft", HONEST)
def test_a_draft_that_says_so_passes(draft: str) -> None:
    found = review(question="", calls=[tried()], draft=draft, language="en")
    assert "false-done" not in [finding.kind for finding in found]


@pytest.mark.parametrize("calls", [[], [tried(ok=True)], [tried(), tried(ok=True)], [tried(name="calculator")]])
def test_a_draft_after_a_success_or_another_tool_is_left_alone(calls: list[CallRecord]) -> None:
    assert review(question="", calls=calls, draft="The light is off.", language="en") == ()
