"""/retry: asks the last question again."""

from jarvisbot.command import CommandContext, command

__all__ = ["retry"]


@command(
    "retry", help="answer the last question again", german="die letzte Frage noch einmal beantworten", immediate=False
)
async def retry(context: CommandContext) -> str | None:
    """Nothing where there is a question to ask again: its answer follows."""
    if await context.controls.retry(context.at.key):
        return None
    return "Hier gibt es noch keine Frage." if context.language == "de" else "There is no question here yet."
