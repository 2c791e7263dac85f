"""Messages routed over the whole shipped catalogue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

import msgspec

from jarvisbot.agent.route import Router
from jarvisbot.folders import bundled
from jarvisbot.replay.rows import Row, read
from jarvisbot.skill import Skill, load_all
from jarvisbot.types import Resident

__all__ = ["routed"]


class _Fields(msgspec.Struct, frozen=True):
    text: str
    previous_skill: str | None = None
    tools_missing: tuple[str, ...] | None = None


def routed(row: Row) -> Mapping[str, object]:
    """The skill, the stage that found it and what spoke for it."""
    fields = read(row, _Fields)
    skills, router = _shipped()
    tools = {tool for skill in skills for tool in skill.tools or ()} - set(fields.tools_missing or ())
    resident = Resident(skill=fields.previous_skill) if fields.previous_skill else None
    found = router.among(tools).find(fields.text, resident)
    return {"skill": found.skill, "stage": found.stage.value, "evidence": found.evidence}


@cache
def _shipped() -> tuple[Sequence[Skill], Router]:
    skills = load_all(bundled("skills"), trusted=True)
    return skills, Router(skills)
