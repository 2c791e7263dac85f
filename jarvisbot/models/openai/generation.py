"""One generation: a request made, adapted to what the server refuses, its reasoning held to a budget, its end judged."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from jarvisbot.clock import Clock
from jarvisbot.errors import ContextTooLong, ModelError, ModelUnavailable
from jarvisbot.model import Done, ModelEvent, ModelRequest, Prefill, Stopped, TextPiece, ThinkPiece, Usage
from jarvisbot.models.openai.asking import Asking
from jarvisbot.models.openai.constraints import Rule
from jarvisbot.models.openai.failures import Refusal, read, too_long
from jarvisbot.models.openai.line import Line, Passing, Refused
from jarvisbot.models.openai.reply import Reply
from jarvisbot.models.openai.server import DEFAULT_CONTEXT_TOKENS, Kind, Server
from jarvisbot.models.openai.wire import Chunk, chunk_of
from jarvisbot.types import Item, ToolSpec

if TYPE_CHECKING:
    from jarvisbot.models.openai import Settings

__all__ = ["Generating", "Interrupted", "NoSuchModel"]

logger = logging.getLogger(__name__)

BYTES_A_TOKEN = 3
"""Fewer than tokenizers make of a token's worth of European text: an estimate errs towards too many."""
ITEM_TOKENS = 8
NAMES_SHOWN = 12
SWITCHED = frozenset({Kind.LLAMA, Kind.VLLM, Kind.SGLANG, Kind.OLLAMA, Kind.OPENROUTER})
"""Kinds of servers that can be asked for an answer without reasoning."""
_NO_MODEL = (
    r"\bmodel\b.{0,80}(?:not found|does not exist|doesn't exist)|not a valid model|invalid model|model_not_found"
)


@dataclass(slots=True, kw_only=True)
class Generating:
    """Makes generations on one server. State: the window that it turned out to have, and what `asking` learns."""

    line: Line
    asking: Asking
    settings: Settings
    clock: Clock
    window: int | None = None
    """What the server refused more than, where it reads less than it said."""

    def context_tokens(self, server: Server) -> int:
        """The longest talk, as far as is known."""
        said = self.settings.context_tokens or server.context_tokens or DEFAULT_CONTEXT_TOKENS
        return min(said, self.window) if self.window else said

    def thinks(self, server: Server) -> bool:
        """Whether the model may be asked to reason."""
        match self.settings.thinking:
            case "on":
                return True
            case "off":
                return False
            case "auto":
                return server.thinking

    def estimated(self, items: Sequence[Item], tools: Sequence[ToolSpec]) -> int:
        """Tokens of a prompt, guessed on the safe side."""
        told = (*self.asking.messages(items, tools), *self.asking.schemas(tools))
        texts = [json.dumps(message, ensure_ascii=False) for message in told]
        return sum(ITEM_TOKENS + len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN for text in texts)

    async def events(
        self, request: ModelRequest, server: Server, wanted: Rule, closings: int
    ) -> AsyncGenerator[ModelEvent, None]:
        """One try at the request; reasoning beyond its budget is broken off, and the answer asked for without any.

        Raises Interrupted, ContextTooLong and ModelError.
        """
        ends = self.clock.monotonic() + request.wall_s if request.wall_s is not None else None
        cost = Usage()
        most = request.max_tokens
        read = False
        for thinking in (True, False) if request.thinking and self.thinks(server) else (False,):
            reply = Reply()
            filled: list[str] = []
            over = timed_out = False
            asked = self._asked(request, server, wanted, reply, closings, thinking=thinking, most=most)
            async with contextlib.aclosing(asked) as events:
                async for event in events:
                    if isinstance(event, Prefill):
                        if not read:
                            yield event
                        continue
                    if not read:
                        yield _all_read(reply, self._estimate(request))
                        read = True
                    if isinstance(event, TextPiece) and wanted.slot is not None:
                        filled.append(event.text)
                    else:
                        yield event
                    timed_out = ends is not None and self.clock.monotonic() >= ends
                    over = thinking and _is_over(event, reply, request, server)
                    if timed_out or over:
                        break
            if not read:
                yield _all_read(reply, self._estimate(request))
                read = True
            cost = _sum(cost, self._spent(request, reply))
            if not over:
                break
            logger.info("reasoning_cut", extra={"conversation": request.room, "tokens": reply.thought_tokens})
            if reply.inside:
                yield TextPiece(text="</think>")
            most = max(1, most - reply.thought_tokens)
        if wanted.slot is not None:
            cut = timed_out or reply.stopped is Stopped.LENGTH
            yield TextPiece(text=wanted.filled("".join(filled), cut=cut))
        for call in reply.calls(cut=timed_out):
            yield call
        yield Done(reason=Stopped.TIME if timed_out else reply.stopped, usage=cost)

    async def _asked(
        self,
        request: ModelRequest,
        server: Server,
        wanted: Rule,
        reply: Reply,
        closings: int,
        *,
        thinking: bool,
        most: int,
    ) -> AsyncGenerator[ModelEvent, None]:
        """The events of one answer, asked for again where the server refuses something that can be done without."""
        while True:
            body = self.asking.body(request, server, wanted, thinking=thinking, max_tokens=most)
            source = self.line.events(
                f"{server.api}/chat/completions",
                body,
                first_s=self.settings.first_token_s,
                next_s=self.settings.between_tokens_s,
                closings=closings,
            )
            try:
                async with contextlib.aclosing(_chunks(source, reply)) as chunks:
                    async for chunk in chunks:
                        for event in reply.events(chunk):
                            yield event
                if reply.reason is None and not reply.ended:
                    raise Passing(f"The model server at {self.line.place.origin} ended its answer in the middle.")
                return
            except Passing as error:
                raise Interrupted(ModelUnavailable(error.message)) from None
            except Refused as refused:
                refusal = self.line.hidden(refused.refusal)
                if reply.began:
                    if too_long(refusal) is None:
                        raise Interrupted(ModelUnavailable(self.line.failed(refusal).user_message)) from None
                    reply.reason = "length"
                    return
                self._judge(refusal, body, request, server)
                again = self.asking.body(request, server, wanted, thinking=thinking, max_tokens=most)
                if not self.asking.learn(refusal, body) and again == body:
                    raise self._given_up(refusal, server) from None

    def _judge(self, refusal: Refusal, body: Mapping[str, object], request: ModelRequest, server: Server) -> None:
        """Raises what no other request would change: too long a prompt, a model that is not there."""
        if (long := too_long(refusal)) is not None:
            assumed = self.context_tokens(server)
            if long.window is not None and long.window < assumed:
                self.window = long.window
            available = long.available or min(assumed - 1, self._estimate(request) * 3 // 4)
            needed = max(long.needed or self._estimate(request), available + 1)
            message = f"The prompt has {needed} tokens and {available} fit."
            raise ContextTooLong(message, needed=needed, available=available)
        if refusal.status in (400, 404) and refusal.about(_NO_MODEL):
            shown = ", ".join(server.offers[:NAMES_SHOWN]) or "no list of its models"
            more = f" and {len(server.offers) - NAMES_SHOWN} more" if len(server.offers) > NAMES_SHOWN else ""
            raise NoSuchModel(
                f"The model server at {self.line.place.origin} has no model {server.model!r}; it offers {shown}{more}. Set "
                "`model` in the model's section of the config."
            )

    def _given_up(self, refusal: Refusal, server: Server) -> Interrupted | ModelError:
        if refusal.passing:
            return Interrupted(self.line.failed(refusal), after_s=refusal.after_s)
        if refusal.status in (404, 405):
            return ModelError(
                f"There is no chat API at {server.api}/chat/completions ({refusal.status}): base_url in the model's section "
                "of the config should be the address that ends with /v1."
            )
        return self.line.failed(refusal)

    def _estimate(self, request: ModelRequest) -> int:
        return self.estimated(request.items, request.tools)

    def _spent(self, request: ModelRequest, reply: Reply) -> Usage:
        """What the server counted, else what was seen of it."""
        usage = reply.usage
        return msgspec.structs.replace(
            usage,
            prompt_tokens=usage.prompt_tokens or reply.read_tokens or self._estimate(request),
            completion_tokens=usage.completion_tokens or reply.pieces,
        )


class NoSuchModel(ModelError):
    """The server has no model of this name, or not any more."""


class Interrupted(Exception):
    """One try came to nothing; `error` is what to say where no further one is made."""

    def __init__(self, error: ModelError, *, after_s: float | None = None) -> None:
        super().__init__(error.user_message)
        self.error = error
        self.after_s = after_s


async def _chunks(source: AsyncGenerator[str, None], reply: Reply) -> AsyncGenerator[Chunk, None]:
    """The chunks of a stream up to its end mark. Raises Refused for an error among them, Passing for what is no chunk."""
    async with contextlib.aclosing(source) as events:
        async for data in events:
            if data.strip() == "[DONE]":
                reply.ended = True
                return
            try:
                chunk = chunk_of(data)
            except ValueError:
                raise Passing("The model server sent something that is no answer.") from None
            if chunk.error or chunk.object == "error":
                refusal = read(200, data)
                raise Refused(refusal if refusal.status >= 400 else msgspec.structs.replace(refusal, status=500))
            if any(choice.finish_reason == "error" for choice in chunk.choices or ()):
                raise Refused(Refusal(status=502, words="the answer was broken off"))
            yield chunk


def _all_read(reply: Reply, estimate: int) -> Prefill:
    """The prompt is read: as many tokens as the server said by now, else as were estimated."""
    total = reply.read_tokens or reply.usage.prompt_tokens or estimate
    return Prefill(done=total, total=total)


def _is_over(event: ModelEvent, reply: Reply, request: ModelRequest, server: Server) -> bool:
    """Whether the reasoning has used up its budget, and this kind of server can be asked to answer without any."""
    if request.think_tokens is None or reply.thought_tokens <= request.think_tokens or server.kind not in SWITCHED:
        return False
    return isinstance(event, ThinkPiece) or reply.inside


def _sum(one: Usage, other: Usage) -> Usage:
    """Both together; the prompt is the later one's, since it was the same."""
    return Usage(
        prompt_tokens=other.prompt_tokens,
        cached_tokens=other.cached_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
        prefill_s=one.prefill_s + other.prefill_s,
        decode_s=one.decode_s + other.decode_s,
    )
