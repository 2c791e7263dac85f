"""The console: lines in, answers out as they grow, problems beside them, on pipes and in a terminal."""

from __future__ import annotations

import asyncio
import io
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import BinaryIO, TextIO

import pytest
from jarvisbot.connectors.console import Console, Settings, create

from jarvisbot.errors import Disconnected, StoreFull
from jarvisbot.types import Address, Inbound, Outbound, Rendered, RowState, Source, ToolRow

HERE = Address(connector="console", room="local")
DONE = ToolRow(label="Calculated", detail="1 + 2", tool="calculator", seconds=0.26)


def outbound(text: str, *, id: str = "1", final: bool = True, **more: object) -> Outbound:
    return Outbound(id=id, to=HERE, body=Rendered(text=text), final=final, **more)  # type: ignore[arg-type]


class Terminal(io.StringIO):
    """An output that poses as a terminal."""

    def isatty(self) -> bool:
        return True


@dataclass
class Inbox:
    """A core that keeps what it hears, and answers it if it is told how."""

    answer: Callable[[Inbound], Outbound] | None = None
    console: Console | None = None
    full: bool = False
    heard: list[Inbound] = field(default_factory=list)
    order: list[str] = field(default_factory=list)

    async def put(self, *inbound: Inbound, checkpoint: str | None = None) -> None:
        if self.full:
            raise StoreFull("The disk is full.")
        self.heard += inbound
        self.order += [f"put {each.text}" for each in inbound]

    async def checkpoint(self) -> str | None:
        self.order.append("checkpoint")
        return None

    async def settled(self) -> None:
        self.order.append("settled")
        if self.answer and self.console and self.heard:
            await self.console.send(self.answer(self.heard[-1]))


def console(
    given: bytes = b"",
    *,
    question: str | None = None,
    output: TextIO | None = None,
    problems: TextIO | None = None,
    source: BinaryIO | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[Console, TextIO, TextIO]:
    output, problems = output or io.StringIO(), problems or io.StringIO()
    made = Console(
        question=question,
        source=source or io.BytesIO(given),
        output=output,
        problems=problems,
        environment=environment or {},
    )
    return made, output, problems


def written(stream: TextIO) -> str:
    assert isinstance(stream, io.StringIO)
    return stream.getvalue()


async def lines(given: bytes) -> list[str]:
    """What reaches the core of these bytes."""
    made, _, _ = console(given)
    inbox = Inbox()
    async with asyncio.timeout(5):
        await made.run(inbox)
    return [each.text for each in inbox.heard]


# ---------------------------------------------------------------- what comes in


@pytest.mark.parametrize(
    ("given", "heard"),
    [
        (b"", []),
        (b"one\ntwo\n", ["one", "two"]),
        (b"one\r\n\r\n  \ntwo", ["one", "two"]),
        ("Grüße 👋\n".encode(), ["Grüße 👋"]),
        (b"caf\xe9 \xff\n", ["caf\ufffd \ufffd"]),
        (b"a\0b\n", ["a\0b"]),
        (b"x" * 100_000 + b"\n", ["x" * 100_000]),
    ],
)
async def test_each_line_that_says_something_is_a_message_whatever_bytes_it_holds(
    given: bytes, heard: list[str]
) -> None:
    assert await lines(given) == heard


async def test_a_line_is_answered_before_the_next_is_read() -> None:
    made, output, _ = console(b"one\ntwo\n")
    inbox = Inbox(answer=lambda heard: outbound(f"to {heard.text}", id=heard.id), console=made)
    await made.run(inbox)
    assert inbox.order == ["checkpoint", "settled", "put one", "settled", "put two", "settled"]
    assert written(output) == "to one\nto two\n"
    assert len({heard.id for heard in inbox.heard}) == 2
    assert {(heard.at, heard.direct, heard.author.is_bot) for heard in inbox.heard} == {(HERE, True, False)}


async def test_a_question_of_the_command_line_is_asked_and_nothing_is_read() -> None:
    made, _, _ = console(b"not read\n", question="why?")
    inbox = Inbox()
    await made.run(inbox)
    assert [heard.text for heard in inbox.heard] == ["why?"]


async def test_a_store_that_takes_nothing_is_said_once_and_ends_it() -> None:
    made, output, problems = console(b"one\ntwo\n")
    await made.run(Inbox(full=True))
    assert made.failed
    assert (written(problems), written(output)) == ("The disk is full.\n", "")


async def test_an_input_that_was_closed_is_the_end() -> None:
    reader, writer = os.pipe()
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        made, _, _ = console(source=pipe)
        async with asyncio.timeout(5):
            await made.run(Inbox())
    source = io.BytesIO(b"one\n")
    made, _, _ = console(source=source)
    source.close()
    async with asyncio.timeout(5):
        await made.run(Inbox())


async def test_a_pipe_that_somebody_has_made_non_blocking_is_waited_for() -> None:
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with os.fdopen(reader, "rb") as pipe:
        made, _, _ = console(source=pipe)
        inbox = Inbox()
        life = asyncio.create_task(made.run(inbox))
        for part in (b"on", b"e\ntwo\nth", b"ree"):
            while inbox.order[-1:] != ["settled"]:
                await asyncio.sleep(0)
            os.write(writer, part)
        os.close(writer)
        async with asyncio.timeout(5):
            await life
    assert [heard.text for heard in inbox.heard] == ["one", "two", "three"]


async def test_a_line_that_never_comes_can_be_waited_for_and_given_up() -> None:
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as pipe, os.fdopen(writer, "wb"):
        made, _, _ = console(source=pipe)
        inbox = Inbox()
        life = asyncio.create_task(made.run(inbox))
        while inbox.order[-1:] != ["settled"]:
            await asyncio.sleep(0)
        life.cancel()
        with pytest.raises(asyncio.CancelledError):
            await life


# ---------------------------------------------------------------- what goes out


async def test_an_answer_grows_in_place() -> None:
    made, output, _ = console(question="why?")
    views = []
    for message in (
        outbound("Th", final=False),
        outbound("Three", final=False),
        outbound("Three."),
        outbound("Next", id="2"),
    ):
        await made.send(message)
        views.append(written(output))
    assert views == ["Th", "Three", "Three.\n", "Three.\nNext\n"]


async def test_tool_rows_stand_above_the_answer_each_once_when_its_call_has_ended() -> None:
    made, output, _ = console()
    running = ToolRow(label="Calculated", detail="1 + 2", tool="calculator", state=RowState.RUNNING)
    failed = ToolRow(label="Looked up", detail="rain", tool="look_up", state=RowState.FAILED)
    await made.send(outbound("", final=False, rows=(running,)))
    assert written(output) == ""
    await made.send(outbound("", final=False, rows=(DONE,)))
    await made.send(outbound("", final=False, rows=(DONE, failed)))
    await made.send(outbound("Three.", rows=(DONE, failed)))
    assert written(output) == "· Calculated 1 + 2 (0.3 s)\n· Looked up rain – failed\nThree.\n"


async def test_what_was_redrafted_is_written_whole_once_it_is_final() -> None:
    made, output, _ = console()
    await made.send(outbound("Let me see", final=False))
    await made.send(outbound("", final=False))
    await made.send(outbound("Thr", final=False, rows=(DONE,)))
    assert written(output) == "Let me see"
    await made.send(outbound("Three.", rows=(DONE,)))
    assert written(output) == "Let me see\n\n· Calculated 1 + 2 (0.3 s)\nThree.\n"


async def test_a_wait_is_shown_in_place_on_a_terminal_and_is_gone_when_something_is_written() -> None:
    made, output, _ = console(output=Terminal(), environment={"TERM": "xterm", "NO_COLOR": "1"})
    for seconds in (2.0, 3.2):
        labels = (f"Denkt nach… {seconds:.0f} s",)
        await made.send(outbound("", final=False, thinking_s=seconds, labels=labels))
    await made.send(outbound("", final=False, thinking_s=4.0, labels=("Denkt nach… 4 s",), rows=(DONE,)))
    await made.send(outbound("Thr", final=False, rows=(DONE,)))
    await made.send(outbound("Three.", rows=(DONE,)))
    erase = "\r\x1b[K"
    assert written(output) == (
        f"{erase}Denkt nach… 2 s{erase}Denkt nach… 3 s{erase}Denkt nach… 4 s{erase}· Calculated 1 + 2 (0.3 s)\nThree.\n"
    )


async def test_a_wait_without_words_has_its_own() -> None:
    made, output, _ = console(output=Terminal(), environment={"TERM": "xterm"})
    await made.send(outbound("", final=False, thinking_s=3.0))
    assert written(output) == "\r\x1b[K\x1b[2mThinking… 3 s\x1b[0m"


@pytest.mark.parametrize("looked_at", [False, True])
async def test_a_wait_leaves_no_trace_in_a_pipe_nor_on_a_terminal_that_cannot_erase(looked_at: bool) -> None:
    made, output, _ = console(output=Terminal() if looked_at else None, environment={"TERM": "dumb"})
    await made.send(outbound("", final=False, thinking_s=3.0, labels=("Thinking… 3 s",)))
    await made.send(outbound("Three."))
    assert written(output) == "Three.\n"


async def test_a_problem_takes_the_place_of_the_wait() -> None:
    made, output, problems = console(output=Terminal(), environment={"TERM": "xterm"})
    await made.send(outbound("", final=False, thinking_s=3.0))
    await made.send(outbound("No model.", problem=True))
    assert written(output).endswith("s\x1b[0m\r\x1b[K")
    assert written(problems) == "No model.\n"


async def test_labels_are_one_line_under_the_answer_where_somebody_looks() -> None:
    labels = ("arithmetic", "trigger", "0.1 s")
    made, output, _ = console(output=Terminal(), environment={"TERM": "xterm"})
    await made.send(outbound("Three.", labels=labels, sources=(Source(title="a", url="https://example.org/a"),)))
    assert written(output) == (
        "Three.\n\x1b[2mSource: https://example.org/a\x1b[0m\n\x1b[2marithmetic · trigger · 0.1 s\x1b[0m\n"
    )
    made, output, _ = console()
    await made.send(outbound("Three.", labels=labels))
    assert written(output) == "Three.\n"


async def test_another_message_in_mid_answer_stands_on_lines_of_its_own_and_nothing_comes_twice() -> None:
    made, output, _ = console(question="why?")
    await made.send(outbound("Once upon", final=False))
    await made.send(outbound("Up for 3 min", id="2"))
    await made.send(outbound("Once upon a time", final=False))
    await made.send(outbound("Once upon a time."))
    assert written(output) == "Once upon\nUp for 3 min\n a time.\n"


HOSTILE = "a\x1b]0;owned\x07b\x1b[2J\r\x9b31m\x7f\u202ec\u2066\x00"


async def test_nothing_of_others_reaches_the_terminal_but_text_wherever_it_stands() -> None:
    made, output, problems = console(output=Terminal(), environment={"TERM": "xterm"})
    row = ToolRow(label=HOSTILE, detail=HOSTILE + "\nx", tool="x")
    source = Source(title="x", url=f"https://example.org/{HOSTILE}\n")
    await made.send(outbound("", final=False, thinking_s=2.0, labels=(HOSTILE + "\n",)))
    await made.send(outbound(HOSTILE, rows=(row,), sources=(source,), labels=(HOSTILE, "x\ny")))
    await made.send(outbound(HOSTILE, id="2", problem=True))
    await made.overheard(HOSTILE)
    text = written(output) + written(problems)
    for ours in ("\r\x1b[K", "\x1b[2m", "\x1b[0m", "\x1b[31m"):
        text = text.replace(ours, "")
    assert not [character for character in text if ord(character) < 0x20 and character != "\n"]
    assert not set(text) & {"\x7f", "\x9b", "\u202e", "\u2066"}
    assert "ab[2J" not in text
    assert "a]0;ownedb[2J31mc" in text


async def test_sources_follow_the_answer() -> None:
    made, output, _ = console()
    await made.send(outbound("Rain.", sources=(Source(title="a", url="https://example.org/a"),)))
    assert written(output) == "Rain.\nSource: https://example.org/a\n"


async def test_a_problem_goes_to_the_other_stream_and_is_not_said_twice() -> None:
    made, output, problems = console(b"one\n")
    inbox = Inbox(answer=lambda heard: outbound("No model.", problem=True), console=made)
    await made.run(inbox)
    assert (written(output), written(problems)) == ("", "No model.\n")
    inbox.full = True
    await made.run(Inbox(full=True))
    assert written(problems) == "No model.\n"


async def test_a_problem_behind_half_an_answer_leaves_both_streams_at_a_lines_beginning() -> None:
    made, output, problems = console()
    await made.send(outbound("I ca", final=False))
    await made.send(outbound("I can't go on.", problem=True))
    assert (written(output), written(problems)) == ("I ca\n", "I can't go on.\n")


async def test_nobody_reading_any_more_is_a_lost_line() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    pipe = os.fdopen(writer, "w", encoding="utf-8")
    made, _, _ = console(output=pipe)
    with pytest.raises(Disconnected):
        await made.send(outbound("Hello"))
    with pytest.raises(BrokenPipeError):
        pipe.close()
    closed = io.StringIO()
    closed.close()
    made, _, _ = console(output=closed, question="why?")
    with pytest.raises(Disconnected):
        await made.send(outbound("Hello"))


async def test_characters_that_the_terminal_cannot_show_do_not_cost_the_answer() -> None:
    raw = io.BytesIO()
    made, _, _ = console(output=io.TextIOWrapper(raw, encoding="latin-1"))
    await made.send(outbound("Grüße 👋 and \ud800", rows=(DONE,)))
    assert raw.getvalue().decode("latin-1") == "· Calculated 1 + 2 (0.3 s)\nGrüße ? and ?\n"


async def test_an_answer_cannot_talk_to_the_terminal() -> None:
    made, output, _ = console()
    await made.send(outbound("a\x1b]0;owned\x07b\x1b[2J\r\tc\x9b\x7f\nd"))
    assert written(output) == "a]0;ownedb[2J\tc\nd\n"


async def test_a_receipt_names_the_message() -> None:
    made, _, _ = console()
    assert (await made.send(outbound("x", id="77"))).message == "77"


def test_answers_grow_where_somebody_looks_and_are_whole_in_a_pipe() -> None:
    assert console(question="why?")[0].capabilities.edits
    assert console(output=Terminal())[0].capabilities.edits
    assert not console()[0].capabilities.edits
    assert console()[0].capabilities.append_only


def test_it_is_made_by_its_name() -> None:
    made = create("console", Settings(), {})
    assert made.name == "console"


# ---------------------------------------------------------------- a terminal


CHILD = """
import asyncio
from jarvisbot.connectors.console import Console
from jarvisbot.types import Outbound, Rendered

class Echo:
    commands = ()
    async def put(self, *inbound, checkpoint=None):
        for each in inbound:
            body = Rendered(text="heard " + ascii(each.text))
            await console.send(Outbound(id=each.id, to=each.at, body=body))
    async def checkpoint(self): return None
    async def settled(self): pass

console = Console()
asyncio.run(console.run(Echo()))
print("over")
"""


@dataclass
class Screen:
    """A program in a terminal."""

    master: int
    process: subprocess.Popen[bytes]
    text: str = ""

    def types(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def shows(self, text: str) -> bool:
        """Waits until the text has appeared behind what was looked for before."""
        end = time.monotonic() + 20
        while text not in self.text:
            ready, _, _ = select.select([self.master], [], [], max(0, end - time.monotonic()))
            if not ready:
                return False
            try:
                self.text += os.read(self.master, 4096).decode("utf-8", "replace")
            except OSError:
                return False
        self.text = self.text.partition(text)[2]
        return True


@contextmanager
def terminal(errors: str, kind: str) -> Iterator[Screen]:
    master, slave = os.openpty()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    process = subprocess.Popen(
        [sys.executable, "-c", CHILD],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**environment, "PYTHONIOENCODING": f"utf-8:{errors}", "TERM": kind},
        start_new_session=True,
    )
    os.close(slave)
    screen = Screen(master, process)
    try:
        yield screen
    finally:
        process.kill()
        process.wait()
        os.close(screen.master)


@pytest.mark.parametrize("kind", ["dumb", "xterm"])
@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_a_terminal_gets_a_prompt_and_any_bytes_may_be_typed(errors: str, kind: str) -> None:
    with terminal(errors, kind) as screen:
        assert screen.shows(">")
        screen.types("Grüße\n".encode())
        assert screen.shows(r"heard 'Gr\xfc\xdfe'")
        assert screen.shows(">")
        screen.types(b"a\xffb\n")
        assert screen.shows(r"heard 'a\ufffdb'")
        assert screen.shows(">")
        screen.types(b"\x04")
        assert screen.shows("over")
        assert screen.process.wait(10) == 0


@pytest.mark.parametrize("kind", ["dumb", "xterm"])
def test_a_terminal_that_hangs_up_is_the_end(kind: str) -> None:
    with terminal("strict", kind) as screen:
        assert screen.shows(">")
        os.close(screen.master)
        screen.master = os.open(os.devnull, os.O_RDONLY)
        screen.process.wait(10)
