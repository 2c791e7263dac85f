"""Long texts in the parts that a platform takes."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.render import measure_for
from jarvisbot.gateway.split import split
from jarvisbot.replay.rows import BadRow, Row, read

__all__ = ["PLATFORMS", "Platform", "parts", "split_row"]


class Platform(msgspec.Struct, frozen=True, kw_only=True):
    """What splitting has to know of a platform."""

    limit: int | None
    markup: Markup
    unit: Unit


PLATFORMS: Mapping[str, Platform] = {
    "console": Platform(limit=None, markup=Markup.MARKDOWN, unit=Unit.CODE_POINTS),
    "discord": Platform(limit=2_000, markup=Markup.DISCORD, unit=Unit.UTF16),
    "matrix": Platform(limit=22_000, markup=Markup.HTML, unit=Unit.UTF8),
    "telegram": Platform(limit=4_096, markup=Markup.ENTITIES, unit=Unit.UTF16),
}
"""As the connectors say of themselves, known here without their SDKs. An event of Matrix has 64 KiB. An
edit holds text and HTML twice, and encryption makes both a third longer, so 22,000 bytes of them are the most that fits."""


class _Fields(msgspec.Struct, frozen=True):
    text: str
    platform: str


def parts(row: Row) -> Mapping[str, object]:
    """The parts of the text for the platform, in order, each CommonMark."""
    return {"parts": list(split_row(row)[1])}


def split_row(row: Row) -> tuple[str, tuple[str, ...]]:
    """The platform's name and the parts of the text for it."""
    fields = read(row, _Fields)
    platform = PLATFORMS.get(fields.platform)
    if platform is None:
        raise BadRow(f"There is no platform {fields.platform!r}; there are {', '.join(PLATFORMS)}.")
    measure = measure_for(platform.markup, platform.unit)
    return fields.platform, split(fields.text, limit=platform.limit, measure=measure)
