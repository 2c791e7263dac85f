"""Telegram by webhook: updates are brought over sockets and acknowledged once they are committed."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import ClientSession
from jarvisbot.connectors.telegram import Settings, Telegram
from jarvisbot.connectors.telegram.settings import Webhook
from pydantic import ValidationError

from jarvisbot.errors import ConfigError, StoreError
from tests.connectors.test_telegram import NOW, MemoryInbox, Pauses
from tests.emulators.telegram import TOKEN, TelegramEmulator, User

ALICE = 1001
URL = "https://bot.example.org/hook"


@pytest.fixture(autouse=True)
def _timedelta(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")


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


def connector_at(telegram: TelegramEmulator, *, port: int = 0) -> Telegram:
    webhook = Webhook(url=URL, port=port)
    settings = Settings(api_url=telegram.api_url, file_url=telegram.file_url, webhook=webhook)
    return Telegram("telegram", settings, TOKEN, pause=Pauses(), now=lambda: NOW)


@asynccontextmanager
async def serving(telegram: TelegramEmulator, inbox: MemoryInbox) -> AsyncIterator[int]:
    """The port of a connector that Telegram knows the webhook of."""
    connector = connector_at(telegram)
    task = asyncio.create_task(connector.run(inbox))
    try:
        await telegram.until(lambda: telegram.methods.webhook == URL)
        assert connector.hook is not None
        yield connector.hook.port
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_updates_are_brought_committed_and_then_acknowledged(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    inbox.gate = asyncio.Event()
    async with serving(telegram, inbox) as port:
        assert telegram.chats.allowed_updates == ["message", "edited_message", "callback_query", "message_reaction"]
        await telegram.say(alice, ALICE, "hello")
        bringing = asyncio.create_task(telegram.bring(port))
        done, _ = await asyncio.wait({bringing}, timeout=0.2)
        assert not done
        inbox.gate.set()
        assert await bringing == [200]
    assert inbox.texts == ["hello"]
    assert telegram.methods.webhook == ""
    assert telegram.called("getUpdates") == []


async def test_what_cannot_be_stored_is_brought_again(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    inbox.failures = [StoreError("disk full")]
    async with serving(telegram, inbox) as port:
        await telegram.say(alice, ALICE, "hello")
        assert await telegram.bring(port) == [503]
        assert await telegram.bring(port) == [200]
    assert inbox.texts == ["hello"]


async def test_only_telegram_may_bring_updates(telegram: TelegramEmulator, alice: User, inbox: MemoryInbox) -> None:
    async with serving(telegram, inbox) as port:
        await telegram.say(alice, ALICE, "hello")
        for secret in ("", "wrong", "ü", telegram.methods.webhook_secret[:-1]):
            assert await telegram.bring(port, secret=secret) == [403]
        assert await telegram.bring(port, path="/other") == [404]
        secret = {"X-Telegram-Bot-Api-Secret-Token": telegram.methods.webhook_secret}
        async with ClientSession(f"http://127.0.0.1:{port}", headers=secret) as session:
            for body, status in (
                (b"no json", 400),
                (b"[]", 400),
                (b'{"update_id": "x"}', 400),
                (io.BytesIO(b"x" * 1_100_000), 413),
            ):
                async with session.post("/hook", data=body) as answer:
                    assert answer.status == status
            async with session.get("/hook") as answer:
                assert answer.status == 405
            async with session.post("/hook", json={"update_id": 1, "message": {"chat": "none"}}) as answer:
                assert answer.status == 200
    assert inbox.events == []
    assert len(telegram.methods.webhook_secret) >= 32


async def test_an_album_that_is_brought_is_one_message(
    telegram: TelegramEmulator, alice: User, inbox: MemoryInbox
) -> None:
    async with serving(telegram, inbox) as port:
        for name in "abc":
            file = telegram.file(name.encode(), name, told=1)
            await telegram.say(alice, ALICE, None, document=file, caption=name, media_group_id="g")
        assert await telegram.bring(port) == [200, 200, 200]
    assert inbox.texts == ["a\nb\nc"]


async def test_a_port_that_is_taken_is_named(telegram: TelegramEmulator, inbox: MemoryInbox) -> None:
    with pytest.raises(ConfigError, match=f"port {telegram.port}"):
        await connector_at(telegram, port=telegram.port).run(inbox)


@pytest.mark.parametrize("url", ["http://bot.example.org/", "bot.example.org", "https://"])
def test_an_address_that_telegram_would_not_take_is_refused_with_the_config(url: str) -> None:
    with pytest.raises(ValidationError, match="https address"):
        Webhook(url=url)
