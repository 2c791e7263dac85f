"""Frames and messages: what arrives is what was sent, and nothing else is taken for a message."""

from __future__ import annotations

import asyncio
import math
import os
import signal
import subprocess
import sys

import pytest

from jarvisbot.model import Sampling, Usage
from jarvisbot.models.llamacpp.channel import Channel, Closed
from jarvisbot.models.llamacpp.items import turns_of
from jarvisbot.models.llamacpp.process import Lost, WorkerProcess
from jarvisbot.models.llamacpp.protocol import (
    FRAME_LIMIT_BYTES,
    HEAD,
    BadFrame,
    Call,
    Cancel,
    Command,
    Count,
    Counted,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    Loaded,
    LoadFailed,
    Loading,
    Piece,
    Progress,
    Quit,
    SlotRule,
    Tool,
    TooLong,
    Turn,
    body_length,
    read_command,
    read_event,
    write_command,
    write_event,
)
from jarvisbot.types import Assistant, Result, ToolCall, ToolResult

TURNS = (
    Turn(role="user", text='ä 😀 "\\ \u2028'),
    Turn(role="assistant", text="", calls=(Call(id="1", name="n", arguments={"a": [1, None, True, {"b": 1.5}]}),)),
    Turn(role="tool", text="t", name="n", call_id="1"),
)
COMMANDS: list[Command] = [
    Load(path="/a b/ä.gguf", threads=2, context_tokens=None, gpu_layers=-1),
    Generate(
        id=1,
        turns=TURNS,
        tools=(Tool(name="n", description="d", parameters={"type": "object"}),),
        slot=SlotRule(prefix="p", stop="s", characters=None),
        sampling=Sampling(seed=7),
        max_tokens=5,
        wall_s=1.5,
    ),
    Count(id=2, turns=TURNS),
    Cancel(id=3),
    Quit(),
]
EVENTS: list[Event] = [
    Loading(share=0.5),
    Loaded(name="m", context_tokens=4096, tools=True, thinking=False),
    LoadFailed(message="no"),
    Progress(id=1, done=2, total=3),
    Piece(id=1, text="😀\ufffd"),
    Finished(id=1, reason="stop", usage=Usage(prompt_tokens=3, decode_s=0.25)),
    TooLong(id=1, needed=9, available=8),
    Failed(id=1, message="no"),
    Counted(id=1, tokens=9),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: type(command).__name__)
def test_a_command_arrives_as_it_was_sent(command: Command) -> None:
    frame = write_command(command)
    assert body_length(frame[: HEAD.size]) == len(frame) - HEAD.size
    assert read_command(frame[HEAD.size :]) == command


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_arrives_as_it_was_sent(event: Event) -> None:
    assert read_event(write_event(event)[HEAD.size :]) == event


@pytest.mark.parametrize(
    "body", [b"", b"{}", b"[]", b'{"kind":"piece"}', b'{"kind":"other"}', b"\xff", b'{"kind":"piece","id":']
)
def test_what_is_no_message_is_refused(body: bytes) -> None:
    with pytest.raises(BadFrame):
        read_event(body)
    with pytest.raises(BadFrame):
        read_command(body)


def test_a_frame_has_a_limit_in_both_directions() -> None:
    with pytest.raises(BadFrame):
        body_length(HEAD.pack(FRAME_LIMIT_BYTES + 1))
    with pytest.raises(BadFrame):
        write_event(Piece(id=1, text="x" * FRAME_LIMIT_BYTES))


def test_numbers_that_json_does_not_know_become_words() -> None:
    call = ToolCall(id="1", name="n", arguments={"a": math.nan, "b": [math.inf, -1.5]})
    (turn,) = turns_of([Assistant(text="", calls=(call,))])
    assert turn.calls[0].arguments == {"a": "nan", "b": ["inf", -1.5]}
    assert read_command(write_command(Count(id=1, turns=(turn,)))[HEAD.size :]) == Count(id=1, turns=(turn,))


def test_a_result_has_the_name_of_the_call_it_answers() -> None:
    call = ToolCall(id="c7", name="weather", arguments={})
    items = [Assistant(text="", calls=(call,)), Result(result=ToolResult(call_id="c7", text="sunny"))]
    assert turns_of(items)[1] == Turn(role="tool", text="sunny", name="weather", call_id="c7")
    assert turns_of(items[1:])[0].name == ""


def test_commands_are_taken_from_the_line_however_they_are_cut() -> None:
    commands_out, commands_in = os.pipe()
    events_out, events_in = os.pipe()
    try:
        channel = Channel(commands_out, events_in)
        frames = b"".join(map(write_command, COMMANDS))
        assert list(channel.receive(wait=False)) == []
        taken: list[Command] = []
        for at in range(0, len(frames), 7):
            os.write(commands_in, frames[at : at + 7])
            taken += channel.receive(wait=False)
        assert taken == COMMANDS
        channel.send(EVENTS[0])
        assert os.read(events_out, 1 << 16) == write_event(EVENTS[0])
        os.close(commands_in)
        with pytest.raises(Closed):
            list(channel.receive(wait=True))
        os.close(events_out)
        with pytest.raises(Closed):
            channel.send(EVENTS[0])
    finally:
        os.close(commands_out)
        os.close(events_in)


async def test_a_worker_that_talks_nonsense_is_killed() -> None:
    code = "import sys; sys.stdout.buffer.write(b'\\xff' * 64); sys.stdout.flush(); sys.stdin.read()"
    pipe = subprocess.PIPE
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdin=pipe, stdout=pipe, stderr=pipe)
    worker = WorkerProcess(process)
    inbox = worker.open(worker.number())
    async with asyncio.timeout(20):
        assert isinstance(await inbox.get(), Lost)
        assert await worker.reap() < 0
    assert not worker.alive


async def test_a_worker_that_ends_while_it_is_killed_keeps_its_exit_status(caplog: pytest.LogCaptureFixture) -> None:
    pipe = subprocess.PIPE
    for _ in range(20):
        process = await asyncio.create_subprocess_exec("true", stdin=pipe, stdout=pipe, stderr=pipe)
        worker = WorkerProcess(process)
        async with asyncio.timeout(20):
            while process.returncode is None:
                worker.kill()
                await asyncio.sleep(0)
            assert await worker.reap() in (0, -signal.SIGKILL)
    assert caplog.messages == []
