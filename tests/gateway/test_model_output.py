"""Raw model output through the whole bot: what people see of it, in drafts and at the end."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from jarvisbot.models.scripted import Pause, Reply, Scripted, Step
from tests.fakes import FakeClock, said
from tests.gateway.conftest import running


def slowly(text: str, size: int) -> list[Step]:
    """The text in pieces, each two seconds after the one before, so that every state of it can become a draft."""
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [step for piece in pieces for step in (Pause(seconds=2), piece)]


async def screens(
    folder: Path, *replies: Reply, ask: str = "What is the capital of Norway?"
) -> tuple[list[str], list[str]]:
    """Every text that was ever sent, and what is on the screen at the end."""
    clock = FakeClock()
    model = Scripted(replies, piece_characters=100, clock=clock)
    async with running(folder, clock=clock, model=model) as bot:
        await bot.hears(said(ask))
        async with asyncio.timeout(20):
            await bot.settles()
        # How long the model thought is told under the answer.
        shown = [re.sub(r"\n\nthought for [\d.]+ s$", "", text) for text in bot.connector.shown]
        return [sent.body.text for _, sent in bot.connector.log], shown


@pytest.mark.parametrize("size", [3, 5])
async def test_a_final_block_in_open_reasoning_is_all_that_is_ever_seen(folder: Path, size: int) -> None:
    reply = slowly("<think>They ask for a capital; Norway, so <final>It is Oslo.</final>", size)
    sent, shown = await screens(folder, reply)
    assert shown == ["It is Oslo."]
    assert len(sent) > 2
    assert not [text for text in sent if "<" in text or "capital" in text or "Norway" in text]


async def test_reasoning_that_never_ends_is_hidden_and_never_silence(folder: Path) -> None:
    sent, shown = await screens(folder, slowly("<think>Hi there, good to see you!", 5), "<think>Hi again!")
    assert shown == ["Hi again!"]
    assert not [text for text in sent if "good" in text or "<" in text]


@pytest.mark.parametrize(
    "reply",
    [
        "reasoning...</think>Answer",
        "<think>a</think>draft</think>Answer",
        "<think><think>a</think>b</think>Answer",
    ],
)
async def test_stray_and_nested_marks_leave_the_answer_on_the_screen(folder: Path, reply: str) -> None:
    sent, shown = await screens(folder, slowly(reply, 4))
    assert shown == ["Answer"]
    assert not [text for text in sent if "think" in text]


async def test_a_call_in_open_reasoning_runs_and_only_the_answer_is_seen(folder: Path) -> None:
    call = '<tool_call>{"name": "calculator", "arguments": {"expression": "2 * 21"}}</tool_call>'
    reply = slowly(f"<think>I need the calculator {call}", 20)
    sent, shown = await screens(
        folder, reply, "It is 42.", ask="Which is the arithmetic expression for two times twenty-one?"
    )
    assert len(shown) == 1
    assert shown[0].endswith("It is 42.")
    assert "2 * 21" in shown[0]
    assert not [text for text in sent if "need" in text or "tool_call" in text]


async def test_a_tag_that_was_asked_about_is_shown(folder: Path) -> None:
    reply = "<think>what does `<think>` do?</think>`<think>` opens reasoning."
    _, shown = await screens(folder, slowly(reply, 6), ask="what does the `<think>` tag do?")
    assert [text.replace("`", "") for text in shown] == ["<think> opens reasoning."]


@pytest.mark.parametrize("reply", ["\0\0", "\u200b\u200d", "\ufeff", "\u2800 \u3164", "\u202e"])
async def test_an_answer_of_which_nothing_can_be_seen_is_none(folder: Path, reply: str) -> None:
    _, shown = await screens(folder, reply, reply)
    assert shown == ["I could not come up with an answer to that."]
