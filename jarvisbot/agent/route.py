"""Which skill answers: found in code, so that no catalogue ever enters the prompt."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from jarvisbot.skill import Skill
from jarvisbot.types import Route, Stage

__all__ = ["ROUTED_CHARACTERS", "find", "usable"]

ROUTED_CHARACTERS = 2_000
"""Only the beginning of a message is routed."""


def usable(skills: Sequence[Skill], tools: Collection[str]) -> tuple[Skill, ...]:
    """The skills that can work with these tools: all but those whose declared tools are all missing."""
    return tuple(skill for skill in skills if not skill.tools or any(tool in tools for tool in skill.tools))


def find(message: str, skills: Sequence[Skill]) -> Route:
    """The first skill in priority order whose trigger claims the message; the evidence is what it claimed."""
    for skill in skills:
        if (claimed := skill.matches(message[:ROUTED_CHARACTERS])) is not None:
            return Route(skill=skill.name, stage=Stage.TRIGGER, evidence=claimed)
    return Route()
