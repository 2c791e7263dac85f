"""The decision: the whole table, what turns allow into ask, and that everything unknown is denied."""

from __future__ import annotations

import itertools
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from jarvisbot.policy.rules import decide
from jarvisbot.types import Allow, Ask, Decision, Deny
from tests.fakes import START

CASES = Path(__file__).parent.parent / "cases" / "policy.jsonl"
RISKS = ("R0", "R1", "R2", "R3", "R4", "R5")
TABLE = {
    "observe": ("allow", "deny", "deny", "deny", "deny", "deny"),
    "assist": ("allow", "allow", "ask", "ask", "ask", "deny"),
    "autonomous": ("allow", "allow", "allow", "ask", "ask", "deny"),
}


def decision(mode: str, risk: str, *, requires_approval: bool = False, tainted: bool = False) -> Decision:
    return decide(
        mode=mode, risk=risk, requires_approval=requires_approval, tainted=tainted, summary="Delete all?", now=START
    )


def word(made: Decision) -> str:
    return {Allow: "allow", Ask: "ask", Deny: "deny"}[type(made)]


@pytest.mark.parametrize(
    ("mode", "risk", "requires_approval", "tainted"), [*itertools.product(TABLE, RISKS, (False, True), (False, True))]
)
def test_every_cell_of_the_table(mode: str, risk: str, requires_approval: bool, tainted: bool) -> None:
    expected = TABLE[mode][RISKS.index(risk)]
    if expected == "allow" and (requires_approval or (tainted and risk != "R0")):
        expected = "ask"
    assert word(decision(mode, risk, requires_approval=requires_approval, tainted=tainted)) == expected


@pytest.mark.parametrize(
    ("mode", "risk"),
    [
        ("turbo", "R0"),
        ("", "R0"),
        ("ASSIST", "R0"),
        ("assist", "R9"),
        ("assist", ""),
        ("autonomous", "r0"),
        ("turbo", "R9"),
    ],
)
@pytest.mark.parametrize("requires_approval", [False, True])
def test_an_unknown_mode_or_class_is_denied(mode: str, risk: str, requires_approval: bool) -> None:
    assert isinstance(decision(mode, risk, requires_approval=requires_approval), Deny)


def test_an_ask_shows_what_is_asked_and_ends_after_five_minutes() -> None:
    assert decision("assist", "R3") == Ask(summary="Delete all?", expires=START + timedelta(seconds=300))


def test_a_denial_says_why() -> None:
    for mode, risk in [("assist", "R5"), ("observe", "R2"), ("turbo", "R0")]:
        made = decision(mode, risk)
        assert isinstance(made, Deny)
        assert made.reason


def cases() -> list[Any]:
    """The rows about mode, class and the tool's own flag alone."""
    rows = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    return [
        pytest.param(row, id=row["id"])
        for row in rows
        if row["kind"] == "policy" and row["flags"].keys() <= {"requires_approval", "tainted"}
    ]


def test_there_are_cases() -> None:
    assert len(cases()) >= 20


@pytest.mark.parametrize("case", cases())
def test_a_case_is_decided_as_written(case: dict[str, Any]) -> None:
    flags = case["flags"]
    made = decision(
        case["mode"],
        case["risk"],
        requires_approval=flags.get("requires_approval", False),
        tainted=flags.get("tainted", False),
    )
    assert word(made) == case["expect"], case["why"]
