"""The check of an answer: what it objects to, and all that it lets pass."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

from jarvisbot.agent.review import Finding, review
from jarvisbot.store.turns import CallRecord
from jarvisbot.types import ToolCall, ToolResult

CASES = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "cases" / "answer_check.jsonl").read_text(encoding="utf-8").splitlines()
]


def made(name: str, result: str, /, **arguments: str) -> CallRecord:
    ok = not result.startswith(f'Tool "{name}" failed')
    call = ToolCall(id="1", name=name, arguments=arguments)
    return CallRecord(call=call, result=ToolResult(call_id="1", text=result, ok=ok), seconds=0.0)


def checked(
    draft: str, calls: Iterable[CallRecord] = (), *, question: str = "?", known: Sequence[str] = ()
) -> tuple[Finding, ...]:
    return review(question=question, calls=tuple(calls), draft=draft, known_urls=known)


def kinds(findings: Iterable[Finding]) -> list[str]:
    return [finding.kind.value for finding in findings]


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_a_case(case: Mapping[str, object]) -> None:
    tools = case["tools"]
    assert isinstance(tools, list)
    calls = [made(tool["name"], tool["result"], **tool["arguments"]) for tool in tools]
    known = case.get("known_urls", [])
    assert isinstance(known, list)
    findings = review(question=str(case["question"]), calls=calls, draft=str(case["draft"]), known_urls=known)
    assert kinds(findings) == case["expect"]


@pytest.mark.speed
def test_a_check_takes_less_than_a_millisecond() -> None:
    prepared = [
        (
            str(case["question"]),
            [made(tool["name"], tool["result"], **tool["arguments"]) for tool in case["tools"]],
            case,
        )
        for case in CASES
    ]
    shortest = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for question, calls, case in prepared:
            review(question=question, calls=calls, draft=case["draft"], known_urls=case.get("known_urls", []))
        shortest = min(shortest, time.perf_counter() - began)
    assert shortest / len(prepared) < 0.001


@pytest.mark.speed
@pytest.mark.parametrize(
    "piece",
    ["the note ", "I have added ", "ich habe ", "'a ", "1.234.567,89 ", "12:30 ", "https://a.example/b/c ", "a"],
)
def test_no_draft_is_long_to_check(piece: str) -> None:
    calls = [
        made("calculator", "50 / 7 ≈ 7.14285714286"),
        made("current_time", "09:04 CEST (UTC+2, Europe/Berlin), Mon 28 Sep 2026"),
        made("research", "Answer: 4.87 million people.\n\n1. https://stats.example/veldt"),
    ]
    began = time.perf_counter()
    checked((piece * 5000)[:5000], calls, question="What is this, and how is it done?")
    assert time.perf_counter() - began < 0.25
