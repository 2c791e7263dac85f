"""The clock and the calendar, here and everywhere, for models that have neither."""

from __future__ import annotations

import asyncio

from jarvisbot.tool import Risk, ToolContext, tool

__all__ = ["current_time"]


@tool(risk=Risk.READ, label="Checked the clock", timeout_s=10.0, changes=True)
async def current_time(context: ToolContext, place: str = "", at: str = "", to: str = "") -> str:
    """Tells the time, date and time zone, here or at a place; turns a local time into another zone's; tells a date's weekday.

    Each clock is a line "[Place — ]HH:MM ABBR (UTC±H, Zone), Wkd D Mon YYYY"; a local time that comes twice has two. A date
    alone is a line with its weekday and calendar week. Raises ClockError, which says what to ask the person.

    Args:
        place: A town, country or time zone; empty for here. Several may be named, parted by "and".
        at: A local time and/or date there, such as "14:30", "2026-10-25 02:30" or "3 weeks after 2026-05-01"; empty for now.
        to: A place or time zone to turn the time into.
    """
    from jarvisbot.reading.timekeeping import told  # on use, as its tables are

    return await asyncio.to_thread(told, place, at, to, now=context.now, zone=context.zone, language=context.language)
