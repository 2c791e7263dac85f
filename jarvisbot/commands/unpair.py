"""/unpair: taking back that somebody was let in by a code."""

from jarvisbot.command import CommandContext, command, quoted
from jarvisbot.types import Role

__all__ = ["unpair"]


@command(
    "unpair",
    help="take back a /pair: /unpair telegram:123456789",
    german="ein /pair zurücknehmen: /unpair telegram:123456789",
    role=Role.ADMIN,
)
async def unpair(context: CommandContext) -> str:
    """Names the user that it was taken from."""
    german = context.language == "de"
    user = context.arguments.strip()
    if user and await context.controls.unpair(user):
        return f"{quoted(user)} gehört nicht mehr dazu." if german else f"{quoted(user)} is no member any more."
    return (
        "Diese Person wurde nicht mit einem Code hereingelassen. /pair list zeigt, wer es wurde; die anderen stehen in der "
        "Konfiguration."
        if german
        else "That person was not let in by a code. /pair list shows who was; the others are in the config."
    )
