"""Which tools a model is shown: its skill's, or the few that the question itself speaks of."""

from __future__ import annotations

from jarvisbot.reading.questions import content_words
from jarvisbot.skill import Skill
from jarvisbot.tool import Toolbox
from jarvisbot.types import ToolSpec

__all__ = ["MOST_TOOLS", "PLAIN_CHARACTERS", "offered"]

MOST_TOOLS = 8
"""What a model of this size can choose among."""
PLAIN_CHARACTERS = 700
"""Of all tools together: more would make up most of a prompt that no skill asked for."""


def offered(toolbox: Toolbox, skill: Skill | None, message: str) -> tuple[ToolSpec, ...]:
    """The tools of the skill; where none narrows them, all if they are few, else those that share words with the message."""
    if skill is not None and skill.tools is not None:
        return toolbox.specs(skill.tools)
    every = toolbox.specs()
    if len(every) <= MOST_TOOLS and sum(map(_characters, every)) <= PLAIN_CHARACTERS:
        return every
    asked = set(content_words(message))
    shared = {spec.name: len(asked & _words(spec)) for spec in every}
    best = sorted((spec for spec in every if shared[spec.name]), key=lambda spec: (-shared[spec.name], spec.name))
    return tuple(sorted(best[:MOST_TOOLS], key=lambda spec: spec.name))


def _characters(spec: ToolSpec) -> int:
    return len(spec.name) + len(spec.description) + len(str(spec.parameters))


def _words(spec: ToolSpec) -> set[str]:
    return set(content_words(f"{spec.name.replace('_', ' ')} {spec.description}"))
