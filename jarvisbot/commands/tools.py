"""/tools: what the model may use, and how much harm it can do."""

from __future__ import annotations

from jarvisbot.command import CommandContext, command
from jarvisbot.policy.wording import risk_in_words

__all__ = ["tools"]


@command("tools", help="my tools, and what each may do", german="meine Werkzeuge, und was jedes darf")
async def tools(context: CommandContext) -> str:
    """One line a tool: its name, its words, its class of risk in words, what it does."""
    german = context.language == "de"
    offered = context.abilities.tools
    if not offered:
        return "Ich habe gerade kein Werkzeug." if german else "I have no tool at the moment."
    asks = ", fragt vorher" if german else ", asks first"
    lines = [
        f"- `{tool.spec.name}` („{tool.label}“, {risk_in_words(tool.risk, german=True)}{asks if tool.requires_approval else ''})"
        f" – {tool.spec.description}"
        if german
        else f"- `{tool.spec.name}` (“{tool.label}”, {risk_in_words(tool.risk)}{asks if tool.requires_approval else ''})"
        f" – {tool.spec.description}"
        for tool in offered
    ]
    return "\n".join(["Meine Werkzeuge:" if german else "My tools:", "", *lines])
