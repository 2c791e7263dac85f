"""What goes out: each part of the outbox is delivered once, in order, whatever the line and the process do meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Callable, Mapping

from jarvisbot.clock import Clock
from jarvisbot.connector import Connector, Once, Receipt
from jarvisbot.errors import (
    Disconnected,
    MessageGone,
    OutcomeUnknown,
    RateLimited,
    Rejected,
    StoreError,
)
from jarvisbot.gateway import parts
from jarvisbot.store import inbox, outbox
from jarvisbot.store.database import Store
from jarvisbot.store.outbox import Part, PartState
from jarvisbot.types import Address, Outbound
from jarvisbot.whole import whole

__all__ = ["Delivery", "Pauses"]

logger = logging.getLogger(__name__)

FIRST_RETRY_S = 1.0
LAST_RETRY_S = 15.0
LEAST_PAUSE_S = 1.0


class Pauses:
    """How long each conversation must be left alone, as the platform asked. State: one moment a conversation."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._until: dict[str, float] = {}

    def ask(self, conversation: str, seconds: float) -> None:
        """Nothing may be sent there for `seconds` from now, at least one: a platform that asks for none is not hammered."""
        until = self._clock.monotonic() + max(seconds, LEAST_PAUSE_S)
        self._until[conversation] = max(self._until.get(conversation, 0.0), until)

    def left(self, conversation: str) -> float:
        """Seconds still to wait, 0 when free."""
        return max(0.0, self._until.get(conversation, 0.0) - self._clock.monotonic())

    async def over(self, conversation: str) -> None:
        """Returns when the conversation is free."""
        while (seconds := self.left(conversation)) > 0:
            await self._clock.sleep(seconds)


class Delivery:
    """The one sender of finished messages. State: a lock a conversation, the platforms' pauses and, by part, the
    placeholders that the store has not taken yet.

    How "once" is kept depends on the platform (`Capabilities.once`): by an idempotency key; by a placeholder whose id is
    committed before its text is edited in; or, where nobody can look, by counting a message as sent when it is handed over.
    """

    def __init__(
        self,
        *,
        store: Store,
        connectors: Mapping[str, Connector],
        clock: Clock,
        reached: Callable[[str], None],
        patient: bool = True,
        attended: Callable[[Address, str | None], bool] = lambda at, reply_to: True,
    ) -> None:
        self._store = store
        self._connectors = connectors
        self._clock = clock
        self._reached = reached
        self._patient = patient
        self._attended = attended
        self._locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._unkept: dict[int, Receipt] = {}
        self.pauses = Pauses(clock)
        self.shown: dict[int, parts.Shown] = {}
        """By part, what its draft is known to show: putting the same there again would be a request for nothing."""

    async def deliver(self, conversation: str) -> None:
        """Sends everything that waits in the conversation; returns when nothing is left, however long that takes.

        What nobody is there to read stays: whoever comes asks for it (`Inbox.attended`).
        """
        async with self._locks[conversation]:
            at = await inbox.address(self._store, conversation)
            connector = self._connectors.get(at.connector)
            if connector is None:
                return
            while waiting := [
                part
                for part in await outbox.pending(self._store, conversation)
                if self._attended(at, part.reply_to) or part.state is PartState.HANDED
            ]:
                for part in waiting:
                    await self._persist(connector, at, part)

    async def _persist(self, connector: Connector, at: Address, part: Part) -> None:
        """Tries until the part has come to its end, or the last of those who would have read it has left."""
        retry_s = FIRST_RETRY_S
        plain = False
        while True:
            await self.pauses.over(at.key)
            try:
                await whole(self._attempt(connector, at, part, plain=plain))
                return
            except RateLimited as error:
                self.pauses.ask(at.key, error.retry_after_s)
                logger.warning("delivery_paused", extra={"conversation": at.key, "seconds": error.retry_after_s})
            except Rejected as error:
                if plain:
                    logger.error("delivery_refused", extra={"conversation": at.key, "reason": error.user_message})
                    await self._set(part, PartState.FAILED)
                    return
                plain = True
            except MessageGone as error:
                logger.info("delivery_dropped", extra={"conversation": at.key, "reason": error.user_message})
                await self._set(part, PartState.DROPPED)
                return
            except (Disconnected, OutcomeUnknown, StoreError) as error:
                if isinstance(error, StoreError | Disconnected) and not self._patient:
                    raise
                if isinstance(error, Disconnected) and not self._attended(at, part.reply_to):
                    return
                logger.warning("delivery_retried", extra={"conversation": at.key, "reason": error.user_message})
                await self._clock.sleep(retry_s)
                retry_s = min(retry_s * 2, LAST_RETRY_S)
            except Exception:  # a bug met by one message must not hold up those behind it
                logger.exception("delivery_failed", extra={"conversation": at.key})
                await self._set(part, PartState.FAILED)
                return
            part = await self._reloaded(at, part)

    async def _reloaded(self, at: Address, part: Part) -> Part:
        """The part as the outbox knows it by now: a failed attempt may have got as far as its placeholder."""
        for known in await outbox.pending(self._store, at.key):
            if known.id == part.id:
                return known
        return part

    async def _attempt(self, connector: Connector, at: Address, part: Part, *, plain: bool) -> None:
        text = part.text or ""
        shown = self.shown.pop(part.id, None)
        if not text:
            if part.message is not None:
                await connector.retract(at, part.message)
            await self._set(part, PartState.DROPPED)
            return
        capabilities = connector.capabilities

        frame = parts.Frame(rows=part.rows, sources=part.sources, labels=part.labels)

        async def message(replaces: str | None) -> Outbound:
            return await parts.outbound_aside(
                part.id,
                at,
                text,
                capabilities,
                frame,
                reply_to=part.reply_to,
                replaces=replaces,
                plain=plain,
                problem=part.problem,
            )

        match capabilities.once:
            case Once.PLACEHOLDER:
                placed = part.message or await self._place(connector, at, part)
                final = await message(placed)
                if shown != parts.shown(final) or capabilities.native_rows:
                    await connector.send(final)
            case Once.KEY:
                receipt = await connector.send(await message(part.message))
                await self._keep(part, receipt)
            case Once.MARK:
                if part.state is PartState.HANDED:
                    logger.warning("delivery_unknown", extra={"conversation": at.key})
                    await self._set(part, PartState.SENT)
                    return
                await self._set(part, PartState.HANDED)
                try:
                    await connector.send(await message(part.message))
                except Disconnected:  # nothing of it arrived: it still waits, for the next process if need be
                    await self._set(part, PartState.WAITING)
                    raise
        self._reached("part.sent")
        await self._set(part, PartState.SENT)
        self._reached("part.receipt")

    async def _place(self, connector: Connector, at: Address, part: Part) -> str:
        """The placeholder's id, committed. One that the store would not take is kept in memory, not posted again."""
        if (receipt := self._unkept.get(part.id)) is None:
            receipt = self._unkept[part.id] = await connector.send(
                parts.outbound(
                    part.id, at, parts.PLACEHOLDER, connector.capabilities, reply_to=part.reply_to, final=False
                )
            )
            self._reached("placeholder.sent")
        await self._keep(part, receipt)
        del self._unkept[part.id]
        self._reached("placeholder.receipt")
        return receipt.message

    async def _keep(self, part: Part, receipt: Receipt) -> None:
        now = self._clock.now()
        await self._store.write(lambda connection: outbox.place(connection, part.id, receipt.message, now))

    async def _set(self, part: Part, state: PartState) -> None:
        await self._store.write(lambda connection: outbox.set_state(connection, part.id, state))
