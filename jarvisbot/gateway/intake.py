"""What comes in: admitted, stored before it is acknowledged, handed to its conversation's queue."""

from __future__ import annotations

import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import assert_never

import msgspec

from jarvisbot.clock import Clock
from jarvisbot.command import parse
from jarvisbot.connector import Connector, Inbox, Media
from jarvisbot.errors import ConnectorError, StoreError
from jarvisbot.gateway import parts
from jarvisbot.gateway.admission import Limits, Verdict, admit
from jarvisbot.gateway.conversations import Conversations
from jarvisbot.gateway.pairing import Pairing
from jarvisbot.gateway.words import say
from jarvisbot.policy.access import Access
from jarvisbot.store import inbox, outbox
from jarvisbot.store.database import Store
from jarvisbot.store.inbox import Waiting
from jarvisbot.types import Address, Author, Deleted, Edited, Inbound, Moved, Pressed, Reacted, Said

__all__ = ["Intake", "Notices"]

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Notices:
    """The gateway's own messages. State: which rooms were told that nothing can be stored."""

    clock: Clock
    connectors: Mapping[str, Connector]
    language: Callable[[str], str]
    _told: set[str] = field(default_factory=set, init=False)

    def add(self, connection: sqlite3.Connection, event: Inbound, text: str, *, problem: bool = False) -> None:
        """Puts a reply to the event into the outbox; belongs into a transaction."""
        capabilities = self.connectors[event.at.connector].capabilities
        outbox.add_notice(
            connection,
            conversation=event.at.key,
            texts=parts.texts(text, parts.Frame(), capabilities),
            reply_to=event.id,
            now=self.clock.now(),
            problem=problem,
        )

    async def unstored(self, event: Inbound, error: StoreError) -> None:
        """Says past the store, once a room, that nothing can be stored."""
        if event.at.key in self._told:
            return
        self._told.add(event.at.key)
        await self.past_the_store(event, say("cannot_store", self.language(event.text), reason=error.user_message))

    async def past_the_store(self, event: Inbound, text: str) -> None:
        """Says something once, with no row of it: it is lost where the platform does not take it."""
        connector = self.connectors[event.at.connector]
        try:
            await connector.send(parts.outbound(0, event.at, text, connector.capabilities, problem=True))
        except ConnectorError as failure:
            logger.warning("notice_failed", extra={"conversation": event.at.key, "reason": failure.user_message})

    def stored(self) -> None:
        """The store takes messages: the next trouble is news again."""
        self._told.clear()


class Intake(msgspec.Struct, frozen=True, kw_only=True):
    """The way in, for every connector. It has no state: what waits is in the store and the queues."""

    store: Store
    clock: Clock
    access: Access
    pairing: Pairing
    media: Media
    conversations: Conversations
    notices: Notices
    immediate: frozenset[str]
    """Names of the commands that do not wait."""
    menu: Sequence[tuple[str, str]]
    """(name, help) of every command."""
    german_menu: Sequence[tuple[str, str]]
    limits: Limits
    language: Callable[[str], str]
    reached: Callable[[str], None]
    heard: Callable[[str], None] = lambda _: None
    """Told the name of a connector that something came in from."""

    def inbox(self, connector: Connector) -> Inbox:
        """The connector's way in."""
        return _ConnectorInbox(self, connector)

    async def put(self, connector: Connector, events: Sequence[Inbound], checkpoint: str | None) -> None:
        """See `Inbox.put`."""
        now = self.clock.now()
        if events:
            self.heard(connector.name)
        known = [event for event in events if self._known(event)]
        unknown = [event for event in events if event.addressed and not self._known(event)]
        offers: list[tuple[Inbound, str]] = []
        moved: list[tuple[str, str]] = []
        reopened: list[str] = []

        def work(connection: sqlite3.Connection) -> list[tuple[Inbound, Verdict, int | None]]:
            inbox.ensure_connector(connection, connector.name, now)
            since = inbox.since(connection, connector.name)
            verdicts = []
            offers[:] = [
                (event, words)
                for event in unknown
                if event.sent.timestamp() >= int(since.timestamp())
                and (words := self.pairing.offer(connection, event)) is not None
            ]
            moved.clear()
            reopened.clear()
            for event in known:
                match event.about:
                    case Said():
                        verdict, seq = admit(
                            connection, event, immediate=self.immediate, since=since, now=now, limits=self.limits
                        )
                        verdicts.append((event, verdict, seq))
                    case Edited(id=message):
                        if not inbox.replace_text(connection, event.at.key, message, event.text) and (
                            parse(event.text) is None
                            and inbox.reopen(
                                connection, event.at.key, message, event.text, answered_after=now - self.limits.age
                            )
                        ):
                            reopened.append(event.at.key)
                    case Deleted(id=message):
                        inbox.stop_waiting(connection, event.at.key, message)
                    case Moved(to=to):
                        moved.extend(inbox.move(connection, event.at, to))
                    case Reacted() | Pressed():
                        pass
                    case _:
                        assert_never(event.about)
            self._explain(connection, verdicts)
            if checkpoint is not None:
                inbox.set_checkpoint(connection, connector.name, checkpoint)
            return verdicts

        for event in unknown:
            user = f"{event.at.connector}:{event.author.id}"
            logger.info("stranger_ignored", extra={"conversation": event.at.key, "user": user})
        self.reached("update.arrived")
        try:
            verdicts = await self.store.write(work)
        except StoreError as error:
            for event in known:
                if isinstance(event.about, Said):
                    await self.notices.unstored(event, error)
            raise
        self.notices.stored()
        self.reached("inbox.committed")
        for event, verdict, seq in verdicts:
            match verdict:
                case Verdict.IMMEDIATE if seq is not None:
                    self.conversations.spawn(self.conversations.at_once(Waiting(seq=seq, inbound=event)), event.at.key)
                case Verdict.KNOWN | Verdict.EARLIER | Verdict.REFUSED_AGAIN:
                    logger.debug("message_dropped", extra={"conversation": event.at.key, "verdict": verdict.name})
                case _:
                    self.conversations.wake(event.at.key)
        for event, words in offers:
            self.conversations.spawn(self.notices.past_the_store(event, words), event.at.key)
        for conversation in reopened:
            self.conversations.wake(conversation)
        for old, new in moved:
            logger.info("room_moved", extra={"conversation": new, "former": old})
            self.conversations.go_on(old, new)
        for event in known:
            self._changed(event)

    def _known(self, event: Inbound) -> bool:
        if isinstance(event.about, Moved):
            return True
        return event.addressed and self.access.principal(event.at, event.author) is not None

    def _explain(self, connection: sqlite3.Connection, verdicts: Sequence[tuple[Inbound, Verdict, int | None]]) -> None:
        """Says what was not taken: one line a room for what is too old, one for a queue that is full."""
        old = Counter(event.at.key for event, verdict, _ in verdicts if verdict is Verdict.TOO_OLD)
        for event, verdict, _ in verdicts:
            language = self.language(event.text)
            if verdict is Verdict.REFUSED:
                self.notices.add(connection, event, say("queue_full", language), problem=True)
            elif verdict is Verdict.TOO_OLD and (count := old.pop(event.at.key, 0)):
                minutes = round(self.limits.age.total_seconds() / 60)
                text = say("too_old", language, count=count, minutes=minutes)
                self.notices.add(connection, event, text, problem=True)

    def _changed(self, event: Inbound) -> None:
        """An edit or a deletion reaches the turn that is running on the message."""
        running = self.conversations.running(event.at.key)
        match event.about:
            case Said():
                return
            case Edited(id=changed):
                if running is not None and running.waiting.message == changed:
                    running.begin_again()
            case Deleted(id=changed):
                if running is not None and running.waiting.message == changed:
                    running.stop()
            case Reacted() | Pressed() | Moved():
                logger.debug("event_without_listener", extra={"conversation": event.at.key})
            case _:
                assert_never(event.about)


@dataclass(frozen=True, slots=True)
class _ConnectorInbox:
    """One connector's `Inbox`."""

    intake: Intake
    connector: Connector

    @property
    def commands(self) -> Sequence[tuple[str, str]]:
        """See `Inbox.commands`."""
        return self.intake.menu

    async def put(self, *inbound: Inbound, checkpoint: str | None = None) -> None:
        """See `Inbox.put`."""
        await self.intake.put(self.connector, inbound, checkpoint)

    async def checkpoint(self) -> str | None:
        """See `Inbox.checkpoint`; the connector's first start ever is remembered from here on."""
        now = self.intake.clock.now()
        name = self.connector.name
        await self.intake.store.write(lambda connection: inbox.ensure_connector(connection, name, now))
        return await inbox.checkpoint(self.intake.store, name)

    async def settled(self) -> None:
        """See `Inbox.settled`."""
        await self.intake.conversations.settled(self.connector.name)

    @property
    def german_commands(self) -> Sequence[tuple[str, str]]:
        """See `Inbox.german_commands`."""
        return self.intake.german_menu

    @property
    def media(self) -> Media:
        """See `Inbox.media`."""
        return self.intake.media

    def admits(self, at: Address, author: Author) -> bool:
        """See `Inbox.admits`."""
        return self.intake.access.principal(at, author) is not None

    async def knows(self, at: Address) -> bool:
        """See `Inbox.knows`."""
        return await inbox.is_known(self.intake.store, at.key)

    async def attended(self, at: Address) -> None:
        """See `Inbox.attended`."""
        try:
            known = await inbox.is_known(self.intake.store, at.key)
        except StoreError as error:
            logger.warning("delivery_delayed", extra={"conversation": at.key, "reason": error.user_message})
            return
        if known:
            self.intake.conversations.wake(at.key)
