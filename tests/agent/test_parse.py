"""Raw output taken apart: the same result however the stream is cut, no reasoning and no mark in what is shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.agent.parse import Parsed, StreamParser, UnreadableCall
from jarvisbot.types import ToolCall


def parsed(text: str, *cuts: int) -> Parsed:
    """The text fed in pieces of these lengths, over and over; whole without any."""
    parser, at, number = StreamParser(), 0, 0
    while at < len(text):
        size = cuts[number % len(cuts)] if cuts else len(text)
        parser.feed(text[at : at + size])
        at, number = at + size, number + 1
    return parser.finish()


def seen(text: str, size: int) -> list[str]:
    """What is visible after each piece."""
    parser, views = StreamParser(), []
    for at in range(0, len(text), size):
        parser.feed(text[at : at + size])
        views.append(parser.visible)
    return views


CALL = '{"name": "weather", "arguments": {"city": "Oslo"}}'
ANSWERS = [
    # text, what is visible at the end
    ("Hello.", "Hello."),
    ("<think>a</think>Answer", "Answer"),
    ("<think>a</think>\n\nAnswer", "Answer"),
    ("reasoning...</think>Answer", "Answer"),
    ("<think>a</think>draft</think>Answer", "Answer"),
    ("<think><think>a</think>b</think>Answer", "Answer"),
    ("<think>x <think>a</think>b</think>Answer", "Answer"),
    ("Yes <think>hm</think>and no", "Yes and no"),
    ("Hi there</think>", ""),
    ("<think>Hi there, good to see you!", ""),
    ("<think>They ask for a capital; Norway, so <final>It is Oslo.</final>", "It is Oslo."),
    ("<think>They ask for a capital; Norway, so <final>It is Oslo.", "It is Oslo."),
    ("<think>a <final>It is Oslo.</final></think>", "It is Oslo."),
    ("<think>a <final>It is Oslo.</final> I am done.</think>", "It is Oslo."),
    ("<think>a <final>It is Oslo.</think>", "It is Oslo."),
    ("<think>a</think><final>It is Oslo.</final>", "It is Oslo."),
    ("<think>a</think>So: <final>It is Oslo.</final> Done.", "It is Oslo."),
    ("a capital, so <final>It is Oslo.</final>", "It is Oslo."),
    ("<final>It <think>is it?</think>is Oslo.</final>", "It is Oslo."),
    ("<think>the <final> tag</think>Answer", "Answer"),
    ("What does the `<think>` tag do?", "What does the `<think>` tag do?"),
    ("`</think>` and ``<final>`` and `<tool_call>`", "`</think>` and ``<final>`` and `<tool_call>`"),
    ("```\n<think>\n</think>\n<tool_call>\n```\nok", "```\n<think>\n</think>\n<tool_call>\n```\nok"),
    ("~~~xml\n<think>\n~~~\nok", "~~~xml\n<think>\n~~~\nok"),
    ("- item\n  ```xml\n  <think>\n  ```\nok", "- item\n  ```xml\n  <think>\n  ```\nok"),
    ("````\n```\n<think>\n````", "````\n```\n<think>\n````"),
    ("Use ```<think>``` here. <think>x</think>Yes", "Use ```<think>``` here. Yes"),
    ("A stray ` tick.\n\n<think>x</think>Answer", "A stray ` tick.\n\nAnswer"),
    ("<think>what does `<think>` do? `</think>` ends it</think>It is `<think>`.", "It is `<think>`."),
    ("<think>I could use <tool_call> here</think>Answer", "Answer"),
    ("Hi<|im_end|>", "Hi"),
    ("<|start|>Hi <|im_end|>there", "Hi there"),
    ("a <| b |> c", "a <| b |> c"),
    ("`<|im_end|>`", "`<|im_end|>`"),
    ("1 < 2 and <b>bold</b> <thin", "1 < 2 and <b>bold</b> <thin"),
    ("</tool_call>Hi</final>", "Hi"),
]


@pytest.mark.parametrize(("text", "visible"), ANSWERS)
def test_only_the_answer_is_visible(text: str, visible: str) -> None:
    assert parsed(text).text == visible


@pytest.mark.parametrize("text", [text for text, _ in ANSWERS])
@pytest.mark.parametrize("cuts", [(1,), (2,), (3,), (4,), (5,), (1, 5, 2)])
def test_cutting_the_stream_changes_nothing(text: str, cuts: tuple[int, ...]) -> None:
    assert parsed(text, *cuts) == parsed(text)


PIECES = [
    "<think>", "</think>", "<final>", "</final>", "<tool_call>", "</tool_call>", "<function=f>", "</function>", CALL, "`", "``",
    "```", "```py\n", "~~~", "\n", "\n\n", "<|", "|>", "<|im_end|>", "<", ">", "word", " ", "ß", "- ", "> ", "{", "\\`",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_any_mixture_of_marks_cut_anywhere_gives_the_same(pieces: list[str], cuts: list[int]) -> None:
    text = "".join(pieces)
    assert parsed(text, *cuts) == parsed(text)


@given(st.text(), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_any_text_cut_anywhere_gives_the_same(text: str, cuts: list[int]) -> None:
    assert parsed(text, *cuts) == parsed(text)


@given(st.text(alphabet=st.characters(blacklist_characters="<`~|")))
def test_text_without_marks_is_left_as_it_is(text: str) -> None:
    assert parsed(text, 3).text == text.strip()


@pytest.mark.parametrize("size", range(1, 6))
def test_neither_reasoning_nor_tags_are_ever_visible_where_the_block_is_open(size: int) -> None:
    text = "<think>They ask for a capital; Norway, so <final>It is Oslo.</final>"
    views = seen(text, size)
    assert all("It is Oslo.".startswith(view) for view in views)
    assert views[-1] == "It is Oslo."


@pytest.mark.parametrize("size", range(1, 6))
def test_a_lone_close_takes_back_what_was_visible(size: int) -> None:
    views = seen("reasoning</think>Answer", size)
    assert any("reason" in view for view in views)
    assert views[-1] == "Answer"
    assert parsed("reasoning</think>Answer").thinking == "reasoning"


@pytest.mark.parametrize("size", range(1, 6))
def test_a_call_is_never_visible_while_it_is_written(size: int) -> None:
    views = seen(f"One moment. <tool_call>\n{CALL}\n</tool_call>", size)
    assert {view.strip() for view in views} <= {"One moment."[:length] for length in range(12)}


def test_an_unclosed_block_is_hidden_and_said_to_be_open() -> None:
    result = parsed("<think>Hi there")
    assert (result.text, result.thinking, result.open_think) == ("", "Hi there", True)
    assert not parsed("<think>a</think>b").open_think


def test_reasoning_holds_no_marks_and_no_special_tokens() -> None:
    assert parsed("<think>a<|im_end|> b</final></think>c").thinking == "a b"


def test_the_stream_says_whether_it_is_inside_reasoning() -> None:
    parser = StreamParser()
    parser.feed("<thi")
    assert not parser.thinking_now
    parser.feed("nk>a")
    assert parser.thinking_now
    parser.feed("</think>b")
    assert not parser.thinking_now


# ---------------------------------------------------------------- calls in the stream


def test_a_call_inside_open_reasoning_is_a_call() -> None:
    result = parsed(f"<think>I need the weather <tool_call>{CALL}</tool_call>", 3)
    assert result.text == ""
    assert [call.name for call in result.calls if isinstance(call, ToolCall)] == ["weather"]


def test_reasoning_goes_on_behind_a_call_made_inside_it() -> None:
    result = parsed(f"<think>a <tool_call>{CALL}</tool_call> b</think>Answer", 2)
    assert (result.text, len(result.calls)) == ("Answer", 1)


def test_what_follows_a_call_inside_open_reasoning_is_never_visible() -> None:
    text = f"<think>a <tool_call>{CALL}</tool_call> so I wait"
    assert parsed(text).text == ""
    assert not any(seen(text + "</think>", 4))


def test_calls_keep_their_order_and_get_different_ids() -> None:
    second = CALL.replace("Oslo", "Rome")
    result = parsed(f"<tool_call>{CALL}</tool_call> and <tool_call>{second}</tool_call>", 4)
    assert [call.arguments["city"] for call in result.calls if isinstance(call, ToolCall)] == ["Oslo", "Rome"]
    assert len({call.id for call in result.calls if isinstance(call, ToolCall)}) == 2
    assert result.text == "and"


def test_a_call_behind_a_code_span_of_three_ticks_is_a_call() -> None:
    assert len(parsed(f"Use ```x``` now. <tool_call>{CALL}</tool_call>", 2).calls) == 1


def test_a_call_in_a_fenced_block_is_text() -> None:
    result = parsed(f"```xml\n<tool_call>{CALL}</tool_call>\n```", 2)
    assert result.calls == ()
    assert CALL in result.text


def test_a_function_without_its_block_is_a_call() -> None:
    result = parsed(
        "I look it up.\n<function=weather>\n<parameter=city>\nOslo\n</parameter>\n</function>\n</tool_call>", 3
    )
    assert result.calls == (ToolCall(id="call1", name="weather", arguments={"city": "Oslo"}),)
    assert result.text == "I look it up."


def test_a_whole_call_whose_end_mark_is_missing_is_a_call() -> None:
    assert parsed(f"<tool_call>\n{CALL}", 3).calls == (
        ToolCall(id="call1", name="weather", arguments={"city": "Oslo"}),
    )


@pytest.mark.parametrize("length", range(1, len(CALL)))
def test_a_truncated_call_is_never_a_call(length: int) -> None:
    calls = parsed(f"<tool_call>{CALL[:length]}", 5).calls
    assert not [call for call in calls if isinstance(call, ToolCall)]
    assert [call.problem for call in calls if isinstance(call, UnreadableCall)] == [
        "the call was cut off before its end"
    ]


def test_a_truncated_function_is_never_a_call() -> None:
    text = "<tool_call><function=note>\n<parameter=text>\nDROP old notes from 2019 and"
    (call,) = parsed(text, 3).calls
    assert isinstance(call, UnreadableCall)
    (bare,) = parsed(text.removeprefix("<tool_call>"), 3).calls
    assert isinstance(bare, UnreadableCall)


def test_an_empty_block_that_was_never_closed_is_nothing() -> None:
    assert parsed("<tool_call>  ").calls == ()
