"""Conversions worked out: values, readings, faults, and nothing that costs time or runs code."""

from __future__ import annotations

import subprocess
import sys
import time
from fractions import Fraction

import pytest

from jarvisbot.reading.arithmetic.faults import SumError
from jarvisbot.reading.units import UnitError, UnitErrorKind, convert, error_reply, reply
from jarvisbot.reading.units.conversion import _in_unit
from jarvisbot.reading.units.lookup import every_unit, named, nearest, unit_at
from jarvisbot.reading.units.unit import kind_of

LINES = [
    # value, from, to -> line; sizes from the SI brochure, NIST SP 811 and the Weights and Measures Act 1985
    ("3", "ft", "cm", "3 ft = 91.44 cm"),
    ("1", "mile", "feet", "1 mi = 5280 ft"),
    ("3", "Meilen", "Meter", "3 mi = 4828.032 m"),
    ("5", "km", "miles", "5 km ≈ 3.10686 mi"),
    ("1", "Seemeile", "km", "1 nmi = 1.852 km"),
    ("1", "Zoll", "mm", "1 in = 25.4 mm"),
    ("2", "yards", "m", "2 yd = 1.8288 m"),
    ("1", "light year", "km", "1 ly = 9460730472580.8 km"),
    ("1", "parsec", "ly", "1 pc ≈ 3.26156 ly"),
    ("5", "furlongs", "miles", "5 furlongs = 0.625 mi"),
    ("100", "°F", "Celsius", "100 °F ≈ 37.7778 °C"),
    ("100", "fahrenheit", "celsius", "100 °F ≈ 37.7778 °C"),
    ("-40", "°C", "°F", "-40 °C = -40 °F"),
    ("37.5", "C", "F", "37.5 °C = 99.5 °F"),
    ("0", "K", "°C", "0 K = -273.15 °C"),
    ("12", "stone", "kg", "12 stone = 76.20351816 kg"),
    ("5", "kg", "pounds", "5 kg ≈ 11.0231 lb"),
    ("1", "lb", "g", "1 lb = 453.59237 g"),
    ("1", "Pfund", "g", "1 Pfund = 500 g\nRead as German pounds of 500 g."),
    ("5", "kg", "Pfund", "5 kg = 10 Pfund\nRead as German pounds of 500 g."),
    ("1", "englisches Pfund", "g", "1 lb = 453.59237 g"),
    ("2", "Zentner", "kg", "2 Zentner = 100 kg\nRead as German hundredweights of 50 kg."),
    ("1", "Tonne", "kg", "1 t = 1000 kg"),
    ("1", "metric ton", "kg", "1 t = 1000 kg"),
    ("1", "ton", "kg", "1 short ton = 907.18474 kg\nRead as US tons of 907.18474 kg."),
    ("1", "long ton", "kg", "1 long ton = 1016.0469088 kg"),
    ("1", "troy ounce", "g", "1 ozt = 31.1034768 g"),
    ("8", "oz", "g", "8 oz = 226.796185 g"),
    ("8", "oz", "ml", "8 fl oz = 236.5882365 ml\nRead as US fluid ounces."),
    ("1.5", "l", "ml", "1.5 l = 1500 ml"),
    ("1", "gallon", "l", "1 gal = 3.785411784 l\nRead as US gallons."),
    ("1", "US gallon", "l", "1 gal = 3.785411784 l"),
    ("1", "imperial gallon", "l", "1 imperial gal = 4.54609 l"),
    ("1", "britische Gallone", "l", "1 imperial gal = 4.54609 l"),
    ("1", "imperial gallon", "pints", "1 imperial gal = 8 imperial pints\nRead as imperial pints."),
    ("1", "gallon", "pints", "1 gal = 8 pints\nRead as US gallons and US pints."),
    ("3", "EL", "ml", "3 Esslöffel = 45 ml\nRead as tablespoons of 15 ml."),
    ("1/2", "cup", "ml", "0.5 cups = 118.29411825 ml\nRead as US cups."),
    ("1/3", "cup", "tbsp", "1/3 cups ≈ 5.33333 tbsp\nRead as US cups and US tablespoons."),
    ("½", "Tasse", "ml", "0.5 Tassen = 125 ml\nRead as cups of 250 ml."),
    ("1", "m³", "l", "1 m³ = 1000 l"),
    ("1", "Hektar", "m²", "1 ha = 10000 m²"),
    ("1", "acre", "sq ft", "1 acre = 43560 ft²"),
    ("3", "Quadratmeter", "Quadratfuß", "3 m² ≈ 32.2917 ft²"),
    ("1", "cubic foot", "l", "1 ft³ = 28.316846592 l"),
    ("60", "mph", "km/h", "60 mph = 96.56064 km/h"),
    ("3", "Kilometer pro Stunde", "Meter pro Sekunde", "3 km/h ≈ 0.833333 m/s"),
    ("10", "knots", "km/h", "10 kn = 18.52 km/h"),
    ("5", "min/km", "km/h", "5 min/km = 12 km/h"),
    ("10", "l/100km", "mpg", "10 l/100 km ≈ 23.5215 mpg\nRead as US gallons."),
    ("30", "mpg", "liters per 100 km", "30 mpg ≈ 7.84049 l/100 km\nRead as US gallons."),
    ("10", "l/100 km", "miles per imperial gallon", "10 l/100 km ≈ 28.2481 imperial mpg"),
    ("2", "TB", "GiB", "2 TB ≈ 1862.65 GiB"),
    ("1", "GiB", "bytes", "1 GiB = 1073741824 B"),
    ("500", "mb", "GB", "500 MB = 0.5 GB"),
    ("100", "Mbps", "MB/s", "100 Mbit/s = 12.5 MB/s"),
    ("500", "Kalorien", "kJ", "500 kcal = 2092 kJ\nRead as food calories (kcal)."),
    ("1", "calorie", "J", "1 cal = 4.184 J\nRead as calories of 4.184 J."),
    ("1", "kWh", "MJ", "1 kWh = 3.6 MJ"),
    ("100", "PS", "kW", "100 PS = 73.549875 kW"),
    ("1", "hp", "W", "1 hp ≈ 745.7 W"),
    ("1", "atm", "hPa", "1 atm = 1013.25 hPa"),
    ("1", "bar", "psi", "1 bar ≈ 14.5038 psi"),
    ("180", "°", "rad", "180 ° ≈ 3.14159 rad"),
    ("90", "degrees", "turns", "90 ° = 0.25 turns"),
    ("20", "Grad", "Fahrenheit", "20 °C = 68 °F\nRead as degrees Celsius."),
    ("100", "degrees", "celsius", "100 °F ≈ 37.7778 °C\nRead as degrees Fahrenheit."),
    ("2", "weeks", "days", "2 weeks = 14 days"),
    ("1", "Jahr", "Tage", "1 year = 365 days\nRead as a year of 365 days."),
    ("90", "min", "h", "90 min = 1.5 h"),
    ("3000", "rpm", "Hz", "3000 rpm = 50 Hz"),
    ("1", "Nm", "J", "1 Nm = 1 J"),
    ("5 ft 3 in", "", "cm", "5 ft 3 in = 160.02 cm"),
    ("5 ft 3 in", "ft and in", "cm", "5 ft 3 in = 160.02 cm"),
    ("5'3\"", "", "cm", "5 ft 3 in = 160.02 cm"),
    ("5’ 3½″", "", "cm", "5 ft 3.5 in = 161.29 cm"),
    ("11 stone 4", "", "kg", "11 stone 4 lb = 71.66759446 kg"),
    ("2 Stunden 15 Minuten", "", "min", "2 h 15 min = 135 min"),
    ("3 ft", "ft", "cm", "3 ft = 91.44 cm"),
    ("180", "cm", "feet and inches", "180 cm ≈ 5 ft 10.8661 in"),
    ("152.4", "cm", "ft, in", "152.4 cm = 5 ft 0 in"),
    ("90", "Minuten", "Stunden und Minuten", "90 min = 1 h 30 min"),
    ("100000", "s", "days, hours and minutes", "100000 s ≈ 1 day 3 h 46.67 min"),
    ("1,5", "l", "ml", "1.5 l = 1500 ml"),
    ("1,500", "m", "km", "1500 m = 1.5 km"),
    ("1 000", "m", "km", "1000 m = 1 km"),
    ("1e3", "m", "km", "1000 m = 1 km"),
    ("two", "miles", "km", "2 mi = 3.218688 km"),
    ("half a", "mile", "m", "0.5 mi = 804.672 m"),
    ("1", "eV", "J", "1 eV = 1.602176634e-19 J"),
    ("-5", "m", "cm", "-5 m = -500 cm"),
]


@pytest.mark.parametrize(("value", "source", "target", "line"), LINES)
def test_a_measurement_becomes_its_line(value: str, source: str, target: str, line: str) -> None:
    assert convert(value, source, target).text == line


def test_no_inches_are_left_over_that_make_a_foot() -> None:
    assert convert("182.87999999", "cm", "feet and inches").text == "182.87999999 cm ≈ 6 ft 0 in"


@pytest.mark.parametrize(
    ("value", "source", "target", "kind", "part"),
    [
        ("5", "km", "kg", UnitErrorKind.INCOMPATIBLE, '"km" measures length and "kg" measures mass'),
        ("1", "MB", "°", UnitErrorKind.INCOMPATIBLE, "data"),
        ("1", "Hz", "rad", UnitErrorKind.INCOMPATIBLE, "frequency"),
        ("5", "lb/ft", "km", UnitErrorKind.NO_COMMON_KIND, "do not measure the same"),
        ("5", "kilometrs", "m", UnitErrorKind.UNKNOWN_UNIT_NEAR, "kilometer"),
        ("5", "km", "Meilan", UnitErrorKind.UNKNOWN_UNIT_NEAR, "meile"),
        ("5", "qqqqqqqq", "m", UnitErrorKind.UNKNOWN_UNIT, "qqqqqqqq"),
        ("5", "euros", "dollars", UnitErrorKind.CURRENCY, "Money"),
        ("5", "GBP", "kg", UnitErrorKind.CURRENCY, "Money"),
        ("5 €", "", "$", UnitErrorKind.CURRENCY, "Money"),
        ("$5", "$", "€", UnitErrorKind.CURRENCY, "Money"),
        ("5", "", "m", UnitErrorKind.MISSING_UNIT, "unit of the number is missing"),
        ("5", "km", "", UnitErrorKind.MISSING_TARGET, "convert into is missing"),
        ("", "km", "m", UnitErrorKind.MISSING_VALUE, "number to convert is missing"),
        ("a lot", "km", "m", UnitErrorKind.NOT_A_NUMBER, "a lot"),
        ("nan", "km", "m", UnitErrorKind.NOT_A_NUMBER, "nan"),
        ("inf", "km", "m", UnitErrorKind.NOT_A_NUMBER, "inf"),
        ("3 * 4", "km", "m", UnitErrorKind.NOT_A_NUMBER, "3 * 4"),
        ("5 kg", "lb", "g", UnitErrorKind.TWO_UNITS, "kg"),
        ("-300", "°C", "K", UnitErrorKind.ABSOLUTE_ZERO, "absolute zero"),
        ("-1", "K", "K", UnitErrorKind.ABSOLUTE_ZERO, "absolute zero"),
        ("0", "mpg", "l/100km", UnitErrorKind.DIVISION_BY_ZERO, "division by zero"),
        ("1e5000", "km", "m", UnitErrorKind.TOO_LARGE, "100 digits"),
        ("1e-5000", "km", "m", UnitErrorKind.TOO_LARGE, "100 digits"),
        ("9" * 101, "km", "m", UnitErrorKind.TOO_LARGE, "100 digits"),
        ("9" * 100_000, "km", "m", UnitErrorKind.TOO_LARGE, "100 digits"),
    ],
)
def test_what_cannot_be_converted_is_said_in_words(
    value: str, source: str, target: str, kind: UnitErrorKind, part: str
) -> None:
    with pytest.raises(UnitError) as caught:
        convert(value, source, target)
    assert caught.value.kind is kind
    assert part in caught.value.user_message


HOSTILE = [
    "__import__('os').system('true')",
    "m**9999999",
    "km^99999999999",
    "m" * 100_000,
    "(((((((((((((m",
    "m/s/s/s/s/s/s/s/s",
    "kilo" * 10_000 + "meter",
    "\x00",
    "m\nRead as 5 = 6",
    "{first}",
    "'; DROP TABLE units",
    "0x10 m",
    "square " * 20_000 + "m",
    "1 per " * 10_000 + "m",
    "²" * 1000,
    "°" * 1000,
    "lambda: 0",
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:12]))
def test_nothing_that_is_no_name_of_a_unit_is_read_as_one(text: str) -> None:
    for arguments in ((text, "m", "km"), ("5", text, "km"), ("5", "m", text)):
        with pytest.raises(UnitError) as caught:
            convert(*arguments)
        assert len(caught.value.user_message) < 300
        assert "\n" not in caught.value.user_message


@pytest.mark.speed
@pytest.mark.parametrize(
    "text", [*HOSTILE, "9" * 100_000, "1e99999999", "1/" * 50_000], ids=lambda text: repr(text[:12])
)
def test_no_argument_costs_noticeable_time(text: str) -> None:
    convert("1", "m", "km")
    for arguments in ((text, "m", "km"), ("5", text, "km"), ("5", "m", text)):
        spent = []
        for _ in range(3):
            begun = time.thread_time()
            with pytest.raises(UnitError):
                convert(*arguments)
            spent.append(time.thread_time() - begun)
        assert min(spent) < 0.1


def test_every_unit_is_worked_out_into_another_of_its_kind_and_back() -> None:
    by_kind: dict[object, list[object]] = {}
    for unit in sorted(every_unit(), key=lambda unit: unit.symbol):
        assert kind_of(unit.dimension), unit.symbol
        by_kind.setdefault(unit.dimension, []).append(unit)
        first = by_kind[unit.dimension][0]
        there = _in_unit(Fraction(7, 3), unit, first)  # type: ignore[arg-type]
        assert _in_unit(there, first, unit) == Fraction(7, 3), unit.symbol  # type: ignore[arg-type]


def test_no_name_stands_for_units_by_accident() -> None:
    allowed = {"ounce", "unze", "ton", "calorie", "kalorie", "degree", "degrees", "grad"}
    from jarvisbot.reading.units.lookup import _table

    for word, units in _table().words.items():
        kinds = {unit.dimension for unit in units}
        sizes = {(unit.parts, unit.factor) for unit in units}
        two_systems = {unit.system for unit in units} == {"us", "imperial"}
        assert len(sizes) == 1 or two_systems or word in allowed, word
        assert len(kinds) == 1 or word in {"ounce", "unze", "degree", "degrees", "grad"}, word


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("Metern", "m"),
        ("KILOMETERS", "km"),
        ("kilometres", "km"),
        ("Zentimeter", "cm"),
        ("Millilitern", "ml"),
        ("mg", "mg"),
        ("Mg", "mg"),
        ("MW", "MW"),
        ("mW", "mW"),
        ("Mb", "Mbit"),
        ("mb", "MB"),
        ("KB", "kB"),
        ("Füße", "ft"),
        ("Fuss", "ft"),
        ("lbs.", "lb"),
        ("Std.", "h"),
        ("m2", "m²"),
        ("m^3", "m³"),
        ("qm", "m²"),
        ("ccm", "cm³"),
        ("square miles", "mi²"),
        ("Kubikmeter", "m³"),
        ("° C", "°C"),
        ("℃", "°C"),
        ("μm", "µm"),
        ("mcg", "µg"),
        ("kWh", "kWh"),
        ("Kilowattstunden", "kWh"),
        ("light-years", "ly"),
        ("kilos", "kg"),
        ("Lichtjahren", "ly"),
        ("meters per second", "m/s"),
        ("ft/s", "ft/s"),
    ],
)
def test_a_unit_has_many_spellings(text: str, symbol: str) -> None:
    assert named(text)[0].symbol == symbol


@pytest.mark.parametrize(
    "text", ["", " ", "are", "mine", "a", "hello", "the", "per", "m/", "/s", "square", "kilo meter s"]
)
def test_other_words_are_no_units(text: str) -> None:
    assert named(text) == ()


def test_a_name_ends_at_its_last_whole_word() -> None:
    found = unit_at("3 square miles of land", 1)
    assert found is not None
    assert (found.text, found.units[0].symbol) == ("square miles", "mi²")
    assert unit_at("3 minions", 1) is None
    assert unit_at("3 m in cm", 1).text == "m"  # type: ignore[union-attr]


def test_names_near_a_mistyped_one_are_named() -> None:
    assert "kilometer" in nearest("kilometr")
    assert nearest("xqzxqzxqz") == ()


@pytest.mark.parametrize(
    ("line", "english", "german"),
    [
        ("3 ft = 91.44 cm", "3 ft = 91.44 cm", "3 ft = 91,44 cm"),
        ("1 mi = 5280 ft", "1 mi = 5,280 ft", "1 mi = 5.280 ft"),
        ("1.5 l = 1500 ml", "1.5 l = 1,500 ml", "1,5 l = 1.500 ml"),
        ("2 weeks = 14 days", "2 weeks = 14 days", "2 Wochen = 14 Tage"),
        ("0.5 weeks = 3.5 days", "0.5 weeks = 3.5 days", "0,5 Wochen = 3,5 Tage"),
        ("1 week = 7 days", "1 week = 7 days", "1 Woche = 7 Tage"),
        ("24 h = 1 day", "24 h = 1 day", "24 h = 1 Tag"),
        ("180 cm ≈ 5 ft 10.8661 in", "180 cm ≈ 5 ft 10.8661 in", "180 cm ≈ 5 ft 10,8661 in"),
        ("-40 °C = -40 °F", "-40 °C = -40 °F", "-40 °C = -40 °F"),
        (
            "10 l/100 km ≈ 23.5215 mpg\nRead as US gallons.",
            "10 l/100 km ≈ 23.5215 mpg (read as US gallons)",
            "10 l/100 km ≈ 23,5215 mpg (gelesen als US-Gallonen)",
        ),
        (
            "1 gal = 8 pints\nRead as US gallons and US pints.",
            "1 gal = 8 pints (read as US gallons and US pints)",
            "1 gal = 8 Pints (gelesen als US-Gallonen und US-Pints)",
        ),
        ("1 eV = 1.602176634e-19 J", "1 eV = 1.602176634e-19 J", "1 eV = 1.602176634e-19 J"),
        ("100000 s ≈ 1 day 3 h 46.6667 min", "100,000 s ≈ 1 day 3 h 46.6667 min", "100.000 s ≈ 1 Tag 3 h 46,6667 min"),
        ("no line at all", "no line at all", "no line at all"),
    ],
)
def test_a_line_is_said_in_the_language_of_the_reply(line: str, english: str, german: str) -> None:
    assert (reply(line, "en"), reply(line, "de")) == (english, german)


def test_every_note_has_a_german_wording() -> None:
    for unit in every_unit():
        if unit.note:
            line = f"1 {unit.symbol} = 1 {unit.symbol}\nRead as {unit.note[0]}."
            assert unit.note[1] in reply(line, "de")


@pytest.mark.parametrize(
    ("arguments", "german"),
    [
        (("5", "km", "kg"), "Das konnte ich nicht umrechnen: „km“ misst eine Länge und „kg“ misst eine Masse,"),
        (("5", "euros", "$"), "Das konnte ich nicht umrechnen: Geld rechne ich nicht um:"),
        (
            ("5", "kilometrs", "m"),
            "Das konnte ich nicht umrechnen: Die Einheit „kilometrs“ kenne ich nicht. Am ähnlichsten",
        ),
        (("1e999", "km", "m"), "Das konnte ich nicht umrechnen: Die Zahl ist zu groß"),
        (("-300", "C", "K"), "Das konnte ich nicht umrechnen: Kälter als der absolute Nullpunkt"),
    ],
)
def test_a_fault_is_explained_in_german(arguments: tuple[str, str, str], german: str) -> None:
    with pytest.raises(UnitError) as caught:
        convert(*arguments)
    text = f'Tool "convert" failed: {caught.value.user_message}'
    assert error_reply(text, "de").startswith(german)
    assert error_reply(text, "en") == f"I could not convert that: {caught.value.user_message}"


def test_a_unit_error_is_no_sum_error() -> None:
    assert not issubclass(UnitError, SumError)


def test_reading_a_message_imports_no_pint() -> None:
    code = (
        "import sys; from jarvisbot.reading.units import request_in; "
        "assert request_in('3 ft in cm', german=False); print('pint' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "False"
