"""/pair: letting in people whom the config does not name."""

from jarvisbot.command import CommandContext, command, quoted
from jarvisbot.types import Role

__all__ = ["pair"]


@command(
    "pair",
    help="let somebody in by the code they got, or list who was",
    german="jemanden mit seinem Code hereinlassen, oder zeigen, wer es wurde",
    role=Role.ADMIN,
)
async def pair(context: CommandContext) -> str:
    """`/pair CODE` lets in, `/pair list` lists."""
    german = context.language == "de"
    given = context.arguments.strip()
    if not given or given.casefold() in ("list", "liste"):
        return await _listed(context)
    member = await context.controls.pair(given, context.principal.user)
    if member is None:
        return (
            "Diesen Code kenne ich nicht, oder er ist abgelaufen. Einen neuen gibt es einen Tag nach dem letzten."
            if german
            else "I don't know that code, or it has expired. A new one is given a day after the last."
        )
    who = f"{quoted(member.name)} ({quoted(member.user)})"
    return f"{who} gehört jetzt dazu." if german else f"{who} is a member now."


async def _listed(context: CommandContext) -> str:
    german = context.language == "de"
    members = await context.controls.paired()
    if not members:
        return "Mit einem Code wurde noch niemand hereingelassen." if german else "Nobody was let in by a code so far."
    opening = "Mit einem Code hereingelassen:" if german else "Let in by a code:"
    lines = [f"- {quoted(member.name)} · {quoted(member.user)}" for member in members]
    return "\n".join([opening, "", *lines])
