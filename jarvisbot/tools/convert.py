"""Units converted exactly for models that cannot count."""

from __future__ import annotations

import asyncio

from jarvisbot.tool import Risk, tool

__all__ = ["convert"]


@tool(risk=Risk.READ, label="Converted", timeout_s=20.0)
async def convert(value: str, from_unit: str, to_unit: str) -> str:
    """Converts a measurement into another unit: length, weight, volume, temperature, speed, time, data, energy and more.

    The result is the line "3 ft = 91.44 cm", with ≈ where the value is rounded; how an ambiguous name was read is on a second
    line. Money is refused. The first call loads the table of units, half a second of a processor. Raises UnitError.

    Args:
        value: The number, such as 3 or 2.5.
        from_unit: The unit of the number, such as ft, Meilen or °F.
        to_unit: The unit that is asked for, such as cm or Celsius.
    """
    return await asyncio.to_thread(_converted, value, from_unit, to_unit)


def _converted(value: str, from_unit: str, to_unit: str) -> str:
    from jarvisbot.reading.units import convert as worked_out  # on use: its tables take a while to import

    return worked_out(value, from_unit, to_unit).text
