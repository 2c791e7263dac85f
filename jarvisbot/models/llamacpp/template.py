"""A model's own chat template, rendered in a sandbox, and what is learnt about it by asking it.

The environment is the one that `transformers` renders chat templates in: blocks trimmed, loop controls,
`raise_exception`, `strftime_now`, `tojson` without ASCII escapes, `generation` blocks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from jarvisbot.models.llamacpp.specials import BREAK
from jarvisbot.transcript import Call, Quirks, Tool, Turn, fitted, messages, tool_schemas

__all__ = ["CHATML", "BadTemplate", "Rendered", "Template"]

CHATML = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"
)
"""For a model that brings no template."""
OPENED = re.compile(r"<think>\s*\Z")
CLOSED = re.compile(r"</think>(\s*)\Z")
LEADING_TAG = re.compile(r"\s*(<[^<>\s]+>|\[/?[A-Z_]+\])")
"""What ends a turn where the template writes tags: `<|im_end|>`, `</s>`, `[/INST]`."""
CHANNELS = "<|channel|>"
"""In a template that writes it (gpt-oss) the end of a channel is not the end of the reply."""
FAILURES = (jinja2.TemplateError, TypeError, ValueError, LookupError, AttributeError, ArithmeticError, RecursionError)
"""What a template's code may raise while it runs."""


class BadTemplate(Exception):
    """The template cannot be read, or refuses a conversation; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
    """A prompt with break marks in it. `opened` is the beginning of a think block that the prompt ends with."""

    text: str
    opened: str = ""


class Template:
    """One template, compiled. `guard` breaks up special texts in every string that is not the template's own."""

    def __init__(
        self,
        source: str,
        *,
        guard: Callable[[str], str] = str,
        bos: str = "",
        eos: str = "",
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._guard = guard
        self._tokens = {"bos_token": bos, "eos_token": eos}
        self._source = source.replace(BREAK, "")
        try:
            self._template = _environment(now).from_string(self._source)
        except jinja2.TemplateError as error:
            raise BadTemplate(str(error)) from error
        self.quirks = self._ask()
        self.thinking = "enable_thinking" in source or "<think>" in source
        self.think_close = self._think_close()
        self.turn_end = ""
        """What ends a turn of the assistant, where the template writes a tag for it."""
        self.stops = self._stops()
        self.turn_tags = () if CHANNELS in self._source else self.stops
        """Those of them whose first token may itself end a reply: where there are channels, a reply has several parts."""

    def render(
        self, turns: Sequence[Turn], tools: Sequence[Tool] = (), *, thinking: bool = False, answer: bool = True
    ) -> Rendered:
        """The prompt for these turns, with the generation prompt if `answer`. Raises BadTemplate."""
        said = messages(fitted(turns, tools, self.quirks), self._guard)
        told = tool_schemas(tools, self._guard) if self.quirks.tools else []
        try:
            text = self._run(said, told, thinking=thinking, answer=answer)
        except FAILURES as error:
            raise BadTemplate(str(error)) from error
        opened = OPENED.search(text)
        return Rendered(text=text, opened=opened.group() if opened else "")

    def _run(self, said: object, told: object, *, thinking: bool, answer: bool) -> str:
        return self._template.render(
            messages=said,
            tools=told or None,
            xml_tools=told or None,  # SmolLM3's name for them
            documents=None,
            add_generation_prompt=answer,
            enable_thinking=thinking,
            thinking=thinking,  # Granite's and DeepSeek's name for it
            **self._tokens,
        )

    # ------------------------------------------------------------ what the template can do

    def _try(self, turns: Sequence[Turn], tools: Sequence[Tool] = (), *, thinking: bool = False) -> str:
        """What the template makes of these very turns; empty where it raises."""
        try:
            told = tool_schemas(tools, str)
            return self._run(messages(turns, str), told, thinking=thinking, answer=True)
        except FAILURES:
            return ""

    def _ask(self) -> Quirks:
        one, two, call, result = USER, OTHER_USER, CALLING, RESULT
        with_system, without = self._try([SYSTEM, one]), self._try([one])
        system = SYSTEM.text in with_system
        empty = self._try([Turn(role="system", text=""), one])
        own = system and len(without.partition(one.text)[0]) > len(empty.partition(one.text)[0]) > 0
        told = (TOOL,)
        called = self._try([one, call, result], told)
        answered = self._try([one, call, result, ANSWER, two], told)
        return Quirks(
            system=system,
            own_system=own or not without,
            tools=TOOL.description in self._try([one], told),
            calls=all(part in called for part in (call.calls[0].name, "probeargument", result.text)),
            many_calls=OTHER_RESULT.text in self._try([one, TWO_CALLS, result, OTHER_RESULT], told),
            repeats=all(t.text in self._try([one, two, ANSWER, OTHER_ANSWER, one]) for t in (one, two, OTHER_ANSWER)),
            user_after_tool=not answered or two.text in self._try([one, call, result, two], told),
        )

    def _think_close(self) -> str:
        """What ends a think block, as this template writes it."""
        closed = CLOSED.search(self._try([USER], thinking=False))
        return "\n</think>" + (closed.group(1) if closed else "\n\n")

    def _stops(self) -> tuple[str, ...]:
        """The texts that end a reply: the end of an assistant's turn, and the beginning of the user's next one."""
        talk = self._try([USER, ANSWER, OTHER_USER]) or self._try([SYSTEM, USER, ANSWER, OTHER_USER])
        between = talk.partition(ANSWER.text)[2].partition(OTHER_USER.text)[0]
        end = LEADING_TAG.match(between)
        if end is None:
            markers = [between.rstrip()]
        else:
            markers = [between[end.end() :].strip()]
            if CHANNELS not in self._source:
                self.turn_end = end.group(1)
                markers.append(self.turn_end)
        return tuple(marker for marker in markers if len(marker.strip()) > 2)


SYSTEM = Turn(role="system", text="probesystem")
USER = Turn(role="user", text="probeuser")
OTHER_USER = Turn(role="user", text="probenext")
ANSWER = Turn(role="assistant", text="probeanswer")
OTHER_ANSWER = Turn(role="assistant", text="probemore")
TOOL = Tool(
    name="probetool",
    description="probedescription",
    parameters={"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]},
)
FIRST_CALL = Call(id="1", name="probetool", arguments={"key": "probeargument"})
SECOND_CALL = Call(id="2", name="probetool", arguments={"key": "probeother"})
CALLING = Turn(role="assistant", text="", calls=(FIRST_CALL,))
TWO_CALLS = Turn(role="assistant", text="", calls=(FIRST_CALL, SECOND_CALL))
RESULT = Turn(role="tool", text="proberesult", name="probetool", call_id="1")
OTHER_RESULT = Turn(role="tool", text="probeoutcome", name="probetool", call_id="2")


# ---------------------------------------------------------------- the sandbox


class _GenerationBlock(Extension):
    """`{% generation %}…{% endgeneration %}`, which marks what a model is trained on and prints as it is."""

    tags = {"generation"}  # noqa: RUF012  jinja2 declares it so

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """The block's body."""
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _environment(now: Callable[[], datetime]) -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.loopcontrols", _GenerationBlock],
    )
    environment.filters["tojson"] = _to_json
    environment.globals["raise_exception"] = _raise_exception
    environment.globals["strftime_now"] = lambda form: now().strftime(form)
    return environment


def _raise_exception(message: object) -> None:
    raise jinja2.TemplateError(str(message))


def _to_json(
    value: object,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)
