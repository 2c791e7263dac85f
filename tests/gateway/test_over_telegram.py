"""The whole bot on the real Telegram SDK over sockets: order, retries and repeats as people would see them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from jarvisbot import app
from jarvisbot.clock import Clock, SystemClock
from jarvisbot.config import load
from jarvisbot.models.scripted import Reply, Scripted, Until
from tests.emulators.telegram import TOKEN, Delay, Flood, TelegramEmulator, User
from tests.fakes import FakeClock

ALICE = 1001


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramEmulator]:
    async with TelegramEmulator(token=TOKEN) as emulator:
        yield emulator


@pytest.fixture
def alice(telegram: TelegramEmulator) -> User:
    return telegram.person(ALICE, "Alice")


@asynccontextmanager
async def bot(
    telegram: TelegramEmulator, folder: Path, replies: Sequence[Reply], *, clock: Clock | None = None
) -> AsyncIterator[app.App]:
    overrides = {
        "bot.data_folder": str(folder),
        "access.owners": f'["telegram:{ALICE}"]',
        "limits.answer_tokens": "60000",
        "connectors.telegram.api_url": telegram.api_url,
        "connectors.telegram.file_url": telegram.file_url,
        "connectors.telegram.poll_timeout_s": "2",
        "connectors.telegram.token_env": "TOKEN",
    }
    config = load(None, environment={"TOKEN": TOKEN}, overrides=overrides)
    parts = app.Parts(
        connectors=app.connectors(config, ["telegram"]), model=Scripted(replies), clock=clock or SystemClock()
    )
    async with app.open_app(config, parts) as joined:
        life = asyncio.create_task(joined.run())
        polls = len(telegram.called("getUpdates"))
        try:
            await telegram.until(lambda: len(telegram.called("getUpdates")) > polls)
            yield joined
        finally:
            life.cancel()
            await asyncio.gather(life, return_exceptions=True)


async def test_parts_arrive_in_order_although_one_is_slow_and_only_the_first_is_a_reply(
    telegram: TelegramEmulator, alice: User, tmp_path: Path
) -> None:
    answer = "\n\n".join(f"Paragraph {number}: " + "word " * 180 for number in range(16)).strip()
    async with bot(telegram, tmp_path, [answer]) as joined:
        question = await telegram.say(alice, ALICE, "Tell me everything?")
        telegram.fail(
            "editMessageText", Delay(seconds=0.8), times=1, when=lambda given: given["text"].startswith("Paragraph 4")
        )
        await telegram.until(lambda: telegram.answers(ALICE))
        async with asyncio.timeout(20):
            await joined.conversations.settled("telegram")
        shown = telegram.answers(ALICE)
    assert "".join("".join(shown).split()) == "".join(answer.split())
    assert all(text.strip() for text in shown)
    replies = [call.parameters.get("reply_parameters") for call in telegram.called("sendMessage")]
    assert [reply["message_id"] if reply else None for reply in replies] == [question.id, None, None, None]


async def test_a_final_text_that_is_shown_already_makes_no_second_message(
    telegram: TelegramEmulator, alice: User, tmp_path: Path
) -> None:
    go_on = asyncio.Event()
    async with bot(telegram, tmp_path, [["All of it.", Until(event=go_on)]]) as joined:
        await telegram.say(alice, ALICE, "What?")
        await telegram.until(lambda: telegram.answers(ALICE) == ["All of it."])
        go_on.set()
        async with asyncio.timeout(10):
            await joined.conversations.settled("telegram")
        assert telegram.answers(ALICE) == ["All of it."]
        rows = await joined.store.rows("SELECT state FROM outbox")
        assert [row["state"] for row in rows] == ["sent"]
        assert len(telegram.called("editMessageText")) == 1


async def test_not_modified_is_success(telegram: TelegramEmulator, alice: User, tmp_path: Path) -> None:
    go_on = asyncio.Event()
    async with bot(telegram, tmp_path, [["All of it.", Until(event=go_on)]]) as joined:
        await telegram.say(alice, ALICE, "What?")
        await telegram.until(lambda: telegram.answers(ALICE) == ["All of it."])
    async with bot(telegram, tmp_path, ["All of it."]) as joined:
        async with asyncio.timeout(10):
            await joined.conversations.settled("telegram")
        assert telegram.answers(ALICE) == ["All of it."]
        assert "not modified" in telegram.called("editMessageText")[-1].outcome


@pytest.mark.parametrize("method", ["sendMessage", "editMessageText"])
async def test_after_a_flood_answer_nothing_is_asked_for_as_long_as_telegram_said(
    telegram: TelegramEmulator, alice: User, tmp_path: Path, method: str
) -> None:
    clock = FakeClock()
    async with bot(telegram, tmp_path, ["Forty-two."], clock=clock):
        flood = telegram.fail(method, Flood(retry_after=30), times=1)
        await telegram.say(alice, ALICE, "What?", date=int(clock.now().timestamp()))
        await telegram.until(lambda: flood.hits == 1)
        asked = clock.monotonic()
        calls = len(telegram.called(method))
        for _ in range(29):
            await clock.advance(1)
            assert len(telegram.called(method)) == calls
        while len(telegram.called(method)) == calls:
            await clock.advance(0.25)
        assert 30 <= clock.monotonic() - asked < 33
        await telegram.until(lambda: telegram.answers(ALICE) == ["Forty-two."])


async def test_messages_of_a_restart_are_answered_in_order_and_old_ones_get_one_line(
    telegram: TelegramEmulator, alice: User, tmp_path: Path
) -> None:
    async with bot(telegram, tmp_path, []) as joined:
        day_before = int(time.time()) - 40 * 3600
        await joined.store.write(lambda c: c.execute("UPDATE connectors SET since = ?", (day_before * 1000,)))
    now = int(time.time())
    for text in ("Ancient?", "Ancient too?"):
        await telegram.say(alice, ALICE, text, date=now - 30 * 3600)
    for number in range(3):
        await telegram.say(alice, ALICE, f"Question {number}?", date=now - 120)
    async with bot(telegram, tmp_path, ["one", "two", "three"]):
        await telegram.until(lambda: len(telegram.answers(ALICE)) == 4 and telegram.answers(ALICE)[-1] == "three")
        skipped, *answers = telegram.answers(ALICE)
    assert "skipped 2 message(s)" in skipped
    assert answers == ["one", "two", "three"]


GROUP = -456789


async def test_in_a_group_three_of_fourteen_messages_are_answered_each_as_a_reply(
    telegram: TelegramEmulator, alice: User, tmp_path: Path
) -> None:
    telegram.group(GROUP, "Team")
    async with bot(telegram, tmp_path, ["one", "two", "three"]) as joined:
        for number in range(10):
            await telegram.say(alice, GROUP, f"just talking {number}")
        await telegram.say(alice, GROUP, "@jarvis_bot2 hello?")
        first = await telegram.say(alice, GROUP, "@jarvis_bot first?")
        await telegram.until(lambda: telegram.answers(GROUP) == ["one"])
        ours = next(message for message in telegram.chats.shown(GROUP) if message.sender.id == telegram.bot.id)
        second = await telegram.say(alice, GROUP, "second?", reply_to_message=ours.json())
        text = "Jarvis, third?"
        mention = {"type": "text_mention", "offset": 0, "length": 6, "user": telegram.bot.json()}
        third = await telegram.say(alice, GROUP, text, entities=[mention])
        await telegram.until(lambda: telegram.answers(GROUP) == ["one", "two", "three"], timeout_s=30)
        rows = await joined.store.rows("SELECT text FROM inbox ORDER BY seq")
        assert [row["text"] for row in rows] == ["first?", "second?", "third?"]
    replies = [call.parameters.get("reply_parameters") for call in telegram.called("sendMessage")]
    assert [reply["message_id"] for reply in replies if reply] == [first.id, second.id, third.id]


async def test_a_talk_goes_on_where_its_group_moved_to(telegram: TelegramEmulator, alice: User, tmp_path: Path) -> None:
    telegram.group(GROUP, "Team")
    go_on = asyncio.Event()
    async with bot(telegram, tmp_path, ["I see.", [Until(event=go_on), "Tom."], "Yes, Tom."]) as joined:
        await telegram.say(alice, GROUP, "@jarvis_bot my cat is Tom")
        await telegram.until(lambda: telegram.answers(GROUP) == ["I see."])
        await telegram.say(alice, GROUP, "@jarvis_bot who is my cat?")
        model = joined.parts.model
        assert isinstance(model, Scripted)
        while len(model.requests) < 2:
            await asyncio.sleep(0.01)
        await telegram.migrate(GROUP, -100777, told=False)
        go_on.set()
        await telegram.until(lambda: telegram.answers(-100777) == ["Tom."])
        await telegram.say(alice, -100777, "@jarvis_bot sure?")
        await telegram.until(lambda: telegram.answers(-100777) == ["Tom.", "Yes, Tom."])
        assert "my cat is Tom" in str(model.requests[-1].items)
    assert telegram.answers(GROUP) == ["I see."]


async def test_a_stranger_is_let_in_by_a_code_and_a_text_file_is_read(
    telegram: TelegramEmulator, alice: User, tmp_path: Path
) -> None:
    carol = telegram.person(1003, "Carol")
    group = telegram.group(-1001, "Team")
    async with bot(telegram, tmp_path, ["Milk and bread."]) as joined:
        await telegram.say(carol, group, "@jarvis_bot hello?")
        await telegram.say(carol, carol.id, "Hello, who are you?")
        await telegram.until(lambda: bool(telegram.answers(carol.id)))
        (words,) = telegram.answers(carol.id)
        code = words.rpartition("/pair ")[2].split()[0]
        await telegram.say(alice, ALICE, f"/pair {code}")
        await telegram.until(lambda: telegram.answers(ALICE) == ["Carol (telegram:1003) is a member now."])
        document = telegram.file(b"milk\nbread\n", "list.txt", told=11) | {"mime_type": "text/plain"}
        await telegram.say(carol, carol.id, None, document=document, caption="What is on my list?")
        await telegram.until(lambda: telegram.answers(carol.id)[1:] == ["Milk and bread."])
        model = joined.parts.model
        assert isinstance(model, Scripted)
        assert "File list.txt:\n> milk\n> bread\n" in str(model.requests[-1].items[-1].text)  # type: ignore[union-attr]
    assert telegram.answers(group) == []


async def test_an_edited_question_of_a_group_is_answered_anew_in_the_same_message(
    telegram: TelegramEmulator, alice: User, tmp_path: Path
) -> None:
    telegram.group(GROUP, "Team")
    async with bot(telegram, tmp_path, ["wrong", "right"]):
        question = await telegram.say(alice, GROUP, "@jarvis_bot teh?")
        await telegram.until(lambda: telegram.answers(GROUP) == ["wrong"])
        await telegram.edit(question, "@jarvis_bot the?")
        await telegram.until(lambda: telegram.answers(GROUP) == ["right"])
    assert len(telegram.called("sendMessage")) == 1


async def test_after_an_outage_what_was_written_meanwhile_is_answered(
    telegram: TelegramEmulator, alice: User, tmp_path: Path
) -> None:
    async with bot(telegram, tmp_path, ["one", "two"]):
        async with telegram.unreachable():
            for text in ("first?", "second?"):
                await telegram.say(alice, ALICE, text)
        await telegram.until(lambda: telegram.answers(ALICE) == ["one", "two"], timeout_s=30)


async def test_a_group_that_threw_the_bot_out_is_not_written_to_again_and_again_and_holds_nobody_up(
    telegram: TelegramEmulator, alice: User, tmp_path: Path
) -> None:
    telegram.group(GROUP, "Team")
    async with bot(telegram, tmp_path, ["Hello.", "Hello."]) as joined:
        telegram.block(GROUP)
        await telegram.say(alice, GROUP, "@jarvis_bot what?")
        await telegram.until(lambda: bool(telegram.called("sendMessage")))
        await telegram.say(alice, ALICE, "What?")
        await telegram.until(lambda: telegram.answers(ALICE) == ["Hello."])
        async with asyncio.timeout(10):
            await joined.conversations.settled("telegram")
        rows = await joined.store.rows("SELECT state FROM outbox WHERE state NOT IN ('dropped', 'sent')")
        assert list(rows) == []
    assert len(telegram.called("sendMessage", chat_id=GROUP)) <= 2
