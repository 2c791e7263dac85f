"""What comes in: stored before it is acknowledged, then answered in order, one turn at a time a conversation."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, assert_never

from jarvisbot.agent.turn import TurnInput
from jarvisbot.clock import Clock
from jarvisbot.command import Command, CommandContext, parse
from jarvisbot.connector import Connector, Inbox
from jarvisbot.errors import ConnectorError, JarvisError, StoreError
from jarvisbot.gateway import parts
from jarvisbot.gateway.admission import Limits, Verdict, admit
from jarvisbot.gateway.delivery import Delivery
from jarvisbot.gateway.draft import Draft
from jarvisbot.gateway.events import TurnEvents
from jarvisbot.gateway.words import say
from jarvisbot.policy.access import Access
from jarvisbot.store import inbox, outbox, turns
from jarvisbot.store.database import Store
from jarvisbot.store.inbox import Waiting
from jarvisbot.store.turns import TurnRecord
from jarvisbot.types import (
    Answered,
    Deleted,
    Edited,
    Failed,
    Inbound,
    Item,
    Moved,
    Pressed,
    Principal,
    Reacted,
    Said,
    TurnEvent,
)

__all__ = ["Answerer", "Intake"]

logger = logging.getLogger(__name__)

HISTORY_TURNS = 20
FIRST_RETRY_S = 1.0
LAST_RETRY_S = 30.0


class Answerer(Protocol):
    """The agent, as far as the gateway sees it."""

    async def answer(self, question: TurnInput, publish: Callable[[TurnEvent], None]) -> TurnRecord:
        """Publishes the turn's events, `Answered` or `Failed` last, and returns what is kept of it."""

    def language(self, text: str, history: Sequence[Item]) -> str:
        """The language a reply to this text is written in: "en" or "de"."""


@dataclass(slots=True)
class _Running:
    """The turn that a conversation is busy with."""

    waiting: Waiting
    work: asyncio.Task[TurnRecord]
    events: TurnEvents
    stopped: bool = False
    again: bool = False


@dataclass(slots=True)
class _State:
    """What a conversation's queue does now."""

    queue: asyncio.Task[None] | None = None
    more: bool = False
    running: _Running | None = None


@dataclass(slots=True, kw_only=True)
class Intake:
    """The queues. State: what each conversation is busy with; all that must last is in the store."""

    store: Store
    clock: Clock
    access: Access
    agent: Answerer
    delivery: Delivery
    connectors: Mapping[str, Connector]
    commands: Mapping[str, Command]
    limits: Limits
    parallel: int
    status: Callable[[str], str]
    reached: Callable[[str], None]
    patient: bool = True
    ended: Callable[[Answered | Failed], None] = lambda _: None
    _states: dict[str, _State] = field(default_factory=dict, init=False)
    _told: set[str] = field(default_factory=set, init=False)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _group: asyncio.TaskGroup | None = field(default=None, init=False)
    _slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.parallel)

    # ------------------------------------------------------------ life

    async def run(self, started: asyncio.Event) -> None:
        """Takes up what a former process left and works until cancelled; `started` is set once messages may come."""
        await self.store.write(inbox.put_back)
        async with asyncio.TaskGroup() as group:
            self._group = group
            for conversation in await inbox.open_conversations(self.store):
                at = await inbox.address(self.store, conversation)
                if at.connector in self.connectors:
                    self._wake(conversation)
            started.set()
            await asyncio.get_running_loop().create_future()

    def inbox(self, connector: Connector) -> Inbox:
        """The connector's way in."""
        return _ConnectorInbox(self, connector)

    async def settled(self, connector: str) -> None:
        """Returns when nothing of the connector waits to be answered or sent."""
        while busy := {task for task in self._tasks if task.get_name().startswith(f"{connector}:")}:
            await asyncio.wait(busy)

    # ------------------------------------------------------------ in

    async def put(self, connector: Connector, events: Sequence[Inbound], checkpoint: str | None) -> None:
        """See `Inbox.put`."""
        now = self.clock.now()
        known = [event for event in events if self._known(event)]
        immediate = frozenset(name for name, command in self.commands.items() if command.immediate)

        def work(connection: sqlite3.Connection) -> list[tuple[Inbound, Verdict, int | None]]:
            inbox.ensure_connector(connection, connector.name, now)
            since = inbox.since(connection, connector.name)
            verdicts = []
            for event in known:
                if isinstance(event.about, Said):
                    verdict, seq = admit(
                        connection, event, immediate=immediate, since=since, now=now, limits=self.limits
                    )
                    verdicts.append((event, verdict, seq))
            self._notices(connection, verdicts)
            for event in known:
                if isinstance(event.about, Edited):
                    inbox.replace_text(connection, connector.name, event.about.id, event.text)
                elif isinstance(event.about, Deleted):
                    inbox.stop_waiting(connection, event.at.key, event.about.id)
            if checkpoint is not None:
                inbox.set_checkpoint(connection, connector.name, checkpoint)
            return verdicts

        self.reached("update.arrived")
        try:
            verdicts = await self.store.write(work)
        except StoreError as error:
            await self._tell_unstored(connector, known, error)
            raise
        self._told.clear()
        self.reached("inbox.committed")
        for event, verdict, seq in verdicts:
            match verdict:
                case Verdict.IMMEDIATE if seq is not None:
                    self._spawn(self._immediate(Waiting(seq=seq, inbound=event)), event.at.key)
                case Verdict.KNOWN | Verdict.EARLIER | Verdict.REFUSED_AGAIN:
                    logger.debug("message_dropped", extra={"conversation": event.at.key, "verdict": verdict.name})
                case _:
                    self._wake(event.at.key)
        for event in known:
            self._changed(event)

    def _known(self, event: Inbound) -> bool:
        if not event.addressed:
            return False
        if self.access.principal(event.at, event.author) is None:
            logger.info(
                "stranger_ignored",
                extra={"conversation": event.at.key, "user": f"{event.at.connector}:{event.author.id}"},
            )
            return False
        return True

    def _notices(self, connection: sqlite3.Connection, verdicts: Sequence[tuple[Inbound, Verdict, int | None]]) -> None:
        old = Counter(event.at.key for event, verdict, _ in verdicts if verdict is Verdict.TOO_OLD)
        for event, verdict, _ in verdicts:
            language = self.agent.language(event.text, ())
            if verdict is Verdict.REFUSED:
                self._notice(connection, event, say("queue_full", language), problem=True)
            elif verdict is Verdict.TOO_OLD and (count := old.pop(event.at.key, 0)):
                minutes = round(self.limits.age.total_seconds() / 60)
                self._notice(connection, event, say("too_old", language, count=count, minutes=minutes), problem=True)

    def _notice(self, connection: sqlite3.Connection, event: Inbound, text: str, *, problem: bool = False) -> None:
        texts = parts.texts(text, rows=(), sources=(), capabilities=self.connectors[event.at.connector].capabilities)
        outbox.add_notice(
            connection,
            conversation=event.at.key,
            texts=texts,
            reply_to=event.id,
            now=self.clock.now(),
            problem=problem,
        )

    async def _tell_unstored(self, connector: Connector, events: Sequence[Inbound], error: StoreError) -> None:
        """Says once a conversation, past the store, that messages cannot be taken."""
        for event in events:
            if not isinstance(event.about, Said) or event.at.key in self._told:
                continue
            self._told.add(event.at.key)
            text = say("cannot_store", self.agent.language(event.text, ()), reason=error.user_message)
            try:
                await connector.send(parts.outbound(0, event.at, text, connector.capabilities, problem=True))
            except ConnectorError as failure:
                logger.warning("notice_failed", extra={"conversation": event.at.key, "reason": failure.user_message})

    def _changed(self, event: Inbound) -> None:
        """An edit or a deletion reaches the turn that is running on the message."""
        running = self._state(event.at.key).running
        match event.about:
            case Said():
                return
            case Edited(id=changed):
                if running is not None and running.waiting.message == changed:
                    self._spawn(self._run_again(running, event), event.at.key)
            case Deleted(id=changed):
                if running is not None and running.waiting.message == changed:
                    self._stop_running(running)
            case Reacted() | Pressed() | Moved():
                logger.debug("event_without_listener", extra={"conversation": event.at.key})
            case _:
                assert_never(event.about)

    async def _run_again(self, running: _Running, event: Inbound) -> None:
        text = event.text
        await self.store.write(lambda connection: inbox.edit_running(connection, running.waiting.seq, text))
        running.again = True
        running.work.cancel()

    # ------------------------------------------------------------ the queue

    def _state(self, conversation: str) -> _State:
        return self._states.setdefault(conversation, _State())

    def _spawn(self, work: Coroutine[None, None, None], conversation: str) -> asyncio.Task[None]:
        if self._group is None:
            raise RuntimeError("the intake does not run")
        task = self._group.create_task(work, name=conversation)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def _wake(self, conversation: str) -> None:
        state = self._state(conversation)
        state.more = True
        if state.queue is None:
            state.queue = self._spawn(self._drain(conversation), conversation)

    async def _drain(self, conversation: str) -> None:
        state = self._state(conversation)
        retry_s = FIRST_RETRY_S
        while state.more:
            state.more = False
            try:
                await self.delivery.deliver(conversation)
                while waiting := await inbox.next_waiting(self.store, conversation):
                    async with self._slots:
                        await self._guarded(waiting)
                    await self.delivery.deliver(conversation)
                retry_s = FIRST_RETRY_S
            except StoreError as error:
                if not self.patient:
                    raise
                logger.error("queue_paused", extra={"conversation": conversation, "reason": error.user_message})
                state.more = True
                await self.clock.sleep(retry_s)
                retry_s = min(retry_s * 2, LAST_RETRY_S)
        state.queue = None
        if state.running is None:
            self._states.pop(conversation, None)

    async def _guarded(self, waiting: Waiting) -> None:
        """A bug met by one message ends that message, not the bot."""
        try:
            await self._take(waiting)
        except StoreError:
            raise
        except Exception:
            logger.exception("message_failed", extra={"conversation": waiting.inbound.at.key})
            await self.store.write(lambda connection: inbox.set_state(connection, waiting.seq, inbox.State.FAILED))

    async def _take(self, waiting: Waiting) -> None:
        message = waiting.inbound
        principal = self.access.principal(message.at, message.author)
        if principal is None:
            await self.store.write(lambda connection: inbox.set_state(connection, waiting.seq, inbox.State.SKIPPED))
        elif parse(message.text) is not None:
            await self._command(waiting, principal)
        else:
            await self._turn(waiting, principal)

    async def _turn(self, waiting: Waiting, principal: Principal) -> None:
        message = waiting.inbound
        now = self.clock.now()
        turn = await self.store.write(lambda connection: inbox.begin(connection, waiting.seq, now))
        history = await turns.history(self.store, message.at.key, turns=HISTORY_TURNS)
        connector = self.connectors[message.at.connector]
        events = TurnEvents()
        question = TurnInput(turn=turn, message=message, principal=principal, history=history)
        work = asyncio.get_running_loop().create_task(self.agent.answer(question, events.publish))
        running = _Running(waiting, work, events)
        self._state(message.at.key).running = running
        draft = Draft(
            connector=connector,
            store=self.store,
            clock=self.clock,
            pauses=self.delivery.pauses,
            events=events,
            at=message.at,
            turn=turn,
            reply_to=waiting.message,
            direct=message.direct,
            gone=lambda: self._stop_running(running),
            language=self.agent.language(message.text, history),
        )
        showing = asyncio.get_running_loop().create_task(draft.run())
        try:
            await asyncio.wait({work})
        finally:
            work.cancel()
            showing.cancel()
            events.close()
            outcome, shown = await asyncio.gather(work, showing, return_exceptions=True)
            self._state(message.at.key).running = None
        if isinstance(shown, Exception):
            logger.error("draft_failed", exc_info=shown, extra={"conversation": message.at.key})
        if running.again and not running.stopped:
            await self.store.write(lambda connection: inbox.set_state(connection, waiting.seq, inbox.State.WAITING))
            return
        language = self.agent.language(message.text, history)
        record = self._record(outcome, events, message, language)
        await self._settle(waiting, turn, record, events, language)
        if events.snapshot.ended is not None:
            self.ended(events.snapshot.ended)

    def _record(
        self, outcome: TurnRecord | BaseException, events: TurnEvents, message: Inbound, language: str
    ) -> TurnRecord:
        match outcome:
            case TurnRecord():
                return outcome
            case asyncio.CancelledError():
                return TurnRecord(state="stopped")
            case JarvisError(user_message=text):
                events.publish(Failed(message=text))
            case _:
                logger.error("turn_failed", exc_info=outcome, extra={"conversation": message.at.key})
                if events.snapshot.ended is None:
                    events.publish(Failed(message=say("failed", language)))
        return TurnRecord(state="failed")

    async def _settle(self, waiting: Waiting, turn: int, record: TurnRecord, events: TurnEvents, language: str) -> None:
        """Commits the turn's end with its outgoing parts, however long the disk takes to have room for it."""
        message = waiting.inbound
        snapshot = events.snapshot
        text = snapshot.text
        if record.state == "stopped":
            text = f"{text.strip()}\n\n{say('stopped', language)}" if text.strip() else ""
        texts = parts.texts(
            text,
            rows=snapshot.rows if text else (),
            sources=snapshot.sources,
            capabilities=self.connectors[message.at.connector].capabilities,
        )
        now = self.clock.now()

        def work(connection: sqlite3.Connection) -> None:
            turns.finish(connection, turn, record, now)
            outbox.settle(
                connection,
                conversation=message.at.key,
                turn=turn,
                texts=texts,
                rows=snapshot.rows,
                sources=snapshot.sources,
                reply_to=waiting.message,
                now=now,
                problem=record.state == "failed",
            )
            inbox.set_state(connection, waiting.seq, inbox.State(record.state))

        retry_s = FIRST_RETRY_S
        while True:
            try:
                await self.store.write(work)
                break
            except StoreError as error:
                if not self.patient:
                    raise
                await self._tell_unstored(self.connectors[message.at.connector], [message], error)
                logger.error(
                    "answer_kept_in_memory", extra={"conversation": message.at.key, "reason": error.user_message}
                )
            await self.clock.sleep(retry_s)
            retry_s = min(retry_s * 2, LAST_RETRY_S)
        self.reached("answer.committed")

    # ------------------------------------------------------------ commands and controls

    async def _immediate(self, waiting: Waiting) -> None:
        message = waiting.inbound
        principal = self.access.principal(message.at, message.author)
        if principal is None:
            return
        try:
            await self._command(waiting, principal)
            await self.delivery.deliver(message.at.key)
        except StoreError as error:
            logger.error("command_failed", extra={"conversation": message.at.key, "reason": error.user_message})

    async def _command(self, waiting: Waiting, principal: Principal) -> None:
        message = waiting.inbound
        given = parse(message.text)
        if given is None:
            raise ValueError("not a command")
        name, arguments = given
        language = self.agent.language(message.text, ())
        command = self.commands.get(name)
        state = inbox.State.ANSWERED
        reply: str | None
        if command is None:
            reply = say("unknown_command", language, name=name)
        elif principal.role.rank < command.role.rank:
            reply = say("not_allowed", language, name=name, role=command.role)
        else:
            context = CommandContext(
                principal=principal,
                at=message.at,
                arguments=arguments,
                language=language,
                controls=self,
                commands=tuple(self.commands.values()),
            )
            try:
                reply = await command.run(context)
            except JarvisError as error:
                reply, state = error.user_message, inbox.State.FAILED
            except Exception:  # a command is an add-on: whatever it raises ends it, not the queue
                logger.exception("command_failed", extra={"conversation": message.at.key, "command": name})
                reply, state = say("failed", language), inbox.State.FAILED

        def work(connection: sqlite3.Connection) -> None:
            inbox.set_state(connection, waiting.seq, state)
            if reply:
                self._notice(connection, message, reply)

        await self.store.write(work)

    def _stop_running(self, running: _Running) -> None:
        running.stopped = True
        running.work.cancel()

    async def stop(self, conversation: str) -> int:
        """See `Controls.stop`."""
        count = await self.store.write(lambda connection: inbox.stop_waiting(connection, conversation))
        running = self._state(conversation).running
        if running is not None:
            self._stop_running(running)
            count += 1
        return count

    async def retry(self, conversation: str) -> bool:
        """See `Controls.retry`."""
        last = await inbox.last_question(self.store, conversation)
        if last is None:
            return False
        now = self.clock.now()
        await self.store.write(lambda connection: inbox.ask_again(connection, last.seq, now))
        self._wake(conversation)
        return True

    async def forget(self, conversation: str) -> None:
        """See `Controls.forget`."""
        await self.store.write(lambda connection: turns.begin_anew(connection, conversation))

    async def report(self, conversation: str) -> str:
        """See `Controls.report`."""
        return self.status(conversation)


@dataclass(frozen=True, slots=True)
class _ConnectorInbox:
    """One connector's `Inbox`."""

    intake: Intake
    connector: Connector

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
        await self.intake.settled(self.connector.name)
