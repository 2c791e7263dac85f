"""Sums, conversions and times of day that a draft has to give as the tool gave them."""

from __future__ import annotations

import pytest

from jarvisbot.agent.review import Check
from jarvisbot.store.turns import CallRecord
from tests.agent.test_review import checked, kinds, made


def calculated(line: str) -> CallRecord:
    return made("calculator", line, expression=line.partition(" =")[0])


LIMA = "Lima, Peru — 14:07 GMT-5 (UTC-5, America/Lima), Fri 25 Sep 2026"
BERLIN = "09:04 CEST (UTC+2, Europe/Berlin), Mon 28 Sep 2026"
MIDNIGHT = "Oslo, Norway — 00:30 CEST (UTC+2, Europe/Oslo), Fri 25 Sep 2026"
TOKYO = "Tokyo, Japan — 21:07 GMT+9 (UTC+9, Asia/Tokyo), Fri 25 Sep 2026"

RIGHT_SUMS = [
    ("7 * 8 = 56", "56"),
    ("7 * 8 = 56", "7 × 8 = 56"),
    ("7 * 8 = 56", "**56**"),
    ("7 * 8 = 56", "There are 156 of them."),
    ("1 + 2 = 3", "It is three."),
    ("1 + 2 = 3", "Das sind drei."),
    ("6 * 2 = 12", "Zwölf Stück."),
    ("4 * 5 = 20", "Zwanzig."),
    ("10 * 10 = 100", "One hundred."),
    ("1 / 2 = 0.5", ".5 of it"),
    ("1 / 2 = 0.5", "0,5"),
    ("12 - 40 = -28", "That is −28."),
    ("12 - 40 = -28", "That is minus 28."),
    ("12 - 40 = -28", "Das macht – 28."),
    ("2 * 617283.5 = 1234567", "1,234,567"),
    ("2 * 617283.5 = 1234567", "1.234.567"),
    ("2 * 617283.5 = 1234567", "1 234 567"),
    ("2 * 617283.5 = 1234567", "1’234’567"),
    ("2 * 617283.5 = 1234567", "1 234 567"),
    ("1000 * 1000 = 1000000", "One is 1 million."),
    ("1.5 * 1000000 = 1500000", "Das sind 1,5 Millionen."),
    ("4938.27 / 4 = 1234.5675", "1,234.57"),
    ("4938.27 / 4 = 1234.5675", "1.234,57"),
    ("4938.27 / 4 = 1234.5675", "1234,5675"),
    ("10 / 4 = 2.5", "2.50 euros each"),
    ("10 / 4 = 2.5", "2,50 €"),
    ("10 / 4 = 2.5", "It is 2.5."),
    ("50 / 7 ≈ 7.14285714286", "7.142857142857143"),
    ("50 / 7 ≈ 7.14285714286", "About 7.1428"),
    ("50 / 7 ≈ 7.14285714286", "7,1429 2"),
    ("2 / 3 ≈ 0.666666666667", "0.67"),
    ("2 / 3 ≈ 0.666666666667", "0.66"),
    ("12 / 80 = 0.15", "That is 15%."),
    ("12 / 80 = 0.15", "Das sind 15 Prozent."),
    ("1 / 3 ≈ 0.333333333333", "33.3 percent"),
    ("10 ^ 22 = 1e+22", "A lot."),
    ("1 / 3e9 ≈ 3.33333333333e-10", "Almost nothing."),
    ("sqrt(2025) = 45", "$\\sqrt{2025} = 45$"),
    ("80 + 25% = 100\nRead as 80 + 25 % of 80.", "100"),
]
WRONG_SUMS = [
    ("7 * 8 = 56", "54"),
    ("7 * 8 = 56", "7 × 8 = 54, sicher."),
    ("1 + 2 = 3", "It is four."),
    ("4 * 5 = 20", "Twenty-two."),
    ("12 - 40 = -28", "28"),
    ("12 - 40 = -28", "Das sind 28."),
    ("2 * 617283.5 = 1234567", "1.234.576"),
    ("2 * 617283.5 = 1234567", "About 1.2 million."),
    ("50 / 7 ≈ 7.14285714286", "7"),
    ("50 / 7 ≈ 7.14285714286", "About 7."),
    ("50 / 7 ≈ 7.14285714286", "7.41"),
    ("50 / 7 ≈ 7.14285714286", "Etwa 7,2."),
    ("50 / 7 ≈ 7.14285714286", "7.19"),
    ("10 / 4 = 2.5", "3"),
    ("10 / 4 = 2.5", "2.55"),
    ("10 / 4 = 2.5", "Es sind 2,7."),
    ("12 / 80 = 0.15", "That is 16%."),
    ("1000 * 1000 = 1000000", "Das sind 1 Milliarde."),
    ("4938.27 / 4 = 1234.5675", "1235"),
    ("3 * 3 = 9", "I do not know."),
    ("6 * 7 = 42", "Genau 24."),
]


@pytest.mark.parametrize(("line", "draft"), RIGHT_SUMS)
def test_a_value_may_be_written_in_many_ways(line: str, draft: str) -> None:
    assert checked(draft, [calculated(line)]) == ()


@pytest.mark.parametrize(("line", "draft"), WRONG_SUMS)
def test_another_value_is_wrong(line: str, draft: str) -> None:
    assert kinds(checked(draft, [calculated(line)])) == ["wrong-number"]


@pytest.mark.parametrize(
    ("line", "draft", "right"),
    [
        ("5 km = 3.10685596119 mi", "5 km are 3.11 miles.", True),
        ("5 km ≈ 3.10685596119 mi", "5 km sind 3,1 Meilen.", True),
        ("5 km = 3.10685596119 mi", "5 km are 3.2 miles.", False),
        ("20 °C = 68 °F", "68 degrees", True),
        ("20 °C = 68 °F", "It is 86 °F.", False),
        ("3 ft = 91.44 cm", "91,44 Zentimeter", True),
        ("3 ft = 91.44 cm", "90 cm", False),
        ("2 l = 2,000 ml", "2000 ml", True),
        ("1 gal = 3.785411784 l\nRead as US gallons.", "A US gallon has about 3.79 liters.", True),
        ("1 gal = 3.785411784 l\nRead as US gallons.", "A gallon has 4.55 liters.", False),
        ("1 Pfund = 500 g\nRead as German pounds of 500 g.", "Ein Pfund hat 453 g.", False),
        ("10 l/100 km ≈ 23.5215 mpg", "10 l/100 km are 23.5 mpg.", True),
        ("30 mpg ≈ 7.84049 l/100 km", "30 mpg sind 7,84 l/100 km.", True),
        ("30 mpg ≈ 7.84049 l/100 km", "30 mpg sind 9 l/100 km.", False),
        ("1 m² ≈ 10.7639 ft²", "About 10.76 square feet.", True),
        ("1 m² ≈ 10.7639 ft²", "About 9.3 square feet.", False),
        ("180 cm ≈ 5 ft 10.8661 in", "You are 5 ft 10.9 in tall.", True),
        ("180 cm ≈ 5 ft 10.8661 in", "That is 5 feet 11 inches.", True),
        ("180 cm ≈ 5 ft 10.8661 in", "Das sind 5 Fuß und 10,87 Zoll.", True),
        ("180 cm ≈ 5 ft 10.8661 in", "That is 5 feet 9 inches.", False),
        ("180 cm ≈ 5 ft 10.8661 in", "That is 6 feet 10.87 inches.", False),
        ("182 cm ≈ 5 ft 11.6535 in", "Almost 6 feet.", True),
        ("90 min = 1 h 30 min", "1 hour and 30 minutes", True),
        ("90 min = 1 h 30 min", "an hour and 20 minutes", False),
    ],
)
def test_a_conversion_is_read_like_a_sum(line: str, draft: str, right: bool) -> None:
    assert (checked(draft, [made("convert", line)]) == ()) is right


def test_the_first_of_several_missing_values_is_reported_once() -> None:
    calls = [calculated("7 * 8 = 56"), calculated("6 * 7 = 42"), calculated("9 * 9 = 81")]
    (finding,) = checked("The first is 56.", calls)
    assert "6 × 7 = 42" in finding.words
    assert "6 * 7 = 42" in finding.fix


def test_a_step_on_the_way_need_not_be_told() -> None:
    assert checked("144 eggs", [calculated("12 * 4 = 48"), calculated("48 * 3 = 144")]) == ()
    assert kinds(checked("144 eggs", [calculated("12 * 4 = 48"), calculated("12 * 12 = 144")])) == ["wrong-number"]


def test_lines_of_other_tools_and_of_failures_are_no_sums() -> None:
    assert checked("5", [made("read_page", "x = 4"), made("calculator", 'Tool "calculator" failed: 3 / 0 = 7')]) == ()


def test_the_finding_shows_a_conversion_in_the_language_of_the_reply() -> None:
    (finding,) = checked("Viel.", [made("convert", "1.5 weeks = 10.5 days")], question="Was ist das, bitte?")
    assert finding.words == "Gerechnet wurde 1,5 Wochen = 10,5 Tage, in der Antwort steht das so nicht."
    assert "1.5 weeks = 10.5 days" in finding.fix


def test_the_finding_shows_the_sum_as_people_write_it() -> None:
    (finding,) = checked("Viel.", [calculated("1234.5 * 2000 = 2469000")], question="Was ist das, bitte?")
    assert finding.kind is Check.WRONG_NUMBER
    assert finding.words == "Gerechnet wurde 1234,5 × 2000 = 2.469.000, in der Antwort steht das so nicht."


# ---------------------------------------------------------------- times of day

RIGHT_TIMES = [
    (LIMA, "14:07"),
    (LIMA, "It's 2:07 pm."),
    (LIMA, "It's 2:07 P.M. there."),
    (LIMA, "2.07 pm"),
    (LIMA, "2 pm"),
    (LIMA, "Es ist 14.07 Uhr."),
    (LIMA, "Es ist 14 Uhr 07."),
    (LIMA, "14 Uhr"),
    (LIMA, "Es ist 2 Uhr nachmittags."),
    (LIMA, "2 o'clock"),
    (LIMA, "2:07 in the afternoon"),
    (LIMA, "2026-09-25T14:07:00-05:00"),
    (LIMA, "14:07:31"),
    (LIMA, "It is 14:07 in Lima, so 21:07 in Berlin."),
    (LIMA, "Lima is at UTC-05:00."),
    (LIMA, "It is Friday."),
    (LIMA, "It is 2026."),
    (LIMA, "Der 25.09.2026."),
    (LIMA, "Am 25.09. ist Freitag."),
    (LIMA, "Early afternoon."),
    (BERLIN, "9:04"),
    (BERLIN, "09:04 Uhr"),
    (BERLIN, "9.04 Uhr"),
    (BERLIN, "9:04 am"),
    (BERLIN, "Kurz nach 9 Uhr morgens"),
    (MIDNIGHT, "12:30 am"),
    (MIDNIGHT, "0:30 Uhr"),
    (MIDNIGHT, "Es ist 0 Uhr 30."),
]
WRONG_TIMES = [
    (LIMA, "19:07"),
    (LIMA, "It's 2:07 am."),
    (LIMA, "2:08 pm"),
    (LIMA, "3 pm"),
    (LIMA, "15 Uhr"),
    (LIMA, "Es ist 14.17 Uhr."),
    (LIMA, "Es ist 14 Uhr 10."),
    (LIMA, "2026-09-25T19:07:00Z"),
    (LIMA, "5:07 in the evening."),
    (LIMA, "Es ist 7 Uhr abends."),
    (BERLIN, "07:04"),
    (BERLIN, "9:04 pm"),
    (BERLIN, "11:04 Uhr"),
    (BERLIN, "9:40"),
    (MIDNIGHT, "12:30"),
    (MIDNIGHT, "12:30 pm"),
]


@pytest.mark.parametrize(("clock", "draft"), RIGHT_TIMES)
def test_a_time_may_be_told_in_many_ways_or_not_at_all(clock: str, draft: str) -> None:
    assert checked(draft, [made("current_time", clock)]) == ()


@pytest.mark.parametrize(("clock", "draft"), WRONG_TIMES)
def test_another_time_is_wrong(clock: str, draft: str) -> None:
    (finding,) = checked(draft, [made("current_time", clock)])
    assert finding.kind is Check.WRONG_NUMBER
    assert clock in finding.fix


@pytest.mark.parametrize(
    ("draft", "right"),
    [
        ("14:07 in Lima and 21:07 in Tokyo", True),
        ("14:07 in Lima, seven hours later in Tokyo", True),
        ("14:07 in Lima and 22:07 in Tokyo", False),
        ("13:07 in Lima and 21:07 in Tokyo", False),
    ],
)
def test_two_clocks_are_told_apart(draft: str, right: bool) -> None:
    calls = [made("current_time", LIMA, place="Lima"), made("current_time", TOKYO, place="Tokyo")]
    assert (checked(draft, calls) == ()) is right


def test_the_later_look_at_the_same_clock_counts() -> None:
    calls = [made("current_time", BERLIN), made("current_time", BERLIN.replace("09:04", "09:05"))]
    assert checked("Es ist 9:05 Uhr.", calls) == ()
    assert kinds(checked("Es ist 9:04 Uhr.", calls)) == ["wrong-number"]


def test_the_time_of_an_appointment_is_not_taken_for_the_clocks() -> None:
    calls = [made("current_time", BERLIN), made("calendar", "Fri 15:00 Dentist")]
    assert checked("Your next appointment is at 15:00.", calls) == ()
    assert kinds(checked("Your next appointment is at 16:00.", calls)) == ["wrong-number"]


def test_a_sum_and_a_clock_are_reported_once() -> None:
    calls = [calculated("7 * 8 = 56"), made("current_time", BERLIN)]
    assert kinds(checked("54, and it is 11:04.", calls)) == ["wrong-number"]
