"""/status: how the bot is doing."""

from jarvisbot.command import CommandContext, command

__all__ = ["status"]


@command(
    "status",
    help="how I am doing: model, queue, connections",
    german="wie es mir geht: Modell, Warteschlange, Verbindungen",
)
async def status(context: CommandContext) -> str:
    """The report of the running service."""
    return await context.controls.report(context.at.key, context.language)
