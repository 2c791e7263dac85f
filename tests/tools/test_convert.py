"""The converter as the model and the toolbox see it."""

from __future__ import annotations

import asyncio
import sys
import time

import pytest

from jarvisbot.tool import Risk, Toolbox
from jarvisbot.tools.convert import convert
from jarvisbot.types import Arguments, ToolCall, ToolResult
from tests.tools.test_calculator import CONTEXT, Open


async def run(arguments: Arguments) -> ToolResult:
    toolbox = Toolbox(tools=[convert], gate=Open())
    return await toolbox.run(ToolCall(id="c1", name="convert", arguments=arguments), context=CONTEXT)


def test_it_reads_only_and_tells_the_model_what_it_takes() -> None:
    assert convert.risk is Risk.READ
    assert convert.label == "Converted"
    assert not convert.taints
    properties = convert.spec.parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["value", "from_unit", "to_unit"]
    assert all(part["description"] for part in properties.values())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"value": "3", "from_unit": "ft", "to_unit": "cm"}, "3 ft = 91.44 cm"),
        ({"value": 3, "from_unit": "ft", "to_unit": "cm"}, "3 ft = 91.44 cm"),
        ({"value": 2.5, "from_unit": "Liter", "to_unit": "ml"}, "2.5 l = 2500 ml"),
        ({"value": "100 °F", "from_unit": "°F", "to_unit": "°C"}, "100 °F ≈ 37.7778 °C"),
        ({"value": "5", "from_unit": "kg", "to_unit": "Pfund"}, "5 kg = 10 Pfund\nRead as German pounds of 500 g."),
    ],
)
async def test_a_measurement_comes_back_as_a_line(arguments: Arguments, text: str) -> None:
    result = await run(arguments)
    assert (result.ok, result.text) == (True, text)


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"value": "5", "from_unit": "km", "to_unit": "kg"}, "measures length"),
        ({"value": "5", "from_unit": "kilometrs", "to_unit": "m"}, "The nearest are: kilomet"),
        ({"value": "5", "from_unit": "EUR", "to_unit": "USD"}, "Money is not converted"),
        ({"value": "many", "from_unit": "km", "to_unit": "m"}, "no number"),
        ({"value": "5", "from_unit": "km", "to_unit": ""}, "unit to convert into is missing"),
        ({"value": "5", "from_unit": "km"}, "to_unit"),
        ({"value": ["5"], "from_unit": "km", "to_unit": "m"}, "value"),
    ],
)
async def test_a_fault_is_a_result_the_model_can_read(arguments: Arguments, part: str) -> None:
    result = await run(arguments)
    assert not result.ok
    assert part in result.text


async def test_the_event_loop_goes_on_while_the_table_of_units_is_read() -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "pint"]:
        del sys.modules[name]
    from jarvisbot.reading.units import conversion

    conversion._registry.cache_clear()
    longest, beat = 0.0, time.perf_counter()
    working = asyncio.create_task(run({"value": "3", "from_unit": "ft", "to_unit": "cm"}))
    while not working.done():
        await asyncio.sleep(0.005)
        longest, beat = max(longest, time.perf_counter() - beat), time.perf_counter()
    assert (await working).text == "3 ft = 91.44 cm"
    assert longest < 1.0
