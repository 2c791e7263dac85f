"""The calculator as the model and the toolbox see it."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from jarvisbot.tool import Risk, Tool, Toolbox, ToolContext
from jarvisbot.tools.calculator import calculator
from jarvisbot.types import Address, Allow, Arguments, Author, Decision, Principal, Role, ToolCall, ToolResult


class Open:
    """A policy that lets every call pass."""

    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        return Allow()


CONTEXT = ToolContext(
    principal=Principal(user="console:1", role=Role.MEMBER, author=Author(id="1", name="Ada")),
    at=Address(connector="console", room="main"),
    turn="t1",
    now=datetime(2026, 11, 30, tzinfo=UTC),
)


async def run(arguments: Arguments) -> ToolResult:
    toolbox = Toolbox(tools=[calculator], gate=Open())
    return await toolbox.run(ToolCall(id="c1", name="calculator", arguments=arguments), context=CONTEXT)


def test_it_reads_only_and_tells_the_model_what_it_takes() -> None:
    assert calculator.risk is Risk.READ
    assert calculator.label == "Calculated"
    assert not calculator.taints
    assert calculator.spec.name == "calculator"
    properties = calculator.spec.parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["expression"]
    assert properties["expression"]["description"].startswith("The sum in digits")
    assert calculator.spec.description.startswith("Works out an arithmetic expression exactly")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("4417 * 83", "4417 * 83 = 366611"),
        ("1 / 3", "1 / 3 ≈ 0.333333333333"),
        (" 3 + 4 = ", "3 + 4 = 7"),
        ("2(3+4)", "2(3+4) = 14"),
        ("15% of 600", "15% of 600 = 90"),
        ("80 + 25%", "80 + 25% = 100\nRead as 80 + 25 % of 80."),
    ],
)
async def test_a_sum_comes_back_as_a_line(expression: str, text: str) -> None:
    result = await run({"expression": expression})
    assert (result.ok, result.text) == (True, text)


@pytest.mark.parametrize(
    ("expression", "part"),
    [
        ("1 / 0", "Division by zero"),
        ("6 feet in cm", "no units"),
        ("9**9**9**9", "too large"),
        ("import os", '"import"'),
    ],
)
async def test_a_fault_is_a_result_the_model_can_read(expression: str, part: str) -> None:
    result = await run({"expression": expression})
    assert not result.ok
    assert part in result.text


@pytest.mark.parametrize("arguments", [{}, {"expression": "1", "base": "2"}, {"expression": ["1"]}])
async def test_arguments_of_another_shape_are_refused(arguments: Arguments) -> None:
    result = await run(arguments)
    assert not result.ok
    assert "expression" in result.text


@pytest.mark.speed
@pytest.mark.parametrize("expression", ["9**9**9**9", "sin(1e3999)+" * 20 + "1", "9" * 200_000, "(" * 300])
async def test_a_bomb_holds_up_the_event_loop_for_less_than_a_tenth_of_a_second(expression: str) -> None:
    spent = []
    for _ in range(3):
        begun = time.thread_time()
        await run({"expression": expression})
        spent.append(time.thread_time() - begun)
    assert min(spent) < 0.1
