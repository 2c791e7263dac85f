"""The installed system unit beside the one that this release would write."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jarvisbot.check import Subject, good, note
from jarvisbot.systemd.unit import NAME, provenance
from jarvisbot.types import Finding

__all__ = ["check"]

AGAIN = "`jarvisbot service install` writes it anew."


async def check(subject: Subject) -> Sequence[Finding]:
    """Whether the unit is another release's, or was changed by hand."""
    path = subject.root / "etc/systemd/system" / NAME
    if not path.exists():
        return [good("unit", "jarvisbot is not installed as a service.")]
    found = provenance(await asyncio.to_thread(path.read_text, "utf-8"))
    if not found.ours:
        return [note("unit", f"{path} was not written by `jarvisbot service install`.", AGAIN)]
    if not found.intact:
        return [note("unit", f"{path} was changed by hand; a drop-in is the place for that.", f"systemctl edit {NAME}")]
    if not found.current:
        return [note("unit", f"{path} is another release's.", AGAIN)]
    return [good("unit", f"{path} is as this release writes it.")]
