"""Tool calls of a block: repaired where that cannot change what is meant, refused everywhere else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.agent.calls import UnreadableCall, bare_calls, read_calls
from jarvisbot.types import ToolCall

OSLO = {"city": "Oslo"}
READABLE = [
    '{"name": "weather", "arguments": {"city": "Oslo"}}',
    '{"name": "weather", "parameters": {"city": "Oslo"}}',
    '{"name": " weather ", "arguments": {"city": "Oslo"}}',
    '```json\n{"name": "weather", "arguments": {"city": "Oslo"}}\n```',
    '{"name": "weather", "arguments": {"city": "Oslo",},}',
    '{"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}',
    '{"name": "weather", "arguments": "```json\\n{\\"city\\": \\"Oslo\\"}\\n```"}',
    '{"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"} I will now check."}',
    '{"name": "weather", "arguments": {"city": "Oslo"}} I will now check.',
    'I call: {"name": "weather", "arguments": {"city": "Oslo"}}',
    '[{"name": "weather", "arguments": {"city": "Oslo"}}]',
    '{"type": "function", "function": {"name": "weather", "arguments": "{\\"city\\": \\"Oslo\\"}"}}',
    '{"id": "a", "type": "function", "name": "weather", "arguments": {"city": "Oslo"}}',
    "<function=weather><parameter=city>Oslo</parameter></function>",
    "<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>",
    "<function=weather><parameter=city>Oslo</function>",
    '<function=weather>{"city": "Oslo"}</function>',
    "Sure. <function=weather><parameter=city>Oslo</parameter></function>",
]


@pytest.mark.parametrize("source", READABLE)
def test_a_call_is_read_without_loss(source: str) -> None:
    assert read_calls(source, id_prefix="c") == (ToolCall(id="c1", name="weather", arguments=OSLO),)


UNREADABLE = [
    "",
    "weather(city='Oslo')",
    '{"name": "weather", "arguments": {"city": "Os',
    '{"name": "weather", "arguments": {"city": "Oslo"}',
    '{"name": "weather", "arguments": "{\\"query\\": \\"DROP old notes from 2019 and"}',
    '{"name": "weather", "arguments": "Oslo"}',
    '{"name": "weather", "arguments": ""}',
    '{"name": "weather", "arguments": ["Oslo"]}',
    '{"name": "weather", "arguments": 3}',
    '{"name": "weather", "args": {"city": "Oslo"}}',
    '{"name": "weather", "city": "Oslo"}',
    '{"name": "", "arguments": {}}',
    '{"name": "two\\nlines", "arguments": {}}',
    '{"name": null, "arguments": {}}',
    '{"arguments": {}}',
    "[]",
    "{}",
    "<function=weather>Oslo</function>",
    "<function=weather><parameter=city>Oslo",
    "<function=weather><parameter city>Oslo</parameter></function>",
    "[" * 20_000,
    '{"name": "weather", "arguments": ' + '{"a": ' * 200 + "1" + "}" * 200 + "}",
    '{"name": "weather", "arguments": {"n": ' + "9" * 5_000 + "}}",
]


@pytest.mark.parametrize("source", UNREADABLE, ids=lambda source: source[:40])
def test_what_cannot_be_read_is_never_a_call(source: str) -> None:
    calls = read_calls(source)
    assert len(calls) == 1
    assert isinstance(calls[0], UnreadableCall)
    assert calls[0].problem


@pytest.mark.parametrize(
    "source", ['{"name": "status"}', '{"name": "status", "arguments": null}', "<function=status></function>"]
)
def test_a_call_that_gives_no_arguments_has_none(source: str) -> None:
    assert read_calls(source) == (ToolCall(id="call1", name="status", arguments={}),)


def test_a_value_between_marks_is_not_taken_for_a_mark() -> None:
    source = '{"name": "note", "arguments": {"text": "write <function=f> x </function>, then [1,]"}}'
    assert read_calls(source) == (
        ToolCall(id="call1", name="note", arguments={"text": "write <function=f> x </function>, then [1,]"}),
    )


def test_line_breaks_inside_text_are_kept() -> None:
    (call,) = read_calls('{"name": "note", "arguments": {"text": "a\nb"}}')
    assert isinstance(call, ToolCall)
    assert call.arguments == {"text": "a\nb"}


TWO = [
    '[{"name": "a", "arguments": {}}, {"name": "b", "arguments": {"n": 1}}]',
    '{"name": "a", "arguments": {}}\n{"name": "b", "arguments": {"n": 1}}',
    '{"name": "a", "arguments": {}},\n<tool_call>\n{"name": "b", "arguments": {"n": 1}}',
]


@pytest.mark.parametrize("source", TWO)
def test_several_calls_of_one_block_are_all_read_in_order(source: str) -> None:
    assert read_calls(source, first=5) == (
        ToolCall(id="call5", name="a", arguments={}),
        ToolCall(id="call6", name="b", arguments={"n": 1}),
    )


def test_a_second_call_that_was_cut_off_is_told_and_the_first_stands() -> None:
    first, second = read_calls('{"name": "a", "arguments": {}}\n{"name": "b", "argu', closed=False)
    assert isinstance(first, ToolCall)
    assert isinstance(second, UnreadableCall)


def test_text_that_no_database_takes_is_made_whole() -> None:
    (call,) = read_calls('{"name": "note", "arguments": {"a\\ud800": ["x\\u0000\\udfff"]}}')
    assert isinstance(call, ToolCall)
    json.dumps(call.arguments, ensure_ascii=False).encode()


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0")),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(st.characters(codec="ascii")), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text("abc_", min_size=1), VALUES, max_size=4))
def test_any_arguments_come_back_as_they_were_written(arguments: dict[str, object]) -> None:
    clean = json.loads(json.dumps(arguments).replace("\\u0000", ""))
    for written in (
        json.dumps({"name": "t", "arguments": clean}),
        json.dumps({"name": "t", "arguments": json.dumps(clean)}),
    ):
        for fence in (written, f"```json\n{written}\n```", f"{written} That is my call, {{ok}}."):
            assert read_calls(fence)[0] == ToolCall(id="call1", name="t", arguments=clean)


@given(st.text())
def test_any_text_is_a_call_or_unreadable_and_nothing_breaks(source: str) -> None:
    for call in read_calls(source):
        assert isinstance(call, ToolCall | UnreadableCall)


def test_a_reply_that_is_nothing_but_calls_of_known_tools_is_those_calls() -> None:
    text = '```json\n{"name": "weather", "arguments": {"city": "Oslo"}}\n```'
    assert bare_calls(text, ["weather"]) == (ToolCall(id="call1", name="weather", arguments=OSLO),)


@pytest.mark.parametrize(
    "text",
    [
        'Like this: {"name": "weather", "arguments": {"city": "Oslo"}}',
        '{"name": "weather", "arguments": {"city": "Oslo"}} is a call.',
        '{"name": "Ada", "arguments": {"city": "Oslo"}}',
        '{"name": "weather", "arguments": {"city": "Os',
        '{"city": "Oslo"}',
        "[1, 2]",
        "Hello",
        "",
    ],
)
def test_a_reply_that_only_speaks_of_json_is_no_call(text: str) -> None:
    assert bare_calls(text, ["weather"]) == ()
