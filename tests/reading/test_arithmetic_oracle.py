"""Generated sums against other ways of computing them, and any text at all against the promise to fail in words."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.reading.arithmetic import Evaluation, SumError, SumErrorKind, evaluate

Sum = tuple[str, Fraction]


def _binary(operands: st.SearchStrategy[Sum]) -> st.SearchStrategy[Sum]:
    def joined(left: Sum, operator: str, right: Sum, spaces: str) -> Sum | None:
        a, b = left[1], right[1]
        text = f"({left[0]}{spaces}{operator}{spaces}{right[0]})"
        match operator:
            case "+":
                return text, a + b
            case "-":
                return text, a - b
            case "*":
                return text, a * b
            case "/":
                return (text, a / b) if b else None
            case "%":
                return (text, a - b * math.trunc(a / b)) if b else None
            case _:
                return (text, a**b) if b.denominator == 1 and abs(b) < 5 and (a or b > 0) else None

    made = st.builds(joined, operands, st.sampled_from("+-*/%^"), operands, st.sampled_from(["", " "]))
    return made.filter(lambda each: each is not None).map(lambda each: each or ("", Fraction(0)))


def _signed(operands: st.SearchStrategy[Sum]) -> st.SearchStrategy[Sum]:
    return operands.map(lambda operand: (f"(-{operand[0]})", -operand[1]))


LITERALS: st.SearchStrategy[Sum] = st.one_of(
    st.integers(0, 10**6).map(lambda number: (str(number), Fraction(number))),
    st.decimals(0, 1000, places=3, allow_nan=False).map(lambda number: (str(number), Fraction(number))),
)
SUMS = st.recursive(LITERALS, lambda operands: _binary(operands) | _signed(operands), max_leaves=8)


def agrees(evaluation: Evaluation, value: Fraction) -> bool:
    shown = Fraction(evaluation.value_text)
    if evaluation.exact:
        return shown == value
    return shown != value and abs(shown - value) <= abs(value) * Fraction(5, 10**12)


@given(SUMS)
def test_a_generated_sum_has_the_value_of_the_fractions_it_was_made_of(made: Sum) -> None:
    expression, value = made
    if len(expression) <= 300:
        assert agrees(evaluate(expression), value)
        assert evaluate(expression, lenient=True).value_text == evaluate(expression).value_text


FLAT = st.lists(st.tuples(st.sampled_from(["+", "-", "*", "/", "**"]), st.integers(1, 9)), min_size=1, max_size=7)


@given(st.integers(1, 9), FLAT)
def test_precedence_is_that_of_the_language_everybody_checks_against(first: int, rest: list[tuple[str, int]]) -> None:
    # Exponents are held small, and towers left out: Python computes them without any bound.
    limited = [(operator, number % 3 + 1 if operator == "**" else number) for operator, number in rest]
    plain = [(o, n) for at, (o, n) in enumerate(limited) if not (o == "**" and at and limited[at - 1][0] == "**")]
    expression = str(first) + "".join(f" {operator} {number}" for operator, number in plain)
    exact = str(f"Fraction({first})") + "".join(f" {operator} Fraction({number})" for operator, number in plain)
    assert agrees(evaluate(expression), eval(exact, {"Fraction": Fraction}))


@given(st.floats(-1e6, 1e6, allow_nan=False).filter(lambda x: abs(x) > 1e-6))
def test_functions_agree_with_the_floating_point_ones(number: float) -> None:
    text = f"({number:.9f})"
    number = float(text[1:-1])
    if number == 0:
        return
    for name, oracle in (("sin", math.sin), ("cos", math.cos), ("abs", abs), ("floor", math.floor)):
        assert float(evaluate(f"{name}{text}").value_text) == pytest.approx(oracle(number), rel=1e-9, abs=1e-9)
    if number > 0:
        for name, oracle in (("sqrt", math.sqrt), ("ln", math.log), ("log", math.log10)):
            assert float(evaluate(f"{name}{text}").value_text) == pytest.approx(oracle(number), rel=1e-9, abs=1e-9)


@given(st.text(alphabet="0123456789.,+-*/%^()x eπ√²½ sqrtminlog=$;:'", max_size=60), st.booleans())
def test_any_text_gives_a_value_or_a_fault_of_its_own(text: str, lenient: bool) -> None:
    outcome = attempted(text, lenient)
    if isinstance(outcome, SumError):
        assert str(outcome).endswith(".")
    else:
        assert outcome.line.startswith(outcome.expression)
        float(outcome.value_text)


@given(st.text(max_size=400), st.booleans())
def test_no_text_breaks_the_reading(text: str, lenient: bool) -> None:
    outcome = attempted(text, lenient)
    assert isinstance(outcome, Evaluation) or outcome.kind in SumErrorKind


def attempted(text: str, lenient: bool) -> Evaluation | SumError:
    try:
        return evaluate(text, lenient=lenient)
    except SumError as error:
        return error


@given(st.integers(-(10**9), 10**9), st.integers(0, 2))
def test_a_number_written_in_any_fashion_is_the_same_number(number: int, fashion: int) -> None:
    grouped = [f"{number:,}.5", f"{number:,}".replace(",", ".") + ",5", f"{number:_}".replace("_", " ") + ".5"][fashion]
    plain = evaluate(f"{number}.5", lenient=True).value_text
    assert evaluate(grouped, lenient=True).value_text == plain
