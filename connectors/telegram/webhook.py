"""A webhook: Telegram brings each update, and hears that it arrived once it is committed.

The proxy in front speaks https (https://core.telegram.org/bots/webhooks); this server speaks http behind it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from telegram import Bot, Update
from telegram.error import TelegramError

from jarvisbot.errors import ConfigError, StoreError

from .settings import Settings  # noqa: TID251  (relative: one add-on)
from .taking import ALBUM_S, Taking, has_album  # noqa: TID251
from .updates import ALLOWED_UPDATES, readable  # noqa: TID251

if TYPE_CHECKING:
    from aiohttp import web

__all__ = ["Hook"]

logger = logging.getLogger(__name__)

BODY_BYTES = 1024 * 1024
"""An update is a few kilobytes."""
SECRET_HEADER = "X-Telegram-Bot-Api-Secret-Token"  # noqa: S105  (the header's name)
FAREWELL_S = 5.0
_MOST_IN_ALBUM = 10


@dataclass(slots=True, kw_only=True)
class Hook:
    """The server of one run. State: the updates whose requests wait for the commit."""

    name: str
    bot: Bot
    taking: Taking
    settings: Settings
    pause: Callable[[float], Awaitable[None]]
    secret: str = field(default_factory=lambda: secrets.token_urlsafe(32))
    port: int = field(default=0, init=False)
    """Where it listens, once it does."""
    _waiting: asyncio.Queue[tuple[Update, asyncio.Future[bool]]] = field(default_factory=asyncio.Queue, init=False)

    async def run(self) -> None:
        """Serves until cancelled; Telegram is told the address first and that it is over last."""
        from aiohttp import web  # on use: polling does without it

        application = web.Application(client_max_size=BODY_BYTES)
        application.router.add_post(urlsplit(self.settings.webhook.url).path or "/", self._receive)
        runner = web.AppRunner(application, access_log=None, shutdown_timeout=1.0)
        await runner.setup()
        try:
            await self._listen(runner)
            await self.bot.set_webhook(
                self.settings.webhook.url,
                allowed_updates=ALLOWED_UPDATES,
                secret_token=self.secret,
                drop_pending_updates=False,
            )
            logger.info("Telegram brings updates to %s.", self.settings.webhook.url, extra={"connector": self.name})
            await self._commit_all()
        finally:
            with contextlib.suppress(TelegramError, TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self.bot.delete_webhook(drop_pending_updates=False)
            await runner.cleanup()

    async def _listen(self, runner: web.AppRunner) -> None:
        from aiohttp import web

        listen = self.settings.webhook
        try:
            await web.TCPSite(runner, listen.listen, listen.port).start()
        except OSError as error:
            raise ConfigError(
                f"[connectors.{self.name}.webhook] cannot listen at {listen.listen} port {listen.port}: {error.strerror}."
            ) from None
        self.port = runner.addresses[0][1]

    async def _receive(self, request: web.Request) -> web.Response:
        from aiohttp import web

        given = request.headers.get(SECRET_HEADER, "")
        if not hmac.compare_digest(given.encode(), self.secret.encode()):
            return web.Response(status=403)
        try:
            body = await request.json()
            identity = body["update_id"]
        except (ValueError, KeyError, TypeError):
            return web.Response(status=400)
        if type(identity) is not int:
            return web.Response(status=400)
        taken: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.put_nowait((Update.de_json(readable(body), self.bot), taken))
        # Telegram brings an update again for as long as the answer is another one.
        return web.Response(status=200 if await taken else 503)

    async def _commit_all(self) -> None:
        while True:
            batch = [await self._waiting.get()]
            self._rest_into(batch)
            for _ in range(_MOST_IN_ALBUM):
                known = has_album([update for update, _ in batch])
                if not known:
                    break
                await self.pause(ALBUM_S)
                self._rest_into(batch)
                if has_album([update for update, _ in batch]) <= known:
                    break
            batch.sort(key=lambda each: each[0].update_id)
            try:
                await self.taking.take([update for update, _ in batch])
            except StoreError as error:
                logger.error(
                    "Telegram is asked to bring updates again, for they cannot be stored: %s",
                    error,
                    extra={"connector": self.name},
                )
                done = False
            else:
                done = True
            for _, taken in batch:
                if not taken.done():
                    taken.set_result(done)

    def _rest_into(self, batch: list[tuple[Update, asyncio.Future[bool]]]) -> None:
        while not self._waiting.empty():
            batch.append(self._waiting.get_nowait())
