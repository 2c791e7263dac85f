"""What a first start asks for a Telegram bot, and what a check-up looks at."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from telegram import Bot, Update
from telegram.constants import ChatType
from telegram.error import Conflict, InvalidToken, TelegramError
from telegram.request import HTTPXRequest

from jarvisbot.connector import Account, SecretQuestion, Secrets, Setup
from jarvisbot.errors import Disconnected, LoginFailed
from jarvisbot.types import Author, Finding, Severity

from .connector import Settings, create  # noqa: TID251  (relative: one add-on)
from .failures import Redaction  # noqa: TID251
from .updates import ALLOWED_UPDATES  # noqa: TID251

__all__ = ["SETUP"]

PATIENCE_S = 10
"""How long one poll waits for somebody to write."""
MARGIN_S = 5.0
MOST_SHOWN = 100
"""Updates in one answer (https://core.telegram.org/bots/api#getupdates)."""


@asynccontextmanager
async def _bot(name: str, settings: Settings, secrets: Secrets) -> AsyncIterator[Bot]:
    """A bot that has logged in. Raises LoginFailed, Disconnected, and ConfigError for what cannot be a token."""
    create(name, settings, secrets)
    token = secrets["token"].strip()
    redaction = Redaction(token)
    request = HTTPXRequest(read_timeout=PATIENCE_S + MARGIN_S, connect_timeout=MARGIN_S)
    bot = Bot(token, base_url=settings.api_url, base_file_url=settings.file_url, request=request)
    with redaction.of_logs():
        try:
            await bot.initialize()
            yield bot
        except InvalidToken:
            raise LoginFailed(
                "Telegram does not accept this token: ask @BotFather for the right one (/mybots)."
            ) from None
        except Conflict:
            raise Disconnected("Another program polls Telegram with this token: stop it first.") from None
        except TelegramError as error:
            raise Disconnected(f"Telegram cannot be reached: {redaction.text(str(error)) or 'no answer'}.") from None
        finally:
            await bot.shutdown()


async def account(name: str, settings: Settings, secrets: Secrets) -> Account:
    """The bot's name, whether it is kept from polling by a webhook, and what it reads in groups."""
    async with _bot(name, settings, secrets) as bot:
        webhook = (await bot.get_webhook_info()).url
        me = bot.bot
    findings = []
    if webhook:
        findings.append(
            Finding(
                about=name,
                severity=Severity.NOTE,
                text="A webhook is set, so another program may be answering for this bot.",
                remedy="`jarvisbot run` removes it when it starts; switch that program off.",
            )
        )
    if me.can_read_all_group_messages:
        findings.append(
            Finding(
                about=name,
                severity=Severity.NOTE,
                text="Privacy mode is off: in groups the bot is sent every message, not only those meant for it.",
                remedy="In @BotFather: /setprivacy, then Enable.",
            )
        )
    return Account(name=f"@{me.username}", link=f"https://t.me/{me.username}", findings=tuple(findings))


async def first_words(name: str, settings: Settings, secrets: Secrets, refused: Collection[str]) -> tuple[Author, str]:
    """Who but those that are `refused` writes to the bot in a private chat from now on, and what.

    Nothing is confirmed: the bot answers it later.
    """
    since = time.time() - 1  # Telegram counts in whole seconds
    seen: set[int] = set()
    async with _bot(name, settings, secrets) as bot:
        while True:
            updates = await bot.get_updates(timeout=PATIENCE_S, limit=MOST_SHOWN, allowed_updates=ALLOWED_UPDATES)
            fresh = [update for update in updates if update.update_id not in seen]
            seen.update(update.update_id for update in updates)
            for update in fresh:
                if (found := _said(update, since)) is not None and found[0].id not in refused:
                    return found
            if len(updates) == MOST_SHOWN:
                raise Disconnected(
                    "So many messages wait for this bot that newer ones are not shown: start it once, or name the owner by "
                    "number."
                )
            if (
                updates and not fresh
            ):  # what waits from before is answered at once, again and again, until it is confirmed
                await asyncio.sleep(1)


def _said(update: Update, since: float) -> tuple[Author, str] | None:
    message = update.message
    if message is None or message.chat.type != ChatType.PRIVATE or message.date.timestamp() < since:
        return None
    author = message.from_user
    if author is None or author.is_bot:
        return None
    return Author(id=str(author.id), name=author.full_name), message.text or ""


SETUP = Setup(
    title="Telegram",
    secrets=(
        SecretQuestion(
            name="token",
            title="the bot's token",
            hint="Write /newbot to @BotFather in Telegram; it looks like 123456789:AAE-x.",
        ),
    ),
    owner_hint="@userinfobot tells you your number.",
    account=account,
    first_words=first_words,
)
