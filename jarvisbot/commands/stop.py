"""/stop: ends the running answer and empties the queue."""

from jarvisbot.command import CommandContext, command

__all__ = ["stop"]


@command(
    "stop", help="stop answering and drop what waits", german="die laufende Antwort anhalten und verwerfen, was wartet"
)
async def stop(context: CommandContext) -> str:
    """Says how many messages that ended."""
    count = await context.controls.stop(context.at.key, before=context.order)
    if context.language == "de":
        return f"Angehalten ({count})." if count else "Es läuft gerade nichts."
    return f"Stopped ({count})." if count else "Nothing is running."
