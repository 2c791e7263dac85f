"""Proof that the emulated Bot API behaves for the real SDK as Telegram does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from telegram import Bot, BotCommand, LinkPreviewOptions, MessageEntity, ReactionTypeEmoji, ReplyParameters, Update
from telegram.error import (
    BadRequest,
    ChatMigrated,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)
from telegram.request import HTTPXRequest

from tests.emulators.telegram import (
    TOKEN,
    BlackHole,
    Cut,
    Delay,
    Flood,
    Gate,
    Refusal,
    ServerError,
    TelegramEmulator,
    User,
)

ALICE = 1001


class Clock:
    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _timedelta(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def telegram(clock: Clock) -> AsyncIterator[TelegramEmulator]:
    async with TelegramEmulator(clock=clock) as emulator:
        yield emulator


@pytest.fixture
def alice(telegram: TelegramEmulator) -> User:
    return telegram.person(ALICE, "Alice", username="alice")


@pytest.fixture
async def bot(telegram: TelegramEmulator) -> AsyncIterator[Bot]:
    async with new_bot(telegram) as bot:
        yield bot


def new_bot(telegram: TelegramEmulator, token: str = TOKEN, timeout_s: float = 5.0) -> Bot:
    return Bot(
        token,
        base_url=telegram.api_url,
        base_file_url=telegram.file_url,
        request=HTTPXRequest(read_timeout=timeout_s),
        get_updates_request=HTTPXRequest(read_timeout=timeout_s),
    )


def texts(updates: tuple[Update, ...]) -> list[str | None]:
    return [update.effective_message.text for update in updates if update.effective_message]


# ---------------------------------------------------------------- in


async def test_update_is_delivered_until_a_higher_offset_confirms_it(
    telegram: TelegramEmulator, bot: Bot, alice: User
) -> None:
    await telegram.say(alice, ALICE, "one")
    await telegram.say(alice, ALICE, "two")
    first = await bot.get_updates(timeout=0)
    assert texts(first) == ["one", "two"]
    assert texts(await bot.get_updates(timeout=0)) == ["one", "two"]
    assert texts(await bot.get_updates(offset=first[0].update_id + 1, timeout=0)) == ["two"]
    assert texts(await bot.get_updates(offset=-1, timeout=0)) == ["two"]
    assert texts(await bot.get_updates(timeout=0, limit=1)) == ["two"]
    assert texts(await bot.get_updates(offset=first[1].update_id + 1, timeout=0)) == []


async def test_long_poll_is_answered_when_something_is_said(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await telegram.until(lambda: bool(telegram.called("getUpdates")))
    assert not poll.done()
    await telegram.say(alice, ALICE, "hello")
    assert texts(await poll) == ["hello"]


async def test_offset_of_another_servers_numbering_is_answered_from_the_head(
    telegram: TelegramEmulator, bot: Bot, alice: User
) -> None:
    await telegram.say(alice, ALICE, "hello")
    assert texts(await bot.get_updates(offset=2_000_000_000, timeout=0)) == ["hello"]


async def test_updates_that_nobody_fetches_are_kept_for_a_day(
    telegram: TelegramEmulator, bot: Bot, alice: User, clock: Clock
) -> None:
    await telegram.say(alice, ALICE, "old")
    clock.now += 86_000
    await telegram.say(alice, ALICE, "new")
    assert texts(await bot.get_updates(timeout=0)) == ["old", "new"]
    clock.now += 1_000
    assert texts(await bot.get_updates(timeout=0)) == ["new"]


async def test_kinds_are_filtered_when_the_update_is_made(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    await bot.get_updates(timeout=0, allowed_updates=["message"])
    message = await telegram.say(alice, ALICE, "hello")
    await telegram.edit(message, "hello!")
    updates = await bot.get_updates(timeout=0, allowed_updates=["message", "edited_message"])
    assert [update.message is not None for update in updates] == [True]
    await telegram.edit(message, "hello?")
    updates = await bot.get_updates(timeout=0)
    assert updates[-1].edited_message is not None
    assert updates[-1].edited_message.text == "hello?"
    assert updates[-1].edited_message.edit_date is not None


async def test_older_of_two_polls_is_thrown_out(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    older = asyncio.create_task(bot.get_updates(timeout=30))
    await telegram.until(lambda: len(telegram.called("getUpdates")) == 1)
    async with new_bot(telegram) as second:
        newer = asyncio.create_task(second.get_updates(timeout=30))
        with pytest.raises(Conflict, match="terminated by other getUpdates request"):
            await older
        await telegram.say(alice, ALICE, "hello")
        assert texts(await newer) == ["hello"]


async def test_webhook_keeps_polls_away_until_it_is_deleted(telegram: TelegramEmulator, bot: Bot) -> None:
    await bot.set_webhook("https://bot.example.org/hook")
    with pytest.raises(Conflict, match="webhook is active"):
        await bot.get_updates(timeout=0)
    assert (await bot.get_webhook_info()).url == "https://bot.example.org/hook"
    await bot.delete_webhook()
    assert await bot.get_updates(timeout=0) == ()


async def test_messages_carry_the_virtual_time_or_a_given_one(
    telegram: TelegramEmulator, bot: Bot, alice: User, clock: Clock
) -> None:
    await telegram.say(alice, ALICE, "now")
    await telegram.say(alice, ALICE, "before", date=clock.now - 3600)
    dates = [update.message.date.timestamp() for update in await bot.get_updates(timeout=0) if update.message]
    assert dates == [clock.now, clock.now - 3600]


# ---------------------------------------------------------------- out


async def test_transcript_shows_what_people_see_and_what_they_saw(
    telegram: TelegramEmulator, bot: Bot, alice: User
) -> None:
    question = await telegram.say(alice, ALICE, "hello")
    reply = ReplyParameters(question.id)
    draft = await bot.send_message(ALICE, "…", reply_parameters=reply, link_preview_options=LinkPreviewOptions(True))
    await draft.edit_text("Hello, Alice.")
    second = await bot.send_message(ALICE, "bye")
    await second.delete()
    assert telegram.visible(ALICE) == ["hello", "Hello, Alice."]
    assert telegram.answers(ALICE) == ["Hello, Alice."]
    assert telegram.history(ALICE) == {draft.message_id: ["…", "Hello, Alice."], second.message_id: ["bye"]}
    assert telegram.message(ALICE, draft.message_id).reply_to == question.id


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "message text is empty"),
        (" \n ", "text must be non-empty"),
        ("x" * 4097, "message is too long"),
        ("x" * 4095 + "😀", "message is too long"),
        ("😀" * 2049, "message is too long"),
    ],
)
async def test_text_that_no_message_can_hold_is_refused(
    telegram: TelegramEmulator, bot: Bot, alice: User, text: str, said: str
) -> None:
    with pytest.raises(BadRequest) as caught:
        await bot.send_message(ALICE, text)
    assert said in str(caught.value).casefold()
    assert telegram.answers(ALICE) == []


async def test_text_at_the_limit_passes(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    for text in ("x" * 4096, "x" * 4094 + "😀", "x" * 4096 + "\n\n"):
        await bot.send_message(ALICE, text)
    assert telegram.answers(ALICE) == ["x" * 4096, "x" * 4094 + "😀", "x" * 4096]


@pytest.mark.parametrize(
    "entities",
    [
        [("bold", 0, 5), ("italic", 1, 2)],
        [("bold", 1, 2)],  # the emoji, two units
        [("blockquote", 0, 6), ("code", 1, 2)],
        [("code", 0, 1), ("pre", 3, 2)],
        [("bold", 0, 6), ("text_link", 0, 6)],
        [("code", 0, 3), ("blockquote", 0, 6)],
    ],
)
async def test_entities_that_nest_are_kept(
    telegram: TelegramEmulator, bot: Bot, alice: User, entities: list[tuple[str, int, int]]
) -> None:
    made = [MessageEntity(*entity, url="https://x.org/" if entity[0] == "text_link" else None) for entity in entities]
    message = await bot.send_message(ALICE, "a😀bcd", entities=made)
    assert sorted(message.entities, key=lambda each: each.type) == sorted(made, key=lambda each: each.type)


@pytest.mark.parametrize(
    "entities",
    [
        [("bold", 0, 3), ("italic", 2, 4)],
        [("bold", 2, 2)],  # begins inside the emoji
        [("bold", 0, 2)],  # ends inside it
        [("bold", 0, 7)],
        [("bold", 6, 1)],
        [("bold", -1, 2)],
        [("bold", 0, 0)],
        [("shiny", 0, 1)],
        [("text_link", 0, 1)],
        [("code", 0, 6), ("bold", 1, 2)],
        [("bold", 0, 6), ("code", 1, 2)],
        [("pre", 0, 6), ("code", 0, 6)],
        [("blockquote", 0, 6), ("blockquote", 0, 3)],
    ],
)
async def test_entities_that_break_a_rule_are_refused(
    telegram: TelegramEmulator, bot: Bot, alice: User, entities: list[tuple[str, int, int]]
) -> None:
    with pytest.raises(BadRequest):
        await bot.send_message(ALICE, "a😀bcd", entities=[MessageEntity(*entity) for entity in entities])
    assert telegram.answers(ALICE) == []


async def test_trimming_moves_entities(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    bold = MessageEntity("bold", 2, 4)
    message = await bot.send_message(ALICE, "  bold  ", entities=[bold, MessageEntity("italic", 0, 2)])
    assert (message.text, message.entities) == ("bold", (MessageEntity("bold", 0, 4),))


async def test_markup_in_text_is_refused(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    with pytest.raises(BadRequest, match="entities"):
        await bot.send_message(ALICE, "<b>x</b>", parse_mode="HTML")


async def test_refusals_have_telegrams_words(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    mine = await bot.send_message(ALICE, "x")
    hers = await telegram.say(alice, ALICE, "y")

    async def refused(call: Any, words: str, kind: type[TelegramError] = BadRequest) -> None:
        with pytest.raises(kind) as caught:
            await call
        assert words in str(caught.value).casefold()

    await refused(mine.edit_text("x"), "message is not modified")
    await refused(bot.edit_message_text("z", ALICE, 999), "message to edit not found")
    await refused(bot.edit_message_text("z", ALICE, hers.id), "message can't be edited")
    await refused(bot.edit_message_text("x" * 4097, ALICE, mine.message_id), "message_too_long")
    await refused(bot.delete_message(ALICE, 999), "message to delete not found")
    await refused(bot.send_message(5, "x"), "chat not found")
    await refused(bot.send_message(ALICE, "x", message_thread_id=9), "message thread not found")
    await refused(
        bot.send_message(ALICE, "x", reply_parameters=ReplyParameters(999)), "message to be replied not found"
    )
    await refused(bot.send_chat_action(ALICE, "dance"), "wrong parameter action")
    await refused(bot.set_message_reaction(ALICE, 999, "👍"), "message to react not found")
    await refused(bot.set_message_reaction(ALICE, hers.id, ReactionTypeEmoji("✅")), "reaction_invalid")
    await refused(bot.answer_callback_query("1"), "query is too old")
    await refused(bot.set_my_commands([BotCommand("no-dash", "x")]), "bot_command_invalid")
    await refused(bot.leave_chat(ALICE), "method not found", InvalidToken)
    telegram.block(ALICE)
    await refused(bot.send_message(ALICE, "x"), "bot was blocked by the user", Forbidden)
    telegram.unblock(ALICE)
    await telegram.delete(telegram.message(ALICE, mine.message_id))
    await refused(mine.edit_text("z"), "message to edit not found")
    assert telegram.visible(ALICE) == ["y"]


async def test_small_methods_leave_their_marks(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    hers = await telegram.say(alice, ALICE, "y")
    await bot.set_message_reaction(ALICE, hers.id, "👍")
    assert hers.reactions == ["👍"]
    await bot.set_message_reaction(ALICE, hers.id, [])
    assert hers.reactions == []
    await bot.send_chat_action(ALICE, "typing")
    assert telegram.methods.actions == [(ALICE, "typing")]
    await bot.set_my_commands([BotCommand("help", "What I can do")])
    assert [command.command for command in await bot.get_my_commands()] == ["help"]
    assert (await bot.get_chat(ALICE)).first_name == "Alice"
    await bot.send_message(ALICE, "x", reply_parameters=ReplyParameters(999, allow_sending_without_reply=True))


async def test_button_is_pressed_and_answered(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    markup = '{"inline_keyboard": [[{"text": "Yes", "callback_data": "y"}]]}'
    sent = await bot.send_message(ALICE, "Sure?", api_kwargs={"reply_markup": markup})
    await telegram.press(alice, telegram.message(ALICE, sent.message_id), "y")
    query = (await bot.get_updates(timeout=0))[0].callback_query
    assert query is not None
    assert query.data == "y"
    await query.answer("ok")
    assert telegram.methods.callbacks == {query.id: "ok"}


@pytest.mark.parametrize("token", ["123456:AAE-another-token-another-token-000", "nonsense"])
async def test_wrong_token_is_refused(telegram: TelegramEmulator, token: str) -> None:
    bot = new_bot(telegram, token)
    with pytest.raises(InvalidToken):
        await bot.initialize()
    await bot.shutdown()


# ---------------------------------------------------------------- faults


async def test_flood_carries_its_delay_and_strikes_as_often_as_told(
    telegram: TelegramEmulator, bot: Bot, alice: User
) -> None:
    plan = telegram.fail("sendMessage", Flood(retry_after=33), times=2)
    for _ in range(2):
        with pytest.raises(RetryAfter) as caught:
            await bot.send_message(ALICE, "x")
        assert caught.value._retry_after.total_seconds() == 33
    await bot.send_message(ALICE, "x")
    assert (plan.hits, telegram.answers(ALICE)) == (2, ["x"])


async def test_fault_can_look_at_the_parameters_and_be_healed(
    telegram: TelegramEmulator, bot: Bot, alice: User
) -> None:
    plan = telegram.fail("*", Refusal(code=400, description="Bad Request: no"), times=None, when=lambda p: "text" in p)
    await bot.get_me()
    for _ in range(2):
        with pytest.raises(BadRequest):
            await bot.send_message(ALICE, "x")
    plan.heal()
    await bot.send_message(ALICE, "x")


async def test_group_that_moved_names_its_new_id(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    moved = Refusal(code=400, description="Bad Request: group chat was upgraded", parameters={"migrate_to_chat_id": -7})
    telegram.fail("sendMessage", moved)
    with pytest.raises(ChatMigrated) as caught:
        await bot.send_message(ALICE, "x")
    assert caught.value.new_chat_id == -7


@pytest.mark.parametrize(
    ("fault", "kind", "applied"),
    [
        (ServerError(status=502), NetworkError, False),
        (ServerError(status=504, applied=True), NetworkError, True),
        (Cut(), NetworkError, False),
        (Cut(applied=True), NetworkError, True),
        (BlackHole(), TimedOut, False),
        (BlackHole(applied=True), TimedOut, True),
    ],
)
async def test_failure_happens_before_or_after_the_effect(
    telegram: TelegramEmulator,
    alice: User,
    fault: ServerError | Cut | BlackHole,
    kind: type[NetworkError],
    applied: bool,
) -> None:
    async with new_bot(telegram, timeout_s=0.2) as bot:
        telegram.fail("sendMessage", fault)
        with pytest.raises(kind):
            await bot.send_message(ALICE, "x")
        assert telegram.answers(ALICE) == (["x"] if applied else [])
        assert telegram.called("sendMessage")[0].applied is applied
        await bot.send_message(ALICE, "y")


async def test_refused_connection_is_taken_again_on_the_same_port(
    telegram: TelegramEmulator, bot: Bot, alice: User
) -> None:
    poll = asyncio.create_task(bot.get_updates(timeout=30))
    await telegram.until(lambda: bool(telegram.called("getUpdates")))
    async with telegram.unreachable():
        with pytest.raises(NetworkError):
            await poll
        with pytest.raises(NetworkError, match="ConnectError"):
            await bot.send_message(ALICE, "x")
    await bot.send_message(ALICE, "y")
    assert telegram.answers(ALICE) == ["y"]


async def test_gate_holds_one_request_before_its_effect_and_another_after_it(
    telegram: TelegramEmulator, bot: Bot, alice: User
) -> None:
    opened = asyncio.Event()
    telegram.fail("sendMessage", Gate(opened=opened), when=lambda p: p["text"] == "before")
    telegram.fail("sendMessage", Gate(opened=opened, applied=True), when=lambda p: p["text"] == "after")
    before = asyncio.create_task(bot.send_message(ALICE, "before"))
    await telegram.until(lambda: bool(telegram.called("sendMessage", text="before")))
    after = asyncio.create_task(bot.send_message(ALICE, "after"))
    await telegram.until(lambda: telegram.answers(ALICE) == ["after"])
    assert not before.done()
    assert not after.done()
    opened.set()
    await asyncio.gather(before, after)
    assert telegram.answers(ALICE) == ["after", "before"]


async def test_delay_lets_a_later_request_overtake(telegram: TelegramEmulator, bot: Bot, alice: User) -> None:
    telegram.fail("sendMessage", Delay(seconds=0.5))
    slow = asyncio.create_task(bot.send_message(ALICE, "slow"))
    await telegram.until(lambda: bool(telegram.called("sendMessage")))
    await bot.send_message(ALICE, "quick")
    await slow
    assert telegram.answers(ALICE) == ["quick", "slow"]


async def test_requests_are_recorded_in_order_with_their_outcome(
    telegram: TelegramEmulator, bot: Bot, alice: User
) -> None:
    await bot.send_message(ALICE, "x", entities=[MessageEntity("bold", 0, 1)])
    mark = telegram.tick()
    with pytest.raises(BadRequest):
        await bot.send_message(5, "y")
    first, second = telegram.called("sendMessage")
    assert first.outcome == "ok"
    assert first.parameters["entities"] == [{"type": "bold", "offset": 0, "length": 1}]
    assert second.outcome == "Bad Request: chat not found"
    assert first.answered is not None
    assert first.order < first.answered < mark < second.order
