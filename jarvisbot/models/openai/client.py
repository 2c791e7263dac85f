"""The model seam over a server that speaks OpenAI's chat API."""

from __future__ import annotations

import contextlib
import json
import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec

from jarvisbot.clock import Clock
from jarvisbot.errors import ContextTooLong, ModelError, ModelUnavailable
from jarvisbot.model import (
    Done,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    Prefill,
    Stopped,
    TextPiece,
    ThinkPiece,
    Usage,
)
from jarvisbot.models.openai.asking import Asking
from jarvisbot.models.openai.constraints import Rule, rule
from jarvisbot.models.openai.failures import Refusal, read, too_long
from jarvisbot.models.openai.line import Line, Passing, Refused
from jarvisbot.models.openai.place import place
from jarvisbot.models.openai.reply import Reply
from jarvisbot.models.openai.server import DEFAULT_CONTEXT_TOKENS, Kind, Server, look_at
from jarvisbot.models.openai.wire import Chunk, chunk_of
from jarvisbot.types import Item, ToolSpec

if TYPE_CHECKING:
    from jarvisbot.models.openai import Settings

__all__ = ["OpenAI"]

logger = logging.getLogger(__name__)

PAUSES_S = (1.0, 3.0, 6.0)
"""Waits before the same request is made again, as long as nothing of an answer has come."""
PATIENCE_S = 60.0
"""The longest wait that a server may ask for; longer ones are told instead of waited for."""
BYTES_A_TOKEN = 3
"""Fewer than tokenizers make of a token's worth of European text: an estimate errs towards too many."""
ITEM_TOKENS = 8
NAMES_SHOWN = 12
SWITCHED = frozenset({Kind.LLAMA, Kind.VLLM, Kind.SGLANG, Kind.OLLAMA, Kind.OPENROUTER})
"""Kinds of servers that can be asked for an answer without reasoning."""
_NO_MODEL = (
    r"\bmodel\b.{0,80}(?:not found|does not exist|doesn't exist)|not a valid model|invalid model|model_not_found"
)


class OpenAI:
    """A model on a server. Requests go out at once, side by side; the server queues them as it can.

    State: what the server said of itself, asked again after the line broke, and what it was found to refuse.
    """

    def __init__(self, settings: Settings, *, api_key: str | None, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._place = place(settings.base_url)
        self._line = Line(
            self._place, api_key=api_key, headers=settings.headers, connect_s=settings.connect_s, clock=clock
        )
        self._asking = Asking(
            tools="native" if settings.tools == "auto" else settings.tools, adapts=settings.tools == "auto"
        )
        self._server: Server | None = None
        self._stale = False
        self._window: int | None = None
        """What the server refused more than, where it turned out to read less than it said."""
        self._counts = True

    # ------------------------------------------------------------ the seam

    async def info(self) -> ModelInfo:
        """Asks the server what it has. Raises ModelUnavailable where it is out of reach, ModelError where it refuses."""
        server = await self._known(self._line.closings)
        return ModelInfo(
            name=server.name,
            context_tokens=self._context_tokens(server),
            tools=self._settings.tools != "off",
            thinking=self._thinks(server),
            gpu=not self._place.here,
            place="" if self._place.here else self._place.origin,
            outside=self._place.outside,
        )

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Generates. Raises ContextTooLong before the first event, ModelUnavailable at any time, and ModelError for what
        the server refuses and for a constraint that it cannot be told of.

        Until the first token, a server that is out of reach or in trouble is asked again, after 1, 3 and 6 seconds.
        """
        closings = self._line.closings
        server = await self._known(closings)
        wanted = rule(request.constraint, server.kind, self._place.origin)
        if request.max_tokens <= 0:
            tokens = await self.count(request.items, request.tools)
            yield Prefill(done=tokens, total=tokens)
            yield Done(reason=Stopped.LENGTH, usage=Usage(prompt_tokens=tokens))
            return
        for pause_s in (*PAUSES_S, None):
            began = False
            try:
                async with contextlib.aclosing(self._generation(request, server, wanted, closings)) as events:
                    async for event in events:
                        began = began or not isinstance(event, Prefill)
                        yield event
                return
            except _Interrupted as trouble:
                self._stale = True
                if began or pause_s is None:
                    raise trouble.error from None
                await self._wait(trouble, pause_s, closings)

    async def count(self, items: Sequence[Item], tools: Sequence[ToolSpec] = ()) -> int:
        """How many tokens a prompt of these items has: counted by llama-server and vLLM, else estimated on the safe side."""
        server = await self._known(self._line.closings)
        if self._counts and server.kind in (Kind.LLAMA, Kind.VLLM):
            try:
                return await self._counted(server, items, tools)
            except (Refused, Passing) as error:
                self._counts = not isinstance(error, Refused)
                logger.info("model_counts_no_tokens", extra={"server": self._place.origin, "reason": str(error)})
        return self._estimated(items, tools)

    async def close(self) -> None:
        """Ends every generation by closing its connection."""
        await self._line.close()

    # ------------------------------------------------------------ what is known of the server

    async def _known(self, closings: int) -> Server:
        """The server's description; after the line broke it is asked anew, and the old one stands where that fails."""
        self._line.go_on(closings)
        if self._server is not None:
            if self._stale:
                with contextlib.suppress(_Interrupted):
                    self._server = await self._look()
                    self._stale = False
            return self._server
        for pause_s in (*PAUSES_S, None):
            try:
                self._server = await self._look()
                break
            except _Interrupted as trouble:
                if pause_s is None:
                    raise trouble.error from None
                await self._wait(trouble, pause_s, closings)
        if self._server is None:
            raise AssertionError("unreachable")
        return self._server

    async def _look(self) -> Server:
        try:
            return await look_at(self._line, self._settings.base_url, self._settings.model)
        except Passing as error:
            raise _Interrupted(ModelUnavailable(error.message)) from None
        except Refused as refused:
            if refused.refusal.passing:
                raise _Interrupted(self._line.failed(refused.refusal), after_s=refused.refusal.after_s) from None
            raise self._line.failed(refused.refusal) from None

    def _context_tokens(self, server: Server) -> int:
        said = self._settings.context_tokens or server.context_tokens or DEFAULT_CONTEXT_TOKENS
        return min(said, self._window) if self._window else said

    def _thinks(self, server: Server) -> bool:
        match self._settings.thinking:
            case "on":
                return True
            case "off":
                return False
            case "auto":
                return server.thinking

    async def _counted(self, server: Server, items: Sequence[Item], tools: Sequence[ToolSpec]) -> int:
        """What the server counts. Raises Refused or Passing."""
        body: dict[str, object] = {"messages": self._asking.messages(items, tools), "model": server.model}
        if schemas := self._asking.schemas(tools):
            body["tools"] = schemas
        if server.kind is Kind.VLLM:
            answer = await self._line.ask(f"{server.root}/tokenize", {**body, "add_generation_prompt": True})
            found = answer.get("count") if isinstance(answer, dict) else None
        else:
            rendered = await self._line.ask(f"{server.root}/apply-template", body)
            prompt = rendered.get("prompt") if isinstance(rendered, dict) else None
            question = {"content": prompt, "add_special": True, "parse_special": True}
            answer = await self._line.ask(f"{server.root}/tokenize", question)
            tokens = answer.get("tokens") if isinstance(answer, dict) else None
            found = len(tokens) if isinstance(tokens, list) else None
        if not isinstance(found, int):
            raise Refused(Refusal(status=404, words="it does not count tokens"))
        return found

    async def _wait(self, trouble: _Interrupted, pause_s: float, closings: int) -> None:
        seconds = max(pause_s, trouble.after_s or 0.0)
        if seconds > PATIENCE_S:
            raise trouble.error from None
        logger.warning("model_asked_again", extra={"after_s": seconds, "reason": trouble.error.user_message})
        async with self._line.waiting(None, closings):
            await self._clock.sleep(seconds)

    # ------------------------------------------------------------ one generation

    async def _generation(
        self, request: ModelRequest, server: Server, wanted: Rule, closings: int
    ) -> AsyncGenerator[ModelEvent, None]:
        """One try. Reasoning beyond its budget is broken off, and the answer asked for without any. Raises _Interrupted."""
        ends = self._clock.monotonic() + request.wall_s if request.wall_s is not None else None
        cost = Usage()
        most = request.max_tokens
        read = False
        for thinking in (True, False) if request.thinking and self._thinks(server) else (False,):
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
                    timed_out = ends is not None and self._clock.monotonic() >= ends
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
            body = self._asking.body(request, server, wanted, thinking=thinking, max_tokens=most)
            source = self._line.events(
                f"{server.api}/chat/completions",
                body,
                first_s=self._settings.first_token_s,
                next_s=self._settings.between_tokens_s,
                closings=closings,
            )
            try:
                async with contextlib.aclosing(_chunks(source, reply)) as chunks:
                    async for chunk in chunks:
                        for event in reply.events(chunk):
                            yield event
                if reply.reason is None and not reply.ended:
                    raise Passing(f"The model server at {self._place.origin} ended its answer in the middle.")
                return
            except Passing as error:
                raise _Interrupted(ModelUnavailable(error.message)) from None
            except Refused as refused:
                refusal = self._line.hidden(refused.refusal)
                if reply.began:
                    if too_long(refusal) is None:
                        raise _Interrupted(ModelUnavailable(self._line.failed(refusal).user_message)) from None
                    reply.reason = "length"
                    return
                self._judge(refusal, body, request, server)
                again = self._asking.body(request, server, wanted, thinking=thinking, max_tokens=most)
                if not self._asking.learn(refusal, body) and again == body:
                    raise self._given_up(refusal, server) from None

    def _judge(self, refusal: Refusal, body: Mapping[str, object], request: ModelRequest, server: Server) -> None:
        """Raises what no other request would change: too long a prompt, a model that is not there."""
        if (long := too_long(refusal)) is not None:
            assumed = self._context_tokens(server)
            if long.window is not None and long.window < assumed:
                self._window = long.window
            available = long.available or min(assumed - 1, self._estimate(request) * 3 // 4)
            needed = max(long.needed or self._estimate(request), available + 1)
            message = f"The prompt has {needed} tokens and {available} fit."
            raise ContextTooLong(message, needed=needed, available=available)
        if refusal.status in (400, 404) and refusal.about(_NO_MODEL):
            shown = ", ".join(server.offers[:NAMES_SHOWN]) or "no list of its models"
            more = f" and {len(server.offers) - NAMES_SHOWN} more" if len(server.offers) > NAMES_SHOWN else ""
            raise ModelError(
                f"The model server at {self._place.origin} has no model {server.model!r}; it offers {shown}{more}. Set "
                "`model` in the model's section of the config."
            )

    def _given_up(self, refusal: Refusal, server: Server) -> _Interrupted | ModelError:
        if refusal.passing:
            return _Interrupted(self._line.failed(refusal), after_s=refusal.after_s)
        if refusal.status in (404, 405):
            return ModelError(
                f"There is no chat API at {server.api}/chat/completions ({refusal.status}): base_url in the model's section "
                "of the config should be the address that ends with /v1."
            )
        return self._line.failed(refusal)

    def _estimate(self, request: ModelRequest) -> int:
        return self._estimated(request.items, request.tools)

    def _estimated(self, items: Sequence[Item], tools: Sequence[ToolSpec]) -> int:
        told = (*self._asking.messages(items, tools), *self._asking.schemas(tools))
        texts = [json.dumps(message, ensure_ascii=False) for message in told]
        return sum(ITEM_TOKENS + len(text.encode("utf-8", "replace")) // BYTES_A_TOKEN for text in texts)

    def _spent(self, request: ModelRequest, reply: Reply) -> Usage:
        """What the server counted, else what was seen of it."""
        usage = reply.usage
        return msgspec.structs.replace(
            usage,
            prompt_tokens=usage.prompt_tokens or reply.read_tokens or self._estimate(request),
            completion_tokens=usage.completion_tokens or reply.pieces,
        )


class _Interrupted(Exception):
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
