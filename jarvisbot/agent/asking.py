"""The model asked: its rounds with tools, its words taken apart and checked, a reply that is never silence."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from jarvisbot.agent import context, offering
from jarvisbot.agent.calling import Calling, Publish
from jarvisbot.agent.calls import UnreadableCall, bare_calls
from jarvisbot.agent.correcting import correction, known_urls
from jarvisbot.agent.fitting import Fitting
from jarvisbot.agent.generating import Generating
from jarvisbot.agent.heading import heading
from jarvisbot.agent.parse import Parsed
from jarvisbot.agent.question import TurnInput, TurnLimits
from jarvisbot.agent.review import Finding, review
from jarvisbot.agent.strategy import RESCUE_TOKENS, Strategy, strategy
from jarvisbot.agent.tidying import tidied
from jarvisbot.agent.topic import topic
from jarvisbot.clock import Clock
from jarvisbot.errors import ContextTooLong, ModelUnavailable
from jarvisbot.model import Model, ModelInfo, ModelRequest
from jarvisbot.skill import Skill
from jarvisbot.tool import Toolbox
from jarvisbot.types import Assistant, Item, Redrafted, Result, Review, ToolCall, ToolResult, ToolSpec, User

__all__ = ["Asking"]

logger = logging.getLogger(__name__)

NARROWED_TIMES = 2
"""How often a prompt that the model refuses as too long is made shorter; the second time helps where counts differ."""
SOURCES_NAMED = 3
UNREADABLE_SHOWN = 200
"""Characters of an unreadable call that the model sees again."""
LAST_ROUND = "This is the last round of tools: make every call you still need now, or answer."
NO_ROUND = "The tools of this turn are used up. Answer the question now from what is above; say what you do not know."


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What stays the same through a turn's generations."""

    skill: Skill | None
    info: ModelInfo
    way: Strategy
    under: str
    """The name of the opening."""
    fitting: Fitting


@dataclass(slots=True, kw_only=True)
class Asking:
    """One turn's talk with the model. State: what it was told since the question, and what that cost."""

    model: Model
    toolbox: Toolbox
    limits: TurnLimits
    clock: Clock
    question: TurnInput
    language: str
    publish: Publish
    calling: Calling
    generating: Generating
    said: list[Item]
    checks: bool = True
    unreadable: int = 0

    async def answer(self, skill: Skill | None) -> tuple[str, Review]:
        """The reply's text and how it came about. Raises MissingPart, ModelUnavailable or ContextTooLong."""
        info = await self.model.info()
        way = strategy(skill.strategy if skill else None, self.limits, gpu=info.gpu)
        fitting = Fitting(model=self.model, context_tokens=info.context_tokens)
        asked = _Asked(skill=skill, info=info, way=way, under=self._head(skill), fitting=fitting)
        text, review = await self._answer(asked)
        return text, msgspec.structs.replace(
            review, strategy=way.name, thought_s=self.generating.thought_s, shortened=fitting.shortened
        )

    def _head(self, skill: Skill | None) -> str:
        """Puts the varying lines in front of the question, the first thing said; the name of the opening they stand under."""
        asked = self.said[0]
        if not isinstance(asked, User):
            raise TypeError("a turn begins with what a person said")
        under = context.base(skill, self.language, chosen=self.question.language is not None)
        about = topic(
            self.question.message.text,
            self.question.history,
            skill=skill.name if skill else None,
            language=self.language,
        )
        lines = heading(self.question, topic=about, language=self.language, now=self.clock.now(), base=under)
        self.said[0] = msgspec.structs.replace(asked, heading=lines)
        return under

    async def _answer(self, asked: _Asked) -> tuple[str, Review]:
        skill, info = asked.skill, asked.info
        offered = offering.offered(self.toolbox, skill, self.question.message.text) if info.tools else ()
        rounds = self.limits.rounds - bool(self.calling.made)
        while True:
            tools = offered if rounds > 0 else ()
            parsed = await self._generate(asked, tools, behind=_note(rounds, offered, begun=len(self.said) > 1))
            if not parsed.calls or not tools:
                break
            await self._round(parsed)
            rounds = 0 if self.calling.in_circles else rounds - 1
        wound_down = bool(offered) and rounds <= 0
        if not parsed.text:
            parsed = await self._again(asked, parsed)
        text = tidied(parsed.text or parsed.thinking)
        if not text:
            return self._nothing(wound_down=wound_down), Review(wound_down=wound_down)
        text, findings, corrected = await self._checked(asked, text)
        return text, Review(
            findings=tuple(finding.words for finding in findings), corrected=corrected, wound_down=wound_down
        )

    async def _checked(self, asked: _Asked, draft: str) -> tuple[str, tuple[Finding, ...], bool]:
        """The draft, or its one correction where that has fewer faults; what is still wrong; whether nothing is any more."""
        findings = self._findings(draft)
        if not findings:
            return draft, (), False
        kinds = ",".join(finding.kind for finding in findings)
        logger.info("answer_objected_to", extra={"conversation": self.question.message.at.key, "findings": kinds})
        better = await self._corrected(asked, draft, findings)
        remaining = self._findings(better) if better else findings
        if len(remaining) >= len(findings):
            return draft, findings, False
        self.publish(Redrafted(text=better))
        return better, remaining, not remaining

    def _findings(self, draft: str) -> tuple[Finding, ...]:
        if not self.checks:
            return ()
        return review(
            question="\n".join(filter(None, (self.question.material, self.question.message.text))),
            calls=self.calling.made,
            draft=draft,
            known_urls=known_urls(self.question.history),
            language=self.language,
        )

    async def _corrected(self, asked: _Asked, draft: str, findings: Sequence[Finding]) -> str:
        """What the model makes of the draft once it is told what is wrong; empty where it makes nothing of it.

        It is not shown while it is written: the draft stays until it is known whether the correction is kept.
        """
        wish = (Assistant(text=draft), User(text=correction(findings, self.language)))
        try:
            parsed = await self._generate(asked, (), behind=wish, hidden=True, thinking=False)
        except (ModelUnavailable, ContextTooLong) as error:
            reason = error.user_message
            logger.warning("correction_failed", extra={"conversation": self.question.message.at.key, "reason": reason})
            return ""
        return "" if bare_calls(parsed.text, self.toolbox.names) else tidied(parsed.text)

    async def _again(self, asked: _Asked, empty: Parsed) -> Parsed:
        """One more generation, without reasoning, for one without visible text, which stands where that brings nothing either."""
        try:
            again = await self._generate(asked, (), thinking=False, limit=RESCUE_TOKENS)
        except ModelUnavailable:
            if not empty.thinking:
                raise
            return empty
        return again if again.text or again.thinking else empty

    def _nothing(self, *, wound_down: bool) -> str:
        """A sentence in place of an answer that the model did not give; after tools, with the pages that were found."""
        german = self.language == "de"
        if not wound_down:
            return "Dazu ist mir keine Antwort gelungen." if german else "I could not come up with an answer to that."
        rounds = self.limits.rounds
        if german:
            sentence, advice = (
                f"Das habe ich in {rounds} Runden mit Werkzeugen nicht geklärt.",
                "Frag bitte enger gefasst.",
            )
        else:
            sentence, advice = (
                f"I could not settle this within {rounds} rounds of tools.",
                "Please ask for something narrower.",
            )
        urls = list(dict.fromkeys(source.url for source in self.calling.sources))[:SOURCES_NAMED]
        found = f"{'Quellen' if german else 'Sources'}: {' '.join(urls)}" if urls else advice
        return f"{sentence} {found}"

    async def _round(self, parsed: Parsed) -> None:
        """Runs the calls of one generation, in order; each is answered, also those that cannot be run."""
        calls: list[ToolCall] = []
        results: list[ToolResult] = []
        for wanted in parsed.calls:
            match wanted:
                case ToolCall():
                    call = msgspec.structs.replace(wanted, id=self.calling.next_id())
                    results.append(await self.calling.run(call))
                case UnreadableCall(source=source, problem=problem):
                    self.unreadable += 1
                    call = ToolCall(
                        id=f"turn{self.question.turn}.unreadable{self.unreadable}",
                        name="unreadable",
                        arguments={"written": source.strip()[:UNREADABLE_SHOWN]},
                    )
                    text = f"The tool call could not be read: {problem}. Nothing was run."
                    results.append(ToolResult(call_id=call.id, text=text, ok=False))
            calls.append(call)
        self.said.append(Assistant(text=parsed.text, thinking=parsed.thinking, calls=tuple(calls)))
        self.said.extend(Result(result=result) for result in results)

    async def _generate(
        self,
        asked: _Asked,
        tools: tuple[ToolSpec, ...],
        *,
        behind: Sequence[Item] = (),
        hidden: bool = False,
        thinking: bool = True,
        limit: int | None = None,
    ) -> Parsed:
        """One generation; a stream that breaks is begun again, and what was shown of it is taken back.

        `behind` is read by the model behind all else and is not kept. Nothing is shown of a hidden one. `limit` is the most
        tokens that it may have, in place of the strategy's.
        """
        thinking = thinking and asked.info.thinking
        most = limit or asked.way.most_tokens(thinking=thinking)
        request = ModelRequest(
            items=await self._items(asked, tools, behind, most),
            tools=tools,
            room=self.question.message.at.key,
            max_tokens=most,
            thinking=thinking,
            think_tokens=asked.way.think_tokens if thinking else None,
            think_prefix=asked.way.think_prefix if thinking and tools else "",
        )
        for _ in range(NARROWED_TIMES):
            try:
                return await self.generating.run(request, hidden=hidden)
            except ContextTooLong as error:
                if not await asked.fitting.narrowed(error, request):
                    raise
                request = msgspec.structs.replace(request, items=await self._items(asked, tools, behind, most))
        return await self.generating.run(request, hidden=hidden)

    async def _items(
        self, asked: _Asked, tools: tuple[ToolSpec, ...], behind: Sequence[Item], reserve: int
    ) -> tuple[Item, ...]:
        """What the model reads: as much of the talk as fits."""
        return await asked.fitting.items(
            start=context.opening(asked.skill, self.language, chosen=self.question.language is not None),
            history=self.question.history,
            end=(*self.said, *behind),
            tools=tools,
            reserve=reserve,
            under=asked.under,
        )


def _note(rounds: int, offered: Sequence[ToolSpec], *, begun: bool) -> tuple[User, ...]:
    """What the model is told about the rounds that are left, once it has used tools."""
    if not offered or not begun or rounds > 1:
        return ()
    return (User(text=LAST_ROUND if rounds == 1 else NO_ROUND),)
