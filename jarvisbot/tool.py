"""The seam of tools: `@tool` makes one, `Toolbox` is the only way to run one.

The agent holds a `Toolbox` and never a tool's function, so nothing can call around the policy gate.
"""

from __future__ import annotations

import asyncio
import enum
import inspect
import json
import logging
import re
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol, assert_never, get_type_hints

import msgspec
from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from jarvisbot.errors import BadArguments, ConfigError, JarvisError, ToolTimedOut
from jarvisbot.types import (
    Address,
    Allow,
    Arguments,
    Ask,
    Decision,
    Deny,
    FileRef,
    JsonValue,
    Principal,
    Source,
    ToolCall,
    ToolResult,
    ToolSpec,
    ToolSummary,
)

if TYPE_CHECKING:
    from jarvisbot.config import Config

__all__ = ["Gate", "Output", "Risk", "Tool", "ToolContext", "Toolbox", "tool", "tools_in"]

logger = logging.getLogger(__name__)


class Risk(enum.StrEnum):
    """How much harm a call can do. Arguments and taint may raise it, nothing lowers it."""

    READ = "R0"
    LOCAL = "R1"
    WRITE = "R2"
    EXTERNAL = "R3"
    DESTRUCTIVE = "R4"
    CREDENTIALS = "R5"


class ToolContext(msgspec.Struct, frozen=True, kw_only=True):
    """For whom and where a call runs. A tool that wants it names a parameter `context: ToolContext`."""

    principal: Principal
    at: Address
    turn: str
    now: datetime
    """UTC, at the start of the call."""
    zone: str = "UTC"
    """The person's time zone, an IANA name."""
    language: str = "en"
    """The reply's language."""


class Output(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool returns when plain text is not all there is."""

    text: str
    sources: tuple[Source, ...] = ()
    files: tuple[FileRef, ...] = ()


ToolFunction = Callable[..., Awaitable[str | Output]]

RESULT_CHARACTERS = 8_000
"""What a model reads of one result; the rest is left off."""
_ARGUMENTS = ConfigDict(extra="forbid", coerce_numbers_to_str=True, protected_namespaces=())
"""Unknown arguments are refused; a number where text is wanted, or text that says a number, means the same."""


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool: what the model is told, what people are told, and the function that only `Toolbox` calls."""

    spec: ToolSpec
    risk: Risk
    label: str
    """In words with its verb in the past, for tool rows: "Calculated"."""
    timeout_s: float
    requires_approval: bool
    taints: bool
    """Its result holds text of strangers."""
    arguments: type[BaseModel]
    function: ToolFunction
    wants_context: bool
    changes: bool = False
    """The same call may come to something else a moment later, so a repeated one is run again."""

    @property
    def name(self) -> str:
        """The name that models and people use."""
        return self.spec.name


class Gate(Protocol):
    """The policy, as far as the Toolbox sees it."""

    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        """Whether the call may run now."""


def tool(
    *,
    risk: Risk,
    label: str,
    timeout_s: float = 20.0,
    requires_approval: bool = False,
    taints: bool = False,
    changes: bool = False,
    name: str | None = None,
) -> Callable[[ToolFunction], Tool]:
    """Turns an async function into a `Tool`.

    The schema comes from the signature, the description from the docstring's first paragraph, each parameter's from its
    line in the `Args:` section. A parameter named `context` receives the `ToolContext` and is not shown to the model.
    """

    def made(function: ToolFunction) -> Tool:
        if not inspect.iscoroutinefunction(function):
            raise TypeError(f"{function.__qualname__} must be an async function to be a tool")
        documentation = inspect.getdoc(function)
        if not documentation:
            raise TypeError(f"{function.__qualname__} needs a docstring: it is what a model reads")
        described = _parameter_descriptions(documentation)
        hints = get_type_hints(function, include_extras=True)
        parameters = inspect.signature(function).parameters
        fields: dict[str, Any] = {}
        for parameter in parameters.values():
            if parameter.name == "context":
                continue
            if parameter.name not in hints or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
                raise TypeError(f"{function.__qualname__}: {parameter} must be one parameter with a type")
            default = ... if parameter.default is inspect.Parameter.empty else parameter.default
            fields[parameter.name] = (hints[parameter.name], default)
        tool_name = name or function.__name__
        arguments: type[BaseModel] = create_model(f"{tool_name}_arguments", __config__=_ARGUMENTS, **fields)
        return Tool(
            spec=ToolSpec(
                name=tool_name,
                description=documentation.split("\n\n", 1)[0].replace("\n", " "),
                parameters=_schema(arguments, described),
            ),
            risk=risk,
            label=label,
            timeout_s=timeout_s,
            requires_approval=requires_approval,
            taints=taints,
            changes=changes,
            arguments=arguments,
            function=function,
            wants_context="context" in parameters,
        )

    return made


def tools_in(module: ModuleType, config: Config) -> list[Tool]:
    """The tools of an add-on's module: its own values, and what its `create(config)` makes of the config, if anything."""
    found = [value for value in vars(module).values() if isinstance(value, Tool)]
    create: Callable[[Config], Tool | None] | None = vars(module).get("create")
    made = create(config) if create is not None else None
    return [*found, made] if made is not None else found


def _parameter_descriptions(documentation: str) -> dict[str, str]:
    _, found, section = documentation.partition("Args:\n")
    section = re.split(r"^\S", section, maxsplit=1, flags=re.MULTILINE)[0]
    indent = re.match(r"\s*", section)
    entry = rf"^{indent[0] if indent else ''}(\w+): (.+(?:\n{indent[0] if indent else ''}[ \t]+\S.*)*)"
    lines = re.findall(entry, section, re.MULTILINE) if found else []
    return {parameter: " ".join(text.split()) for parameter, text in lines}


def _schema(arguments: type[BaseModel], described: Mapping[str, str]) -> Mapping[str, JsonValue]:
    schema: dict[str, Any] = arguments.model_json_schema()
    properties = {
        key: {k: v for k, v in value.items() if k != "title"}
        | ({"description": described[key]} if key in described else {})
        for key, value in schema.get("properties", {}).items()
    }
    definitions = {"$defs": schema["$defs"]} if "$defs" in schema else {}
    return {"type": "object", "properties": properties, "required": schema.get("required", []), **definitions}


def normalised(call: ToolCall) -> str:
    """The call's name and arguments with case, spacing, empty values and key order taken out: equal means identical."""

    def flat(value: JsonValue) -> JsonValue:
        if isinstance(value, str):
            return " ".join(value.lower().split())
        if isinstance(value, Mapping):
            return {key: flat(inner) for key, inner in sorted(value.items()) if inner not in (None, "", [], {})}
        if isinstance(value, Sequence):
            return [flat(inner) for inner in value]
        return value

    return call.name + json.dumps(flat(call.arguments), ensure_ascii=False, sort_keys=True)


@dataclass(slots=True)
class Toolbox:
    """The tools of this bot behind the policy gate. State: none; each call stands alone."""

    tools: Iterable[Tool]
    gate: Gate
    clock: Callable[[], float] = time.monotonic
    _by_name: dict[str, Tool] = field(init=False)

    def __post_init__(self) -> None:
        self._by_name = {}
        for each in self.tools:
            if each.name in self._by_name:
                raise ConfigError(
                    f"Two tools are named {each.name!r}: {_place(self._by_name[each.name])}, {_place(each)}."
                )
            self._by_name[each.name] = each

    @property
    def names(self) -> tuple[str, ...]:
        """Every tool's name, sorted."""
        return tuple(sorted(self._by_name))

    def specs(self, names: Iterable[str] | None = None) -> tuple[ToolSpec, ...]:
        """What a model is told of the tools `names` (those that exist), or of all; sorted by name."""
        wanted = self.names if names is None else sorted(set(names) & set(self._by_name))
        return tuple(self._by_name[name].spec for name in wanted)

    def listed(self) -> tuple[ToolSummary, ...]:
        """Every tool as people are told of it, sorted by name."""
        return tuple(
            ToolSummary(
                spec=known.spec,
                label=known.label,
                risk=known.risk.value,
                timeout_s=known.timeout_s,
                requires_approval=known.requires_approval,
            )
            for known in map(self._by_name.__getitem__, self.names)
        )

    def label(self, name: str) -> str:
        """The tool in words; an unknown one by its own name."""
        known = self._by_name.get(name)
        return known.label if known else name

    def taints(self, name: str) -> bool:
        """Whether a result of this tool holds text of strangers."""
        known = self._by_name.get(name)
        return known is not None and known.taints

    def changes(self, name: str) -> bool:
        """Whether the same call of this tool may come to something else a moment later."""
        known = self._by_name.get(name)
        return known is not None and known.changes

    def permits(self, call: ToolCall, *, context: ToolContext, tainted: bool = False) -> Decision:
        """What the policy says to this call now; an unknown tool is denied with the names there are."""
        known = self._by_name.get(call.name)
        if known is None:
            return Deny(reason=f"There is no tool {call.name!r}. Tools: {', '.join(self.names) or 'none'}.")
        return self.gate.decide(tool=known, call=call, context=context, tainted=tainted)

    async def run(self, call: ToolCall, *, context: ToolContext, tainted: bool = False) -> ToolResult:
        """Policy, validation, time limit, run: always a result, never an error, but for cancellation.

        A refusal, bad arguments, a time-out and a failure become results with `ok` false that a model can read.
        """
        decision = self.permits(call, context=context, tainted=tainted)
        if isinstance(decision, Deny):
            return _failed(call, decision.reason)
        known = self._by_name[call.name]
        try:
            arguments = _validated(known, call.arguments)
            match decision:
                case Ask(summary=summary):  # a person's yes to arguments that do not fit would lead to nothing
                    return _failed(call, f"This needs a person's approval, which cannot be asked for here: {summary}")
                case Allow():
                    output = await self._run_allowed(known, arguments, context)
                case _:
                    assert_never(decision)
        except JarvisError as error:
            return _failed(call, f'Tool "{call.name}" failed: {error.user_message}')
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return _failed(call, f'Tool "{call.name}" failed: what it was waiting for was cancelled.')
        except Exception as error:  # a tool is an add-on: whatever it raises ends its call, not the turn
            logger.exception("tool_failed", extra={"tool": call.name, "conversation": context.at.key})
            return _failed(call, f'Tool "{call.name}" failed: {type(error).__name__}: {error}')
        if isinstance(output, str):
            output = Output(text=output)
        if not isinstance(output, Output):
            logger.error("tool_returned_no_text", extra={"tool": call.name, "conversation": context.at.key})
            return _failed(call, f'Tool "{call.name}" failed: it returned nothing that can be read.')
        text = output.text if len(output.text) <= RESULT_CHARACTERS else f"{output.text[:RESULT_CHARACTERS]}…"
        return ToolResult(call_id=call.id, text=text, sources=output.sources, files=output.files)

    async def _run_allowed(self, known: Tool, arguments: BaseModel, context: ToolContext) -> object:
        values = {key: getattr(arguments, key) for key in known.arguments.model_fields}
        if known.wants_context:
            values["context"] = context
        try:
            async with asyncio.timeout(known.timeout_s) as limit:
                return await known.function(**values)
        except TimeoutError as error:
            if not limit.expired():
                raise
            raise ToolTimedOut(f"it took longer than {known.timeout_s:g} seconds and was stopped.") from error


def _validated(known: Tool, arguments: Arguments) -> BaseModel:
    """The arguments as the tool takes them. Raises BadArguments.

    What does not fit is looked at once more as a small model may have meant it: text that is JSON as its value, null as
    not given.
    """
    try:
        return known.arguments.model_validate(arguments)
    except ValidationError as error:
        wrong = {problem["loc"][0] for problem in error.errors(include_url=False) if problem["loc"]}
        meant = {key: _meant(value) if key in wrong else value for key, value in arguments.items()}
        given = {key: value for key, value in meant.items() if not (key in wrong and value is None)}
        if given == arguments:
            raise BadArguments(_explain(error, known)) from error
        try:
            return known.arguments.model_validate(given)
        except ValidationError:
            raise BadArguments(_explain(error, known)) from error


def _meant(value: JsonValue) -> JsonValue:
    if not isinstance(value, str):
        return value
    try:
        decoded: JsonValue = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return decoded


def _place(known: Tool) -> str:
    return f"{known.function.__module__}.{known.function.__qualname__}"


def _failed(call: ToolCall, text: str) -> ToolResult:
    return ToolResult(call_id=call.id, text=text, ok=False)


def _explain(error: ValidationError, known: Tool) -> str:
    problems = "; ".join(
        f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False)
    )
    return f"bad arguments ({problems}). It takes: {', '.join(known.arguments.model_fields) or 'nothing'}."
