"""Slash commands at work: who may give them, and what is replied."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import msgspec

from jarvisbot.clock import Clock
from jarvisbot.command import Abilities, Choices, Command, CommandContext, Controls, parse
from jarvisbot.errors import JarvisError
from jarvisbot.gateway.words import say
from jarvisbot.store import inbox, turns
from jarvisbot.store.database import Store
from jarvisbot.store.inbox import Waiting
from jarvisbot.types import Inbound, Item, Principal

__all__ = ["Commanding"]

logger = logging.getLogger(__name__)

LANGUAGE_TURNS = 3
"""A command has no language of its own: the last turns' is taken."""

Notice = Callable[[sqlite3.Connection, Inbound, str], None]


class Language(Protocol):
    """The language a reply is written in."""

    def __call__(self, text: str, history: Sequence[Item], *, chosen: str | None = None) -> str:
        """See `running.Answerer.language`."""


class Commanding(msgspec.Struct, frozen=True, kw_only=True):
    """Runs a command's message and stores its reply in the outbox together with the message's end."""

    store: Store
    clock: Clock
    commands: Mapping[str, Command]
    choices: Choices
    abilities: Abilities
    language: Language
    notice: Notice

    async def run(self, waiting: Waiting, principal: Principal, controls: Controls) -> None:
        """Replies to the command, whatever comes of it."""
        message = waiting.inbound
        given = parse(message.text)
        if given is None:
            raise ValueError("not a command")
        reply, state = await self._reply(given, waiting, principal, controls)

        def work(connection: sqlite3.Connection) -> None:
            inbox.set_state(connection, waiting.seq, state)
            if reply:
                self.notice(connection, message, reply)

        await self.store.write(work)

    async def _reply(
        self, given: tuple[str, str], waiting: Waiting, principal: Principal, controls: Controls
    ) -> tuple[str | None, inbox.State]:
        name, arguments = given
        message = waiting.inbound
        history = await turns.history(self.store, message.at.key, turns=LANGUAGE_TURNS)
        chosen = await self.choices.of(principal.user)
        language = self.language(message.text, history, chosen=chosen.language)
        command = self.commands.get(name)
        if command is None:
            return say("unknown_command", language, name=name), inbox.State.ANSWERED
        if principal.role.rank < command.role.rank:
            return say("not_allowed", language, name=name, role=command.role), inbox.State.ANSWERED
        context = CommandContext(
            principal=principal,
            at=message.at,
            arguments=arguments,
            order=waiting.seq,
            language=language,
            controls=controls,
            commands=tuple(self.commands.values()),
            choices=self.choices,
            abilities=self.abilities,
            now=self.clock.now(),
        )
        try:
            return await command.run(context), inbox.State.ANSWERED
        except JarvisError as error:
            return error.user_message, inbox.State.FAILED
        except Exception:  # a command is an add-on: whatever it raises ends it, not the queue
            logger.exception("command_failed", extra={"conversation": message.at.key, "command": name})
            return say("failed", language), inbox.State.FAILED
