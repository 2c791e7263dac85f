"""/new: a new talk."""

from jarvisbot.command import CommandContext, command

__all__ = ["new"]


@command(
    "new",
    help="begin a new talk; I forget what was said here",
    german="ein neues Gespräch; was hier gesagt wurde, vergesse ich",
    immediate=False,
)
async def new(context: CommandContext) -> str:
    """Says that the talk begins anew."""
    await context.controls.forget(context.at.key)
    return "Neues Gespräch." if context.language == "de" else "A new talk."
