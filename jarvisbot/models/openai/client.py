"""The model seam over a server that speaks OpenAI's chat API."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING

from jarvisbot.clock import Clock
from jarvisbot.errors import ModelUnavailable
from jarvisbot.model import Done, ModelEvent, ModelInfo, ModelRequest, Prefill, Stopped, Usage
from jarvisbot.models.openai.asking import Asking
from jarvisbot.models.openai.constraints import rule
from jarvisbot.models.openai.failures import Refusal
from jarvisbot.models.openai.generation import Generating, Interrupted, NoSuchModel
from jarvisbot.models.openai.line import Line, Passing, Refused
from jarvisbot.models.openai.place import place
from jarvisbot.models.openai.server import Kind, Server, look_at
from jarvisbot.types import Item, ToolSpec

if TYPE_CHECKING:
    from jarvisbot.models.openai import Settings

__all__ = ["OpenAI"]

logger = logging.getLogger(__name__)

PAUSES_S = (1.0, 3.0, 6.0)
"""Waits before the same request is made again, as long as nothing of an answer has come."""
PATIENCE_S = 60.0
"""The longest wait that a server may ask for; longer ones are told instead of waited for."""


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
        self._generating = Generating(line=self._line, asking=self._asking, settings=settings, clock=clock)
        self._server: Server | None = None
        self._stale = False
        self._counts = True

    # ------------------------------------------------------------ the seam

    async def info(self) -> ModelInfo:
        """Asks the server what it has. Raises ModelUnavailable where it is out of reach, ModelError where it refuses."""
        server = await self._known(self._line.closings)
        return ModelInfo(
            name=server.name,
            context_tokens=self._generating.context_tokens(server),
            tools=self._settings.tools != "off",
            thinking=self._generating.thinks(server),
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
                async with contextlib.aclosing(self._generating.events(request, server, wanted, closings)) as events:
                    async for event in events:
                        began = began or not isinstance(event, Prefill)
                        yield event
                return
            except NoSuchModel:
                former, server = server, await self._anew(closings)
                if self._settings.model is not None or server.model == former.model:
                    raise
            except Interrupted as trouble:
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
                self._counts = not isinstance(error, Refused) or error.refusal.status not in (404, 405, 501)
                logger.info("model_counts_no_tokens", extra={"server": self._place.origin, "reason": str(error)})
        return self._generating.estimated(items, tools)

    async def close(self) -> None:
        """Ends every generation by closing its connection."""
        await self._line.close()

    # ------------------------------------------------------------ what is known of the server

    async def _known(self, closings: int) -> Server:
        """The server's description; after the line broke it is asked anew, and the old one stands where that fails."""
        self._line.go_on(closings)
        if self._server is not None:
            return await self._anew(closings) if self._stale else self._server
        for pause_s in (*PAUSES_S, None):
            try:
                self._server = await self._look()
                break
            except Interrupted as trouble:
                if pause_s is None:
                    raise trouble.error from None
                await self._wait(trouble, pause_s, closings)
        if self._server is None:
            raise AssertionError("unreachable")
        return self._server

    async def _anew(self, closings: int) -> Server:
        """The server's description of now; one that was started again may have another model, or read more or less."""
        former = await self._known(closings) if self._server is None else self._server
        with contextlib.suppress(Interrupted):
            self._server = await self._look()
            self._stale = False
            if self._server != former:
                self._generating.window = None
        return self._server or former

    async def _look(self) -> Server:
        try:
            return await look_at(self._line, self._settings.base_url, self._settings.model)
        except Passing as error:
            raise Interrupted(ModelUnavailable(error.message)) from None
        except Refused as refused:
            if refused.refusal.passing:
                raise Interrupted(self._line.failed(refused.refusal), after_s=refused.refusal.after_s) from None
            raise self._line.failed(refused.refusal) from None

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

    async def _wait(self, trouble: Interrupted, pause_s: float, closings: int) -> None:
        seconds = max(pause_s, trouble.after_s or 0.0)
        if seconds > PATIENCE_S:
            raise trouble.error from None
        logger.warning("model_asked_again", extra={"after_s": seconds, "reason": trouble.error.user_message})
        async with self._line.waiting(None, closings):
            await self._clock.sleep(seconds)
