"""Telegram groups over the real SDK: who is addressed, topics, moves, albums, files, buttons and reactions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from jarvisbot.connectors.telegram import Settings, Telegram

from jarvisbot.connector import Receipt
from jarvisbot.errors import ConnectorError, MessageGone, RateLimited, Rejected
from jarvisbot.types import Address, Choice, Edited, FileRef, Inbound, Moved, Outbound, Pressed, Reacted, Rendered
from tests.connectors.test_telegram import NOW, MemoryInbox, Pauses, running
from tests.emulators.telegram import TOKEN, Flood, Message, Refusal, TelegramEmulator, User

ALICE = 1001
GROUP = -1001234567890
OLD = -456789
AT = Address(connector="telegram", room=str(GROUP))
PNG = b"\x89PNG\r\n\x1a\n" + b"0" * 50


class Seconds:
    """A clock that stands still unless it is moved."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture(autouse=True)
def _timedelta(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramEmulator]:
    async with TelegramEmulator() as emulator:
        emulator.group(GROUP, "Team")
        yield emulator


@pytest.fixture
def alice(telegram: TelegramEmulator) -> User:
    return telegram.person(ALICE, "Alice")


@pytest.fixture
def bob(telegram: TelegramEmulator) -> User:
    return telegram.person(1002, "Bob", username="bob_the_2nd")


@pytest.fixture
def inbox(telegram: TelegramEmulator) -> MemoryInbox:
    return MemoryInbox(telegram)


def new_connector(telegram: TelegramEmulator, *, seconds: Seconds | None = None, **more: Any) -> Telegram:
    settings = Settings(api_url=telegram.api_url, file_url=telegram.file_url, request_timeout_s=5.0, **more)
    clock = {"monotonic": seconds} if seconds else {}
    return Telegram("telegram", settings, TOKEN, pause=Pauses(), now=lambda: NOW, **clock)


async def heard(telegram: TelegramEmulator, inbox: MemoryInbox, **more: Any) -> list[Inbound]:
    """What the connector makes of everything that waits at Telegram."""
    async with running(telegram, new_connector(telegram, **more), inbox):
        await telegram.until(lambda: not telegram.chats.pending())
    return inbox.events


def outbound(text: str, *, to: Address = AT, **more: Any) -> Outbound:
    return Outbound(id=more.pop("id", "o1"), to=to, body=Rendered(text=text), **more)


def entity(text: str, part: str, kind: str, **more: Any) -> dict[str, Any]:
    start = len(text[: text.index(part)].encode("utf-16-le")) // 2
    return {"type": kind, "offset": start, "length": len(part.encode("utf-16-le")) // 2, **more}


def number(receipt: Receipt) -> int:
    return int(receipt.message.rpartition(":")[2])


# ---------------------------------------------------------------- addressed


@pytest.mark.parametrize(
    ("said", "read"),
    [
        ("@jarvis_bot what is up?", "what is up?"),
        ("@Jarvis_Bot, what is up?", "what is up?"),
        ("what is up, @jarvis_bot?", "what is up?"),
        ("what is up @jarvis_bot", "what is up"),
        ("hey @jarvis_bot what is up?", "hey what is up?"),
        ("😀😀 @jarvis_bot ok?", "😀😀 ok?"),
        ("@jarvis_bot: line one\nline two", "line one\nline two"),
        ("frag mal @bob_the_2nd und @jarvis_bot wann", "frag mal @bob_the_2nd und wann"),
        ("@jarvis_bot @jarvis_bot hm?", "hm?"),
        ("@jarvis_bot /help", "/help"),
        ("/help@My_Bot", None),
        ("/help@Jarvis_BOT", "/help"),
        ("/lang@jarvis_bot de", "/lang de"),
        ("/help", None),
        ("/help@jarvis_bott", None),
        ("/help@other_bot", None),
        ("please /help@jarvis_bot now", None),
        ("/help@other_bot @jarvis_bot", None),
        ("@jarvis_bot2 hello", None),
        ("@bob_the_2nd hello", None),
        ("hello everyone", None),
        ("jarvis_bot, hello", None),
        ("mail me@jarvis_bot.example", None),
    ],
)
async def test_in_a_group_only_what_is_meant_for_the_bot_is_heard_without_its_name(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, said: str, read: str | None
) -> None:
    await telegram.say(alice, GROUP, said)
    events = await heard(telegram, inbox)
    assert [event.text for event in events] == ([] if read is None else [read])
    assert not any(event.direct for event in events)


@pytest.mark.parametrize("kind", ["code", "pre", "blockquote", "expandable_blockquote", "text_link"])
async def test_the_name_in_code_a_quote_or_a_link_is_no_mention(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, kind: str
) -> None:
    text = "look: @jarvis_bot said so"
    more = {"url": "https://example.org/"} if kind == "text_link" else {}
    entities = [entity(text, "@jarvis_bot said", kind, **more), entity(text, "@jarvis_bot", "mention")]
    await telegram.say(alice, GROUP, text, entities=entities)
    assert await heard(telegram, inbox) == []


async def test_a_mention_by_id_is_one_and_that_of_somebody_else_is_not(
    telegram: TelegramEmulator, alice: User, bob: User, inbox: MemoryInbox
) -> None:
    for who in (telegram.bot, bob):
        text = f"Jarvis what time is it, {who.id}?"
        await telegram.say(alice, GROUP, text, entities=[entity(text, "Jarvis", "text_mention", user=who.json())])
    (event,) = await heard(telegram, inbox)
    assert event.text == f"what time is it, {telegram.bot.id}?"


async def test_bare_commands_are_heard_where_the_config_says_so(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    for text in ("/help", "/help@other_bot", "no /help"):
        await telegram.say(alice, GROUP, text)
    assert [event.text for event in await heard(telegram, inbox, bare_commands=True)] == ["/help"]


async def test_a_reply_to_the_bot_is_heard_and_one_to_somebody_else_is_not(
    telegram: TelegramEmulator, alice: User, bob: User, inbox: MemoryInbox
) -> None:
    connector = new_connector(telegram)
    async with running(telegram, connector, inbox):
        ours = telegram.message(GROUP, number(await connector.send(outbound("It is noon."))))
        theirs = await telegram.say(bob, GROUP, "No, it is not.")
        await telegram.say(alice, GROUP, "Where?", reply_to_message=ours.json())
        await telegram.say(alice, GROUP, "Why?", reply_to_message=theirs.json())
        await telegram.say(alice, GROUP, "@bob_the_2nd see?", reply_to_message=ours.json())
        await telegram.until(lambda: not telegram.chats.pending())
    (event,) = inbox.events
    assert (event.text, event.quoted, event.reply_to) == ("Where?", "Jarvis: It is noon.", f"{GROUP}:{ours.id}")


async def test_what_is_replied_to_or_quoted_travels_with_the_question(
    telegram: TelegramEmulator, alice: User, bob: User, inbox: MemoryInbox
) -> None:
    theirs = await telegram.say(bob, GROUP, "The moon is made of cheese. Really.")
    await telegram.say(alice, GROUP, "@jarvis_bot true?", reply_to_message=theirs.json())
    await telegram.say(
        alice,
        GROUP,
        "@jarvis_bot and this?",
        reply_to_message=theirs.json(),
        quote={"text": "made of cheese", "position": 12},
    )
    await telegram.say(alice, GROUP, "@jarvis_bot", reply_to_message=theirs.json())
    command = await telegram.say(bob, GROUP, "/stop")
    await telegram.say(alice, GROUP, "@jarvis_bot", reply_to_message=command.json())
    await telegram.say(alice, GROUP, "@jarvis_bot")
    events = await heard(telegram, inbox)
    assert [(event.text, event.quoted) for event in events] == [
        ("true?", "Bob: The moon is made of cheese. Really."),
        ("and this?", "Bob: made of cheese"),
        ("The moon is made of cheese. Really.", "Bob: The moon is made of cheese. Really."),
        ("@jarvis_bot", "Bob: /stop"),
        ("@jarvis_bot", ""),
    ]


async def test_bots_channels_anonymous_admins_and_service_messages_are_nobody(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    robot = telegram.person(7, "Robot", is_bot=True)
    service = telegram.person(777000, "Telegram")
    channel = {"id": -100999, "type": "channel", "title": "News"}
    text = "@jarvis_bot hello"
    await telegram.say(robot, GROUP, text)
    await telegram.say(telegram.bot, GROUP, text)
    await telegram.say(service, GROUP, text, sender_chat=channel, is_automatic_forward=True)
    await telegram.say(alice, GROUP, text, sender_chat={"id": GROUP, "type": "supergroup", "title": "Team"})
    await telegram.say(alice, GROUP, None, new_chat_members=[telegram.bot.json()])
    await telegram.say(alice, GROUP, None, new_chat_title="@jarvis_bot")
    await telegram.push("channel_post", {"message_id": 1, "date": 0, "chat": channel, "text": text})
    assert await heard(telegram, inbox) == []


async def test_a_command_to_another_bot_in_a_direct_chat_is_not_for_us(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    for text in ("/stop@other_bot", "/stop@jarvis_bot", "/stop", "hello @other_bot"):
        await telegram.say(alice, ALICE, text)
    assert [event.text for event in await heard(telegram, inbox)] == ["/stop", "/stop", "hello @other_bot"]


async def test_an_edit_in_a_group_is_heard_like_a_message(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    mine = await telegram.say(alice, GROUP, "@jarvis_bot teh?")
    mine.entities = [{"type": "mention", "offset": 0, "length": 11}]
    other = await telegram.say(alice, GROUP, "hello")
    await telegram.edit(mine, "@jarvis_bot the?")
    await telegram.edit(other, "hello all")
    said, edited = await heard(telegram, inbox)
    assert (said.text, edited.text, edited.about) == ("teh?", "the?", Edited(id=said.id))


# ---------------------------------------------------------------- topics


async def test_an_answer_stays_in_its_topic_and_general_has_none(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    topic = await telegram.open_topic(alice, GROUP, "Recipes")
    connector = new_connector(telegram)
    async with running(telegram, connector, inbox):
        await telegram.say(
            alice,
            GROUP,
            "@jarvis_bot soup?",
            message_thread_id=topic.id,
            is_topic_message=True,
            reply_to_message=topic.json(),
        )
        await telegram.say(alice, GROUP, "@jarvis_bot general?", message_thread_id=57)
        await telegram.until(lambda: not telegram.chats.pending())
        soup, general = inbox.events
        assert (soup.at.thread, soup.reply_to, soup.quoted) == (str(topic.id), None, "")
        assert general.at.thread is None
        for event in (soup, general):
            await connector.send(outbound("Yes.", to=event.at))
            await connector.typing(event.at)
    sent = [call.parameters.get("message_thread_id") for call in telegram.called("sendMessage")]
    assert sent == [str(topic.id), None]


async def test_in_a_topic_that_the_bot_opened_everything_is_for_it(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    for opener in (telegram.bot, alice):
        topic = await telegram.open_topic(opener, GROUP, "Ask")
        more = {"message_thread_id": topic.id, "is_topic_message": True, "reply_to_message": topic.json()}
        await telegram.say(alice, GROUP, f"hello, {opener.first_name}'s topic", **more)
    assert [event.text for event in await heard(telegram, inbox)] == ["hello, Jarvis's topic"]


@pytest.mark.parametrize("follows", [True, False])
async def test_a_topic_in_which_the_bot_was_addressed_is_followed_where_the_config_says_so(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox, follows: bool
) -> None:
    for identity in (12, 13):
        await telegram.say(alice, GROUP, f"go on {identity}", message_thread_id=identity, is_topic_message=True)
    inbox.known = {Address(connector="telegram", room=str(GROUP), thread="12").key}
    events = await heard(telegram, inbox, follow_topics=follows)
    assert [event.text for event in events] == (["go on 12"] if follows else [])


async def test_a_topic_that_is_gone_is_written_to_no_more(telegram: TelegramEmulator, inbox: MemoryInbox) -> None:
    connector = new_connector(telegram)
    async with running(telegram, connector, inbox):
        with pytest.raises(MessageGone, match="thread not found"):
            await connector.send(outbound("x", to=Address(connector="telegram", room=str(GROUP), thread="99")))


# ---------------------------------------------------------------- moves


async def test_a_group_that_becomes_a_supergroup_is_told_by_its_service_messages(
    telegram: TelegramEmulator, inbox: MemoryInbox
) -> None:
    telegram.group(OLD, "Team")
    await telegram.migrate(OLD, -100777)
    events = await heard(telegram, inbox)
    new = Address(connector="telegram", room="-100777")
    assert {(event.at.room, event.about) for event in events} == {(str(OLD), Moved(to=new))}


async def test_a_send_that_meets_the_move_is_made_at_the_new_address_once(
    telegram: TelegramEmulator, inbox: MemoryInbox
) -> None:
    telegram.group(OLD, "Team")
    connector = new_connector(telegram)
    old = Address(connector="telegram", room=str(OLD))
    async with running(telegram, connector, inbox):
        draft = await connector.send(outbound("…", to=old))
        await telegram.migrate(OLD, -100777, told=False)
        for text in ("half", "whole"):
            await connector.send(outbound(text, to=old, replaces=draft.message))
        await connector.send(outbound("more", to=old))
        await connector.retract(old, draft.message)
        assert telegram.answers(-100777) == ["more"]
        assert telegram.history(-100777)[number(draft) + 1] == ["half", "whole"]
    assert [event.about for event in inbox.events] == [Moved(to=Address(connector="telegram", room="-100777"))]
    assert len([call for call in telegram.calls if "upgraded" in call.outcome]) == 1


async def test_after_a_restart_a_draft_of_the_former_group_is_written_anew(
    telegram: TelegramEmulator, inbox: MemoryInbox
) -> None:
    telegram.group(-100777, "Team")
    connector = new_connector(telegram)
    new = Address(connector="telegram", room="-100777")
    async with running(telegram, connector, inbox):
        await connector.send(outbound("whole", to=new, replaces=f"{OLD}:5"))
        with pytest.raises(Rejected):
            await connector.send(outbound("x", to=new, replaces=f"{ALICE}:5"))
    assert telegram.answers(-100777) == ["whole"]


# ---------------------------------------------------------------- albums and files


def photo(telegram: TelegramEmulator, name: str) -> list[dict[str, Any]]:
    file = telegram.file(PNG + name.encode(), name, told=100)
    return [{"file_id": file["file_id"], "file_unique_id": name, "width": 90, "height": 90, "file_size": 100}]


async def test_an_album_is_one_message_with_its_captions_and_pictures_in_order(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    rest = [("", "b"), ("after", "c")]

    async def pause(seconds: float) -> None:
        assert seconds == 1.0
        if rest:
            caption, name = rest.pop(0)
            await telegram.say(
                alice, ALICE, None, photo=photo(telegram, name), caption=caption or None, media_group_id="g"
            )

    settings = Settings(api_url=telegram.api_url, file_url=telegram.file_url)
    connector = Telegram("telegram", settings, TOKEN, pause=pause, now=lambda: NOW)
    async with running(telegram, connector, inbox):
        first = await telegram.say(alice, ALICE, None, photo=photo(telegram, "a"), caption="before", media_group_id="g")
        await telegram.until(lambda: not telegram.chats.pending())
    (event,) = inbox.events
    assert (event.id, event.text) == (f"{ALICE}:{first.id}", "before\nafter")
    assert [inbox.kept[file.id][-1:] for file in event.attachments] == [b"a", b"b", b"c"]
    assert {file.media_type for file in event.attachments} == {"image/jpeg"}


async def test_an_album_in_a_group_is_heard_if_one_caption_names_the_bot(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    for caption in (None, "@jarvis_bot which one?"):
        await telegram.say(alice, GROUP, None, photo=photo(telegram, "a"), caption=caption, media_group_id="g")
    await telegram.say(alice, GROUP, None, photo=photo(telegram, "b"), media_group_id="h")
    (event,) = await heard(telegram, inbox)
    assert (event.text, len(event.attachments)) == ("which one?", 2)


async def test_a_document_is_fetched_and_kept_and_its_name_is_only_a_name(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    document = telegram.file(b"milk", "../../list.txt", told=4) | {"mime_type": "text/plain"}
    await telegram.say(alice, ALICE, None, document=document)
    (event,) = await heard(telegram, inbox)
    (file,) = event.attachments
    assert (event.text, file.media_type, file.size_bytes, inbox.kept[file.id]) == ("", "text/plain", 4, b"milk")


async def test_what_is_too_large_is_named_without_being_asked_for_and_without_another_try(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    await telegram.say(alice, ALICE, None, document=telegram.file(b"x", "told.zip", told=21_000_000))
    await telegram.say(alice, ALICE, None, document=telegram.file(b"x" * 21_000_000, "untold.zip"))
    await telegram.say(alice, ALICE, "and now?")
    events = await heard(telegram, inbox)
    assert [(file.id, file.name) for event in events for file in event.attachments] == [
        ("", "told.zip"),
        ("", "untold.zip"),
    ]
    assert [call.outcome for call in telegram.called("getFile")] == ["Bad Request: file is too big"]
    assert events[-1].text == "and now?"


async def test_nothing_is_fetched_for_strangers_and_sounds_are_only_named(
    telegram: TelegramEmulator, alice: User, bob: User, inbox: MemoryInbox
) -> None:
    inbox.strangers = {str(bob.id)}
    await telegram.say(bob, bob.id, None, document=telegram.file(b"x", "x.txt", told=1))
    voice = {"file_id": "v", "file_unique_id": "v", "duration": 1, "mime_type": "audio/ogg", "file_size": 9}
    await telegram.say(alice, ALICE, None, voice=voice)
    events = await heard(telegram, inbox)
    assert [(file.id, file.name) for event in events for file in event.attachments] == [
        ("", "x.txt"),
        ("", "voice message"),
    ]
    assert telegram.called("getFile") == []


async def test_files_go_out_behind_the_text_once(telegram: TelegramEmulator, alice: User, inbox: MemoryInbox) -> None:
    seconds = Seconds()
    connector = new_connector(telegram, seconds=seconds)
    async with running(telegram, connector, inbox):
        files = [
            await inbox.keep(PNG, name="plot.png", media_type="image/png"),
            await inbox.keep(b"no picture", name="odd.jpg", media_type="image/jpeg"),
            await inbox.keep(b"a,b", name="table.csv", media_type="text/csv"),
        ]
        gone = FileRef(id="gone", name="gone", media_type="x/y", size_bytes=1)
        message = outbound("Here.", attachments=(*files, gone))
        await telegram.say(alice, GROUP, "hello")
        telegram.fail(
            "sendDocument",
            Flood(retry_after=3),
        )
        receipt = await connector.send(outbound("…"))
        final = outbound("Here.", attachments=message.attachments, replaces=receipt.message)
        with pytest.raises(RateLimited):
            await connector.send(final)
        for _ in range(2):
            seconds.now += 10
            await connector.send(final)
    shown = [message for message in telegram.chats.shown(GROUP) if message.sender.id == telegram.bot.id]
    kinds = ["text" if each.text else next(iter(each.fields)) for each in shown]
    assert kinds == ["text", "photo", "document", "document"]
    assert [each.fields["document"]["file_name"] for each in shown[2:]] == ["odd.jpg", "table.csv"]


# ---------------------------------------------------------------- buttons and reactions


async def test_choices_are_buttons_and_a_press_is_heard_and_answered_after_the_commit(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    connector = new_connector(telegram)
    choices = (Choice(label="Yes", data="run:1:yes"), Choice(label="No", data="run:1:no"))
    async with running(telegram, connector, inbox):
        receipt = await connector.send(outbound("Switch it off?", choices=choices))
        query = await telegram.press(alice, telegram.message(GROUP, number(receipt)), "run:1:yes")
        await telegram.until(lambda: telegram.methods.callbacks[query] is not None)
        (event,) = inbox.events
        assert event.about == Pressed(id=receipt.message, data="run:1:yes")
        assert (event.at, event.author.id, event.direct) == (AT, str(ALICE), False)
        assert inbox.put_at[0] < telegram.called("answerCallbackQuery")[0].order
        await connector.send(outbound("Off.", replaces=receipt.message))
        assert "reply_markup" not in telegram.message(GROUP, number(receipt)).fields


async def test_a_press_that_is_too_old_for_an_answer_is_heard_all_the_same(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    telegram.fail("answerCallbackQuery", Refusal(code=400, description="Bad Request: query is too old"))
    connector = new_connector(telegram)
    async with running(telegram, connector, inbox):
        receipt = await connector.send(outbound("?", choices=(Choice(label="Yes", data="y"),)))
        await telegram.press(alice, telegram.message(GROUP, number(receipt)), "y")
        await telegram.say(alice, ALICE, "hello")
        await telegram.until(lambda: len(inbox.events) == 2)


@pytest.mark.parametrize("data", ["", "ü" * 33])
async def test_a_button_with_more_than_64_bytes_is_refused_before_it_is_sent(
    telegram: TelegramEmulator, inbox: MemoryInbox, data: str
) -> None:
    connector = new_connector(telegram)
    async with running(telegram, connector, inbox):
        with pytest.raises(Rejected, match="64 bytes"):
            await connector.send(outbound("?", choices=(Choice(label="Yes", data=data),)))
    assert telegram.called("sendMessage") == []


async def test_reactions_are_heard_one_by_one_without_tone_or_presentation(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    connector = new_connector(telegram)
    async with running(telegram, connector, inbox):
        ours: Message = telegram.message(GROUP, number(await connector.send(outbound("?"))))
        await telegram.react(alice, ours, "👍")
        await telegram.react(alice, ours, "❤")
        await telegram.react(alice, ours)
        custom = {"type": "custom_emoji", "custom_emoji_id": "1"}
        body = {"chat": ours.chat, "message_id": ours.id, "user": alice.json(), "date": 0}
        await telegram.push("message_reaction", {**body, "old_reaction": [], "new_reaction": [custom]})
        await telegram.until(lambda: not telegram.chats.pending())
    key = f"{GROUP}:{ours.id}"
    assert [event.about for event in inbox.events] == [
        Reacted(id=key, key="👍", added=True),
        Reacted(id=key, key="👍", added=False),
        Reacted(id=key, key="❤", added=True),
        Reacted(id=key, key="❤", added=False),
    ]
    assert len({event.id for event in inbox.events}) == 4


# ---------------------------------------------------------------- pace


async def test_a_group_gets_no_more_than_twenty_messages_a_minute_and_an_answer_finds_room(
    telegram: TelegramEmulator, inbox: MemoryInbox
) -> None:
    seconds = Seconds()
    connector = new_connector(telegram, seconds=seconds)
    async with running(telegram, connector, inbox):
        draft = await connector.send(outbound("0"))
        edits = 0
        refused: list[ConnectorError] = []
        while seconds.now < 59:
            seconds.now += 1
            try:
                await connector.send(outbound(str(seconds.now), replaces=draft.message, final=False))
                edits += 1
            except ConnectorError as error:
                refused.append(error)
        assert edits == 14
        assert not any(isinstance(error, RateLimited) for error in refused)  # which would hold up the answer too
        for text in "abcde":
            await connector.send(outbound(text))
        with pytest.raises(RateLimited) as limited:
            await connector.send(outbound("f"))
        assert 0 < limited.value.retry_after_s <= 60
        assert len(telegram.called("sendMessage")) + len(telegram.called("editMessageText")) == 20
        seconds.now += limited.value.retry_after_s
        await connector.send(outbound("f"))


async def test_a_direct_chat_gets_about_one_message_a_second_and_short_bursts(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    seconds = Seconds()
    connector = new_connector(telegram, seconds=seconds)
    at = Address(connector="telegram", room=str(ALICE))
    async with running(telegram, connector, inbox):
        for _ in range(6):
            await connector.send(outbound("x", to=at))
        with pytest.raises(RateLimited):
            await connector.send(outbound("x", to=at))
        await connector.send(outbound("elsewhere"))


# ---------------------------------------------------------------- menu and privacy


async def test_the_menu_is_in_two_languages_and_set_only_when_it_changed(
    telegram: TelegramEmulator, inbox: MemoryInbox
) -> None:
    for _ in range(2):
        await heard(telegram, inbox)
    assert {language: menu[0]["description"] for language, menu in telegram.methods.menus.items()} == {
        "": "What I can do",
        "de": "Was ich kann",
    }
    assert len(telegram.called("setMyCommands")) == 2


@pytest.mark.parametrize(("reads_all", "words"), [(False, "privacy mode"), (True, "every message")])
async def test_what_the_bot_sees_in_groups_can_be_asked(
    telegram: TelegramEmulator, reads_all: bool, words: str
) -> None:
    telegram.methods.reads_all = reads_all
    assert words in await new_connector(telegram).privacy()
