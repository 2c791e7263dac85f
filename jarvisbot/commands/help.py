"""/help: what the bot does and which commands there are."""

from jarvisbot.command import CommandContext, command

__all__ = ["help_command"]


@command("help", help="what I do and which commands there are", german="was ich tue und welche Befehle es gibt")
async def help_command(context: CommandContext) -> str:
    """The commands this person may use, one a line."""
    german = context.language == "de"
    opening = "Schreib mir einfach. Befehle:" if german else "Just write to me. Commands:"
    lines = [
        f"- `/{known.name}` – {known.german if german else known.help}"
        for known in sorted(context.commands, key=lambda known: known.name)
        if context.principal.role.rank >= known.role.rank
    ]
    return "\n".join([opening, "", *lines])
