"""What a turn begins with, and how much it may spend."""

from __future__ import annotations

import msgspec

from jarvisbot.types import Inbound, Item, Principal, Resident

__all__ = ["TurnInput", "TurnLimits", "speaker"]

SPEAKER_CHARACTERS = 40


class TurnInput(msgspec.Struct, frozen=True, kw_only=True):
    """What a turn begins with."""

    turn: int
    message: Inbound
    principal: Principal
    history: tuple[Item, ...]
    resident: Resident | None = None
    language: str | None = None
    """The reply's language, where the person or the config chose one."""
    zone: str = "UTC"
    """The person's time zone, an IANA name."""
    recall: str = ""
    """What is remembered about the person and belongs to the question, as the model is to read it."""
    material: str = ""
    """What the message quotes and the text of its files, as the model is to read it."""
    zone_chosen: bool = False
    """The person set it themselves."""


class TurnLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much one turn may spend."""

    rounds: int = 4
    tool_calls: int = 8
    strategy: str = "auto"
    """How the model is asked where a skill does not say; see `agent.strategy`."""
    think_tokens: int | None = None
    """In place of the strategy's."""
    answer_tokens: int | None = None
    """In place of the strategy's."""


def speaker(message: Inbound) -> str:
    """The name by which the person is known in a group, in one line; empty in a direct chat."""
    if message.direct:
        return ""
    name = " ".join(message.author.name.split())
    return name[:SPEAKER_CHARACTERS].rstrip() or message.author.id
