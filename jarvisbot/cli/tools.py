"""`jarvisbot tools`: what there is, and one of them called by hand behind the same policy."""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Sequence

import msgspec

from jarvisbot import abilities
from jarvisbot.cli.printing import nearest, print_json, print_table, printable
from jarvisbot.clock import SystemClock, local_zone
from jarvisbot.config import Config
from jarvisbot.errors import ConfigError
from jarvisbot.policy.wording import risk_in_words
from jarvisbot.tool import ToolContext
from jarvisbot.types import Address, Arguments, Author, JsonValue, Principal, Role, ToolCall, ToolSpec

__all__ = ["call", "list_tools"]


def list_tools(config: Config, *, as_json: bool) -> None:
    """Prints every tool that is not switched off."""
    listed = abilities.toolbox(config, SystemClock()).listed()
    if as_json:
        print_json(
            [
                {
                    "name": tool.spec.name,
                    "label": tool.label,
                    "risk": tool.risk,
                    "description": tool.spec.description,
                    "parameters": tool.spec.parameters,
                    "timeout_s": tool.timeout_s,
                    "requires_approval": tool.requires_approval,
                }
                for tool in listed
            ]
        )
        return
    print_table(
        [
            (tool.spec.name, f"{tool.risk} {risk_in_words(tool.risk)}", tool.label, tool.spec.description)
            for tool in listed
        ]
    )


def call(config: Config, name: str, given: Sequence[str], *, as_json: bool) -> bool:
    """Calls a tool as the owner at the console and prints its result, or on stderr why there is none; whether there is one.

    Raises ConfigError for a tool that does not exist and for arguments that cannot be read.
    """
    toolbox = abilities.toolbox(config, SystemClock())
    known = {spec.name: spec for spec in toolbox.specs()}
    if name not in known:
        off = " It is switched off in [tools]." if name in config.tools.disabled else ""
        raise ConfigError(f"There is no tool {printable(name)!r}; {nearest(name, known)}.{off}")
    wanted = ToolCall(id="console", name=name, arguments=_arguments(given, known[name]))
    owner = Author(id="local", name="owner")
    context = ToolContext(
        principal=Principal(user="console:local", role=Role.OWNER, author=owner),
        at=Address(connector="console", room="tools"),
        turn="0",
        now=SystemClock().now(),
        zone=config.bot.timezone or local_zone(),
        language="en" if config.bot.language == "auto" else config.bot.language,
    )
    began = time.monotonic()
    result = asyncio.run(toolbox.run(wanted, context=context))
    seconds = time.monotonic() - began
    if as_json:
        sources = [msgspec.to_builtins(source) for source in result.sources]
        print_json({"ok": result.ok, "text": result.text, "sources": sources, "seconds": round(seconds, 3)})
    elif result.ok:
        print(printable(result.text))
        for source in result.sources:
            print(printable(f"{source.title}: {source.url}"))
    else:
        print(f"jarvisbot: {printable(result.text)}", file=sys.stderr)
    return result.ok


def _arguments(given: Sequence[str], spec: ToolSpec) -> Arguments:
    """`key=value` each, or one JSON object."""
    if len(given) == 1 and given[0].lstrip().startswith("{"):
        try:
            decoded: JsonValue = json.loads(given[0])
        except (ValueError, RecursionError) as error:
            raise ConfigError(f"The arguments are not JSON: {error}.") from error
        if isinstance(decoded, dict):
            return decoded
    values: dict[str, JsonValue] = {}
    for each in given:
        key, sign, value = each.partition("=")
        if not sign or not key.isidentifier():
            raise ConfigError(f"Write each argument as key=value, or all as one JSON object; {_takes(spec)}.")
        if key in values:
            raise ConfigError(f"{key} is given twice; {_takes(spec)}.")
        values[key] = value
    return values


def _takes(spec: ToolSpec) -> str:
    properties = spec.parameters.get("properties")
    names = list(properties) if isinstance(properties, dict) else []
    return f"{spec.name} takes {', '.join(names) or 'none'}"
