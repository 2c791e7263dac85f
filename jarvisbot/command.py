"""The seam of slash commands: `@command` makes one; `/help` and the platforms' own menus derive from them."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Protocol

import msgspec

from jarvisbot.catalogue import Catalogue
from jarvisbot.store.members import Member
from jarvisbot.store.people import Preferences
from jarvisbot.store.traces import Trace
from jarvisbot.types import Address, Principal, Role, ToolSummary

__all__ = ["Abilities", "Choices", "Command", "CommandContext", "Controls", "command", "parse", "quoted"]


class Controls(Protocol):
    """What a command may do to its conversation."""

    async def stop(self, conversation: str, *, before: int) -> int:
        """Ends the running turn and takes out of the queue what came before `before`; how many messages that were."""

    async def retry(self, conversation: str) -> bool:
        """Runs the last question again; false where there is none."""

    async def forget(self, conversation: str) -> None:
        """Begins a new talk: what was said so far is not sent to the model any more."""

    async def report(self, conversation: str, language: str) -> str:
        """How the bot is doing, as CommonMark."""

    async def models(self, language: str) -> str:
        """Which model answers, where words go, and which others may be chosen, as CommonMark."""

    async def choose_model(self, name: str, language: str) -> str:
        """Has the config's model of this name answer from now on; what came of it, as CommonMark."""

    async def trace(self, conversation: str) -> Trace | None:
        """How the last answer of this talk came about; None where there is none yet."""

    async def pair(self, code: str, by: str) -> Member | None:
        """Lets in the person who has this code; None for one that is wrong or has expired."""

    async def unpair(self, user: str) -> bool:
        """Takes that back; false for somebody who was not let in by a code."""

    async def paired(self) -> Sequence[Member]:
        """Everyone who was let in by a code."""


class Choices(Protocol):
    """What people choose for themselves."""

    async def of(self, user: str) -> Preferences:
        """The person's own choices."""

    def usual(self) -> Preferences:
        """What holds for whoever chose nothing: without a language, the one each message is in."""

    async def set_language(self, user: str, language: str | None) -> None:
        """Keeps a language's code; None follows what is usual again."""

    async def set_zone(self, user: str, zone: str | None) -> None:
        """Keeps a time zone's IANA name; None follows what is usual again."""


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """What the bot can do."""

    catalogue: Catalogue
    tools: tuple[ToolSummary, ...]
    """By name."""
    disabled_tools: tuple[str, ...] = ()
    """What the config switches off."""


class CommandContext(msgspec.Struct, frozen=True, kw_only=True):
    """Who gave the command, where, with which words behind its name."""

    principal: Principal
    at: Address
    arguments: str
    order: int
    """The command's number among all messages; what came before it has a smaller one."""
    language: str
    controls: Controls
    commands: Sequence[Command]
    choices: Choices
    abilities: Abilities
    now: datetime
    """UTC."""


Reply = Callable[[CommandContext], Awaitable[str | None]]


class Command(msgspec.Struct, frozen=True, kw_only=True):
    """One slash command. An `immediate` one does not wait for the running turn."""

    name: str
    help: str
    german: str
    """The help in German."""
    role: Role
    immediate: bool
    run: Reply


def command(
    name: str, *, help: str, german: str | None = None, role: Role = Role.GUEST, immediate: bool = True
) -> Callable[[Reply], Command]:
    """Turns `async def f(context) -> str | None` into a `Command`; its text is the reply, None says nothing.

    `help` is one line in English, `german` the same in German.
    """

    def made(function: Reply) -> Command:
        return Command(name=name, help=help, german=german or help, role=role, immediate=immediate, run=function)

    return made


_FORM = re.compile(r"/([A-Za-z][A-Za-z0-9_]{0,31})(?:@\w+)?(?:\s+(.*))?\Z", re.DOTALL)


def parse(text: str) -> tuple[str, str] | None:
    """(name in lower case, the rest) of a `/name …` message, or None for anything else, a path included."""
    found = _FORM.match(text.strip())
    return (found[1].lower(), (found[2] or "").strip()) if found else None


def quoted(text: str, *, limit: int = 80) -> str:
    """The text on one line as a span of code, cut to `limit` characters: nothing in it is formatting, a link or a ping."""
    line = " ".join(text.replace("`", "'").split())
    line = line if len(line) <= limit else f"{line[: limit - 1]}…"
    return f"`{line}`" if line else "–"
