"""/start: the greeting that Telegram sends for a person who opens the chat."""

from jarvisbot.command import CommandContext, command

__all__ = ["start"]


@command("start", help="a greeting", german="eine Begrüßung")
async def start(context: CommandContext) -> str:
    """Two sentences on what this is."""
    if context.language == "de":
        return "Hallo! Ich bin Jarvis und laufe auf dem Rechner meines Besitzers. Schreib mir einfach; /help zeigt die Befehle."
    return "Hello! I am Jarvis and run on my owner's own computer. Just write to me; /help lists the commands."
