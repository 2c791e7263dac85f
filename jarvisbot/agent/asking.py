"""The model asked: its rounds with tools, its words taken apart and checked, a reply that is never silence."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

import msgspec

from jarvisbot.agent import context
from jarvisbot.agent.calling import Calling, Publish
from jarvisbot.agent.calls import UnreadableCall, bare_calls
from jarvisbot.agent.correcting import correction, known_urls
from jarvisbot.agent.parse import Parsed, StreamParser, can_be_seen
from jarvisbot.agent.question import TurnInput, TurnLimits
from jarvisbot.agent.review import Finding, review
from jarvisbot.agent.showing import Shown
from jarvisbot.agent.tidying import tidied
from jarvisbot.clock import Clock
from jarvisbot.errors import ContextTooLong, ModelUnavailable
from jarvisbot.model import Done, Model, ModelRequest, Prefill, TextPiece, ThinkPiece, Usage
from jarvisbot.skill import Skill
from jarvisbot.tool import Toolbox
from jarvisbot.types import Assistant, Item, Redrafted, Result, Review, ToolCall, ToolResult, ToolSpec, TurnEvent, User

__all__ = ["Asking"]

logger = logging.getLogger(__name__)

GENERATION_TRIES = 3
"""A stream that breaks is begun again: a worker that was killed is back by then."""
SOURCES_NAMED = 3
UNREADABLE_SHOWN = 200
"""Characters of an unreadable call that the model sees again."""
LAST_ROUND = "This is the last round of tools: make every call you still need now, or answer."
NO_ROUND = "The tools of this turn are used up. Answer the question now from what is above; say what you do not know."


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
    said: list[Item]
    usage: Usage = field(default_factory=Usage)
    unreadable: int = 0

    async def answer(self, skill: Skill | None) -> tuple[str, Review]:
        """The reply's text and how it came about. Raises MissingPart, ModelUnavailable or ContextTooLong."""
        info = await self.model.info()
        offered = self.toolbox.specs(None if skill is None else skill.tools) if info.tools else ()
        rounds = self.limits.rounds - bool(self.calling.made)
        while True:
            tools = offered if rounds > 0 else ()
            parsed = await self._generate(
                skill,
                tools,
                behind=_note(rounds, offered, begun=len(self.said) > 1),
                context_tokens=info.context_tokens,
            )
            if not parsed.calls or not tools:
                break
            await self._round(parsed)
            rounds = 0 if self.calling.in_circles else rounds - 1
        wound_down = bool(offered) and rounds <= 0
        if not parsed.text:
            parsed = await self._again(skill, parsed, context_tokens=info.context_tokens)
        text = tidied(parsed.text or parsed.thinking)
        if not text:
            return self._nothing(wound_down=wound_down), Review(wound_down=wound_down)
        text, findings, corrected = await self._checked(skill, text, context_tokens=info.context_tokens)
        return text, Review(
            findings=tuple(finding.words for finding in findings), corrected=corrected, wound_down=wound_down
        )

    async def _checked(
        self, skill: Skill | None, draft: str, *, context_tokens: int
    ) -> tuple[str, tuple[Finding, ...], bool]:
        """The draft, or its one correction where that has fewer faults; what is still wrong; whether nothing is any more."""
        findings = self._findings(draft)
        if not findings:
            return draft, (), False
        kinds = ",".join(finding.kind for finding in findings)
        logger.info("answer_objected_to", extra={"conversation": self.question.message.at.key, "findings": kinds})
        better = await self._corrected(skill, draft, findings, context_tokens=context_tokens)
        remaining = self._findings(better) if better else findings
        if len(remaining) >= len(findings):
            return draft, findings, False
        self.publish(Redrafted(text=better))
        return better, remaining, not remaining

    def _findings(self, draft: str) -> tuple[Finding, ...]:
        return review(
            question=self.question.message.text,
            calls=self.calling.made,
            draft=draft,
            known_urls=known_urls(self.question.history),
            language=self.language,
        )

    async def _corrected(
        self, skill: Skill | None, draft: str, findings: Sequence[Finding], *, context_tokens: int
    ) -> str:
        """What the model makes of the draft once it is told what is wrong; empty where it makes nothing of it.

        It is not shown while it is written: the draft stays until it is known whether the correction is kept.
        """
        asked = (Assistant(text=draft), User(text=correction(findings, self.language)))
        try:
            parsed = await self._generate(skill, (), behind=asked, context_tokens=context_tokens, hidden=True)
        except (ModelUnavailable, ContextTooLong) as error:
            reason = error.user_message
            logger.warning("correction_failed", extra={"conversation": self.question.message.at.key, "reason": reason})
            return ""
        return "" if bare_calls(parsed.text, self.toolbox.names) else tidied(parsed.text)

    async def _again(self, skill: Skill | None, empty: Parsed, *, context_tokens: int) -> Parsed:
        """One more generation in place of one without visible text, which stands where that brings nothing either."""
        try:
            again = await self._generate(skill, (), context_tokens=context_tokens)
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
        skill: Skill | None,
        tools: tuple[ToolSpec, ...],
        *,
        behind: Sequence[Item] = (),
        context_tokens: int,
        hidden: bool = False,
    ) -> Parsed:
        """One generation; a stream that breaks is begun again, and what was shown of it is taken back.

        `behind` is read by the model behind all else and is not kept. Nothing is shown of a hidden one.
        """
        items = await context.fitted(
            self.model,
            start=context.opening(skill, self.language),
            history=self.question.history,
            end=(*self.said, *behind),
            tools=tools,
            context_tokens=context_tokens,
            reserve=self.limits.answer_tokens,
        )
        request = ModelRequest(
            items=items, tools=tools, room=self.question.message.at.key, max_tokens=self.limits.answer_tokens
        )
        for attempt in range(1, GENERATION_TRIES + 1):
            shown = Shown(_silent if hidden else self.publish)
            try:
                async with shown.thinking(self.clock):
                    return await self._stream(request, shown)
            except ModelUnavailable:
                if attempt == GENERATION_TRIES:
                    raise
                logger.warning("generation_broken", extra={"conversation": request.room, "attempt": attempt})
                shown.take_back()
        raise AssertionError("unreachable")

    async def _stream(self, request: ModelRequest, shown: Shown) -> Parsed:
        parser = StreamParser(call_prefix=f"turn{self.question.turn}.")
        reasoning: list[str] = []
        async with aclosing(self.model.stream(request)) as events:
            async for event in events:
                match event:
                    case TextPiece(text=text):
                        parser.feed(text)
                        shown.show(parser.visible)
                    case ThinkPiece(text=text):
                        reasoning.append(text)
                    case Done(usage=usage):
                        self._spend(usage)
                    case Prefill():
                        pass
        parsed = parser.finish()
        if not can_be_seen(parsed.text):
            parsed = msgspec.structs.replace(parsed, text="")
        if reasoning:
            parsed = msgspec.structs.replace(parsed, thinking="".join(reasoning).strip() or parsed.thinking)
        if not parsed.calls and (calls := bare_calls(parsed.text, [tool.name for tool in request.tools])):
            parsed = msgspec.structs.replace(parsed, text="", calls=calls)
        if not parsed.text or (parsed.calls and request.tools):
            shown.take_back()
        return parsed

    def _spend(self, usage: Usage) -> None:
        self.usage = Usage(
            prompt_tokens=self.usage.prompt_tokens + usage.prompt_tokens,
            cached_tokens=self.usage.cached_tokens + usage.cached_tokens,
            completion_tokens=self.usage.completion_tokens + usage.completion_tokens,
            prefill_s=self.usage.prefill_s + usage.prefill_s,
            decode_s=self.usage.decode_s + usage.decode_s,
        )


def _silent(event: TurnEvent) -> None:
    """Takes an event that nobody is to see."""


def _note(rounds: int, offered: Sequence[ToolSpec], *, begun: bool) -> tuple[User, ...]:
    """What the model is told about the rounds that are left, once it has used tools."""
    if not offered or not begun or rounds > 1:
        return ()
    return (User(text=LAST_ROUND if rounds == 1 else NO_ROUND),)
