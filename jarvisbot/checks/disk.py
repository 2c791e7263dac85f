"""Room on the disk of the data folder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jarvisbot.check import Subject, good, note, problem
from jarvisbot.model_files.machine import MARGIN_BYTES, free_bytes, size
from jarvisbot.types import Finding

__all__ = ["check"]

COMFORT_BYTES = 1_000_000_000


async def check(subject: Subject) -> Sequence[Finding]:
    """Below 64 MB the database may stop; below 1 GB a model or a backup will not fit."""
    free = await asyncio.to_thread(free_bytes, subject.data_folder)
    where = f"{size(free)} free where {subject.data_folder} lies"
    if free < MARGIN_BYTES:
        return [problem("disk", f"Only {where}: new messages are refused soon.", "Free some disk space.")]
    if free < COMFORT_BYTES:
        return [note("disk", f"Only {where}: there is no room for another model.")]
    return [good("disk", f"{where}.")]
