"""The config: what it warns of, and whether anybody may talk to the bot."""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot.check import Subject, good, note, problem
from jarvisbot.types import Finding

__all__ = ["check"]


async def check(subject: Subject) -> Sequence[Finding]:
    """One finding a warning, one for people and one for platforms that are missing."""
    config = subject.config
    found = [note("config", warning) for warning in config.warnings]
    platforms = [name for name, enabled in config.connectors.items() if enabled and name != "console"]
    if config.file is None:
        found.append(note("config", "There is none: only `jarvisbot chat` works.", "`jarvisbot init` writes one."))
        return found
    if not platforms:
        found.append(note("config", f"{config.file} names no platform.", "`jarvisbot init` adds one."))
    elif not (config.access.owners or config.access.admins or config.access.members):
        remedy = "Put yourself into owners of [access]; `jarvisbot init` does that."
        found.append(problem("config", "Nobody may talk to the bot: everybody is met with silence.", remedy))
    elif not config.access.owners:
        found.append(note("config", "Nobody owns the bot but the person at the console.", "See owners of [access]."))
    return found or [good("config", f"{config.file} can be used; platforms: {', '.join(platforms)}.")]
