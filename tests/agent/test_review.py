"""The check of an answer: what it objects to, and all that it lets pass."""

from __future__ import annotations

import json
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
