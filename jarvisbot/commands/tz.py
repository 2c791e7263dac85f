"""/tz: a person's time zone, shown and chosen."""

from __future__ import annotations

import asyncio
import re
import zoneinfo
from datetime import datetime, timedelta

from jarvisbot.command import CommandContext, command, quoted

__all__ = ["tz"]

AUTO = frozenset({"auto", "automatic", "automatisch", "off", "aus", "reset"})
_OFFSET = re.compile(r"(?:utc|gmt|z)?\s*[+-−±]\s*\d{1,2}(?::?\d{2})?", re.IGNORECASE)
_GERMAN_DAYS = ("Mo", "Di", "Mi", "Do", "Fr", "Sa", "So")


@command(
    "tz",
    help="your time zone, as /tz Europe/Berlin or /tz auto",
    german="deine Zeitzone, wie /tz Europe/Berlin oder /tz auto",
    immediate=False,
)
async def tz(context: CommandContext) -> str:
    """The person's zone with the time there, or the choice just made; what is unknown gets the nearest names."""
    german = context.language == "de"
    user = context.principal.user
    wanted = context.arguments
    if not wanted:
        chosen = (await context.choices.of(user)).zone
        return _holding(context, chosen, german=german) + _hint(german=german)
    if wanted.strip().casefold() in AUTO:
        await context.choices.set_zone(user, None)
        return _holding(context, None, german=german)
    names, nearest = await asyncio.to_thread(_looked_up, wanted)
    if len(names) != 1:
        return _unclear(wanted, names, nearest, german=german)
    await context.choices.set_zone(user, names[0])
    return _holding(context, names[0], german=german)


def _looked_up(wanted: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The zones that the words stand for, and those nearest to them; the names of all zones are read from the disk."""
    from jarvisbot.reading.zone_names import nearest_zones, zones_named

    names = zones_named(wanted)
    return names, () if names else nearest_zones(wanted)


def _holding(context: CommandContext, chosen: str | None, *, german: bool) -> str:
    name = chosen or context.choices.usual().zone or "UTC"
    local = context.now.astimezone(zoneinfo.ZoneInfo(name))
    if german:
        why = "von dir gewählt" if chosen else "die der Konfiguration oder dieses Rechners"
        return f"Deine Zeitzone ist `{name}` ({why}); dort ist es {_time(local, german=True)}."
    why = "your choice" if chosen else "the config's or this machine's"
    return f"Your time zone is `{name}` ({why}); it is {_time(local, german=False)} there."


def _time(local: datetime, *, german: bool) -> str:
    minutes = round((local.utcoffset() or timedelta()).total_seconds() / 60)
    hours, rest = divmod(abs(minutes), 60)
    offset = f"UTC{'-' if minutes < 0 else '+'}{hours}" + (f":{rest:02}" if rest else "")
    if german:
        return f"{local:%H:%M} Uhr, {_GERMAN_DAYS[local.weekday()]} {local.day}.{local.month}.{local.year} ({offset})"
    return f"{local:%H:%M}, {local:%a} {local.day} {local:%b} {local.year} ({offset})"


def _hint(*, german: bool) -> str:
    if german:
        return " Ändern: `/tz Europe/Berlin` oder `/tz auto`."
    return " To change it: `/tz Europe/Berlin` or `/tz auto`."


def _unclear(wanted: str, names: tuple[str, ...], nearest: tuple[str, ...], *, german: bool) -> str:
    shown = quoted(wanted, limit=40)
    if names:
        several = ", ".join(f"`/tz {name}`" for name in names)
        return f"{shown} steht für mehrere: {several}." if german else f"{shown} stands for several: {several}."
    if _OFFSET.fullmatch(wanted.strip()):
        if german:
            return f"{shown} kennt keine Sommerzeit: nenne eine Stadt der Zone, wie `/tz Europe/Berlin`."
        return f"{shown} knows no summer time: name a town of the zone, as in `/tz Europe/Berlin`."
    names_near = ", ".join(f"`/tz {name}`" for name in nearest)
    if german:
        near = f" Am nächsten: {names_near}." if nearest else " Schreib sie wie `/tz Europe/Berlin`."
        return f"Die Zeitzone {shown} kenne ich nicht.{near}"
    near = f" The nearest: {names_near}." if nearest else " Write it like `/tz Europe/Berlin`."
    return f"I know no time zone {shown}.{near}"
