"""One turn: a skill's own answer where code can write it, else the model with its tools."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace

from jarvisbot.agent import context, route
from jarvisbot.agent.language import reply_language
from jarvisbot.agent.parse import Parsed, StreamParser, UnreadableCall
from jarvisbot.clock import Clock
from jarvisbot.errors import ContextTooLong, JarvisError, MissingPart, ModelUnavailable
from jarvisbot.model import Done, Model, ModelRequest, Prefill, TextPiece, ThinkPiece, Usage
from jarvisbot.skill import Skill, SkillCode
from jarvisbot.store.turns import CallRecord, TurnRecord
from jarvisbot.tool import Toolbox, ToolContext
from jarvisbot.types import (
    Answered,
    Assistant,
    Failed,
    Inbound,
    Item,
    Principal,
    Redrafted,
    Result,
    Review,
    Route,
    SeedContext,
    Source,
    TextDelta,
    Thinking,
    ToolCall,
    ToolFinished,
    ToolResult,
    ToolSpec,
    ToolStarted,
    TurnEvent,
    User,
)

__all__ = ["Agent", "TurnInput", "TurnLimits"]

logger = logging.getLogger(__name__)

Publish = Callable[[TurnEvent], None]

THINKING_SHOWN_AFTER_S = 2.0
GENERATION_TRIES = 3
"""A stream that breaks is begun again: a worker that was killed is back by then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnInput:
    """What a turn begins with."""

    turn: int
    message: Inbound
    principal: Principal
    history: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """How much one turn may spend."""

    rounds: int = 4
    tool_calls: int = 8
    answer_tokens: int = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Answers messages. It holds no state of its own: a turn's state lives in `_Turn`."""

    model: Model
    toolbox: Toolbox
    skills: Sequence[Skill]
    code: Mapping[str, SkillCode]
    limits: TurnLimits
    clock: Clock
    chosen_language: str | None = None

    async def answer(self, question: TurnInput, publish: Publish) -> TurnRecord:
        """Publishes the turn's events, `Answered` or `Failed` last, and returns what is kept of it."""
        return await _Turn(self, question, publish).run()

    def language(self, text: str, history: Sequence[Item]) -> str:
        """The language a reply to this text is written in."""
        return reply_language(text, history, chosen=self.chosen_language)


@dataclass(slots=True)
class _Turn:
    """One turn's state: what was called, what the model was told since the question, what it cost."""

    agent: Agent
    question: TurnInput
    publish: Publish
    said: list[Item] = field(default_factory=list)
    made: list[CallRecord] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    tainted: bool = False

    async def run(self) -> TurnRecord:
        message = self.question.message
        skills = route.usable(self.agent.skills, self.agent.toolbox.names)
        found = route.find(message.text, skills)
        skill = next((skill for skill in skills if skill.name == found.skill), None)
        logger.info(
            "turn_routed", extra={"conversation": message.at.key, "skill": found.skill, "stage": found.stage.value}
        )
        self.said.append(User(text=message.text, attachments=message.attachments, author=message.author))
        review = Review()
        try:
            text = await self._in_code(skill)
            if text is None:
                text, review = await self._by_model(skill)
        except (MissingPart, ModelUnavailable, ContextTooLong, JarvisError) as error:
            logger.warning("turn_failed", extra={"conversation": message.at.key, "reason": error.user_message})
            self.publish(Failed(message=error.user_message, missing=isinstance(error, MissingPart)))
            return self._record("failed", found, Review())
        self.said.append(Assistant(text=text))
        self.publish(Answered(text=text, review=review, sources=tuple(self.sources), route=found))
        return self._record("answered", found, review)

    def _record(self, state: str, found: Route, review: Review) -> TurnRecord:
        return TurnRecord(
            state=state,
            items=tuple(self.said) if state == "answered" else (),
            calls=tuple(self.made),
            route=found,
            review=review,
            prompt_tokens=self.usage.prompt_tokens,
            cached_tokens=self.usage.cached_tokens,
            completion_tokens=self.usage.completion_tokens,
        )

    # ------------------------------------------------------------ answers in code

    async def _in_code(self, skill: Skill | None) -> str | None:
        """Runs the skill's seed and returns the answer that its code can write, if it can."""
        code = self.agent.code.get(skill.name) if skill else None
        if code is None:
            return None
        message = self.question.message
        language = self.agent.language(message.text, self.question.history)
        seeded = code.seed(
            message.text, SeedContext(language=language, now=self.agent.clock.now(), history=self.question.history)
        )
        result = None
        if seeded is not None:
            result = await self._call(replace(seeded, id=self._call_id()))
            self.said.append(Assistant(text="", calls=(self.made[-1].call,)))
            self.said.append(Result(result=result))
        return code.answer(message.text, result, language)

    def _call_id(self) -> str:
        return f"turn{self.question.turn}.{len(self.made) + 1}"

    async def _call(self, call: ToolCall) -> ToolResult:
        toolbox = self.agent.toolbox
        label = toolbox.label(call.name)
        where = ToolContext(
            principal=self.question.principal,
            at=self.question.message.at,
            turn=str(self.question.turn),
            now=self.agent.clock.now(),
        )
        self.publish(ToolStarted(call=call, label=label))
        began = self.agent.clock.monotonic()
        if len(self.made) >= self.agent.limits.tool_calls:
            result = ToolResult(call_id=call.id, text="The tool calls of this turn are used up. Answer now.", ok=False)
        else:
            result = await toolbox.run(call, context=where, tainted=self.tainted)
        seconds = self.agent.clock.monotonic() - began
        self.made.append(CallRecord(call=call, result=result, seconds=seconds))
        self.publish(ToolFinished(result=result, call=call, label=label, seconds=seconds))
        self.tainted = self.tainted or (result.ok and toolbox.taints(call.name))
        self.sources.extend(source for source in result.sources if source not in self.sources)
        return result

    # ------------------------------------------------------------ answers by the model

    async def _by_model(self, skill: Skill | None) -> tuple[str, Review]:
        info = await self.agent.model.info()
        offered = self.agent.toolbox.specs(None if skill is None else skill.tools) if info.tools else ()
        rounds = self.agent.limits.rounds - bool(self.made)
        while True:
            tools = offered if rounds > 0 else ()
            parsed = await self._generate(skill, tools, context_tokens=info.context_tokens)
            if not parsed.calls or not tools:
                break
            await self._round(parsed)
            rounds -= 1
        wound_down = bool(offered) and rounds <= 0
        if not parsed.text and (parsed.open_think or parsed.thinking):
            again = await self._generate(skill, (), context_tokens=info.context_tokens)
            parsed = again if again.text or again.thinking else parsed
        text = parsed.text or parsed.thinking or self._nothing()
        return text, Review(wound_down=wound_down)

    def _nothing(self) -> str:
        german = self.agent.language(self.question.message.text, self.question.history) == "de"
        return "Dazu ist mir keine Antwort gelungen." if german else "I could not come up with an answer to that."

    async def _round(self, parsed: Parsed) -> None:
        """Runs the calls of one generation, in order; each is answered, also those that cannot be run."""
        calls: list[ToolCall] = []
        results: list[ToolResult] = []
        for wanted in parsed.calls:
            match wanted:
                case ToolCall():
                    call = replace(wanted, id=self._call_id())
                    results.append(await self._call(call))
                case UnreadableCall(problem=problem):
                    call = ToolCall(
                        id=f"turn{self.question.turn}.unreadable{len(results) + 1}", name="unreadable", arguments={}
                    )
                    text = f"The tool call could not be read: {problem}. Nothing was run."
                    results.append(ToolResult(call_id=call.id, text=text, ok=False))
            calls.append(call)
        self.said.append(Assistant(text=parsed.text, thinking=parsed.thinking, calls=tuple(calls)))
        self.said.extend(Result(result=result) for result in results)

    async def _generate(self, skill: Skill | None, tools: tuple[ToolSpec, ...], *, context_tokens: int) -> Parsed:
        """One generation; a stream that breaks is begun again, and what was shown of it is taken back."""
        items = await context.fitted(
            self.agent.model,
            start=context.opening(skill),
            history=self.question.history,
            end=self.said,
            tools=tools,
            context_tokens=context_tokens,
            reserve=self.agent.limits.answer_tokens,
        )
        request = ModelRequest(
            items=items, tools=tools, room=self.question.message.at.key, max_tokens=self.agent.limits.answer_tokens
        )
        for attempt in range(1, GENERATION_TRIES + 1):
            shown = _Shown(self.publish)
            try:
                async with self._thinking(shown):
                    return await self._stream(request, shown)
            except ModelUnavailable:
                if attempt == GENERATION_TRIES:
                    raise
                logger.warning("generation_broken", extra={"conversation": request.room, "attempt": attempt})
                shown.take_back()
        raise AssertionError("unreachable")

    async def _stream(self, request: ModelRequest, shown: _Shown) -> Parsed:
        parser = StreamParser(call_prefix=f"turn{self.question.turn}.")
        reasoning: list[str] = []
        async with aclosing(self.agent.model.stream(request)) as events:
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
        if reasoning:
            parsed = replace(parsed, thinking="".join(reasoning).strip() or parsed.thinking)
        if parsed.calls and request.tools:
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

    @asynccontextmanager
    async def _thinking(self, shown: _Shown) -> AsyncIterator[None]:
        """Publishes the seconds that pass while there is nothing to show."""

        async def tick() -> None:
            began = self.agent.clock.monotonic()
            await self.agent.clock.sleep(THINKING_SHOWN_AFTER_S)
            while not shown.text:
                self.publish(Thinking(seconds=self.agent.clock.monotonic() - began))
                await self.agent.clock.sleep(1.0)

        ticking = asyncio.get_running_loop().create_task(tick())
        try:
            yield
        finally:
            ticking.cancel()
            await asyncio.gather(ticking, return_exceptions=True)


@dataclass(slots=True)
class _Shown:
    """The visible text as subscribers know it."""

    publish: Publish
    text: str = ""

    def show(self, visible: str) -> None:
        """Publishes what is new; text that was taken back is drafted again. White space alone waits."""
        visible = visible.lstrip()
        if visible == self.text or (not visible and not self.text):
            return
        if visible.startswith(self.text):
            self.publish(TextDelta(text=visible[len(self.text) :]))
        else:
            self.publish(Redrafted(text=visible))
        self.text = visible

    def take_back(self) -> None:
        """Nothing of it counts any more."""
        if self.text:
            self.publish(Redrafted(text=""))
            self.text = ""
