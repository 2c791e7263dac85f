"""One turn: a skill's own answer or the word that something cannot be done where code can write it, else the model."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from jarvisbot.agent.calling import Calling, Publish
from jarvisbot.agent.lacking import lacking
from jarvisbot.agent.language import reply_language
from jarvisbot.agent.question import TurnInput, TurnLimits, speaker
from jarvisbot.agent.route import Router
from jarvisbot.clock import Clock
from jarvisbot.errors import JarvisError, MissingPart
from jarvisbot.skill import Skill, SkillCode
from jarvisbot.store.turns import TurnRecord
from jarvisbot.tool import Toolbox
from jarvisbot.types import (
    Answered,
    Assistant,
    Failed,
    Heading,
    Item,
    Result,
    Review,
    Route,
    SeedContext,
    ToolCall,
    ToolResult,
    User,
)

if TYPE_CHECKING:
    from jarvisbot.model import Model, Usage

__all__ = ["Agent", "TurnInput", "TurnLimits"]

logger = logging.getLogger(__name__)


class Agent(msgspec.Struct, frozen=True, kw_only=True):
    """Answers messages. It holds no state of its own: a turn's lives in `_Turn`, the last choice of skills in `router`."""

    model: Model
    toolbox: Toolbox
    router: Router
    code: Mapping[str, SkillCode]
    limits: TurnLimits
    clock: Clock
    chosen_language: str | None = None
    checks: bool = True
    """Answers are read back; an evaluation switches it off to see what it is worth."""

    async def answer(self, question: TurnInput, publish: Publish) -> TurnRecord:
        """Publishes the turn's events, `Answered` or `Failed` last, and returns what is kept of it."""
        question = msgspec.structs.replace(question, language=question.language or self.chosen_language)
        calling = Calling(
            toolbox=self.toolbox,
            clock=self.clock,
            publish=publish,
            message=question.message,
            principal=question.principal,
            turn=question.turn,
            zone=question.zone,
            language=self.language(question.message.text, question.history, chosen=question.language),
            limit=self.limits.tool_calls,
        )
        return await _Turn(self, question, publish, calling).run()

    def language(self, text: str, history: Sequence[Item], *, chosen: str | None = None) -> str:
        """The language a reply to this text is written in; `chosen` is the person's own choice."""
        return reply_language(text, history, chosen=chosen or self.chosen_language)


@dataclass(slots=True)
class _Turn:
    """One turn's state: its calls, what the model was told since the question, what it cost."""

    agent: Agent
    question: TurnInput
    publish: Publish
    calling: Calling
    said: list[Item] = field(default_factory=list)
    usage: Usage | None = None

    async def run(self) -> TurnRecord:
        message = self.question.message
        choice = self.agent.router.among(self.agent.toolbox.names)
        found = choice.find(message.text, self.question.resident)
        skill = next((skill for skill in choice.skills if skill.name == found.skill), None)
        logger.info(
            "turn_routed", extra={"conversation": message.at.key, "skill": found.skill, "stage": found.stage.value}
        )
        self.said.append(
            User(
                text=message.text,
                attachments=message.attachments,
                author=message.author,
                heading=Heading(speaker=speaker(message), material=self.question.material),
            )
        )
        review = Review()
        try:
            text = await self._in_code(skill)
            if text is None:
                text = self._not_here(skill)
            if text is None:
                text, review = await self._by_model(skill)
        except JarvisError as error:
            logger.warning("turn_failed", extra={"conversation": message.at.key, "reason": error.user_message})
            self.publish(Failed(message=error.user_message, missing=isinstance(error, MissingPart)))
            return self._record("failed", found, Review())
        self.said.append(Assistant(text=text))
        self.publish(Answered(text=text, review=review, sources=tuple(self.calling.sources), route=found))
        return self._record("answered", found, review)

    def _record(self, state: str, found: Route, review: Review) -> TurnRecord:
        return TurnRecord(
            state=state,
            items=tuple(self.said) if state == "answered" else (),
            calls=tuple(self.calling.made),
            route=found,
            review=review,
            prompt_tokens=self.usage.prompt_tokens if self.usage else 0,
            cached_tokens=self.usage.cached_tokens if self.usage else 0,
            completion_tokens=self.usage.completion_tokens if self.usage else 0,
            language=self.calling.language,
        )

    # ------------------------------------------------------------ answers in code

    async def _in_code(self, skill: Skill | None) -> str | None:
        """Runs the skill's seed and returns the answer that its code can write, if it can.

        Code that breaks costs its answer, not the turn: the model is asked instead.
        """
        code = self.agent.code.get(skill.name) if skill else None
        if code is None:
            return None
        message = self.question.message
        language = self.calling.language
        known = SeedContext(
            language=language,
            now=self.agent.clock.now(),
            zone=self.question.zone,
            zone_chosen=self.question.zone_chosen,
            history=self.question.history,
        )
        try:
            seeded = code.seed(message.text, known)
            result = None
            if seeded is not None:
                result = await self._seed(msgspec.structs.replace(seeded, id=self.calling.next_id()))
            return code.answer(message.text, result, language) or None
        except Exception:
            logger.exception("skill_failed", extra={"conversation": message.at.key, "skill": skill and skill.name})
            return None

    def _not_here(self, skill: Skill | None) -> str | None:
        """What is said where the message is meant for a skill whose tools are missing, and nothing was done for it yet."""
        if self.calling.made:
            return None
        idle = self.agent.router.idle(self.agent.toolbox.names)
        return lacking(
            self.question.message.text,
            idle,
            self.question.history,
            self.calling.language,
            beaten=skill.priority if skill else None,
        )

    async def _seed(self, call: ToolCall) -> ToolResult:
        result = await self.calling.run(call)
        self.said.append(Assistant(text="", calls=(call,)))
        self.said.append(Result(result=result))
        return result

    async def _by_model(self, skill: Skill | None) -> tuple[str, Review]:
        from jarvisbot.agent.asking import Asking  # on use: a bot that answers in code does without all of it
        from jarvisbot.agent.generating import Generating

        generating = Generating(
            model=self.agent.model,
            clock=self.agent.clock,
            question=self.question,
            language=self.calling.language,
            publish=self.publish,
        )
        asking = Asking(
            model=self.agent.model,
            toolbox=self.agent.toolbox,
            limits=self.agent.limits,
            clock=self.agent.clock,
            question=self.question,
            language=self.calling.language,
            publish=self.publish,
            calling=self.calling,
            generating=generating,
            said=self.said,
            checks=self.agent.checks,
        )
        try:
            return await asking.answer(skill)
        finally:
            self.usage = generating.usage
