"""Expressions and their exact values, strict and tolerant, and every fault they can have."""

from __future__ import annotations

import json
import time
import tracemalloc
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from jarvisbot.errors import BadArguments
from jarvisbot.reading.arithmetic import SumError, SumErrorKind, evaluate

ROWS: list[dict[str, Any]] = [
    json.loads(line)
    for line in (Path(__file__).parents[1] / "cases" / "tools.jsonl").read_text(encoding="utf-8").splitlines()
]


def rows(kind: str) -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in ROWS if row["kind"] == kind]


def fault(expression: str, *, lenient: bool = False) -> SumError:
    with pytest.raises(SumError) as raised:
        evaluate(expression, lenient=lenient)
    return raised.value


@pytest.mark.parametrize("row", rows("calculator"))
def test_a_strict_expression_gives_its_line_or_its_class_of_fault(row: dict[str, Any]) -> None:
    if "expect" in row:
        assert evaluate(row["expression"]).line == row["expect"]
        return
    error = fault(row["expression"])
    classes = row["error_class"] if isinstance(row["error_class"], list) else [row["error_class"]]
    assert error.kind in classes
    if row.get("error_detail") is not None:
        assert error.detail == row["error_detail"]


@pytest.mark.parametrize("row", rows("calculator_lenient"))
def test_a_tolerant_expression_gives_its_value_or_a_fault_with_a_hint(row: dict[str, Any]) -> None:
    if row.get("error"):
        assert "arithmetic" in fault(row["expression"], lenient=True).user_message
        return
    assert Fraction(evaluate(row["expression"], lenient=True).value_text) == Fraction(str(row["expect_value"]))


STRICT = [
    ("2 + 3 * 4", "= 14"),
    ("-3^2", "= -9"),
    ("(-3)^2", "= 9"),
    ("2^3^2", "= 512"),
    ("2 ** 10", "= 1024"),
    ("2^-1^2", "= 0.5"),
    ("-2^-2", "= -0.25"),
    ("--5", "= 5"),
    ("- -5 + +3", "= 8"),
    ("5 * -3", "= -15"),
    ("5 - 2 - 1", "= 2"),
    ("12 / 4 * 3", "= 9"),
    ("17 % 5", "= 2"),
    ("-7 % 3", "= -1"),
    ("5.5 % 2", "= 1.5"),
    ("2 * 7 % 4", "= 2"),
    (".5 + .25", "= 0.75"),
    ("5. + 1", "= 6"),
    ("1e3 + 1", "= 1001"),
    ("1.5E-3 * 2", "= 0.003"),
    ("0.1 + 0.2", "= 0.3"),
    ("1.1 * 3", "= 3.3"),
    ("19.99 * 3", "= 59.97"),
    ("1e16 + 1", "= 10000000000000001"),
    ("2^64", "= 18446744073709551616"),
    ("10 ^ 22", "= 10000000000000000000000"),
    ("1 / 3", "≈ 0.333333333333"),
    ("2 / 3", "≈ 0.666666666667"),
    ("10 / 3", "≈ 3.33333333333"),
    ("22 / 7", "≈ 3.14285714286"),
    ("1/3 + 1/3 + 1/3", "= 1"),
    ("1 / 64", "= 0.015625"),
    ("1 / 10000000", "= 1e-7"),
    ("1 / 3 / 10^8", "≈ 3.33333333333e-9"),
    ("123456789012345 / 10", "= 12345678901234.5"),
    ("1234567890123456 / 10", "≈ 123456789012000"),
    ("0 * 5", "= 0"),
    ("-0", "= 0"),
    ("0 ^ 0", "= 1"),
    ("sqrt(2)", "≈ 1.41421356237"),
    ("sqrt(2) ^ 2", "= 2"),
    ("sqrt(1/9)", "≈ 0.333333333333"),
    ("sqrt(0)", "= 0"),
    ("8 ^ (1/3)", "= 2"),
    ("2 ^ 0.5", "≈ 1.41421356237"),
    ("pi", "≈ 3.14159265359"),
    ("2 * PI", "≈ 6.28318530718"),
    ("e", "≈ 2.71828182846"),
    ("ln(e ^ 3)", "= 3"),
    ("log(1000)", "= 3"),
    ("log(0.01)", "= -2"),
    ("sin(pi)", "= 0"),
    ("sin(pi / 6)", "= 0.5"),
    ("cos(pi)", "= -1"),
    ("tan(pi / 4)", "= 1"),
    ("sin(1)", "≈ 0.841470984808"),
    ("cos(100)", "≈ 0.862318872288"),
    ("sin(1e22)", "≈ -0.852200849767"),
    ("round(-2.5)", "= -3"),
    ("round(2.4999)", "= 2"),
    ("round(3.14159, 2)", "= 3.14"),
    ("floor(-2.5)", "= -3"),
    ("ceil(2.1)", "= 3"),
    ("ceil(-0.5)", "= 0"),
    ("min(3, 7)", "= 3"),
    ("max(1, 5, 2)", "= 5"),
    ("min(1,5)", "= 1"),
    ("max(sqrt(2), 1.4)", "≈ 1.41421356237"),
    ("Abs(-3) + Floor(2.7)", "= 5"),
    ("sqrt(sqrt(16))", "= 2"),
    ("20% + 50", "= 50.2"),
    ("15%", "= 0.15"),
    ("600 * 15%", "= 90"),
    ("80 + 25%", "= 100"),
    ("150 - 10%", "= 135"),
    ("1000 + 500 + 10%", "= 1650"),
    ("100 - 20% - 20%", "= 64"),
    ("(80 + 25%) * 2", "= 200"),
    ("80 + 25% * 2", "= 80.5"),
    ("50 % 7", "= 1"),
    ("50 % (3 + 4)", "= 1"),
    ("(2 + 3)% * 200", "= 10"),
    ("3 × 4 − 2 ÷ 4", "= 11.5"),
    ("6 x 7", "= 42"),
    ("1,5 + 2", "= 3.5"),
    ("1,234.5 + 1", "= 1235.5"),
    ("٣ + ٤", "= 7"),
    ("3**80", "= 147808829414345923316083210206383297601"),
    ("(1+0.03/12)**240", "≈ 1.82075499532"),
    ("1.04**240", "≈ 12246.2023638"),
    ("0.25**3000", "≈ 6.60733027581e-1807"),
    ("1.0001 ^ 36500", "≈ 38.4676455312"),
    ("e ^ -100", "≈ 3.72007597602e-44"),
    ("sqrt(2) * 10^30", "≈ 1.41421356237e+30"),
]


@pytest.mark.parametrize(("expression", "ending"), STRICT)
def test_a_value_is_exact_where_it_is_rational_and_marked_where_it_is_rounded(expression: str, ending: str) -> None:
    evaluation = evaluate(expression)
    assert evaluation.line == f"{expression} {ending}"
    assert evaluation.exact == ending.startswith("=")


FAULTS = [
    ("", "empty_expression", None),
    ("\t\n", "empty_expression", None),
    ("1 / 0", "division_by_zero", None),
    ("5 / (3 - 3)", "division_by_zero", None),
    ("1 / sin(pi)", "division_by_zero", None),
    ("0 ^ -1", "division_by_zero", None),
    ("0 / 0", "division_by_zero", "undefined"),
    ("(1 - 1) / (2 - 2)", "division_by_zero", "undefined"),
    ("5 % 0", "not_finite", None),
    ("(-8) ^ 0.5", "not_finite", None),
    ("log(0)", "not_finite", None),
    ("ln(-1)", "not_finite", None),
    ("tan(pi / 2)", "not_finite", None),
    ("2 * (3 + 4", "unclosed_bracket", None),
    ("max(1, 2", "unclosed_bracket", None),
    ("ln", "function_without_bracket", "ln"),
    ("2 + Round 3", "function_without_bracket", "Round"),
    ("foo(3)", "unknown_name", "foo"),
    ("2 + abc", "unknown_name", "abc"),
    ("größe", "unknown_name", "größe"),
    ("3 + * 4", "unexpected_character", "4"),
    ("* 3", "unexpected_character", "0"),
    ("()", "unexpected_character", "1"),
    ("2 $ 3", "unexpected_character", "2"),
    ("  2 & 3", "unexpected_character", "2"),
    ("5!", "unexpected_character", "1"),
    ("1<<10000000", "unexpected_character", "1"),
    ("2(3 + 4)", "leftover_input", "(3 + 4)"),
    ("2 pi", "leftover_input", "pi"),
    ("2 3", "leftover_input", "3"),
    ("3 apples", "leftover_input", "apples"),
    ("0x10", "leftover_input", "x10"),
    ("9**9**9**9", "too_large", None),
    ("10^10^10", "too_large", None),
    ("2**-1e9", "too_large", None),
    ("10 ^ 4000", "too_large", None),
    ("1e5000", "too_large", None),
    ("(((7**60)**60)**60)**60", "too_large", None),
    ("1" + " + 1" * 80, "too_long", None),
    ("(" * 51 + "1" + ")" * 51, "too_deep", None),
    ("-" * 51 + "1", "too_deep", None),
]


@pytest.mark.parametrize(("expression", "kind", "detail"), FAULTS)
def test_a_fault_has_its_own_class_and_names_what_is_wrong(expression: str, kind: str, detail: str | None) -> None:
    error = fault(expression)
    assert (error.kind, error.detail) == (kind, detail)
    assert isinstance(error, BadArguments)
    if detail:
        assert detail in error.user_message


def test_every_class_of_fault_is_reached_and_has_its_own_message() -> None:
    assert {kind for _, kind, _ in FAULTS} == set(SumErrorKind)
    messages = {kind: SumError(kind, "7").user_message for kind in SumErrorKind}
    assert len(set(messages.values())) == len(SumErrorKind)


def test_the_largest_results_still_come_out_whole() -> None:
    assert evaluate("10 ^ 3999").value_text == "1" + "0" * 3999
    assert evaluate("(" * 50 + "1 + 1" + ")" * 50).value_text == "2"


LENIENT = [
    ("2(3+4)", "14"),
    ("5 − 8", "-3"),
    ("6×7", "42"),
    ("1,5 + 2", "3.5"),
    ("(2)(3)", "6"),
    ("2 sqrt(9)", "6"),
    ("8÷2(2+2)", "16"),
    ("-3(2)", "-6"),
    ("½+¼", "0.75"),
    ("2½ * 2", "5"),
    ("3²", "9"),
    ("2¹⁰", "1024"),
    ("10⁻²", "0.01"),
    ("-3²", "-9"),
    ("√16 + 9", "13"),
    ("√(16 + 9)", "5"),
    ("∛27", "3"),
    ("1.234,50 € + 1", "1235.5"),
    ("1,234.50 + 1", "1235.5"),
    ("1 000 000/4", "250000"),
    ("1'000 * 2", "2000"),
    ("1_000_000 / 4", "250000"),
    ("1.234.567 + 1", "1234568"),
    ("1,234,567 + 1", "1234568"),
    ("0,125 * 8", "1"),
    ("12,3456 * 10", "123.456"),
    ("1234,5 + 1", "1235.5"),
    ("$5 + $3.50", "8.5"),
    ("5 € - 3 €", "2"),
    ("3 + 4 =", "7"),
    ("3 + 4 = ?", "7"),
    ("= 3 + 4", "7"),
    ("`3 + 4`", "7"),
    ('"3 * 4"', "12"),
    ("4x9", "36"),
    ("4 X 9", "36"),
    ("(2+1) x (3)", "9"),
    ("6∙7", "42"),
    ("20–5", "15"),
    ("[2 + 3] * {4}", "20"),
    ("12 times 4", "48"),
    ("12 divided by 4", "3"),
    ("3 mal 4 plus 2", "14"),
    ("9 geteilt durch 3", "3"),
    ("2 hoch 10", "1024"),
    ("5 squared", "25"),
    ("2 to the power of 8", "256"),
    ("17 mod 5", "2"),
    ("square root of 144", "12"),
    ("Wurzel aus 81", "9"),
    ("12% of 250", "30"),
    ("12 % von 250", "30"),
    ("7.5 percent of 200", "15"),
    ("10% of 20% of 500", "10"),
    ("5 + 10% of 200", "25"),
    ("50% of (20 + 30)", "25"),
    ("80 + 25 percent", "100"),
    ("max(2,5; 3)", "3"),
    ("sqrt(2,25)", "1.5"),
    ("min(1,5)", "1"),
    ("math.sqrt(16)", "4"),
    (r"3 \times 4", "12"),
    ("log10(100)", "2"),
    ("٣ × ٤", "12"),
    ("３＋４", "7"),
]


@pytest.mark.parametrize(("expression", "value"), LENIENT)
def test_what_people_and_models_write_is_understood(expression: str, value: str) -> None:
    assert evaluate(expression, lenient=True).value_text == value


def test_three_pi_is_right_to_eight_decimals() -> None:
    assert float(evaluate("3π", lenient=True).value_text) == pytest.approx(9.42477796, abs=5e-9)


REFUSED = [
    ("20% off 80", "unknown_name"),
    ("6 feet", "unknown_name"),
    ("5 km + 3 km", "unknown_name"),
    ("what is 3 + 4", "unknown_name"),
    ("3 + 4 = 8", "unexpected_character"),
    ("1.2.3", "leftover_input"),
    ("3 4", "leftover_input"),
    ("12:4:", "unexpected_character"),
    ("", "empty_expression"),
    ("=", "empty_expression"),
    ("$", "empty_expression"),
    ("x + 3", "unknown_name"),
    ("2x", "unknown_name"),
    ("3 + 4)", "leftover_input"),
    ("2(3", "unclosed_bracket"),
    ("1/0", "division_by_zero"),
    ("9**9**9**9", "too_large"),
    ("__import__('os')", "unknown_name"),
    ("(lambda: 1)()", "unknown_name"),
]


@pytest.mark.parametrize(("expression", "kind"), REFUSED)
def test_tolerance_ends_in_a_fault_and_never_in_a_part_of_the_sum(expression: str, kind: str) -> None:
    error = fault(expression, lenient=True)
    assert error.kind == kind
    assert "arithmetic" in error.user_message


READINGS = [
    ("80 + 25%", "80 + 25 % of 80"),
    ("1000 + 500 + 10%", "1000 + 500 + 10 % of 1500"),
    ("8÷2(2+2)", "(8 / 2) * (2 + 2)"),
    ("1/2π", "(1 / 2) * pi"),
    ("1,234", "1234"),
    ("1,234 * 2", "1234 * 2"),
    ("2(3+4)", None),
    ("1,234,567", None),
    ("3,5 * 2", None),
    ("20% + 50", None),
    ("12% of 250", None),
]


@pytest.mark.parametrize(("expression", "reading"), READINGS)
def test_what_can_be_read_in_two_ways_says_how_it_was_read(expression: str, reading: str | None) -> None:
    evaluation = evaluate(expression, lenient=True)
    assert evaluation.reading == reading
    assert evaluation.text == evaluation.line + (f"\nRead as {reading}." if reading else "")


BOMBS = [
    "9**9**9**9",
    "10^10^10",
    "1<<10000000",
    "2**-1e9",
    "(((7**60)**60)**60)**60",
    "9^4000^2",
    "1.1^1.1^1.1^1.1^1.1^99",
    "(1+1/9^4000)^9^4000",
    "sin(1e3999)+" * 20 + "1",
    "cos(2^13000)+" * 20 + "1",
    "(9.1^3990)%7+" * 20 + "1",
    "ln(9^4000)+" * 25 + "1",
    "(1/9^4000+1/7^4000)+" * 14 + "1",
    "80" + "+1%" * 98,
    "2^(2^(2^(2^(2^(2^2)))))",
    "(" * 300,
    "9" * 300,
    "9" * 100_000,
    "9" * 149 + "^" + "9" * 149,
    "1e" + "9" * 290,
    "max(" + "9^4000," * 40 + "1)",
    "0.3^7.7+" * 35 + "1",
]


@pytest.mark.speed
@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("expression", BOMBS, ids=lambda expression: expression[:24])
def test_no_expression_costs_time_or_memory(expression: str, lenient: bool) -> None:
    tracemalloc.start()
    try:
        has_value(expression, lenient)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000
    assert min(seconds(expression, lenient) for _ in range(3)) < 0.1


def has_value(expression: str, lenient: bool) -> bool:
    try:
        evaluate(expression, lenient=lenient)
    except SumError:
        return False
    return True


def seconds(expression: str, lenient: bool) -> float:
    begun = time.thread_time()
    has_value(expression, lenient)
    return time.thread_time() - begun
