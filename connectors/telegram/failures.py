"""Failures of the Bot API told as the seam's errors, and the token kept out of logs and messages.

The token is part of every address (https://core.telegram.org/bots/api#making-requests), so what httpx and the SDK log
or raise may hold it.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from datetime import timedelta

import httpx
from telegram.error import BadRequest, ChatMigrated, Forbidden, InvalidToken, NetworkError, RetryAfter, TelegramError

from jarvisbot.errors import (
    ConnectorError,
    Disconnected,
    MessageGone,
    OutcomeUnknown,
    RateLimited,
    Rejected,
)

__all__ = ["Redaction", "call_failure", "retry_after_s", "unchanged"]

_NEVER_SENT = (
    httpx.ConnectError,
    httpx.ConnectTimeout,
    httpx.PoolTimeout,
    httpx.ProxyError,
    httpx.UnsupportedProtocol,
)
"""What httpx raises before the first byte of a request is written; after that nobody knows what became of it."""

_GONE = (
    "message to edit not found",
    "message can't be edited",
    "message to react not found",
    "message to delete not found",
    "message_id_invalid",
    "message thread not found",
    "chat not found",
    "peer_id_invalid",
    "not enough rights",
    "chat_write_forbidden",
)
"""Refusals (400) that say the message or its room is not there for us any more, as parts of Telegram's sentences."""

_CHATTY_LOGGERS = (
    "httpx",
    "httpcore.connection",
    "httpcore.http11",
    "httpcore.proxy",
    "httpcore.socks",
    "telegram.Bot",
    "telegram.request.BaseRequest",
    "telegram.request.HTTPXRequest",
)
"""Loggers that write addresses or answers; a filter on a parent would not see their records."""


class Redaction:
    """Takes one token out of texts and log records."""

    def __init__(self, token: str) -> None:
        # The half after the colon is the secret one; it may turn up alone, beside an escaped colon.
        self._secrets = (token, token.partition(":")[2])

    def text(self, text: str) -> str:
        """The text with the token, or its secret half, as `[token]`."""
        for secret in self._secrets:
            text = text.replace(secret, "[token]")
        return text

    @contextlib.contextmanager
    def of_logs(self) -> Iterator[None]:
        """While the block runs the libraries' records have the token taken out, whatever their level and handlers."""
        loggers = [logging.getLogger(name) for name in _CHATTY_LOGGERS]
        for each in loggers:
            each.addFilter(self._redact)
        try:
            yield
        finally:
            for each in loggers:
                each.removeFilter(self._redact)

    def _redact(self, record: logging.LogRecord) -> bool:
        message = record.getMessage()
        redacted = self.text(message)
        if redacted != message:
            record.msg, record.args = redacted, ()
        if record.exc_info:
            trace = logging.Formatter().formatException(record.exc_info)
            if self.text(trace) != trace:
                record.exc_info, record.exc_text = None, self.text(trace)
        return True


def call_failure(error: TelegramError, redaction: Redaction) -> ConnectorError:
    """What a failed call means for the one who made it. The message holds no token."""
    words = redaction.text(str(error))
    match error:
        case RetryAfter():
            seconds = retry_after_s(error)
            return RateLimited(f"Telegram asks to wait {seconds:g} s.", retry_after_s=seconds)
        case ChatMigrated(new_chat_id=new_id):
            return MessageGone(f"This group has become a supergroup; its id is {new_id} now.")
        case Forbidden():
            return MessageGone(f"Telegram lets the bot write here no more: {words}.")
        case InvalidToken():
            return Disconnected("Telegram does not accept the bot's token any more.")
        case BadRequest():
            gone = any(sentence in words.casefold() for sentence in _GONE)
            return MessageGone(f"Telegram: {words}.") if gone else Rejected(f"Telegram refused the message: {words}.")
        case NetworkError() if isinstance(error.__cause__, _NEVER_SENT):
            return Disconnected(f"Telegram cannot be reached: {words}.")
        case _:
            return OutcomeUnknown(f"Telegram did not answer properly: {words}.")


def unchanged(error: BadRequest) -> bool:
    """Whether an edit failed only because the message looks like that already."""
    return "message is not modified" in str(error).casefold()


def retry_after_s(error: RetryAfter) -> float:
    """How long Telegram asks to wait, in seconds."""
    wait = error.retry_after
    return wait.total_seconds() if isinstance(wait, timedelta) else float(wait)
