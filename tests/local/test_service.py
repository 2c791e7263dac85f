"""The local socket's service: who may attach, what they get, and that nobody who attaches can harm it."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from jarvisbot.local import place
from jarvisbot.local.attached import Bounds
from jarvisbot.local.protocol import (
    PROTOCOL,
    REQUEST_LIMIT,
    Attach,
    Ended,
    Greeting,
    Heard,
    NotTaken,
    Received,
    Refused,
    Say,
    Settle,
    Settled,
    Show,
    Taken,
    Welcome,
)
from jarvisbot.local.service import Local
from jarvisbot.models.scripted import Until
from tests.fakes import said
from tests.local.conftest import client, serving

SUM, ANSWER = "2 + 2", "2 + 2 = 4"


def say(text: str, id: str = "a") -> Say:
    return Say(id=id, text=text, name="me")


# ---------------------------------------------------------------- a talk


async def test_a_message_is_taken_answered_and_settled_in_this_order(data_folder: Path) -> None:
    async with serving(data_folder) as service, client(data_folder) as me:
        me.says(say(SUM))
        await me.until(Taken)
        me.says(Settle(number=7))
        assert await me.answer() == ANSWER
        assert (await me.until(Settled)).number == 7
        await service.until("sent")


async def test_the_greeting_comes_first_and_names_protocol_release_and_process(data_folder: Path) -> None:
    from jarvisbot import __version__

    async with serving(data_folder), client(data_folder, attach=False) as me:
        assert await me.next() == Greeting(protocol=PROTOCOL, release=__version__, process=os.getpid())


async def test_the_welcome_names_the_commands(data_folder: Path) -> None:
    async with serving(data_folder), client(data_folder) as me:
        welcome = me.heard[-1]
        assert isinstance(welcome, Welcome)
        assert {"help", "stop", "status"} <= dict(welcome.commands).keys()


async def test_a_message_that_is_sent_again_after_a_lost_reply_is_the_same_message(data_folder: Path) -> None:
    async with serving(data_folder) as service:
        async with client(data_folder) as me:
            me.says(say(SUM, "same"))
            assert await me.answer() == ANSWER
        async with client(data_folder) as me, client(data_folder) as other:
            me.says(say(SUM, "same"), Settle(number=1))
            await me.until(Settled)
            other.says(say("3 + 3", "next"))
            assert await me.answer() == "3 + 3 = 6"
            assert [type(each) for each in me.heard].count(Taken) == 1
        assert len(await service.states()) == 2


async def test_drafts_grow_for_who_wants_them(data_folder: Path) -> None:
    go_on = asyncio.Event()
    async with (
        serving(data_folder, [["Once upon a time ", Until(event=go_on), "it ended."]]),
        client(data_folder) as me,
        client(data_folder, drafts=False) as other,
    ):
        me.says(say("Tell me a story"))
        await me.until(Show, lambda show: show.outbound.body.text == "Once upon a time")
        go_on.set()
        assert await me.answer() == "Once upon a time it ended."
        show = await other.until(Show)
        assert show.outbound.final


async def test_a_command_that_does_not_wait_reaches_the_running_turn_of_another(data_folder: Path) -> None:
    async with (
        serving(data_folder, [["Once upon a time ", Until(event=asyncio.Event())]]),
        client(data_folder) as me,
        client(data_folder) as other,
    ):
        me.says(say("Tell me a story"))
        await other.until(Show)
        other.says(say("/stop", "b"))
        texts = {await me.answer(), await me.answer()}
        assert any(text.startswith("Once upon a time") for text in texts)
        assert [each.text for each in me.heard if isinstance(each, Heard)] == ["/stop"]


async def test_a_failed_turn_is_told_to_who_asked_and_to_nobody_else(data_folder: Path) -> None:
    async with serving(data_folder) as service, client(data_folder, watches=False) as me, client(data_folder) as other:
        me.says(say("Tell me a story"), Settle(number=1))
        await me.until(Ended)
        await me.answer()
        await me.until(Settled)
        await other.answer()
        assert not [each for each in other.heard if isinstance(each, Ended)]
        await service.until("sent")


async def test_everybody_who_watches_sees_the_talk_and_a_single_question_gets_its_own_answer(data_folder: Path) -> None:
    async with (
        serving(data_folder) as service,
        client(data_folder) as one,
        client(data_folder) as two,
        client(data_folder, watches=False) as single,
    ):
        one.says(say(SUM, "a"))
        assert [await one.answer(), await two.answer()] == [ANSWER, ANSWER]
        assert [each.text for each in two.heard if isinstance(each, Heard)] == [SUM]
        assert not [each for each in one.heard if isinstance(each, Heard)]
        single.says(say("3 + 3", "b"), Settle(number=1))
        assert await single.answer() == "3 + 3 = 6"
        await single.until(Settled)
        assert [await one.answer(), await two.answer()] == ["3 + 3 = 6", "3 + 3 = 6"]
        assert sum(isinstance(each, Show) and each.outbound.final for each in single.heard) == 1
        await service.until("sent")


# ---------------------------------------------------------------- nobody there


async def test_an_answer_waits_for_the_next_who_attaches_and_comes_once(data_folder: Path) -> None:
    go_on = asyncio.Event()
    async with serving(data_folder, [["Once upon a time ", Until(event=go_on), "it ended."]]) as service:
        async with client(data_folder) as me:
            me.says(say("Tell me a story"))
            await me.until(Show)
        go_on.set()
        await service.until("waiting")
        async with client(data_folder, watches=False) as me:
            assert await me.answer() == "Once upon a time it ended."
            await service.until("sent")
        async with client(data_folder) as me:
            me.says(say(SUM, "b"))
            assert await me.answer() == ANSWER


async def test_one_who_leaves_without_a_word_about_the_answer_has_not_had_it(data_folder: Path) -> None:
    async with serving(data_folder) as service:
        async with client(data_folder) as me:
            me.says(say(SUM))
            assert await me.answer(received=False) == ANSWER
        await service.until("waiting")
        async with client(data_folder) as me:
            assert await me.answer() == ANSWER
        await service.until("sent")


async def test_answers_that_wait_at_a_restart_come_then(data_folder: Path) -> None:
    async with serving(data_folder) as service, client(data_folder) as me:
        me.says(say(SUM))
        assert await me.answer(received=False) == ANSWER
    async with serving(data_folder) as service:
        async with client(data_folder, watches=False) as me:
            assert await me.answer() == ANSWER
        await service.until("sent")


async def test_an_answer_in_flight_reaches_one_who_comes_meanwhile(data_folder: Path) -> None:
    async with serving(data_folder) as service, client(data_folder) as silent:
        silent.says(say(SUM))
        await silent.answer(received=False)
        async with client(data_folder) as me:
            assert await me.answer() == ANSWER
            await service.until("sent")


async def test_other_rooms_go_on_while_nobody_takes_the_consoles_answer(data_folder: Path) -> None:
    async with serving(data_folder) as service, client(data_folder) as silent:
        silent.says(say(SUM))
        await silent.answer(received=False)
        assert service.platform.inbox is not None
        from datetime import UTC, datetime

        await service.platform.inbox.put(said("3 + 3", sent=datetime.now(UTC)))
        await service.platform.until(lambda: any("3 + 3 = 6" in text for text in service.platform.shown))


async def test_a_full_disk_is_told_and_the_client_may_go_on(data_folder: Path) -> None:
    async with serving(data_folder) as service, client(data_folder, watches=False) as me:
        store = service.app.store
        limit = (await store.rows("PRAGMA page_count"))[0][0] + 2
        await store.write(lambda connection: connection.execute(f"PRAGMA max_page_count={limit}"))
        me.says(say("x" * 500_000))
        assert "disk is full" in await me.answer()
        assert "disk is full" in (await me.until(NotTaken)).reason
        await store.write(lambda connection: connection.execute("PRAGMA max_page_count=100000"))
        me.says(say(SUM, "b"))
        assert await me.answer() == ANSWER


# ---------------------------------------------------------------- who may attach


async def test_another_user_is_not_even_greeted(data_folder: Path) -> None:
    strangers = Local(data_folder, users={os.geteuid() + 1})
    async with serving(data_folder, local=strangers), client(data_folder, attach=False) as me:
        assert await me.next() is None


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
async def test_the_kernel_tells_another_user_apart_even_where_the_modes_let_it_in(tmp_path: Path) -> None:
    folder = Path("/tmp") / f"jarvisbot-{os.getpid()}-{random.randrange(10**9)}"
    folder.mkdir(mode=0o700)
    try:
        async with serving(folder):
            await still_serves(folder)
            folder.chmod(0o711)
            (folder / place.NAME).chmod(0o666)
            code = (
                "import os, socket, sys; os.setuid(int(sys.argv[2])); s = socket.socket(socket.AF_UNIX); "
                "s.settimeout(20); s.connect(sys.argv[1]); print(len(s.recv(10)))"
            )
            results = {}
            for user in (65534, 0):
                command = [sys.executable, "-c", code, folder / place.NAME, str(user)]
                done = await asyncio.to_thread(
                    subprocess.run, command, capture_output=True, text=True, cwd="/", timeout=30
                )
                results[user] = done.stdout.strip() or done.stderr
            assert results == {65534: "0", 0: "10"}
    finally:
        for entry in folder.iterdir():
            entry.unlink()
        folder.rmdir()


async def test_the_socket_is_its_owners_alone_and_goes_with_the_service(data_folder: Path) -> None:
    async with serving(data_folder):
        assert (data_folder / place.NAME).stat().st_mode & 0o777 == 0o600
        assert data_folder.stat().st_mode & 0o777 == 0o700
    assert not (data_folder / place.NAME).exists()
    assert place.connect(data_folder) is None


async def test_a_client_of_another_version_is_told_to_restart_the_service(data_folder: Path) -> None:
    async with serving(data_folder), client(data_folder, attach=False) as me:
        await me.until(Greeting)
        me.says(Attach(protocol=PROTOCOL + 1, watches=True, drafts=True))
        assert "restart the service" in (await me.until(Refused)).reason
        assert await me.ended()


async def test_of_twenty_consoles_sixteen_attach_and_the_rest_are_told_so(data_folder: Path) -> None:
    from contextlib import AsyncExitStack

    async with serving(data_folder), AsyncExitStack() as stack:
        attached = [await stack.enter_async_context(client(data_folder)) for _ in range(16)]
        for _ in range(4):
            extra = await stack.enter_async_context(client(data_folder, attach=False))
            assert "Too many" in (await extra.until(Refused)).reason
            assert await extra.ended()
        attached[0].says(say(SUM))
        assert [await each.answer() for each in attached] == [ANSWER] * len(attached)
        attached[0].writer.transport.abort()
        await stack.enter_async_context(_eventually_attached(data_folder))


def _eventually_attached(folder: Path):
    from contextlib import asynccontextmanager

    @asynccontextmanager
    async def attached():
        async with asyncio.timeout(20):
            while True:
                try:
                    context = client(folder)
                    made = await context.__aenter__()
                except AssertionError:
                    continue
                break
        try:
            yield made
        finally:
            await context.__aexit__(None, None, None)

    return attached()


# ---------------------------------------------------------------- hostile


GARBAGE = [
    b"\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\x00\xff\xfe" * 100 + b"\n",
    b"[]\n",
    b"{}\n",
    b'{"type":"attach"}\n',
    b'{"type":"attach","protocol":"1","watches":1,"drafts":2}\n',
    b'{"type":"say","id":"a","text":"x","name":"y"}\n',
    b'{"type":"settle","number":1}\n',
    b'{"type":"shutdown"}\n',
    b"[" * 100_000 + b"\n",
    b'{"type":"attach","protocol":1,"watches":true,"drafts":' + b"9" * 5000 + b"}\n",
]
AFTER = [
    b"\n",
    b'{"type":"attach","protocol":1,"watches":true,"drafts":true}\n',
    b'{"type":"say","id":"' + b"a" * 65 + b'","text":"x","name":"y"}\n',
    b'{"type":"say","id":"a\\u001f1","text":"x","name":"y"}\n',
    b'{"type":"say","id":"","text":"x","name":"y"}\n',
    b'{"type":"say","id":"a","text":"x","name":"' + b"y" * 65 + b'"}\n',
    b'{"type":"say","id":"a","text":"\\ud800","name":"y"}\n',
    b'{"type":"settle","number":1e99}\n',
]


async def still_serves(folder: Path) -> None:
    async with client(folder, watches=False) as me:
        me.says(say(SUM, f"s{random.randrange(10**12)}"))
        assert await me.answer() == ANSWER


async def test_garbage_ends_its_own_connection_and_nothing_else(data_folder: Path) -> None:
    async with serving(data_folder):
        for garbage in GARBAGE:
            async with client(data_folder, attach=False) as me:
                me.writer.write(garbage)
                assert await me.ended(), garbage
        for garbage in AFTER:
            async with client(data_folder) as me:
                me.writer.write(garbage)
                assert await me.ended(), garbage
        await still_serves(data_folder)


async def test_random_bytes_end_their_own_connection(data_folder: Path) -> None:
    chance = random.Random(7)
    async with serving(data_folder):
        for _ in range(50):
            async with client(data_folder, attach=chance.random() < 0.5) as me:
                me.writer.write(chance.randbytes(chance.randrange(1, 5000)) + b"\n")
                assert await me.ended()
        await still_serves(data_folder)


async def test_a_line_without_end_is_cut_off_at_the_limit(data_folder: Path) -> None:
    async with serving(data_folder), client(data_folder) as me:
        written = 0
        try:
            async with asyncio.timeout(30):
                while written < 20 * REQUEST_LIMIT:
                    me.writer.write(b"x" * 65536)
                    await me.writer.drain()
                    written += 65536
        except ConnectionError:
            pass
        assert written < 20 * REQUEST_LIMIT
        await still_serves(data_folder)


async def test_a_long_message_within_the_limit_is_taken(data_folder: Path) -> None:
    async with serving(data_folder), client(data_folder) as me:
        me.says(say("x" * (REQUEST_LIMIT - 1000)))
        await me.until(Taken)


async def test_connections_that_say_nothing_or_half_a_line_do_no_harm(data_folder: Path) -> None:
    async with serving(data_folder):
        async with client(data_folder, attach=False), client(data_folder, attach=False) as half:
            half.writer.write(b'{"type":"att')
            await still_serves(data_folder)
            half.writer.write_eof()
            assert await half.ended()
        async with client(data_folder) as closed:
            closed.says(say("3 + 3"))
            closed.writer.write_eof()
            assert await closed.ended()
        async with client(data_folder) as me:
            assert await me.answer() == "3 + 3 = 6"
        await still_serves(data_folder)


async def test_a_connection_that_says_nothing_is_closed_in_time(data_folder: Path) -> None:
    local = Local(data_folder, bounds=Bounds(first_word_s=0.05))
    async with serving(data_folder, local=local), client(data_folder, attach=False) as me:
        await me.until(Greeting)
        assert await me.ended()


async def test_one_who_does_not_read_is_dropped_and_the_others_see_everything(data_folder: Path) -> None:
    local = Local(data_folder, bounds=Bounds(backlog_bytes=1024 * 1024))
    async with serving(data_folder, local=local) as service, client(data_folder) as deaf:
        deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]
        async with client(data_folder, drafts=False) as me:
            for number in range(8):
                me.says(say(f"/nothing {'y' * 900_000}", f"e{number}"))
                assert "no command" in await me.answer()
            await service.until("sent")
        await still_serves(data_folder)
        deaf.writer.transport.resume_reading()  # type: ignore[attr-defined]
        assert await deaf.ended()
        assert sum(isinstance(each, Heard) for each in deaf.heard) < 8


async def test_one_who_says_a_hundred_things_at_once_without_waiting_is_dropped(data_folder: Path) -> None:
    async with serving(data_folder), client(data_folder) as me:
        me.says(*(say("/help", f"h{number}") for number in range(1000)))
        assert await me.ended()
        await asyncio.sleep(0)
    async with serving(data_folder), client(data_folder) as me:
        me.says(say(SUM, "sum"))
        while (answer := await me.answer()) != ANSWER:
            assert "/help" in answer


async def test_an_answer_in_the_hands_of_a_terminal_that_stands_still_counts_as_told(data_folder: Path) -> None:
    local = Local(data_folder, bounds=Bounds(received_within_s=0.05))
    async with serving(data_folder, local=local) as service, client(data_folder) as me:
        me.says(say(SUM))
        assert await me.answer(received=False) == ANSWER
        await service.until("sent")


async def test_a_flood_of_small_frames_lets_other_rooms_speak(data_folder: Path) -> None:
    async with serving(data_folder) as service, client(data_folder) as me:
        for number in range(2000):
            me.says(*(Received(id=str(other)) for other in range(20)))
            if number % 50 == 0:
                me.says(Settle(number=number))
        from datetime import UTC, datetime

        assert service.platform.inbox is not None
        await service.platform.inbox.put(said("3 + 3", sent=datetime.now(UTC)))
        await service.platform.until(lambda: any("3 + 3 = 6" in text for text in service.platform.shown))
        assert (await me.until(Settled, lambda settled: settled.number == 1950)).number == 1950


# ---------------------------------------------------------------- what a killed process left


async def test_a_stale_socket_is_replaced(data_folder: Path) -> None:
    stale = socket.socket(socket.AF_UNIX)
    stale.bind(str(data_folder / place.NAME))
    stale.close()
    assert place.connect(data_folder) is None
    async with serving(data_folder):
        await still_serves(data_folder)
    (data_folder / place.NAME).write_text("not a socket")
    assert place.connect(data_folder) is None
    async with serving(data_folder) as service:
        async with asyncio.timeout(20):
            while not (data_folder / place.NAME).is_socket():
                await asyncio.sleep(0)
        await still_serves(service.folder)


async def test_a_folder_with_a_long_path_can_be_attached_to(tmp_path: Path) -> None:
    folder = tmp_path / ("long-" * 20) / ("ä" * 60)
    folder.mkdir(parents=True, mode=0o700)
    assert len(os.fsencode(folder / place.NAME)) > place.LONGEST_PATH_BYTES
    async with serving(folder):
        await still_serves(folder)
    assert not (folder / place.NAME).exists()
