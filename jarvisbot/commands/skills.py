"""/skills: which kinds of questions have a skill, and which of those do not run now."""

from __future__ import annotations

from collections.abc import Collection
from typing import assert_never

from jarvisbot.catalogue import Entry, Off
from jarvisbot.command import CommandContext, command
from jarvisbot.types import Role

__all__ = ["skills"]


@command(
    "skills", help="what I have skills for, and which are off", german="wofür ich Fähigkeiten habe, und welche aus sind"
)
async def skills(context: CommandContext) -> str:
    """One line a skill: those that run, then those that are off and why; broken ones are told to who can mend them."""
    german = context.language == "de"
    catalogue = context.abilities.catalogue
    tools = frozenset(tool.spec.name for tool in context.abilities.tools)
    on = [entry for entry in catalogue.entries if entry.off(tools) is None]
    off = [(entry, reason) for entry in catalogue.entries if (reason := entry.off(tools)) is not None]
    lines = [_heading(len(on), german=german), ""]
    lines += [f"- `{entry.skill.name}` – {entry.skill.told(german=german)}" for entry in on]
    if off:
        lines += ["", "Aus:" if german else "Off:", ""]
        lines += [
            f"- `{entry.skill.name}` – {_reason(entry, reason, context.abilities.disabled_tools, german=german)}"
            for entry, reason in off
        ]
    if catalogue.broken and context.principal.role.rank >= Role.ADMIN.rank:
        lines += [
            "",
            "Nicht zu gebrauchen (`jarvisbot skills check`):" if german else "Broken (`jarvisbot skills check`):",
            "",
        ]
        lines += [f"- {problem}" for broken in catalogue.broken for problem in broken.problems]
    return "\n".join(lines)


def _heading(count: int, *, german: bool) -> str:
    if not count:
        return "Keine Fähigkeit läuft." if german else "No skill runs."
    return f"Diese {count} laufen:" if german else f"These {count} run:"


def _reason(entry: Entry, reason: Off, disabled: Collection[str], *, german: bool) -> str:
    switched_off = "in der Konfiguration abgeschaltet" if german else "switched off in the config"
    match reason:
        case Off.DISABLED:
            return switched_off
        case Off.NO_TOOLS:
            wanted = entry.skill.tools or ()
            names = ", ".join(f"`{tool}` ({switched_off})" if tool in disabled else f"`{tool}`" for tool in wanted)
            if len(wanted) == 1:
                return f"ihr Werkzeug fehlt: {names}" if german else f"its tool is not there: {names}"
            return f"keines ihrer Werkzeuge ist da: {names}" if german else f"none of its tools is there: {names}"
        case _:
            assert_never(reason)
