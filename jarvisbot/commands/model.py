"""/model: which model answers and where words go; owners may choose another one."""

from jarvisbot.command import CommandContext, command
from jarvisbot.types import Role

__all__ = ["model"]


@command(
    "model",
    help="which model answers and where words go; owners choose another one by its name",
    german="welches Modell antwortet und wohin Worte gehen; Besitzer wählen ein anderes bei seinem Namen",
)
async def model(context: CommandContext) -> str:
    """The model that answers, after the change if one was asked for."""
    name = context.arguments.strip()
    if not name:
        return await context.controls.models(context.language)
    if context.principal.role.rank < Role.OWNER.rank:
        german = context.language == "de"
        return "Ein anderes Modell wählen nur Besitzer." if german else "Only owners choose another model."
    return await context.controls.choose_model(name, context.language)
