"""Tools: made from functions, run only through the gate, and a result whatever happens."""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field

from jarvisbot.errors import ConfigError, Refused
from jarvisbot.tool import Output, Risk, Tool, Toolbox, ToolContext, normalised, tool
from jarvisbot.types import (
    Address,
    Allow,
    Ask,
    Author,
    Decision,
    Deny,
    Principal,
    Role,
    Source,
    ToolCall,
    ToolResult,
)
from tests.fakes import START

AUTHOR = Author(id="1", name="Ada")
CONTEXT = ToolContext(
    principal=Principal(user="fake:1", role=Role.MEMBER, author=AUTHOR),
    at=Address(connector="fake", room="1"),
    turn="1",
    now=START,
)


class Colour(enum.StrEnum):
    RED = "red"
    BLUE = "blue"


class Place(BaseModel):
    city: str


@dataclass
class Gate:
    """A policy that says what it is told to, and remembers what it was asked."""

    decision: Decision = field(default_factory=Allow)
    asked: list[tuple[str, dict[str, Any], bool]] = field(default_factory=list)

    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        assert context is CONTEXT
        self.asked.append((tool.name, dict(call.arguments), tainted))
        return self.decision


@tool(risk=Risk.READ, label="Repeated", timeout_s=5)
async def repeat(text: str, times: int = 1, *, loud: bool = False) -> str:
    """Says a text again.

    More about it that a model need not know.

    Args:
        text: What to say,
            in full.
        times: How often.

    Returns:
        text: The text.
    """
    return " ".join([text.upper() if loud else text] * times)


async def run(known: Tool, gate: Gate | None = None, **arguments: Any) -> ToolResult:
    call = ToolCall(id="c1", name=known.name, arguments=arguments)
    return await Toolbox([known], gate or Gate()).run(call, context=CONTEXT)


def made(function: Callable[..., Awaitable[Any]], **options: Any) -> Tool:
    function.__doc__ = "Does it."
    return tool(risk=Risk.READ, label="Did", **options)(function)


# ---------------------------------------------------------------- making one


def test_name_description_and_schema_come_from_the_function() -> None:
    spec = repeat.spec
    assert (spec.name, spec.description) == ("repeat", "Says a text again.")
    assert spec.parameters == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to say, in full."},
            "times": {"type": "integer", "default": 1, "description": "How often."},
            "loud": {"type": "boolean", "default": False},
        },
        "required": ["text"],
    }


def test_a_parameter_named_context_is_not_shown_to_the_model() -> None:
    async def who(context: ToolContext) -> str:
        return context.principal.user

    assert made(who).spec.parameters["properties"] == {}


def test_limits_choices_and_nested_values_are_in_the_schema() -> None:
    async def paint(
        colour: Colour, size: Annotated[int, Field(ge=1, le=9)], kind: Literal["oil", "ink"], at: Place
    ) -> str:
        return ""

    schema: Any = made(paint).spec.parameters
    assert schema["properties"]["size"]["maximum"] == 9
    assert schema["properties"]["kind"]["enum"] == ["oil", "ink"]
    assert schema["properties"]["colour"]["$ref"].removeprefix("#/$defs/") in schema["$defs"]
    assert schema["$defs"]["Colour"]["enum"] == ["red", "blue"]
    assert schema["$defs"]["Place"]["properties"]["city"]["type"] == "string"


def test_a_function_that_cannot_be_a_tool_is_refused_when_it_is_made() -> None:
    def plain(text: str) -> str:
        """Does it."""
        return text

    async def untold(text: str) -> str:
        return text

    async def many(*texts: str) -> str:
        """Does it."""
        return ""

    async def untyped(text) -> str:  # type: ignore[no-untyped-def]
        """Does it."""
        return ""

    for function, complaint in [(plain, "async"), (untold, "docstring"), (many, "texts"), (untyped, "text")]:
        with pytest.raises(TypeError, match=complaint):
            tool(risk=Risk.READ, label="Did")(function)


def test_two_tools_of_one_name_are_refused_and_both_are_named() -> None:
    async def other() -> str:
        return ""

    with pytest.raises(ConfigError, match=r"'repeat'.*test_tool\.repeat.*other"):
        Toolbox([repeat, made(other, name="repeat")], Gate())


def test_a_toolbox_offers_what_it_has_of_the_names_asked_for() -> None:
    async def add() -> str:
        return ""

    box = Toolbox([repeat, made(add, taints=True)], Gate())
    assert box.names == ("add", "repeat")
    assert [spec.name for spec in box.specs()] == ["add", "repeat"]
    assert [spec.name for spec in box.specs(["repeat", "gone", "repeat"])] == ["repeat"]
    assert box.specs([]) == ()
    assert (box.label("repeat"), box.label("gone")) == ("Repeated", "gone")
    assert (box.taints("add"), box.taints("repeat"), box.taints("gone")) == (True, False, False)


# ---------------------------------------------------------------- running one


async def test_a_result_carries_text_and_sources_under_the_calls_id() -> None:
    source = Source(title="a", url="https://example.org")

    async def find() -> Output:
        return Output(text="found", sources=(source,))

    assert await run(made(find)) == ToolResult(call_id="c1", text="found", sources=(source,))
    assert await run(repeat, text="hm") == ToolResult(call_id="c1", text="hm")


async def test_the_context_reaches_a_tool_that_wants_it() -> None:
    async def who(text: str, context: ToolContext) -> str:
        return f"{text} {context.principal.user}"

    assert (await run(made(who), text="I am")).text == "I am fake:1"


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"text": "a", "times": "2"}, "a a"),
        ({"text": "a", "times": " 2 "}, "a a"),
        ({"text": 4417}, "4417"),
        ({"text": "a", "loud": "true"}, "A"),
        ({"text": "a", "times": None}, "a"),
        ({"text": "[1]"}, "[1]"),
    ],
)
async def test_arguments_that_can_only_mean_one_thing_are_taken(arguments: dict[str, Any], text: str) -> None:
    assert (await run(repeat, **arguments)).text == text


async def test_a_list_or_an_object_given_as_text_is_read() -> None:
    async def go(places: list[Place], at: Place) -> str:
        return ",".join(place.city for place in [*places, at])

    assert (await run(made(go), places='[{"city": "Oslo"}]', at='{"city": "Rome"}')).text == "Oslo,Rome"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({}, "text"),
        ({"text": "a", "volume": 3}, "volume"),
        ({"text": "a", "times": "often"}, "times"),
        ({"text": "a", "times": 1.5}, "times"),
        ({"text": None}, "text"),
        ({"text": ["a"]}, "text"),
    ],
)
async def test_arguments_that_do_not_fit_are_named_and_nothing_runs(arguments: dict[str, Any], complaint: str) -> None:
    result = await run(repeat, **arguments)
    assert not result.ok
    assert f"bad arguments ({complaint}:" in result.text
    assert "It takes: text, times, loud." in result.text


async def test_an_exception_becomes_a_result_with_its_message() -> None:
    async def break_down() -> str:
        raise ZeroDivisionError("by zero")

    async def refuse() -> str:
        raise Refused("I will not do that.")

    assert await run(made(break_down)) == ToolResult(
        call_id="c1", text='Tool "break_down" failed: ZeroDivisionError: by zero', ok=False
    )
    assert (await run(made(refuse))).text == 'Tool "refuse" failed: I will not do that.'


async def test_a_tool_that_returns_nothing_readable_has_failed() -> None:
    async def nothing() -> Any:
        return None

    result = await run(made(nothing))
    assert (result.ok, "nothing that can be read" in result.text) == (False, True)


async def test_a_tool_is_stopped_at_its_time_limit() -> None:
    stopped = asyncio.Event()

    async def wait() -> str:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return ""

    result = await run(made(wait, timeout_s=0.01))
    assert stopped.is_set()
    assert (result.ok, result.text) == (
        False,
        'Tool "wait" failed: it took longer than 0.01 seconds and was stopped.',
    )


async def test_a_time_out_of_its_own_is_not_the_tools_limit() -> None:
    async def ask() -> str:
        raise TimeoutError("no answer from the server")

    assert (await run(made(ask))).text == 'Tool "ask" failed: TimeoutError: no answer from the server'


async def test_cancelling_passes_through() -> None:
    started = asyncio.Event()

    async def wait() -> str:
        started.set()
        await asyncio.Event().wait()
        return ""

    running = asyncio.create_task(run(made(wait)))
    await started.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_cancelled_part_of_a_tool_is_a_failure_and_not_the_turns_end() -> None:
    async def ask() -> str:
        inner = asyncio.create_task(asyncio.Event().wait())
        inner.cancel()
        return str(await inner)

    result = await run(made(ask))
    assert (result.ok, "cancelled" in result.text) == (False, True)


async def test_a_result_is_cut_to_what_a_model_can_read() -> None:
    async def flood() -> str:
        return "x" * 1_000_000

    assert len((await run(made(flood))).text) == 8_001


# ---------------------------------------------------------------- the gate


@pytest.mark.parametrize(
    "decision", [Deny(reason="Not here."), Ask(summary="Not here.", expires=START + timedelta(minutes=5))]
)
async def test_nothing_runs_that_the_gate_does_not_allow(decision: Decision) -> None:
    ran = []

    async def write(text: str) -> str:
        ran.append(text)
        return "written"

    gate = Gate(decision)
    result = await run(made(write), gate, text="a")
    assert (ran, result.ok) == ([], False)
    assert "Not here." in result.text
    assert gate.asked == [("write", {"text": "a"}, False)]


async def test_the_gate_is_asked_before_the_arguments_are_looked_at_and_told_of_taint() -> None:
    gate = Gate(Deny(reason="No."))
    call = ToolCall(id="c1", name="repeat", arguments={"nonsense": 1})
    result = await Toolbox([repeat], gate).run(call, context=CONTEXT, tainted=True)
    assert (result.text, gate.asked) == ("No.", [("repeat", {"nonsense": 1}, True)])


async def test_nobody_is_asked_to_approve_a_call_whose_arguments_do_not_fit() -> None:
    gate = Gate(Ask(summary="Repeat?", expires=START + timedelta(minutes=5)))
    call = ToolCall(id="c1", name="repeat", arguments={"nonsense": 1})
    result = await Toolbox([repeat], gate).run(call, context=CONTEXT)
    assert not result.ok
    assert "bad arguments" in result.text
    assert "approval" not in result.text


async def test_an_unknown_tool_is_denied_with_the_names_there_are() -> None:
    gate = Gate()
    call = ToolCall(id="c1", name="fly", arguments={})
    result = await Toolbox([repeat], gate).run(call, context=CONTEXT)
    assert (result.ok, result.text) == (False, "There is no tool 'fly'. Tools: repeat.")
    assert gate.asked == []
    assert isinstance(Toolbox([], gate).permits(call, context=CONTEXT), Deny)


# ---------------------------------------------------------------- the same call


@pytest.mark.parametrize(
    "arguments",
    [
        {"q": "rain", "n": 1},
        {"n": 1, "q": "rain"},
        {"q": "  RAIN ", "n": 1},
        {"q": "rain", "n": 1, "more": ""},
        {"q": "rain", "n": 1, "more": None, "list": [], "map": {}},
    ],
)
def test_case_space_order_and_empty_values_make_no_difference(arguments: dict[str, Any]) -> None:
    same = ToolCall(id="2", name="find", arguments=arguments)
    assert normalised(same) == normalised(ToolCall(id="1", name="find", arguments={"q": "rain", "n": 1}))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("find", {"q": "rain", "n": 2}), ("find", {"q": "ra in", "n": 1}), ("seek", {"q": "rain", "n": 1})],
)
def test_another_value_or_name_makes_another_call(name: str, arguments: dict[str, Any]) -> None:
    other = ToolCall(id="1", name=name, arguments=arguments)
    assert normalised(other) != normalised(ToolCall(id="1", name="find", arguments={"q": "rain", "n": 1}))
