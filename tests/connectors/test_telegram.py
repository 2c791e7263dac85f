"""The Telegram connector, over the real SDK, against the emulated Bot API."""

from __future__ import annotations

import asyncio
import logging
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from jarvisbot.connectors.telegram import SECRETS, Settings, Telegram, create
from pydantic import ValidationError

from jarvisbot.connector import Markup, Once, Receipt, Unit
from jarvisbot.errors import (
    ConfigError,
    ConnectorError,
    Disconnected,
    JarvisError,
    LoginFailed,
    MessageGone,
    OutcomeUnknown,
    RateLimited,
    Rejected,
    StoreError,
)
from jarvisbot.types import Address, Author, Edited, FileRef, Inbound, Outbound, Rendered, Said, Span, SpanKind
from tests.emulators.telegram import (
    TOKEN,
    BlackHole,
    Call,
    Cut,
    Fault,
    Flood,
    Gate,
    Refusal,
    ServerError,
    TelegramEmulator,
    User,
)

ALICE = 1001
ROOM = Address(connector="telegram", room=str(ALICE))
NOW = datetime(2027, 1, 15, 8, 0, tzinfo=UTC)
SECRET = TOKEN.partition(":")[2]
CONFLICT = Refusal(
    code=409, description="Conflict: terminated by other getUpdates request; make sure that only one ..."
)


class MemoryInbox:
    """An inbox in memory: keeps what it is given in order, drops known ids, fails or waits where it is told to."""

    commands = (("help", "What I can do"),)
    german_commands = (("help", "Was ich kann"),)

    def __init__(self, telegram: TelegramEmulator, checkpoint: str | None = None) -> None:
        self.saved = checkpoint
        self.events: list[Inbound] = []
        self.put_at: list[int] = []
        self.failures: list[StoreError] = []
        self.unreadable: list[StoreError] = []
        self.gate: asyncio.Event | None = None
        self.strangers: set[str] = set()
        self.known: set[str] = set()
        self.kept: dict[str, bytes] = {}
        self._telegram = telegram

    @property
    def media(self) -> MemoryInbox:
        return self

    def admits(self, at: Address, author: Author) -> bool:
        return author.id not in self.strangers

    async def knows(self, at: Address) -> bool:
        return at.key in self.known

    async def keep(self, data: bytes, *, name: str, media_type: str) -> FileRef:
        identity = f"kept{len(self.kept)}"
        self.kept[identity] = data
        return FileRef(id=identity, name=name, media_type=media_type, size_bytes=len(data))

    async def read(self, file: FileRef) -> bytes:
        if file.id not in self.kept:
            raise StoreError("gone")
        return self.kept[file.id]

    @property
    def texts(self) -> list[str]:
        return [event.text for event in self.events]

    async def put(self, *inbound: Inbound, checkpoint: str | None = None) -> None:
        if self.gate is not None:
            await self.gate.wait()
        if self.failures:
            raise self.failures.pop()
        known = {event.id for event in self.events}
        self.events += [event for event in inbound if event.id not in known]
        self.saved = checkpoint or self.saved
        self.put_at.append(self._telegram.tick())
        await self._telegram.poke()

    async def checkpoint(self) -> str | None:
        if self.unreadable:
            raise self.unreadable.pop()
        return self.saved


class Pauses:
    """The waits that were asked for; none takes any time."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramEmulator]:
    async with TelegramEmulator() as emulator:
        yield emulator


@pytest.fixture
def alice(telegram: TelegramEmulator) -> User:
    return telegram.person(ALICE, "Alice")


@pytest.fixture
def inbox(telegram: TelegramEmulator) -> MemoryInbox:
    return MemoryInbox(telegram)


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture(autouse=True)
def _timedelta(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")  # what `create` sets for the program


def new_connector(
    telegram: TelegramEmulator,
    pauses: Pauses | None = None,
    *,
    token: str = TOKEN,
    poll_timeout_s: int = 50,
    poll_margin_s: float = 10.0,
    request_timeout_s: float = 5.0,
) -> Telegram:
    settings = Settings(
        api_url=telegram.api_url,
        file_url=telegram.file_url,
        poll_timeout_s=poll_timeout_s,
        poll_margin_s=poll_margin_s,
        request_timeout_s=request_timeout_s,
    )
    return Telegram("telegram", settings, token, pause=pauses or Pauses(), now=lambda: NOW)


def polls(telegram: TelegramEmulator) -> list[Call]:
    return telegram.called("getUpdates")


@asynccontextmanager
async def running(
    telegram: TelegramEmulator, connector: Telegram, inbox: MemoryInbox
) -> AsyncIterator[asyncio.Task[None]]:
    """The connector at work from its first poll on; it is cancelled at the end of the block."""
    before = len(polls(telegram))
    task = asyncio.create_task(connector.run(inbox))
    polled = asyncio.create_task(telegram.until(lambda: len(polls(telegram)) > before))
    await asyncio.wait({task, polled}, return_when=asyncio.FIRST_COMPLETED)
    try:
        yield task
    finally:
        task.cancel()
        polled.cancel()
        await asyncio.gather(task, polled, return_exceptions=True)


@pytest.fixture
async def connector(telegram: TelegramEmulator, alice: User, inbox: MemoryInbox) -> AsyncIterator[Telegram]:
    """A connector that is connected."""
    connector = new_connector(telegram)
    async with running(telegram, connector, inbox):
        yield connector


def outbound(
    text: str, *spans: Span, reply_to: str | None = None, replaces: str | None = None, to: Address = ROOM
) -> Outbound:
    return Outbound(id="o1", to=to, body=Rendered(text=text, spans=spans), reply_to=reply_to, replaces=replaces)


def number(receipt: Receipt) -> int:
    return int(receipt.message.partition(":")[2])


# ---------------------------------------------------------------- the module


def test_create_makes_a_connector_with_telegrams_own_addresses_as_defaults() -> None:
    settings = Settings()
    connector = create("work", settings, {"token": f" {TOKEN}\n"})
    assert connector.name == "work"
    assert settings.api_url == "https://api.telegram.org/bot"
    assert settings.file_url == "https://api.telegram.org/file/bot"
    assert settings.poll_timeout_s == 50
    assert SECRETS == ("token",)


def test_capabilities_count_in_utf16_and_ask_for_entities_and_placeholders() -> None:
    capabilities = create("telegram", Settings(), {"token": TOKEN}).capabilities
    assert (capabilities.text_limit, capabilities.unit) == (4096, Unit.UTF16)
    assert (capabilities.markup, capabilities.once, capabilities.edits) == (Markup.ENTITIES, Once.PLACEHOLDER, True)
    assert (capabilities.draft_interval_s, capabilities.group_draft_interval_s) == (1.5, 3.0)
    assert not capabilities.native_rows


@pytest.mark.parametrize("secrets", [{}, {"token": ""}, {"token": "not/a token"}])
def test_create_refuses_what_is_no_token_and_says_where_to_get_one(secrets: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match="@BotFather") as caught:
        create("work", Settings(), secrets)
    assert "[connectors.work]" in caught.value.user_message
    assert "not/a token" not in caught.value.user_message


@pytest.mark.parametrize("field", [{"token": TOKEN}, {"poll_timeout_s": 61}, {"poll_margin_s": 16}])
def test_settings_refuse_unknown_fields_and_polls_longer_than_90_s(field: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate(field)


# ---------------------------------------------------------------- in


async def test_message_arrives_as_an_inbound(telegram: TelegramEmulator, alice: User, inbox: MemoryInbox) -> None:
    async with running(telegram, new_connector(telegram), inbox):
        first = await telegram.say(alice, ALICE, "hello", date=1_800_000_000)
        await telegram.say(alice, ALICE, "and this", reply_to_message=first.json())
        await telegram.until(lambda: len(inbox.events) == 2)
    hello, reply = inbox.events
    assert hello.id == f"{ALICE}:{first.id}"
    assert hello.at == ROOM
    assert (hello.author.id, hello.author.name, hello.author.is_bot) == ("1001", "Alice", False)
    assert (hello.text, hello.direct, hello.addressed, hello.about) == ("hello", True, True, Said())
    assert hello.sent == datetime.fromtimestamp(1_800_000_000, UTC)
    assert (hello.reply_to, reply.reply_to) == (None, hello.id)


async def test_edit_arrives_as_an_event_of_its_own_about_the_message(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    async with running(telegram, new_connector(telegram), inbox):
        message = await telegram.say(alice, ALICE, "list: milk, bread")
        await telegram.edit(message, "list: milk, rice")
        await telegram.edit(message, "list: milk, salt")
        await telegram.until(lambda: len(inbox.events) == 3)
    said, *edits = inbox.events
    assert [edit.about for edit in edits] == [Edited(id=said.id)] * 2
    assert [edit.text for edit in edits] == ["list: milk, rice", "list: milk, salt"]
    assert len({event.id for event in inbox.events}) == 3


async def test_topic_of_a_private_chat_is_a_thread_but_the_root_of_a_reply_chain_is_not(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.say(alice, ALICE, "topic", message_thread_id=12, is_topic_message=True)
        await telegram.say(alice, ALICE, "chain", message_thread_id=57)
        await telegram.until(lambda: len(inbox.events) == 2)
    assert [event.at.thread for event in inbox.events] == ["12", None]


async def test_captions_are_read_and_messages_that_say_nothing_passed_over(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    file = {"file_id": "f", "file_unique_id": "u"}
    photo = [{**file, "width": 90, "height": 90}]
    pinned = {"message_id": 1, "date": 0, "chat": {"id": ALICE, "type": "private"}}
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.say(alice, ALICE, None, photo=photo, caption="what is this?")
        await telegram.say(alice, ALICE, None, location={"latitude": 1.5, "longitude": 2.5})
        await telegram.say(alice, ALICE, None, pinned_message=pinned)
        await telegram.say(alice, ALICE, "last")
        await telegram.until(lambda: "last" in inbox.texts)
    assert inbox.texts == ["what is this?", "last"]
    assert [(each.id, each.name) for each in inbox.events[0].attachments] == [("", "photo.jpg")]


async def test_groups_bots_and_nobodys_messages_are_passed_over_and_confirmed(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    group = telegram.group(-100123, "Team")
    robot = telegram.person(7, "Robot", is_bot=True)
    channel = {"message_id": 5, "date": 0, "chat": {"id": ALICE, "type": "private"}, "text": "from nobody"}
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.say(alice, group, "in the group")
        await telegram.say(robot, robot.id, "from a bot")
        await telegram.say(telegram.bot, ALICE, "from myself")
        await telegram.push("message", channel)
        await telegram.until(lambda: not telegram.chats.pending())
    assert inbox.events == []
    assert inbox.saved == str(telegram.chats.next_update_id)


async def test_update_that_the_sdk_cannot_read_does_not_hold_up_the_others(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.push("message", {"message_id": "?", "date": "yesterday", "chat": "none"})
        await telegram.say(alice, ALICE, "hello")
        await telegram.until(lambda: not telegram.chats.pending())
    assert inbox.texts == ["hello"]


async def test_only_the_kinds_in_use_are_asked_for(telegram: TelegramEmulator, alice: User, inbox: MemoryInbox) -> None:
    async with running(telegram, new_connector(telegram), inbox):
        assert polls(telegram)[0].parameters["allowed_updates"] == [
            "message",
            "edited_message",
            "callback_query",
            "message_reaction",
        ]


async def test_the_menu_is_set_when_the_line_is_up_and_its_failure_does_not_cut_the_line(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.until(lambda: telegram.called("getUpdates"))
        assert [each["command"] for each in telegram.methods.commands] == ["help"]
    telegram.fail("setMyCommands", Flood(retry_after=30))
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.say(alice, ALICE, "still here?")
        await telegram.until(lambda: inbox.texts == ["still here?"])


async def test_commands_are_put_into_the_menu(telegram: TelegramEmulator, connector: Telegram) -> None:
    await connector.offer_commands([("help", "What I can do"), ("no-dash", "x"), ("empty", ""), ("long", "x" * 300)])
    assert [(each["command"], len(each["description"])) for each in telegram.methods.commands] == [
        ("help", 13),
        ("long", 256),
    ]


# ---------------------------------------------------------------- nothing lost, nothing twice


async def test_update_is_confirmed_only_after_put_has_returned(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    inbox.gate = asyncio.Event()
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.say(alice, ALICE, "hello")
        await telegram.until(lambda: polls(telegram)[0].outcome == "ok")
        assert len(polls(telegram)) == 1
        assert telegram.chats.pending()
        inbox.gate.set()
        await telegram.until(lambda: not telegram.chats.pending())
    confirming = next(call for call in polls(telegram) if call.parameters.get("offset") == str(inbox.saved))
    assert inbox.put_at[0] < confirming.order
    assert "offset" not in polls(telegram)[0].parameters


async def test_update_that_could_not_be_stored_is_asked_for_again(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, pauses: Pauses, caplog: pytest.LogCaptureFixture
) -> None:
    inbox.failures = [StoreError("disk full") for _ in range(9)]
    async with running(telegram, new_connector(telegram, pauses), inbox):
        await telegram.say(alice, ALICE, "hello")
        await telegram.until(lambda: inbox.texts == ["hello"])
        await telegram.until(lambda: not telegram.chats.pending())
    before_put = [call for call in polls(telegram) if call.order < inbox.put_at[0]]
    assert len(before_put) == 10
    assert all("offset" not in call.parameters for call in before_put)
    assert pauses.seconds == [1, 2, 4, 8, 16, 32, 60, 60, 60]
    assert [record.levelname for record in caplog.records if "stored" in record.message] == ["ERROR"]


async def test_checkpoint_that_cannot_be_read_is_waited_for_before_the_first_poll(
    telegram: TelegramEmulator, alice: User, pauses: Pauses
) -> None:
    inbox = MemoryInbox(telegram, checkpoint="700000001")
    inbox.unreadable = [StoreError("locked"), StoreError("locked")]
    async with running(telegram, new_connector(telegram, pauses), inbox):
        assert polls(telegram)[0].parameters["offset"] == "700000001"
    assert pauses.seconds == [1, 2]


async def test_restart_fetches_what_was_missed_once_and_in_order(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.say(alice, ALICE, "before")
        await telegram.until(lambda: inbox.texts == ["before"])
    for text in ("one", "two", "three"):
        await telegram.say(alice, ALICE, text)
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.until(lambda: not telegram.chats.pending())
    async with running(telegram, new_connector(telegram), inbox):
        assert polls(telegram)[-1].parameters["offset"] == inbox.saved
    assert inbox.texts == ["before", "one", "two", "three"]


async def test_redelivered_message_keeps_its_id(telegram: TelegramEmulator, alice: User, inbox: MemoryInbox) -> None:
    await telegram.say(alice, ALICE, "hello")
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.until(lambda: inbox.texts == ["hello"])
    other = MemoryInbox(telegram)
    await telegram.push("message", telegram.chats.shown(ALICE)[0].json())
    async with running(telegram, new_connector(telegram), other):
        await telegram.until(lambda: bool(other.events))
    assert other.events[0].id == inbox.events[0].id


async def test_checkpoint_of_another_servers_numbering_neither_loops_nor_loses(
    telegram: TelegramEmulator, alice: User
) -> None:
    inbox = MemoryInbox(telegram, checkpoint="2000000000")
    await telegram.say(alice, ALICE, "hello")
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.until(lambda: not telegram.chats.pending())
    assert inbox.texts == ["hello"]
    assert inbox.saved == str(telegram.chats.next_update_id)
    assert len(polls(telegram)) == 2


# ---------------------------------------------------------------- the line


async def test_poll_that_is_never_answered_is_given_up_and_a_fresh_one_made_at_once(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, pauses: Pauses
) -> None:
    telegram.fail("getUpdates", BlackHole())
    connector = new_connector(telegram, pauses, poll_timeout_s=1, poll_margin_s=0.2)
    async with running(telegram, connector, inbox):
        for text in "abcde":
            await telegram.say(alice, ALICE, text)
        await telegram.until(lambda: len(inbox.events) == 5)
        await connector.send(outbound("still here"))
    assert inbox.texts == list("abcde")
    assert pauses.seconds == []
    assert polls(telegram)[1].peer != polls(telegram)[0].peer


async def test_line_that_stays_dead_is_handed_to_the_supervisor(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    telegram.fail("getUpdates", BlackHole(), times=None)
    connector = new_connector(telegram, poll_timeout_s=1, poll_margin_s=0.2)
    with pytest.raises(Disconnected):
        await asyncio.wait_for(connector.run(inbox), 10)
    assert len(polls(telegram)) == 2


@pytest.mark.parametrize("fault", [Cut(), ServerError(status=502)])
async def test_one_failed_poll_is_made_up_for_without_a_restart(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, fault: Fault
) -> None:
    telegram.fail("getUpdates", fault)
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.say(alice, ALICE, "hello")
        await telegram.until(lambda: inbox.texts == ["hello"])


async def test_refused_connection_is_disconnected_and_a_new_run_goes_on(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    connector = new_connector(telegram)
    async with telegram.unreachable():
        with pytest.raises(Disconnected):
            await connector.run(inbox)
    async with running(telegram, connector, inbox) as task:
        await telegram.refuse()
        with pytest.raises(Disconnected):
            await asyncio.wait_for(task, 10)
        with pytest.raises(Disconnected):
            await connector.send(outbound("x"))
        await telegram.accept()
    async with running(telegram, connector, inbox):
        await telegram.say(alice, ALICE, "hello")
        await telegram.until(lambda: inbox.texts == ["hello"])


async def test_second_program_with_the_token_is_named_once_and_waited_for(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, pauses: Pauses, caplog: pytest.LogCaptureFixture
) -> None:
    telegram.fail("getUpdates", CONFLICT, times=5)
    async with running(telegram, new_connector(telegram, pauses), inbox):
        await telegram.say(alice, ALICE, "hello")
        await telegram.until(lambda: inbox.texts == ["hello"])
    assert pauses.seconds == [10, 20, 40, 60, 60]
    assert [record.levelname for record in caplog.records if "Another program" in record.message] == ["WARNING"]


async def test_rate_limit_of_polls_is_waited_out(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, pauses: Pauses
) -> None:
    telegram.fail("getMe", Flood(retry_after=7))
    telegram.fail("getUpdates", Flood(retry_after=33))
    async with running(telegram, new_connector(telegram, pauses), inbox):
        await telegram.say(alice, ALICE, "hello")
        await telegram.until(lambda: inbox.texts == ["hello"])
    assert pauses.seconds == [7, 33]


async def test_webhook_is_removed_and_what_waited_is_kept(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, caplog: pytest.LogCaptureFixture
) -> None:
    telegram.methods.webhook = "https://bot.example.org/hook"
    await telegram.say(alice, ALICE, "hello")
    async with running(telegram, new_connector(telegram), inbox):
        await telegram.until(lambda: inbox.texts == ["hello"])
    assert telegram.methods.webhook == ""
    assert any("webhook" in record.message for record in caplog.records if record.levelname == "WARNING")


async def test_webhook_that_appears_later_is_removed_too(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    async with running(telegram, new_connector(telegram), inbox):
        telegram.methods.webhook = "https://bot.example.org/hook"
        await telegram.say(alice, ALICE, "one")
        await telegram.until(lambda: inbox.texts == ["one"] and telegram.methods.webhook == "")
        await telegram.say(alice, ALICE, "two")
        await telegram.until(lambda: inbox.texts == ["one", "two"])


@pytest.mark.parametrize("token", ["123456:AAE-another-token-another-token-000", "123456:short"])
async def test_wrong_token_is_for_the_owner_to_mend(telegram: TelegramEmulator, inbox: MemoryInbox, token: str) -> None:
    with pytest.raises(LoginFailed, match="@BotFather") as caught:
        await new_connector(telegram, token=token).run(inbox)
    assert "[connectors.telegram]" in caught.value.user_message
    assert "`token`" in caught.value.user_message
    assert token not in "".join(traceback.format_exception(caught.value))


async def test_token_that_is_revoked_ends_the_run(telegram: TelegramEmulator, alice: User, inbox: MemoryInbox) -> None:
    connector = new_connector(telegram)
    async with running(telegram, connector, inbox) as task:
        telegram.token = "123456:BBB-renewed-token-renewed-token-0000"
        with pytest.raises(Disconnected):
            await connector.send(outbound("x"))
        await telegram.push("message", {})
        with pytest.raises(LoginFailed):
            await asyncio.wait_for(task, 10)


# ---------------------------------------------------------------- out


async def test_message_is_sent_with_its_entities_as_a_reply_without_preview(
    telegram: TelegramEmulator, alice: User, connector: Telegram
) -> None:
    question = await telegram.say(alice, ALICE, "hello")
    spans = [
        Span(kind=SpanKind.QUOTE, start=0, length=22),
        Span(kind=SpanKind.BOLD, start=3, length=1),
        Span(kind=SpanKind.ITALIC, start=5, length=1),
        Span(kind=SpanKind.STRIKE, start=7, length=1),
        Span(kind=SpanKind.CODE, start=9, length=1),
        Span(kind=SpanKind.LINK, start=11, length=1, url="https://example.org/"),
        Span(kind=SpanKind.PRE, start=13, length=4, language="python"),
    ]
    receipt = await connector.send(outbound("😀 b i s c l pass quote", *spans, reply_to=f"{ALICE}:{question.id}"))
    message = telegram.message(ALICE, number(receipt))
    assert receipt.message == f"{ALICE}:{message.id}"
    assert receipt.sent == datetime.fromtimestamp(message.date, UTC)
    assert message.text == "😀 b i s c l pass quote"
    assert [(each["type"], each["offset"], each["length"]) for each in message.entities] == [
        ("blockquote", 0, 22),
        ("bold", 3, 1),
        ("italic", 5, 1),
        ("strikethrough", 7, 1),
        ("code", 9, 1),
        ("text_link", 11, 1),
        ("pre", 13, 4),
    ]
    assert message.entities[5]["url"] == "https://example.org/"
    assert message.entities[6]["language"] == "python"
    assert message.reply_to == question.id
    assert message.fields["link_preview_options"] == {"is_disabled": True}


@pytest.mark.parametrize("reply_to", [f"{ALICE}:999", "edit:700000001", "-5:1"])
async def test_answer_to_a_question_that_is_gone_is_sent_without_the_reply(
    telegram: TelegramEmulator, connector: Telegram, reply_to: str
) -> None:
    receipt = await connector.send(outbound("hello", reply_to=reply_to))
    assert telegram.message(ALICE, number(receipt)).reply_to is None


async def test_answer_stays_in_its_topic(telegram: TelegramEmulator, alice: User, connector: Telegram) -> None:
    await telegram.say(alice, ALICE, "hello", message_thread_id=12, is_topic_message=True)
    topic = Address(connector="telegram", room=str(ALICE), thread="12")
    receipt = await connector.send(outbound("hello", to=topic))
    await connector.typing(topic)
    assert telegram.message(ALICE, number(receipt)).fields["message_thread_id"] == 12


async def test_draft_is_replaced_and_the_same_text_again_succeeds(
    telegram: TelegramEmulator, connector: Telegram
) -> None:
    bold = Span(kind=SpanKind.BOLD, start=0, length=5)
    first = await connector.send(outbound("…"))
    edited = await connector.send(outbound("Hello", bold, replaces=first.message))
    again = await connector.send(outbound("Hello", bold, replaces=first.message))
    assert first.message == edited.message == again.message
    assert again.sent == NOW
    assert telegram.history(ALICE) == {number(first): ["…", "Hello"]}
    assert telegram.message(ALICE, number(first)).entities == [{"type": "bold", "offset": 0, "length": 5}]
    assert telegram.called("editMessageText")[-1].outcome.startswith("Bad Request: message is not modified")


async def test_edit_of_what_is_not_there_is_message_gone(
    telegram: TelegramEmulator, alice: User, connector: Telegram
) -> None:
    hers = await telegram.say(alice, ALICE, "hello")
    draft = await connector.send(outbound("…"))
    await telegram.delete(telegram.message(ALICE, number(draft)))
    for replaces in (draft.message, f"{ALICE}:{hers.id}"):
        with pytest.raises(MessageGone):
            await connector.send(outbound("x", replaces=replaces))
    with pytest.raises(Rejected):
        await connector.send(outbound("x", replaces="elsewhere:1"))
    assert telegram.answers(ALICE) == []


FAILURES: list[tuple[Fault, type[ConnectorError], bool]] = [
    (Flood(retry_after=30), RateLimited, False),
    (Refusal(code=400, description="Bad Request: can't parse entities: no"), Rejected, False),
    (Refusal(code=400, description="Bad Request: chat not found"), MessageGone, False),
    (Refusal(code=403, description="Forbidden: user is deactivated"), MessageGone, False),
    (Cut(), OutcomeUnknown, False),
    (Cut(applied=True), OutcomeUnknown, True),
    (BlackHole(), OutcomeUnknown, False),
    (BlackHole(applied=True), OutcomeUnknown, True),
    (ServerError(status=502), OutcomeUnknown, False),
    (ServerError(status=504, applied=True), OutcomeUnknown, True),
    (ServerError(status=200, applied=True), OutcomeUnknown, True),
]


@pytest.mark.parametrize(("fault", "kind", "applied"), FAILURES)
async def test_failed_send_says_what_is_known_of_its_outcome_and_is_tried_once(
    telegram: TelegramEmulator,
    alice: User,
    inbox: MemoryInbox,
    fault: Fault,
    kind: type[ConnectorError],
    applied: bool,
) -> None:
    plan = telegram.fail("sendMessage", fault, times=None)
    connector = new_connector(telegram, request_timeout_s=0.5 if isinstance(fault, BlackHole) else 5.0)
    async with running(telegram, connector, inbox):
        with pytest.raises(ConnectorError) as caught:
            await connector.send(outbound("x"))
    assert type(caught.value) is kind
    assert plan.hits == 1
    assert telegram.answers(ALICE) == (["x"] if applied else [])


async def test_failures_of_the_smaller_calls_are_told_in_the_same_way(
    telegram: TelegramEmulator, connector: Telegram
) -> None:
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "sendChatAction": lambda: connector.typing(ROOM),
        "setMessageReaction": lambda: connector.mark(ROOM, f"{ALICE}:1", "👀", on=True),
        "deleteMessage": lambda: connector.retract(ROOM, f"{ALICE}:1"),
        "setMyCommands": lambda: connector.offer_commands([("help", "x")]),
        "editMessageText": lambda: connector.send(outbound("x", replaces=f"{ALICE}:1")),
    }
    for method, call in calls.items():
        for fault, kind in ((Flood(retry_after=3), RateLimited), (Cut(), OutcomeUnknown)):
            plan = telegram.fail(method, fault)
            with pytest.raises(kind):
                await call()
            assert plan.hits == 1


async def test_rate_limit_is_handed_on(telegram: TelegramEmulator, connector: Telegram) -> None:
    telegram.fail("sendMessage", Flood(retry_after=5827))
    with pytest.raises(RateLimited) as limited:
        await connector.send(outbound("x"))
    assert limited.value.retry_after_s == 5827


async def test_request_that_cannot_have_reached_telegram_is_disconnected(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    waiting = asyncio.Event()

    async def wait(_: float) -> None:
        await waiting.wait()

    telegram.fail("getUpdates", CONFLICT)
    connector = Telegram("telegram", Settings(api_url=telegram.api_url), TOKEN, pause=wait)
    async with running(telegram, connector, inbox), telegram.unreachable():
        calls: list[Callable[[], Awaitable[object]]] = [
            lambda: connector.send(outbound("x")),
            lambda: connector.send(outbound("x", replaces=f"{ALICE}:1")),
            lambda: connector.typing(ROOM),
            lambda: connector.mark(ROOM, f"{ALICE}:1", "👀", on=True),
            lambda: connector.retract(ROOM, f"{ALICE}:1"),
            lambda: connector.offer_commands([("help", "x")]),
        ]
        for call in calls:
            with pytest.raises(Disconnected):
                await call()
    assert telegram.called("sendMessage") == []


async def test_blocked_bot_is_told_in_plain_words(telegram: TelegramEmulator, connector: Telegram) -> None:
    receipt = await connector.send(outbound("x"))
    telegram.block(ALICE)
    for replaces in (None, receipt.message):
        with pytest.raises(MessageGone, match="blocked by the user"):
            await connector.send(outbound("y", replaces=replaces))
    await connector.retract(ROOM, receipt.message)


async def test_slow_send_does_not_hold_up_another_chat_or_the_polls(
    telegram: TelegramEmulator, alice: User, connector: Telegram, inbox: MemoryInbox
) -> None:
    opened = asyncio.Event()
    telegram.fail("sendMessage", Gate(opened=opened))
    slow = asyncio.create_task(connector.send(outbound("slow")))
    await telegram.until(lambda: bool(telegram.called("sendMessage")))
    await connector.send(outbound("quick"))
    await telegram.say(alice, ALICE, "hello")
    await telegram.until(lambda: inbox.texts == ["hello"])
    opened.set()
    await slow
    assert telegram.answers(ALICE) == ["quick", "slow"]


async def test_typing_marks_and_retraction(telegram: TelegramEmulator, alice: User, connector: Telegram) -> None:
    hers = await telegram.say(alice, ALICE, "hello")
    key = f"{ALICE}:{hers.id}"
    await connector.typing(ROOM)
    assert telegram.methods.actions == [(ALICE, "typing")]
    await connector.mark(ROOM, key, "❤️", on=True)
    assert hers.reactions == ["❤"]
    await connector.mark(ROOM, key, "🥗", on=True)
    assert hers.reactions == ["❤"]
    await connector.mark(ROOM, key, "⏳", on=True)
    assert hers.reactions == ["👀"]
    await connector.mark(ROOM, key, "⏳", on=False)
    assert hers.reactions == []
    with pytest.raises(MessageGone):
        await connector.mark(ROOM, f"{ALICE}:999", "👀", on=True)
    receipt = await connector.send(outbound("x"))
    await connector.retract(ROOM, receipt.message)
    await connector.retract(ROOM, receipt.message)
    assert telegram.answers(ALICE) == []


async def test_nothing_can_be_sent_before_and_after_a_run(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    connector = new_connector(telegram)
    with pytest.raises(Disconnected):
        await connector.send(outbound("x"))
    async with running(telegram, connector, inbox):
        await connector.send(outbound("y"))
    with pytest.raises(Disconnected):
        await connector.send(outbound("z"))
    assert telegram.answers(ALICE) == ["y"]


# ---------------------------------------------------------------- the token


async def test_token_is_in_no_log_record_and_no_error(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore", "telegram", "asyncio"):
        caplog.set_level(logging.DEBUG, logger=name)
    echo = f"<html>cannot fetch {telegram.api_url}{TOKEN}/x or bot123456%3A{SECRET}</html>"
    failures: list[JarvisError] = []

    async def fails(call: Callable[[], Awaitable[object]]) -> None:
        with pytest.raises(JarvisError) as caught:
            await call()
        failures.append(caught.value)

    connector = new_connector(telegram, request_timeout_s=0.5)
    async with running(telegram, connector, inbox):
        await telegram.say(alice, ALICE, "hello")
        await telegram.until(lambda: inbox.texts == ["hello"])
        faults: list[Fault] = [
            Cut(),
            BlackHole(),
            ServerError(page=echo),
            ServerError(status=200, page=echo),
            Flood(retry_after=1),
        ]
        faults += [Refusal(code=code, description=echo) for code in (400, 401, 403, 404, 409)]
        for fault in faults:
            telegram.fail("sendMessage", fault)
            await fails(lambda: connector.send(outbound("x")))
    for fault in faults:
        plan = telegram.fail("*", fault, times=None)
        if not isinstance(fault, Flood):
            await fails(lambda: connector.run(inbox))
        plan.heal()
    async with telegram.unreachable():
        await fails(lambda: connector.run(inbox))

    formatter = logging.Formatter()
    logged = [formatter.format(record) for record in caplog.records]
    assert any("HTTP Request: POST" in line and "sendMessage" in line for line in logged)
    assert any("Set Bot API URL" in line for line in logged)
    assert any("cannot fetch" in line for line in logged)
    raised = ["".join(traceback.format_exception(failure)) + failure.user_message for failure in failures]
    assert len(raised) == 20
    assert [line for line in logged + raised if SECRET in line] == []


async def test_loggers_of_the_libraries_are_left_as_they_were(telegram: TelegramEmulator, inbox: MemoryInbox) -> None:
    before = list(logging.getLogger("httpx").filters)
    async with running(telegram, new_connector(telegram), inbox):
        assert len(logging.getLogger("httpx").filters) == len(before) + 1
    assert logging.getLogger("httpx").filters == before
