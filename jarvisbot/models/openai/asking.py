"""A request as this server takes it: what every server knows, what its kind knows, and what it was found to refuse."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from jarvisbot import transcript
from jarvisbot.model import ModelRequest, Sampling
from jarvisbot.models.openai.constraints import Rule
from jarvisbot.models.openai.failures import Refusal
from jarvisbot.models.openai.server import Kind, Server
from jarvisbot.transcript import Message, Quirks, Turn
from jarvisbot.types import Item, ToolSpec

__all__ = ["Asking"]

logger = logging.getLogger(__name__)

_UNSENT = {0: "\ufffd"} | dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_SPECIAL = re.compile(
    r"<(?=[|｜][^<>\s|｜]{1,40}[|｜]>|/?s>|(?:start|end)_of_turn>|/?(?:bos|eos|pad|unk)>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])"
)
"""Where the control tokens of the families begin that servers run: they look for them in every text of a prompt."""
_BREAK = "\u200b"
_NEEDED = frozenset(
    {
        "model",
        "messages",
        "stream",
        "tools",
        "max_tokens",
        "max_completion_tokens",
        "grammar",
        "structured_outputs",
        "ebnf",
    }
    | {"regex"}
)
"""What is never left out of a request because a server complains about it; the rest only makes answers better."""
_ABOUT_TOOLS = r"\btools?\b|tool[-_ ]?(?:call|choice|use)|\bfunctions?\b|function[-_ ]call|--jinja"
_ABOUT_ORDER = r"alternat|roles? must|conversation roles|unexpected role|role order|invalid role"
_ABOUT_SYSTEM = (
    r"system (?:role|message|prompt)s?(?: is| are)? ?(?:not|un)|(?:not|un)\s?support\w*.{0,30}system|no system role"
)


@dataclass(slots=True)
class Asking:
    """Builds requests for one server. State: what the server was found to refuse, until the bot ends.

    `tools` is "native", "prompt" or "off", as it is now; `adapts`: it may become "prompt".
    """

    tools: str
    adapts: bool
    quirks: Quirks = field(
        default_factory=lambda: Quirks(tools=True, calls=True, many_calls=True, repeats=False, user_after_tool=True)
    )
    refused: set[str] = field(default_factory=set)
    limit_name: str = "max_tokens"

    def messages(self, items: Sequence[Item], tools: Sequence[ToolSpec], words: str = "") -> list[Message]:
        """The items as this server takes them: one system message first, neighbours of one role joined, always a user."""
        native = self.tools == "native"
        quirks = self.quirks if native else replace(self.quirks, tools=False, calls=False)
        turns = list(transcript.turns_of(items, clean))
        if words:
            turns.append(Turn(role="user", text=words))
        fitted = transcript.fitted(turns, transcript.tools_of(self.offered(tools), clean), quirks)
        made = transcript.messages(fitted, _as_it_is)
        for message in made:
            for call in _dicts(message.get("tool_calls")):
                for function in _dicts([call.get("function")]):
                    function["arguments"] = json.dumps(function["arguments"], ensure_ascii=False)
        return made

    def offered(self, tools: Sequence[ToolSpec]) -> Sequence[ToolSpec]:
        """The tools, where the config lets them be offered at all."""
        return () if self.tools == "off" else tools

    def schemas(self, tools: Sequence[ToolSpec]) -> list[Message]:
        """The tools as they stand in a request; none where they are told in words."""
        offered = self.offered(tools) if self.tools == "native" else ()
        return transcript.tool_schemas(transcript.tools_of(offered, clean), _as_it_is)

    def body(
        self, request: ModelRequest, server: Server, rule: Rule, *, thinking: bool, max_tokens: int
    ) -> Mapping[str, object]:
        """The request's JSON, without what the server refused before."""
        body: dict[str, object] = {
            "model": server.model,
            "messages": self.messages(request.items, request.tools, rule.words),
            "stream": True,
            self.limit_name: max_tokens,
            "stream_options": _usage(server.kind),
            **_sampled(request.sampling, server.kind),
            **_thought(thinking, request.think_tokens, server),
            **rule.parameters,
        }
        if schemas := self.schemas(request.tools):
            body["tools"] = schemas
        if server.kind is Kind.LLAMA:
            body["return_progress"] = True
        return {name: value for name, value in body.items() if name not in self.refused}

    def learn(self, refusal: Refusal, body: Mapping[str, object]) -> bool:
        """Whether the refusal says something about the request that can be done without; then the next one is different."""
        if refusal.status not in (400, 404, 405, 415, 422, 500, 501):
            return False
        if self.limit_name in body and refusal.about(r"max_completion_tokens") and self.limit_name == "max_tokens":
            self.limit_name = "max_completion_tokens"
            return self._noted("limit", refusal)
        if (name := refusal.names([name for name in body if name not in _NEEDED])) is not None:
            self.refused.add(name)
            return self._noted(name, refusal)
        if self.adapts and self.tools == "native" and self._spoke_of_tools(body) and refusal.about(_ABOUT_TOOLS):
            self.tools = "prompt"
            logger.warning("model_takes_no_tools", extra={"reason": refusal.shown})
            return True
        if refusal.about(_ABOUT_ORDER):
            if self.quirks.user_after_tool:
                self.quirks = replace(self.quirks, user_after_tool=False)
                return self._noted("order", refusal)
            if self.quirks.calls:
                self.quirks = replace(self.quirks, calls=False)
                return self._noted("calls", refusal)
        if self.quirks.system and refusal.about(_ABOUT_SYSTEM):
            self.quirks = replace(self.quirks, system=False)
            return self._noted("system", refusal)
        return False

    @staticmethod
    def _noted(what: str, refusal: Refusal) -> bool:
        logger.info("model_request_adapted", extra={"without": what, "reason": refusal.shown})
        return True

    @staticmethod
    def _spoke_of_tools(body: Mapping[str, object]) -> bool:
        messages = body["messages"]
        told = isinstance(messages, list) and any(
            isinstance(message, dict) and (message.get("role") == "tool" or "tool_calls" in message)
            for message in messages
        )
        return "tools" in body or told


def clean(text: str) -> str:
    """The text as it may be sent: no NUL, no lone surrogate, and no control token.

    Whoever writes such a token, a page as well as a person, has written its letters and no more: a space without width breaks
    it up.
    """
    return _SPECIAL.sub(lambda begins: begins[0] + _BREAK, text.translate(_UNSENT))


def _as_it_is(text: str) -> str:
    return text


def _dicts(value: object) -> list[dict[str, object]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _usage(kind: Kind) -> Mapping[str, object]:
    """vLLM can tell the prompt's tokens with the first chunk."""
    return {"include_usage": True, **({"continuous_usage_stats": True} if kind in (Kind.VLLM, Kind.SGLANG) else {})}


def _sampled(sampling: Sampling, kind: Kind) -> Mapping[str, object]:
    """The sampling, by the names that this kind of server knows."""
    known: dict[str, object] = {"temperature": sampling.temperature, "top_p": sampling.top_p}
    if sampling.seed is not None:
        known["seed"] = sampling.seed
    if kind in (Kind.LLAMA, Kind.LM_STUDIO):
        return {**known, "top_k": sampling.top_k, "repeat_penalty": sampling.repetition}
    if kind in (Kind.VLLM, Kind.SGLANG, Kind.OPENROUTER):
        return {**known, "top_k": sampling.top_k, "repetition_penalty": sampling.repetition}
    return known


def _thought(thinking: bool, most: int | None, server: Server) -> Mapping[str, object]:
    """Reasoning on or off, in the words of this kind of server; a server of no known kind is told nothing."""
    match server.kind:
        case Kind.LLAMA | Kind.VLLM | Kind.SGLANG:
            return {"chat_template_kwargs": {"enable_thinking": thinking}}
        case Kind.OLLAMA:
            return {} if thinking else {"reasoning_effort": "none"}
        case Kind.OPENROUTER if thinking:
            return {"reasoning": {"enabled": True} if most is None else {"max_tokens": most}}
        case Kind.OPENROUTER:
            return {"reasoning": {"enabled": False}} if server.thinking else {}
        case _:
            return {}
