"""The console's end of the local socket: what it asks, what it shows, how it ends."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from jarvisbot.errors import Disconnected, Rejected, StoreError
from jarvisbot.local import place
from jarvisbot.local.client import talk
from jarvisbot.local.protocol import PROTOCOL, REQUEST_LIMIT, Greeting, Refused, Show, Welcome, encode
from jarvisbot.models.scripted import Until
from jarvisbot.types import Address, Outbound, Rendered
from tests.local.conftest import Person, client, serving


async def attached(folder: Path, person: Person) -> list[bool]:
    connection = await asyncio.to_thread(place.connect, folder)
    assert connection is not None
    async with asyncio.timeout(20):
        return [failure.missing for failure in await talk(connection, person)]


async def against(person: Person, *lines: bytes, stays: bool = True) -> object:
    """A talk with a service that says these lines, whatever it hears, and then stays or hangs up."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    _, writer = await asyncio.open_unix_connection(sock=theirs)
    for line in lines:
        writer.write(line)
    if not stays:
        writer.write_eof()
    try:
        async with asyncio.timeout(20):
            return await talk(ours, person)
    finally:
        writer.transport.abort()
        await asyncio.sleep(0)


GREETING = encode(Greeting(protocol=PROTOCOL, release="0.1.0", process=42))
WELCOME = encode(Welcome(commands=(("help", "what I do"),)))


async def test_a_talk_is_asked_answered_and_over(data_folder: Path) -> None:
    person = Person(questions=["2 + 2", "3 + 3"])
    async with serving(data_folder) as service:
        assert await attached(data_folder, person) == []
        assert person.shown == ["2 + 2 = 4", "3 + 3 = 6"]
        await service.until("sent")


async def test_turns_that_failed_are_reported(data_folder: Path) -> None:
    person = Person(questions=["Tell me a story"])
    async with serving(data_folder):
        assert await attached(data_folder, person) == [False]


async def test_what_waits_is_shown_before_the_first_question(data_folder: Path) -> None:
    from tests.local.test_service import say

    async with serving(data_folder) as service:
        async with client(data_folder) as gone:
            gone.says(say("2 + 2"))
            await gone.answer(received=False)
        await service.until("waiting")
        person = Person(questions=["3 + 3"])
        await attached(data_folder, person)
        assert person.shown == ["2 + 2 = 4", "3 + 3 = 6"]


async def test_the_commands_and_the_process_are_known_once_attached() -> None:
    person = Person(stays=asyncio.Event(), interactive=True)
    with pytest.raises(Disconnected):
        await against(person, GREETING, WELCOME, stays=False)
    assert person.remarks == ["Attached to the running jarvisbot (process 42)."]


@pytest.mark.parametrize(
    ("lines", "stays", "kind", "words"),
    [
        ([b"garbage\n"], True, Disconnected, "makes no sense; restart the service"),
        ([WELCOME], True, Disconnected, "makes no sense; restart the service"),
        ([GREETING, GREETING], True, Disconnected, "makes no sense"),
        ([GREETING, WELCOME, b"{}\n"], True, Disconnected, "makes no sense"),
        ([GREETING, WELCOME, WELCOME], True, Disconnected, "makes no sense"),
        ([], False, Disconnected, "has stopped"),
        ([GREETING], False, Disconnected, "has stopped"),
        ([GREETING, WELCOME], False, Disconnected, "has stopped"),
        ([GREETING, encode(Refused(reason="Too many."))], True, Rejected, "Too many."),
        (
            [b'{"type":"greeting","protocol":99,"release":"9.0.0","process":1,"new":[]}\n'],
            True,
            Rejected,
            r"\(9\.0\.0\) is of another version than this one .*restart the service",
        ),
    ],
)
async def test_a_service_that_cannot_be_talked_to_is_told_in_one_sentence(
    lines: list[bytes], stays: bool, kind: type[Exception], words: str
) -> None:
    with pytest.raises(kind, match=words):
        await against(Person(stays=asyncio.Event()), *lines, stays=stays)


async def test_a_service_that_stops_ends_the_talk(data_folder: Path) -> None:
    person = Person(questions=["Tell me a story"])
    async with serving(data_folder, [[Until(event=asyncio.Event())]]) as service:
        life = asyncio.create_task(attached(data_folder, person))
        await _until(lambda: service.local.attended(None))
    with pytest.raises(Disconnected, match="has stopped"):
        await life


async def test_a_message_past_the_limit_is_refused_here(data_folder: Path) -> None:
    async with serving(data_folder):
        with pytest.raises(StoreError, match="too long"):
            await attached(data_folder, Person(questions=["x" * (REQUEST_LIMIT + 1)]))


async def test_halves_of_surrogate_pairs_travel_as_question_marks(data_folder: Path) -> None:
    person = Person(questions=["/\ud800 a", "2 + 2"])
    async with serving(data_folder, ["It is a path."]):
        await attached(data_folder, person)
    assert person.shown[-1] == "2 + 2 = 4"


async def test_an_output_that_nobody_reads_ends_the_talk_and_keeps_the_answer(data_folder: Path) -> None:
    class Closed(Person):
        async def send(self, outbound: Outbound) -> None:  # type: ignore[override]
            raise Disconnected("Nobody reads it.")

    async with serving(data_folder) as service:
        with pytest.raises(Disconnected, match="Nobody reads it"):
            await attached(data_folder, Closed(questions=["2 + 2"]))
        await service.until("waiting")
        person = Person()
        await attached(data_folder, person)
        assert person.shown == ["2 + 2 = 4"]


async def test_an_answer_of_several_megabytes_arrives() -> None:
    text = "word " * 1_000_000
    at = Address(connector="console", room="local")
    person = Person(stays=asyncio.Event())
    show = encode(Show(outbound=Outbound(id="1", to=at, body=Rendered(text=text))))
    life = asyncio.create_task(against(person, GREETING, WELCOME, show))
    await _until(lambda: person.shown)
    assert person.shown == [text]
    life.cancel()
    await asyncio.gather(life, return_exceptions=True)


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0)
