"""The menu of commands beside the text field of every chat, in English and German."""

from __future__ import annotations

import re
from collections.abc import Sequence

from telegram import Bot, BotCommand
from telegram.constants import BotCommandLimit
from telegram.error import TelegramError

from .failures import Redaction, call_failure  # noqa: TID251  (relative: one add-on)

__all__ = ["offer"]


async def offer(
    bot: Bot, commands: Sequence[tuple[str, str]], redaction: Redaction, *, language: str | None = None
) -> None:
    """Puts (name, help) pairs into the menu of people with this language, or of all others, where it is not that already.

    Names that Telegram does not allow are left out. Raises a ConnectorError where Telegram refuses.
    """
    menu = [
        BotCommand(name, text[: BotCommandLimit.MAX_DESCRIPTION])
        for name, text in commands
        if text and re.fullmatch(r"[a-z0-9_]{1,32}", name)
    ][: BotCommandLimit.MAX_COMMAND_NUMBER]
    try:
        if list(await bot.get_my_commands(language_code=language)) != menu:
            await bot.set_my_commands(menu, language_code=language)
    except TelegramError as error:
        raise call_failure(error, redaction) from None
