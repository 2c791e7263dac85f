"""The visible progress of one running turn: a message that is edited at the platform's pace until the answer replaces it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import aclosing

from jarvisbot.clock import Clock
from jarvisbot.connector import Connector, Once, Receipt
from jarvisbot.errors import ConnectorError, MessageGone, RateLimited, StoreError
from jarvisbot.gateway import parts
from jarvisbot.gateway.delivery import Pauses
from jarvisbot.gateway.events import Snapshot, TurnEvents
from jarvisbot.store import outbox
from jarvisbot.store.database import Store
from jarvisbot.types import Address, Outbound, ToolRow
from jarvisbot.whole import whole

__all__ = ["Draft"]

logger = logging.getLogger(__name__)

TYPING_EVERY_S = 4.0
FIRST_DELAY_S = 0.3
"""An answer that code writes is there before this has passed: it needs no draft."""


class Draft:
    """Shows a turn while it runs. Everything it does may be skipped: edits are dropped under a platform's pause or error.

    State: the messages it has posted and what each shows. `run` is cancelled by its owner when the turn ends; a request
    under way is let end first, so that no edit of a draft can arrive behind the final text.
    """

    def __init__(
        self,
        *,
        connector: Connector,
        store: Store,
        clock: Clock,
        pauses: Pauses,
        shown: dict[int, parts.Shown],
        events: TurnEvents,
        at: Address,
        turn: int,
        reply_to: str | None,
        direct: bool,
        gone: Callable[[], None],
        language: str,
    ) -> None:
        self._connector = connector
        self._store = store
        self._clock = clock
        self._pauses = pauses
        self._shown_by_part = shown
        self._events = events
        self._at = at
        self._turn = turn
        self._reply_to = reply_to
        capabilities = connector.capabilities
        self._interval_s = capabilities.draft_interval_s if direct else capabilities.group_draft_interval_s
        self._gone = gone
        self._language = language
        self._ids: list[int] = []
        self._messages: list[str | None] = []
        self._shown: list[str] = []
        self._sign: tuple[tuple[ToolRow, ...], int] = ((), 0)
        self._unkept: dict[int, Receipt] = {}
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Works until it is cancelled or the turn ends."""
        async with asyncio.TaskGroup() as group:
            followers = [group.create_task(self._follow()), group.create_task(self._type())]
            if self._connector.capabilities.edits:
                await self._edit()
            else:
                await followers[0]
            for follower in followers:
                follower.cancel()

    async def _follow(self) -> None:
        async with aclosing(self._events.subscribe()) as events:
            async for _ in events:
                self._changed.set()
        self._changed.set()

    async def _type(self) -> None:
        while True:
            try:
                await self._connector.typing(self._at)
            except ConnectorError as error:
                logger.debug("typing_failed", extra={"conversation": self._at.key, "reason": error.user_message})
            await self._clock.sleep(TYPING_EVERY_S)

    async def _edit(self) -> None:
        for part in await outbox.drafts(self._store, self._turn):
            self._ids.append(part.id)
            self._messages.append(part.message)
            self._shown.append("")
        await self._clock.sleep(min(FIRST_DELAY_S, self._interval_s))
        while True:
            await self._changed.wait()
            self._changed.clear()
            snapshot = self._events.snapshot
            if snapshot.ended is not None:
                return
            if snapshot.empty or self._pauses.left(self._at.key):
                continue
            await whole(self._show(snapshot))
            await self._clock.sleep(self._interval_s)

    async def _show(self, snapshot: Snapshot) -> None:
        if self._connector.capabilities.append_only:
            if not snapshot.text.startswith("".join(self._shown)):
                return
            text = snapshot.text
        else:
            text = snapshot.text if snapshot.text.strip() else self._progress(snapshot.thinking_s)
        texts = await parts.texts_aside(text, parts.Frame(rows=snapshot.rows), self._connector.capabilities)
        if not texts and self._connector.capabilities.append_only:
            texts = ("",)  # what has no text yet can still show its rows and that the model thinks
        try:
            for position, part_text in enumerate(texts):
                if position == len(self._ids):
                    await self._open(position)
                if self._shown[position] != part_text or self._stale(position, part_text, snapshot):
                    await self._put(position, part_text, snapshot)
        except RateLimited as error:
            self._pauses.ask(self._at.key, error.retry_after_s)
        except MessageGone:
            self._gone()
        except (ConnectorError, StoreError) as error:
            logger.info("draft_skipped", extra={"conversation": self._at.key, "reason": error.user_message})

    def _stale(self, position: int, text: str, snapshot: Snapshot) -> bool:
        """Whether a draft whose text is shown already lacks something else."""
        rows, seconds = self._sign
        if not text:
            return (rows, seconds) != _sign(snapshot)
        return position == 0 and not self._connector.capabilities.append_only and rows != snapshot.rows

    def _progress(self, thinking_s: float) -> str:
        seconds = f"{thinking_s:.0f} s"
        return f"Denkt nach… {seconds}" if self._language == "de" else f"Thinking… {seconds}"

    async def _open(self, position: int) -> None:
        now = self._clock.now()
        part = await self._store.write(
            lambda connection: outbox.open_draft(
                connection,
                conversation=self._at.key,
                turn=self._turn,
                position=position,
                reply_to=self._reply_to if position == 0 else None,
                now=now,
            )
        )
        self._ids.append(part)
        self._messages.append(None)
        self._shown.append("")

    async def _put(self, position: int, text: str, snapshot: Snapshot) -> None:
        capabilities = self._connector.capabilities
        reply_to = self._reply_to if position == 0 else None
        part = self._ids[position]
        if self._messages[position] is None and capabilities.once is Once.PLACEHOLDER:
            await self._send(position, parts.PLACEHOLDER, reply_to, (), 0.0)
        self._shown_by_part.pop(part, None)  # what it shows is unknown until the platform has answered
        sent = await self._send(position, text, reply_to, snapshot.rows if position == 0 else (), snapshot.thinking_s)
        self._sign = _sign(snapshot) if position == 0 else self._sign
        self._shown[position] = text
        self._shown_by_part[part] = parts.shown(sent)
        logger.debug("draft_shown", extra={"conversation": self._at.key, "part": part})

    async def _send(
        self, position: int, text: str, reply_to: str | None, rows: tuple[ToolRow, ...], thinking_s: float
    ) -> Outbound:
        part = self._ids[position]
        thinks = not text and thinking_s > 0
        known = self._messages[position]
        message = await parts.outbound_aside(
            part,
            self._at,
            text,
            self._connector.capabilities,
            parts.Frame(rows=rows, labels=(self._progress(thinking_s),) if thinks else ()),
            reply_to=reply_to,
            replaces=known,
            thinking_s=thinking_s if thinks else 0.0,
            final=False,
        )
        # One that is posted already, and that the store did not take then, is not posted again.
        receipt = self._unkept.get(position) or await self._connector.send(message)
        if known is None and self._connector.capabilities.once is not Once.MARK:
            self._unkept[position] = receipt
            now = self._clock.now()
            await self._store.write(lambda connection: outbox.place(connection, part, receipt.message, now))
            self._messages[position] = receipt.message
            del self._unkept[position]
        return message


def _sign(snapshot: Snapshot) -> tuple[tuple[ToolRow, ...], int]:
    """What a draft without text shows: it is sent again when this changes."""
    return snapshot.rows, round(snapshot.thinking_s)
