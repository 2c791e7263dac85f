"""Which skill answers: found in code, so that no catalogue ever enters the prompt."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from jarvisbot.agent.search import KeywordIndex
from jarvisbot.reading.questions import (
    content_words,
    is_closing,
    is_follow_up,
    is_pronoun_question,
    is_researchable,
    without_courtesy,
    without_opening,
)
from jarvisbot.skill import Skill
from jarvisbot.types import Resident, Route, Stage

__all__ = ["CARRIED_TURNS", "RESEARCH", "ROUTED_CHARACTERS", "Choice", "Router", "find", "usable"]

ROUTED_CHARACTERS = 2_000
"""Only the beginning of a message is routed."""
CARRIED_TURNS = 2
"""So many turns in a row a skill stays without being named again."""
RESEARCH = "research-question"
"""The skill that takes the questions nothing else claims."""


def usable(skills: Sequence[Skill], tools: Collection[str]) -> tuple[Skill, ...]:
    """The skills that can work with these tools: all but those whose declared tools are all missing."""
    return tuple(skill for skill in skills if not skill.tools or any(tool in tools for tool in skill.tools))


def find(message: str, skills: Sequence[Skill], resident: Resident | None = None) -> Route:
    """The skill of these that claims the message; for several messages, `Router` is the cheaper way."""
    return Choice(skills).find(message, resident)


class Choice:
    """The skills that can be used, in priority order, with the index of their keywords."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        self.skills = tuple(skills)
        self._index = KeywordIndex(self.skills)

    def find(self, message: str, resident: Resident | None = None) -> Route:
        """The skill that claims the message, by the first of four stages that finds one, with what spoke for it.

        A trigger claims outright, in priority order. Else keywords are counted. Else a follow-up stays with the skill
        that answered before (`resident`). Else a question about something public goes to the research skill.
        """
        text = message[:ROUTED_CHARACTERS]
        return (
            _triggered(text, self.skills)
            or _searched(text, self._index)
            or _carried(text, self.skills, resident)
            or _asked(text, self.skills)
            or Route()
        )


class Router:
    """Routes among the skills of one catalogue. It owns the last choice, which holds while the same tools are there."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._skills = tuple(skills)
        self._tools: frozenset[str] | None = None
        self._choice = Choice(())
        self._idle: tuple[Skill, ...] = ()

    def among(self, tools: Collection[str]) -> Choice:
        """The choice among the skills that can work with these tools."""
        self._look(frozenset(tools))
        return self._choice

    def idle(self, tools: Collection[str]) -> tuple[Skill, ...]:
        """The skills whose tools are all missing, in priority order."""
        self._look(frozenset(tools))
        return self._idle

    def _look(self, there: frozenset[str]) -> None:
        if there != self._tools:
            working = usable(self._skills, there)
            names = {skill.name for skill in working}
            self._tools, self._choice = there, Choice(working)
            self._idle = tuple(skill for skill in self._skills if skill.name not in names)


def _triggered(text: str, skills: Sequence[Skill]) -> Route | None:
    """A trigger may claim the whole text but for the courtesy at its end, or the text without the greeting in front as well."""
    asked = without_courtesy(text)
    request = without_opening(asked)
    for skill in skills:
        claimed = skill.matches(asked, request if request != asked else None)
        if claimed is not None:
            return Route(skill=skill.name, stage=Stage.TRIGGER, evidence=claimed.strip())
    return None


def _searched(text: str, index: KeywordIndex) -> Route | None:
    hit = index.best(text)
    if hit is None:
        return None
    return Route(skill=hit.skill.name, stage=Stage.SEARCH, evidence=", ".join(hit.matched))


def _carried(text: str, skills: Sequence[Skill], resident: Resident | None) -> Route | None:
    if resident is None or resident.carried >= CARRIED_TURNS:
        return None
    skill = next((skill for skill in skills if skill.name == resident.skill and skill.carries), None)
    if skill is None or skill.forbids(text):
        return None
    about_them = skill.name == RESEARCH and is_pronoun_question(text) and not is_closing(text)
    if not about_them and not is_follow_up(text):
        return None
    return Route(skill=skill.name, stage=Stage.CARRY_OVER, evidence=skill.name)


def _asked(text: str, skills: Sequence[Skill]) -> Route | None:
    if not any(skill.name == RESEARCH for skill in skills) or not is_researchable(text):
        return None
    return Route(skill=RESEARCH, stage=Stage.QUESTION, evidence=" ".join(dict.fromkeys(content_words(text))))
