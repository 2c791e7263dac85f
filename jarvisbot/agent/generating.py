"""One generation of a model: begun again where it breaks or begins in the wrong script, and taken apart."""

from __future__ import annotations

import logging
from contextlib import aclosing
from dataclasses import dataclass, field

import msgspec

from jarvisbot.agent.calling import Publish
from jarvisbot.agent.calls import bare_calls, native_calls
from jarvisbot.agent.parse import Parsed, StreamParser, can_be_seen
from jarvisbot.agent.question import TurnInput
from jarvisbot.agent.script import begins_elsewhere, only_in
from jarvisbot.agent.showing import Shown
from jarvisbot.clock import Clock
from jarvisbot.errors import ModelUnavailable
from jarvisbot.model import CallPiece, Done, Model, ModelRequest, Prefill, TextPiece, ThinkPiece, Usage
from jarvisbot.types import TurnEvent, User

__all__ = ["Generating"]

logger = logging.getLogger(__name__)

GENERATION_TRIES = 3
"""A stream that breaks is begun again: a worker that was killed is back by then."""
JUDGED_CHARACTERS = 120
"""What comes behind so much is no beginning."""


@dataclass(slots=True)
class _Stopwatch:
    """Adds up the seconds of reasoning in one stream."""

    clock: Clock
    seconds: float = 0.0
    since: float | None = None

    def thinks(self, now: bool) -> None:
        """Told whether the model reasons at this moment."""
        if now and self.since is None:
            self.since = self.clock.monotonic()
        elif not now and self.since is not None:
            self.seconds += self.clock.monotonic() - self.since
            self.since = None


@dataclass(slots=True, kw_only=True)
class Generating:
    """The generations of one turn. State: what they cost, how long was reasoned."""

    model: Model
    clock: Clock
    question: TurnInput
    language: str
    publish: Publish
    thought_s: float = 0.0
    usage: Usage = field(default_factory=Usage)

    async def run(self, request: ModelRequest, *, hidden: bool = False) -> Parsed:
        """The reply, taken apart. Nothing is shown of a hidden one. Raises ModelUnavailable or ContextTooLong.

        A stream that breaks is begun again, and what was shown of it is taken back; so is, once, a reply in letters that
        its language does not have.
        """
        foreign = False
        attempt = 1
        while True:
            shown = Shown(_silent if hidden else self.publish)
            try:
                async with shown.thinking(self.clock):
                    parsed = await self._stream(request, shown, any_script=foreign)
            except ModelUnavailable:
                if attempt == GENERATION_TRIES:
                    raise
                attempt += 1
                logger.warning("generation_broken", extra={"conversation": request.room, "attempt": attempt})
                shown.take_back()
                continue
            if parsed is not None:
                return parsed
            foreign = True
            logger.info("reply_in_another_script", extra={"conversation": request.room})
            shown.take_back()
            wish = User(text=only_in(self.language))
            request = msgspec.structs.replace(request, items=(*request.items, wish))

    async def _stream(self, request: ModelRequest, shown: Shown, *, any_script: bool) -> Parsed | None:
        """One stream; None as soon as it is in a script that is not the language's, unless that does not matter."""
        parser = StreamParser(call_prefix=f"turn{self.question.turn}.")
        reasoning: list[str] = []
        native: list[CallPiece] = []
        stopwatch = _Stopwatch(self.clock)
        judged = any_script
        async with aclosing(self.model.stream(request)) as events:
            async for event in events:
                match event:
                    case TextPiece(text=text):
                        parser.feed(text)
                        judged = judged or len(parser.visible) > JUDGED_CHARACTERS
                        elsewhere = False if judged else self._elsewhere(parser.visible)
                        if elsewhere:
                            return None
                        if elsewhere is not None:
                            shown.show(parser.visible)
                        stopwatch.thinks(parser.thinking_now)
                    case ThinkPiece(text=text):
                        reasoning.append(text)
                        stopwatch.thinks(True)
                    case CallPiece():
                        native.append(event)
                    case Done(usage=usage):
                        self._spend(usage)
                        stopwatch.thinks(False)
                    case Prefill():
                        pass
        self.thought_s += stopwatch.seconds
        parsed = parser.finish()
        if native:
            parsed = msgspec.structs.replace(parsed, calls=(*parsed.calls, *native_calls(native)))
        if not judged and self._elsewhere(parsed.text, whole=True):
            return None
        if not can_be_seen(parsed.text):
            parsed = msgspec.structs.replace(parsed, text="")
        if reasoning:
            parsed = msgspec.structs.replace(parsed, thinking="".join(reasoning).strip() or parsed.thinking)
        if not parsed.calls and (calls := bare_calls(parsed.text, [tool.name for tool in request.tools])):
            parsed = msgspec.structs.replace(parsed, text="", calls=calls)
        if not parsed.text or (parsed.calls and request.tools):
            shown.take_back()
        return parsed

    def _elsewhere(self, text: str, *, whole: bool = False) -> bool | None:
        asked = [self.question.message.text, *(item.text for item in self.question.history if isinstance(item, User))]
        return begins_elsewhere(text, self.language, asked, whole=whole)

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
