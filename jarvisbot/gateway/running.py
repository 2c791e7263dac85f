"""One message's turn, from its row to its outgoing parts."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

import msgspec

from jarvisbot.agent.question import TurnInput
from jarvisbot.clock import Clock
from jarvisbot.connector import Connector, Media
from jarvisbot.errors import JarvisError, StoreError
from jarvisbot.gateway import parts
from jarvisbot.gateway.delivery import Pauses
from jarvisbot.gateway.draft import Draft
from jarvisbot.gateway.events import TurnEvents
from jarvisbot.gateway.labels import labels
from jarvisbot.gateway.material import Material, gathered, unread_answer, unread_note
from jarvisbot.gateway.render.citation import lift, merged_sources
from jarvisbot.gateway.words import say
from jarvisbot.store import inbox, outbox, people, turns
from jarvisbot.store.database import Store
from jarvisbot.store.inbox import Waiting
from jarvisbot.store.turns import TurnRecord
from jarvisbot.types import Answered, Assistant, Failed, Inbound, Item, Principal, TurnEvent, User

__all__ = ["Answerer", "Running", "TurnRunner"]

logger = logging.getLogger(__name__)

HISTORY_TURNS = 20
FIRST_RETRY_S = 1.0
LAST_RETRY_S = 30.0


class Answerer(Protocol):
    """The agent, as far as the gateway sees it."""

    async def answer(self, question: TurnInput, publish: Callable[[TurnEvent], None]) -> TurnRecord:
        """Publishes the turn's events, `Answered` or `Failed` last, and returns what is kept of it."""

    def language(self, text: str, history: Sequence[Item], *, chosen: str | None = None) -> str:
        """The language a reply to this text is written in; `chosen` is the person's own choice."""


@dataclass(slots=True)
class Running:
    """The turn that a conversation is busy with. It is known before its row begins, so that no change of it is missed."""

    waiting: Waiting
    work: asyncio.Task[TurnRecord] | None = None
    stopped: bool = False
    again: bool = False
    overdue: bool = False

    def stop(self) -> None:
        """Ends it with what it has."""
        self.stopped = True
        self._end()

    def time_is_up(self) -> None:
        """Ends it because it has taken too long."""
        self.overdue = True
        self._end()

    def begin_again(self) -> None:
        """Ends it so that its message, which was edited, is answered afresh into the same parts."""
        self.again = True
        self._end()

    def _end(self) -> None:
        if self.work is not None:
            self.work.cancel()


class _Made(msgspec.Struct, frozen=True, kw_only=True):
    """What one attempt at a turn came to."""

    turn: int
    outcome: TurnRecord | BaseException
    events: TurnEvents
    language: str
    material: Material


@dataclass(slots=True, kw_only=True)
class TurnRunner:
    """Runs turns. State: the one that each conversation is busy with."""

    store: Store
    clock: Clock
    agent: Answerer
    media: Media
    connectors: Mapping[str, Connector]
    pauses: Pauses
    shown: dict[int, parts.Shown]
    reached: Callable[[str], None]
    ended: Callable[[Inbound, Answered | Failed], None]
    patient: bool
    zone: Callable[[], str]
    """The time zone of people who did not choose one, an IANA name."""
    longest: timedelta
    """A turn that takes longer is ended."""
    _running: dict[str, Running] = field(default_factory=dict, init=False)

    def running(self, conversation: str) -> Running | None:
        """The turn the conversation is busy with."""
        return self._running.get(conversation)

    async def run(
        self, waiting: Waiting, principal: Principal, unstored: Callable[[Inbound, StoreError], object]
    ) -> None:
        """Answers a message and commits the answer with its outgoing parts. Cancelled, it leaves the row running."""
        conversation = waiting.inbound.at.key
        running = self._running[conversation] = Running(waiting)
        try:
            made = await self._make(running, principal)
            while made is not None and running.again and not running.stopped:
                made = await self._make(running, principal)
        finally:
            del self._running[conversation]
        if made is None:
            return
        record = self._record(made.outcome, made.events, waiting.inbound, made.language, overdue=running.overdue)
        await self._settle(waiting, record, made, unstored)
        if made.events.snapshot.ended is not None:
            self.ended(waiting.inbound, made.events.snapshot.ended)

    async def _make(self, running: Running, principal: Principal) -> _Made | None:
        """Answers the message as it reads by now; None where it has come to its end before it began."""
        waiting = running.waiting
        running.again = False
        now = self.clock.now()
        begun = await self.store.write(lambda connection: inbox.begin(connection, waiting.seq, now))
        if begun is None:
            return None
        turn, text = begun
        message = msgspec.structs.replace(waiting.inbound, text=text)
        history = await turns.history(self.store, message.at.key, turns=HISTORY_TURNS)
        chosen = await people.preferences(self.store, principal.user)
        language = self.agent.language(message.text, history, chosen=chosen.language)
        events = TurnEvents()
        resident = await turns.resident(self.store, message.at.key)
        material = await gathered(message, self.media)
        question = TurnInput(
            turn=turn,
            message=message,
            principal=principal,
            history=history,
            resident=resident,
            language=chosen.language,
            zone=chosen.zone or self.zone(),
            zone_chosen=chosen.zone is not None,
            material=material.text,
        )
        answering = (
            _unreadable(question, unread_answer(material, language), events.publish)
            if material.unread and not material.text and not message.text.strip()
            else self.agent.answer(question, events.publish)
        )
        work = running.work = asyncio.get_running_loop().create_task(answering)
        if running.stopped or running.again:
            work.cancel()
        draft = Draft(
            connector=self.connectors[message.at.connector],
            store=self.store,
            clock=self.clock,
            pauses=self.pauses,
            shown=self.shown,
            events=events,
            at=message.at,
            turn=turn,
            reply_to=waiting.message,
            direct=message.direct,
            gone=running.stop,
            language=language,
        )
        showing = asyncio.get_running_loop().create_task(draft.run())
        limit = asyncio.get_running_loop().create_task(self.clock.sleep(self.longest.total_seconds()))
        try:
            await asyncio.wait({work, limit}, return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                logger.error("turn_too_long", extra={"conversation": message.at.key})
                running.time_is_up()
                await asyncio.wait({work})
        finally:
            limit.cancel()
            work.cancel()
            showing.cancel()
            events.close()
            outcome, shown = await asyncio.gather(work, showing, return_exceptions=True)
        if isinstance(shown, Exception):
            logger.error("draft_failed", exc_info=shown, extra={"conversation": message.at.key})
        return _Made(turn=turn, outcome=outcome, events=events, language=language, material=material)

    def _record(
        self, outcome: TurnRecord | BaseException, events: TurnEvents, message: Inbound, language: str, *, overdue: bool
    ) -> TurnRecord:
        match outcome:
            case TurnRecord():
                return outcome
            case asyncio.CancelledError() if overdue:
                failure = say("too_long", language, minutes=round(self.longest.total_seconds() / 60))
            case asyncio.CancelledError():
                return TurnRecord(state="stopped")
            case JarvisError(user_message=text):
                failure = text
            case _:
                logger.error("turn_failed", exc_info=outcome, extra={"conversation": message.at.key})
                failure = say("failed", language)
        if events.snapshot.ended is None:
            events.publish(Failed(message=failure))
        return TurnRecord(state="failed")

    async def _settle(
        self,
        waiting: Waiting,
        record: TurnRecord,
        made: _Made,
        unstored: Callable[[Inbound, StoreError], object],
    ) -> None:
        """Commits the turn's end, however long the disk takes to have room for it."""
        message = waiting.inbound
        turn, language = made.turn, made.language
        snapshot = made.events.snapshot
        text = snapshot.text
        if record.state == "stopped":
            text = f"{text.strip()}\n\n{say('stopped', language)}" if text.strip() else ""
        capabilities = self.connectors[message.at.connector].capabilities
        sources = snapshot.sources
        if not capabilities.append_only:  # what a terminal has shown stays
            text, cited = lift(text)
            sources = merged_sources(cited, sources)
        told = labels(
            snapshot.ended,
            snapshot.rows,
            language,
            routed=capabilities.native_rows or bool(snapshot.rows),
            flagged=capabilities.native_rows,  # elsewhere the note says it
        )
        frame = parts.Frame(rows=snapshot.rows if text else (), sources=sources, labels=told)
        note = _note(snapshot.ended, language, unread=_beside(snapshot.ended, made.material, language))
        texts = await parts.texts_aside(text, frame, capabilities, note=note)
        now = self.clock.now()

        def work(connection: sqlite3.Connection) -> None:
            turns.finish(connection, turn, record, now)
            outbox.settle(
                connection,
                conversation=message.at.key,
                turn=turn,
                texts=texts,
                rows=snapshot.rows,
                sources=sources,
                labels=told,
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
                unstored(message, error)
                logger.error("answer_in_memory", extra={"conversation": message.at.key, "reason": error.user_message})
            await self.clock.sleep(retry_s)
            retry_s = min(retry_s * 2, LAST_RETRY_S)
        self.reached("answer.committed")


async def _unreadable(question: TurnInput, text: str, publish: Callable[[TurnEvent], None]) -> TurnRecord:
    """The answer to a message of nothing but files that cannot be read: no model is asked what it cannot see."""
    message = question.message
    publish(Answered(text=text))
    asked = User(text=message.text, attachments=message.attachments, author=message.author)
    return TurnRecord(state="answered", items=(asked, Assistant(text=text)), language=question.language or "")


def _beside(ended: Answered | Failed | None, material: Material, language: str) -> str:
    """What was not read of the files, unless the answer is just that."""
    told = isinstance(ended, Answered) and ended.text == unread_answer(material, language)
    return "" if told else unread_note(material, language)


def _note(ended: Answered | Failed | None, language: str, *, unread: str) -> str:
    """The lines under an answer: what was not read or was cut, and what the check objects to."""
    if not isinstance(ended, Answered):
        return ""
    lines = [unread] if unread else []
    if ended.review.shortened:
        lines.append(say("shortened", language))
    if ended.review.findings:
        lines.append(say("please_check", language, findings=" ".join(ended.review.findings)))
    return "\n".join(lines)
