"""A loopback server in the shape of llama-server, vLLM, Ollama, LM Studio or a plain one, with every fault of theirs.

Written from the servers' own documents and sources: what each adds to OpenAI's API, and the words of its errors.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from aiohttp import web

__all__ = [
    "Abort",
    "Hold",
    "OpenAIServer",
    "Raw",
    "Reply",
    "Status",
    "Whole",
    "call_part",
    "chunk",
    "serving",
    "spoken",
]

WORDS = "All of these words are the script's. "


@dataclass(frozen=True, kw_only=True)
class Status:
    """The request is answered with this error."""

    status: int
    body: object = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Whole:
    """The request is answered at once with this JSON, stream or not."""

    body: object
    content_type: str = "application/json"


@dataclass(frozen=True, kw_only=True)
class Raw:
    """Bytes of the stream as they are."""

    data: bytes


@dataclass(frozen=True, kw_only=True)
class Hold:
    """The stream goes on when `until` is set."""

    until: asyncio.Event


@dataclass(frozen=True, kw_only=True)
class Abort:
    """The connection is cut."""


Step: TypeAlias = "dict[str, Any] | Raw | Hold | Abort"
Reply: TypeAlias = "Status | Whole | Sequence[Step]"


def chunk(*, finish: str | None = None, index: int = 0, **delta: object) -> dict[str, Any]:
    """One chunk of a stream with this delta."""
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "choices": [{"index": index, "delta": delta, "finish_reason": finish}],
    }


def spoken(text: str, *, finish: str = "stop", size: int = 4) -> list[Step]:
    """A whole answer of this text, a few characters at a time."""
    pieces = [chunk(content=text[at : at + size]) for at in range(0, len(text), size)]
    return [chunk(role="assistant", content=None), *pieces, chunk(finish=finish)]


def call_part(
    index: int | None, *, id: object = None, name: str | None = None, arguments: object = None
) -> dict[str, Any]:
    """A chunk with a part of a call."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    part = {"type": "function", "function": function, "id": id, **({} if index is None else {"index": index})}
    return chunk(tool_calls=[part])


@dataclass
class OpenAIServer:
    """One server. `requests` are the bodies that came for the chat, `seen` every (method, path)."""

    shape: str = "other"
    models: list[str] = field(default_factory=lambda: ["tiny"])
    context: int = 2048
    key: str | None = None
    replies: list[Reply] = field(default_factory=list)
    strict_roles: bool = False
    refuses: dict[str, Status] = field(default_factory=dict)
    """By a key of the request's body: the error that it is answered with where it is there."""
    refuses_late: bool = False
    """A prompt that does not fit is told with status 200."""
    template: str = "{{ messages }}{% if enable_thinking %}<think>{% endif %}"
    show: dict[str, object] = field(default_factory=dict)
    running: list[dict[str, object]] = field(default_factory=list)
    more: dict[str, object] = field(default_factory=dict)
    """Added to each model's entry in the list."""
    listed: bool = True
    list_faults: list[Status] = field(default_factory=list)
    """What the next requests for the list are answered with."""
    prefix: str = "/v1"
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    seen: list[tuple[str, str]] = field(default_factory=list)
    left: int = 0
    """How many requests were left by the client before their end."""
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    port: int = 0
    _runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}{self.prefix}"

    async def start(self) -> None:
        application = web.Application(client_max_size=64 << 20)
        routes = application.router
        routes.add_get(f"{self.prefix}/models", self._models)
        routes.add_post(f"{self.prefix}/chat/completions", self._chat)
        if self.shape == "llama":
            routes.add_get("/props", self._props)
            routes.add_post("/apply-template", self._apply)
        if self.shape in ("llama", "vllm"):
            routes.add_post("/tokenize", self._tokenize)
        if self.shape == "ollama":
            routes.add_post("/api/show", self._show)
            routes.add_get("/api/ps", self._running)
        if self.shape == "lmstudio":
            routes.add_get("/api/v0/models/{name}", self._loaded)
        application.middlewares.append(self._door)
        self._runner = web.AppRunner(application, handler_cancellation=True, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await site.start()
        assert site._server is not None
        self.port = site._server.sockets[0].getsockname()[1]  # type: ignore[attr-defined]

    async def stop(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def until(self, condition: object) -> None:
        async with asyncio.timeout(10):
            while not condition():  # type: ignore[operator]
                self.changed.clear()
                await self.changed.wait()

    # ------------------------------------------------------------ underneath

    @web.middleware
    async def _door(self, request: web.Request, handler: Any) -> web.StreamResponse:
        self.seen.append((request.method, request.path))
        self.headers.append(dict(request.headers))
        self.changed.set()
        if self.key is not None and request.headers.get("Authorization") != f"Bearer {self.key}":
            given = request.headers.get("Authorization", "")
            return web.json_response({"error": {"message": f"Invalid API Key {given}", "code": 401}}, status=401)
        return await handler(request)  # type: ignore[no-any-return]

    async def _models(self, request: web.Request) -> web.Response:
        if self.list_faults:
            return self._answer(self.list_faults.pop(0))
        if not self.listed:
            return web.json_response({"error": {"message": "File Not Found", "code": 404}}, status=404)
        owner = {"llama": "llamacpp", "vllm": "vllm", "ollama": "library", "lmstudio": "organization_owner"}
        entry: dict[str, object] = {"object": "model", "owned_by": owner.get(self.shape, "someone"), **self.more}
        if self.shape == "vllm":
            entry["max_model_len"] = self.context
        return web.json_response({"object": "list", "data": [{"id": name, **entry} for name in self.models]})

    async def _props(self, request: web.Request) -> web.Response:
        settings = {"n_ctx": self.context, "params": {}}
        return web.json_response({"default_generation_settings": settings, "chat_template": self.template})

    async def _apply(self, request: web.Request) -> web.Response:
        return web.json_response({"prompt": self._prompt(await request.json())})

    async def _tokenize(self, request: web.Request) -> web.Response:
        body = await request.json()
        if self.shape == "vllm":
            return web.json_response({"count": self._tokens(self._prompt(body)), "max_model_len": self.context})
        return web.json_response({"tokens": list(range(self._tokens(body["content"])))})

    async def _show(self, request: web.Request) -> web.Response:
        return web.json_response(self.show)

    async def _running(self, request: web.Request) -> web.Response:
        return web.json_response({"models": self.running})

    async def _loaded(self, request: web.Request) -> web.Response:
        return web.json_response({"id": request.match_info["name"], "loaded_context_length": self.context})

    @staticmethod
    def _answer(status: Status) -> web.Response:
        if isinstance(status.body, dict):
            return web.json_response(status.body, status=status.status, headers=status.headers)
        text = str(status.body)
        return web.Response(text=text, status=status.status, headers=status.headers, content_type="text/html")

    @staticmethod
    def _prompt(body: Mapping[str, Any]) -> str:
        lines = [json.dumps(tool) for tool in body.get("tools", ())]
        for message in body["messages"]:
            calls = json.dumps(message["tool_calls"]) if "tool_calls" in message else ""
            lines.append(f"<{message['role']}>{message['content']}{calls}")
        return "\n".join(lines)

    @staticmethod
    def _tokens(text: str) -> int:
        return -(-len(text) // 4)

    def _fault(self, body: Mapping[str, Any]) -> Status | None:
        for name, status in self.refuses.items():
            if name in body:
                return status
        if self.models and self.shape == "ollama" and body["model"] not in self.models:
            return Status(
                status=404, body={"error": {"message": f'model "{body["model"]}" not found, try pulling it first'}}
            )
        if self.strict_roles:
            roles = [message["role"] for message in body["messages"]]
            talk = roles[1:] if roles[0] == "system" else roles
            plain = [
                message["role"]
                for message in body["messages"]
                if message["role"] in ("user", "assistant") and "tool_calls" not in message
            ]
            expected = list(itertools.islice(itertools.cycle(["user", "assistant"]), len(plain)))
            if "system" in talk or plain != expected:
                words = "After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."
                return Status(status=500, body={"error": {"code": 500, "message": words, "type": "server_error"}})
        tokens = self._tokens(self._prompt(body))
        if tokens >= self.context:
            return self._too_long(tokens, body)
        return None

    def _too_long(self, tokens: int, body: Mapping[str, Any]) -> Status:
        status = 200 if self.refuses_late else 400
        if self.shape == "vllm":
            words = (
                f"This model's maximum context length is {self.context} tokens. However, you requested "
                f"{tokens + body['max_tokens']} tokens ({tokens} in the messages, {body['max_tokens']} in the completion). "
                "Please reduce the length of the messages or completion."
            )
            return Status(
                status=status, body={"object": "error", "message": words, "type": "BadRequestError", "code": 400}
            )
        words = (
            f"request ({tokens} tokens) exceeds the available context size ({self.context} tokens), try increasing it"
        )
        error = {
            "code": 400,
            "message": words,
            "type": "exceed_context_size_error",
            "n_prompt_tokens": tokens,
            "n_ctx": self.context,
        }
        return Status(status=status, body={"error": error})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.requests.append(body)
        self.changed.set()
        reply: Reply | None = self._fault(body)
        if reply is None:
            reply = self.replies.pop(0) if self.replies else self._default(body)
        match reply:
            case Status():
                return self._answer(reply)
            case Whole(body=told, content_type=kind):
                return web.Response(text=json.dumps(told), content_type=kind)
            case _:
                return await self._stream(request, body, reply)

    def _default(self, body: Mapping[str, Any]) -> list[Step]:
        """Words for as long as is asked for, the fixed beginning of a grammar first."""
        text = WORDS
        if isinstance(grammar := body.get("grammar"), str):
            text, _ = json.JSONDecoder().raw_decode(grammar.partition("::= ")[2])
            return [chunk(content=text), chunk(content="Berlin"), chunk(content='"'), *self._end(body, 3, "stop")]
        pieces = [text[at : at + 4] for at in range(0, len(text), 4)]
        most = body["max_tokens"]
        said = [chunk(content=piece) for piece in itertools.islice(itertools.cycle(pieces), most)]
        return [*self._begin(body), *said, *self._end(body, most, "length")]

    def _begin(self, body: Mapping[str, Any]) -> list[Step]:
        tokens = self._tokens(self._prompt(body))
        first = chunk(role="assistant", content=None)
        if self.shape == "vllm":
            return [{**first, "usage": {"prompt_tokens": tokens, "completion_tokens": 0}}]
        if body.get("return_progress"):
            told = [{"total": tokens, "cache": 0, "processed": done, "time_ms": 1} for done in (tokens // 2, tokens)]
            return [first, *({**chunk(), "prompt_progress": progress} for progress in told)]
        return [first]

    def _end(self, body: Mapping[str, Any], made: int, finish: str) -> list[Step]:
        last = chunk(finish=finish)
        if not body.get("stream_options", {}).get("include_usage"):
            return [last]
        tokens = self._tokens(self._prompt(body))
        usage = {"prompt_tokens": tokens, "completion_tokens": made, "prompt_tokens_details": {"cached_tokens": 0}}
        return [last, {"choices": [], "usage": usage}]

    async def _stream(self, request: web.Request, body: Mapping[str, Any], steps: Sequence[Step]) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
        await answer.prepare(request)
        try:
            for step in steps:
                match step:
                    case Raw(data=data):
                        await answer.write(data)
                    case Hold(until=until):
                        await until.wait()
                    case Abort():
                        assert request.transport is not None
                        request.transport.abort()
                        return answer
                    case dict():
                        await answer.write(b"data: " + json.dumps(step).encode() + b"\n\n")
                await asyncio.sleep(0)
            if not any(isinstance(step, Raw) and b"[END]" in step.data for step in steps):
                await answer.write(b"data: [DONE]\n\n")
        except (asyncio.CancelledError, ConnectionError):
            self.left += 1
            self.changed.set()
            raise
        return answer


@asynccontextmanager
async def serving(**settings: Any) -> AsyncIterator[OpenAIServer]:
    """A server until the block ends."""
    server = OpenAIServer(**settings)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()
