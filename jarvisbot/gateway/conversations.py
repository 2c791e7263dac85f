"""The queues: one turn at a time a conversation, several conversations at once."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field

from jarvisbot.clock import Clock
from jarvisbot.command import parse
from jarvisbot.connector import Connector
from jarvisbot.errors import StoreError
from jarvisbot.gateway import model_choice
from jarvisbot.gateway.commanding import Commanding
from jarvisbot.gateway.delivery import Delivery
from jarvisbot.gateway.pairing import Pairing
from jarvisbot.gateway.reporting import Reporting
from jarvisbot.gateway.running import FIRST_RETRY_S, LAST_RETRY_S, Running, TurnRunner
from jarvisbot.gateway.words import say
from jarvisbot.policy.access import Access
from jarvisbot.store import inbox, members, traces, turns
from jarvisbot.store.database import Store
from jarvisbot.store.inbox import Waiting
from jarvisbot.store.members import Member
from jarvisbot.store.traces import Trace
from jarvisbot.types import Inbound

__all__ = ["Conversations"]

logger = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Conversations:
    """Works through what waits. State: the tasks at work; all that must last is in the store.

    It is also the `Controls` that commands are given.
    """

    store: Store
    clock: Clock
    access: Access
    pairing: Pairing
    turns: TurnRunner
    commanding: Commanding
    delivery: Delivery
    connectors: Mapping[str, Connector]
    immediate: frozenset[str]
    """Names of the commands that do not wait: after a crash, too, they come before what waits."""
    parallel: int
    patient: bool
    reporting: Reporting
    unstored: Callable[[Inbound, StoreError], Coroutine[None, None, None]]
    _queues: dict[str, asyncio.Task[None]] = field(default_factory=dict, init=False)
    _more: set[str] = field(default_factory=set, init=False)
    _interrupted: dict[str, set[int]] = field(default_factory=dict, init=False)
    """By conversation, the messages that the store broke off."""
    _moved: dict[str, str] = field(default_factory=dict, init=False)
    """By a conversation that moved while it was busy, where it goes on."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _group: asyncio.TaskGroup | None = field(default=None, init=False)
    _slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.parallel)

    async def run(self, started: asyncio.Event) -> None:
        """Takes up what a former process left and works until cancelled; `started` is set once messages may come."""
        await self.store.write(inbox.put_back)
        await self.pairing.load()
        async with asyncio.TaskGroup() as group:
            self._group = group
            for waiting in await inbox.waiting_commands(self.store):
                given = parse(waiting.inbound.text)
                if given is not None and given[0] in self.immediate and waiting.inbound.at.connector in self.connectors:
                    await self._guarded(waiting)
            for conversation in await inbox.open_conversations(self.store):
                at = await inbox.address(self.store, conversation)
                if at.connector in self.connectors:
                    self.wake(conversation)
            started.set()
            await asyncio.get_running_loop().create_future()

    async def settled(self, connector: str) -> None:
        """Returns when nothing of the connector waits to be answered or sent."""
        while busy := {task for task in self._tasks if task.get_name().startswith(f"{connector}:")}:
            await asyncio.wait(busy)

    def running(self, conversation: str) -> Running | None:
        """The turn the conversation is busy with."""
        return self.turns.running(conversation)

    def spawn(self, work: Coroutine[None, None, None], conversation: str) -> None:
        """Starts work on behalf of a conversation; it ends with the queues."""
        self._start(work, conversation)

    def _start(self, work: Coroutine[None, None, None], conversation: str) -> asyncio.Task[None]:
        if self._group is None:
            raise RuntimeError("the queues do not run")
        task = self._group.create_task(work, name=conversation)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # ------------------------------------------------------------ the queue of one conversation

    def wake(self, conversation: str) -> None:
        """There is something to answer or to send."""
        self._more.add(conversation)
        if conversation not in self._queues:
            self._queues[conversation] = self._start(self._drain(conversation), conversation)

    def go_on(self, conversation: str, following: str) -> None:
        """The conversation has moved: what waits is taken up under its new key once the old one has come to rest."""
        if conversation in self._queues:
            self._moved[conversation] = following
        else:
            self.wake(following)

    async def _drain(self, conversation: str) -> None:
        retry_s = FIRST_RETRY_S
        while conversation in self._more:
            self._more.discard(conversation)
            try:
                await self._answer_all(conversation)
                retry_s = FIRST_RETRY_S
            except StoreError as error:
                if not self.patient:
                    raise
                logger.error("queue_paused", extra={"conversation": conversation, "reason": error.user_message})
                self._more.add(conversation)
                await self.clock.sleep(retry_s)
                retry_s = min(retry_s * 2, LAST_RETRY_S)
        del self._queues[conversation]
        if following := self._moved.pop(conversation, None):
            self.wake(following)

    async def _answer_all(self, conversation: str) -> None:
        if interrupted := self._interrupted.pop(conversation, None):
            try:
                await self.store.write(lambda connection: inbox.put_back(connection, interrupted))
            except StoreError:
                self._interrupted.setdefault(conversation, set()).update(interrupted)
                raise
        await self.delivery.deliver(conversation)
        while await inbox.next_waiting(self.store, conversation):
            async with self._slots:
                # Read again: what waits for a slot may be edited, deleted or stopped meanwhile.
                if waiting := await inbox.next_waiting(self.store, conversation):
                    await self._guarded(waiting)
            await self.delivery.deliver(conversation)

    async def _guarded(self, waiting: Waiting) -> None:
        """A bug met by one message ends that message, not the bot; the person is told."""
        message = waiting.inbound
        try:
            await self._take(waiting)
        except StoreError:
            self._interrupted.setdefault(message.at.key, set()).add(waiting.seq)
            raise
        except Exception:
            logger.exception("message_failed", extra={"conversation": message.at.key})

            def work(connection: sqlite3.Connection) -> None:
                inbox.set_state(connection, waiting.seq, inbox.State.FAILED)
                self.commanding.notice(connection, message, say("failed", self.commanding.language(message.text, ())))

            await self.store.write(work)

    async def _take(self, waiting: Waiting) -> None:
        message = waiting.inbound
        principal = self.access.principal(message.at, message.author)
        if principal is None:
            await self.store.write(lambda connection: inbox.set_state(connection, waiting.seq, inbox.State.SKIPPED))
        elif parse(message.text) is not None:
            await self.commanding.run(waiting, principal, self)
        else:
            await self.turns.run(waiting, principal, self._unstored)

    def _unstored(self, message: Inbound, error: StoreError) -> None:
        self._start(self.unstored(message, error), message.at.key)

    async def at_once(self, waiting: Waiting) -> None:
        """Runs a command that does not wait; what the store refuses of it is left to the queue, which tries again."""
        conversation = waiting.inbound.at.key
        try:
            await self._guarded(waiting)
            await self.delivery.deliver(conversation)
        except StoreError as error:
            logger.error("command_failed", extra={"conversation": conversation, "reason": error.user_message})
            self.wake(conversation)

    # ------------------------------------------------------------ controls

    async def stop(self, conversation: str, *, before: int) -> int:
        """See `Controls.stop`."""
        count = await self.store.write(lambda connection: inbox.stop_waiting(connection, conversation, before=before))
        running = self.turns.running(conversation)
        if running is not None and running.waiting.seq < before:
            running.stop()
            count += 1
        return count

    async def retry(self, conversation: str) -> bool:
        """See `Controls.retry`."""
        last = await inbox.last_question(self.store, conversation)
        if last is None:
            return False
        now = self.clock.now()
        await self.store.write(lambda connection: inbox.ask_again(connection, last.seq, now))
        self.wake(conversation)
        return True

    async def forget(self, conversation: str) -> None:
        """See `Controls.forget`."""
        await self.store.write(lambda connection: turns.begin_anew(connection, conversation))

    async def report(self, conversation: str, language: str) -> str:
        """See `Controls.report`."""
        return await self.reporting.report(conversation, language)

    async def trace(self, conversation: str) -> Trace | None:
        """See `Controls.trace`."""
        return await traces.last(self.store, conversation)

    async def models(self, language: str) -> str:
        """See `Controls.models`."""
        return await model_choice.told(self.reporting.models, language)

    async def choose_model(self, name: str, language: str) -> str:
        """See `Controls.choose_model`."""
        return await model_choice.chosen(self.reporting.models, name, language)

    async def pair(self, code: str, by: str) -> Member | None:
        """See `Controls.pair`."""
        return await self.pairing.pair(code, by)

    async def unpair(self, user: str) -> bool:
        """See `Controls.unpair`."""
        return await self.pairing.unpair(user)

    async def paired(self) -> Sequence[Member]:
        """See `Controls.paired`."""
        return await members.all_members(self.store)
