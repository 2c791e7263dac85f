"""The arithmetic skill: what it claims, what it leaves alone, its call and its answer."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import Any

import pytest
from jarvisbot.skills.arithmetic import answer, seed

from jarvisbot.folders import bundled
from jarvisbot.reading.arithmetic import SumError, evaluate
from jarvisbot.skill import Exemplar, Skill, load
from jarvisbot.types import Assistant, Item, Result, SeedContext, ToolCall, ToolResult, User

SKILL: Skill = load(bundled("skills") / "arithmetic")
CONTEXT = SeedContext(language="en", now=datetime(2026, 11, 30, tzinfo=UTC))


def result_of(call: ToolCall) -> ToolResult:
    try:
        return ToolResult(call_id=call.id, text=evaluate(str(call.arguments["expression"]), lenient=True).text)
    except SumError as error:
        return ToolResult(call_id=call.id, text=f'Tool "calculator" failed: {error.user_message}', ok=False)


CLAIMED = [
    "83 * 12 please",
    "640 / 16",
    "640/16",
    "100-37",
    "What is 100-37?",
    "what's 5 - 3",
    "Was ist 100 - 37?",
    "100 + 37",
    "2^10",
    "2 ** 10",
    "6x7",
    "What is 6 x 7?",
    "12 × 4",
    "12 ÷ 4",
    "12 - 4",
    "Hey jarvis, 77 * 3?",
    "Hey jarvis, 77-3?",
    "and 44 * 3?",
    "und 44 - 3?",
    "(8 + 4) * 2.5",
    "3 * (4 + 5)",
    "3,5 * 4",
    "$10 + $3",
    "900 divided by 45",
    "900 multiplied by 3",
    "12 times 9",
    "18 plus 27",
    "18 minus 27",
    "17 mod 5",
    "80 € minus 25 %",
    "15% of 240",
    "20% off 85",
    "7 percent of 1890",
    "19 Prozent von 830",
    "19 % von 830",
    "What is 20 percent of my salary?",
    "what percent of 80 is 20?",
    "Wie viel Prozent sind 20 von 80?",
    "80 plus 25 percent",
    "increase 80 by 25%",
    "square root of 2025",
    "sqrt(16)",
    "√16",
    "cube root of 27",
    "What is 5 to the power of 7?",
    "9 squared",
    "4 cubed",
    "12²",
    "81 geteilt durch 9",
    "3 hoch 6",
    "12 mal 4",
    "Wurzel aus 529",
    "Quadratwurzel aus 144",
    "12 im Quadrat",
    "Calculate my share of the bill",
    "please calculate 3 + 4",
    "Compute the average",
    "Work out the total for us",
    "Can you work out my share?",
    "How can I work out 12% of 96?",
    "Wie kann ich 18 * 24 schnell lösen?",
    "Berechne 64 / 5",
    "Rechne 12 + 8",
    "Rechne mal bitte",
    "Kannst du das ausrechnen?",
    "add 18 and 44 for me",
    "Addiere 31 und 68",
    "subtract 5 from 20",
    "multiply 6 by 7",
    "Teile 81 durch 9",
    "the sum of 4 and 5",
    "2 * pi",
    "½ + ¼",
    "1/3 + 1/6",
    "was ist 1/8 + 1",
]
LEFT_ALONE = [
    "2024-05-11",
    "What happened on 2024-05-11?",
    "What is 2024-05-11?",
    "on 12/25/2024",
    "11.05.2024",
    "https://example.com/2024/05/11/post",
    "Summarise https://example.com/2024/05/3*4",
    "see example.com/2024/05/11",
    "notes/2024/05",
    "How many times did Brazil win in 1990",
    "how many times has Italy won since 1934?",
    "How much is a MacBook?",
    "how much is a 24/7 pass",
    "How much does a Vespa cost?",
    "Was kostet ein Dacia?",
    "9/11",
    "add 3 more rows",
    "add 4 more chairs to the room",
    "Add eggs to the list",
    "2 plus two",
    "two plus two",
    "6 feet in cm",
    "What is 100 fahrenheit in celsius",
    "5 km to miles",
    "Call 555-0123",
    "call 0170-1234567",
    "+49 170 1234567",
    "version 1.2.3",
    "192.168.1.1/24",
    "pages 10-15",
    "open 9-17",
    "I work 9-5",
    "the meeting is 10:30-11:45",
    "10:30",
    "Who won 3:1?",
    "my monitor is 1920x1080",
    "COVID-19",
    "I was born in 1991",
    "I have two kids",
    "How often should I work out?",
    "I work out daily",
    "a power cut",
    "Ich rechne mit Regen",
    "Zähl mal die Vögel auf dem Foto",
    "Sag mal 5 Tiere",
    "my computer is slow",
    "What are these?",
    "Hallo",
    "",
]


@pytest.mark.parametrize("message", CLAIMED)
def test_sums_are_claimed(message: str) -> None:
    assert SKILL.matches(message)


@pytest.mark.parametrize("message", LEFT_ALONE)
def test_what_only_holds_numbers_is_left_alone(message: str) -> None:
    assert SKILL.matches(message) is None


@pytest.mark.speed
@pytest.mark.parametrize(
    "message",
    ["1-" * 1000, "1." * 1000, "1," * 1000, "1" * 2000, "(" * 2000, ")" * 2000, "what is 1-" * 200, "hey " * 500],
    ids=lambda message: message[:8],
)
def test_no_message_of_routing_length_reaches_a_patterns_time_limit(message: str) -> None:
    for pattern in (*SKILL.patterns, *SKILL.forbidding):
        spent = []
        for _ in range(3):
            begun = time.thread_time()
            pattern.search(message)
            spent.append(time.thread_time() - begun)
        assert min(spent) < 0.05, pattern.pattern


def test_it_has_the_calculator_alone_and_outranks_weather_but_not_memory() -> None:
    assert SKILL.tools == ("calculator",)
    assert SKILL.priority == 30


def test_every_keyword_says_something() -> None:
    assert all(len(max(keyword.split(), key=len)) > 5 for keyword in SKILL.keywords)


@pytest.mark.parametrize("example", SKILL.exemplars, ids=lambda example: example.user[:24])
def test_a_worked_example_shows_what_the_calculator_really_returns(example: Exemplar) -> None:
    for step in example.steps:
        assert step.tool == "calculator"
        assert evaluate(step.arguments["expression"], lenient=True).text == step.result


def test_worked_examples_come_in_both_languages_and_one_of_each_calls_nothing() -> None:
    by_language: dict[str, list[bool]] = {}
    for example in SKILL.exemplars:
        by_language.setdefault(example.language, []).append(bool(example.steps))
    assert set(by_language) == {"en", "de"}
    assert all(set(calls) == {True, False} for calls in by_language.values())


def test_the_seed_is_the_calculators_call() -> None:
    call = seed("Was ist 3,5 * 4?", CONTEXT)
    assert call is not None
    assert (call.name, call.arguments) == ("calculator", {"expression": "3.5 * 4"})


@pytest.mark.parametrize("message", ["Calculate my share of the bill", "2 plus two", "2024-05-11", "Hello"])
def test_without_a_sum_there_is_no_seed(message: str) -> None:
    assert seed(message, CONTEXT) is None


@pytest.mark.parametrize(
    ("message", "language", "text"),
    [
        ("What is 4417 * 83?", "en", "4417 × 83 = 366,611"),
        ("Danke! Und was ist 5*5?", "de", "5 × 5 = 25"),
        ("ok und wieviel ist 20% von 50?", "de", "20 % von 50 sind 10."),
        ("Was ist 4417 * 83?", "de", "4417 × 83 = 366.611"),
        ("How much is 7 percent of 1890?", "en", "7% of 1,890 is 132.3."),
        ("Wie viel sind 19 Prozent von 830?", "de", "19 % von 830 sind 157,7."),
        ("Was ist 9 / 0?", "de", "Das konnte ich nicht ausrechnen: Division durch null, das Ergebnis hat keinen Wert."),
        ("9**9**9**9", "en", "I could not work that out: The result is too large: it has more than 4,000 digits."),
        ("80 + 25%", "en", "80 + 25% = 100 (read as 80 + 25 % of 80)"),
    ],
)
def test_a_covered_sum_is_answered_without_a_model(message: str, language: str, text: str) -> None:
    call = seed(message, CONTEXT)
    assert call is not None
    assert answer(message, result_of(call), language) == text


@pytest.mark.parametrize(
    "message",
    [
        "3 boxes with 12*4 eggs, how many, and who invented the egg box?",
        "12*4 and 5*6",
        "How can I work out 12% of 96?",
        "Calculate my share of the bill",
        "how much is 5 dollars plus 3 euros",
        "5€ + 3 $",
        "12 * 3 dollars in euros",
        "Was sind 20 Franken minus 3 Euro?",
    ],
)
def test_a_message_that_asks_for_more_goes_to_the_model(message: str) -> None:
    call: Any = seed(message, CONTEXT)
    result = result_of(call) if call else ToolResult(call_id="seed", text="1 = 1")
    assert answer(message, result, "en") is None


@pytest.mark.parametrize(
    ("message", "language", "text"),
    [
        ("1.500 * 2", "de", "1500 × 2 = 3.000"),
        ("1.500 * 2", "en", "1.500 × 2 = 3"),
        ("what is 1.500 * 2", "de", "1,500 × 2 = 3"),
        ("Was ist 1.500 * 2?", "en", "1500 × 2 = 3,000"),
        ("10% von 1.500", "de", "10 % von 1.500 sind 150."),
        ("1.5 * 2", "de", "1,5 × 2 = 3"),
    ],
)
def test_the_words_and_else_the_talk_decide_what_a_dot_means(message: str, language: str, text: str) -> None:
    call = seed(message, SeedContext(language=language, now=CONTEXT.now))
    assert call is not None
    assert answer(message, result_of(call), language) == text


def talked(line: str, *, ok: bool = True, tool: str = "calculator") -> tuple[Item, ...]:
    call = ToolCall(id="seed", name=tool, arguments={"expression": "?"})
    result = ToolResult(call_id="seed", text=line, ok=ok)
    return (User(text="?"), Assistant(text="", calls=(call,)), Result(result=result), Assistant(text="so"))


@pytest.mark.parametrize(
    ("message", "before", "language", "text"),
    [
        ("plus 5", "17*3 = 51", "de", "51 + 5 = 56"),
        ("und das mal 2", "17*3 = 51", "de", "51 × 2 = 102"),
        ("and times 2?", "17*3 = 51", "en", "51 × 2 = 102"),
        ("divided by 4", "17*3 = 51", "en", "51 / 4 = 12.75"),
        ("mal 2", "17 / 8 = 2.125", "de", "2,125 × 2 = 4,25"),
        ("squared", "5 - 20 = -15", "en", "(-15) ^ 2 = 225"),
        ("times 3", "10 / 3 ≈ 3.33333333333", "en", "(10 / 3) × 3 = 10"),
        ("minus 10%", "80 + 20 = 100", "en", "100 - 10% = 90 (read as 100 - 10 % of 100)"),
        ("* 2", "80 + 25% = 100\nRead as 80 + 25 % of 80.", "en", "100 × 2 = 200"),
    ],
)
def test_an_operation_alone_goes_on_from_the_result_before_it(
    message: str, before: str, language: str, text: str
) -> None:
    call = seed(message, SeedContext(language=language, now=CONTEXT.now, history=talked(before)))
    assert call is not None
    assert answer(message, result_of(call), language) == text


@pytest.mark.parametrize("message", ["plus tax", "and minus one of them", "times are hard", "plus 5 and why?", "-5"])
def test_what_is_more_than_an_operation_does_not_go_on(message: str) -> None:
    assert seed(message, SeedContext(language="en", now=CONTEXT.now, history=talked("17*3 = 51"))) is None


@pytest.mark.parametrize(
    "history",
    [
        (),
        talked("Division by zero", ok=False),
        talked("3 ft = 91.44 cm", tool="convert"),
        (*talked("17*3 = 51"), User(text="thanks"), Assistant(text="You're welcome!")),
    ],
)
def test_without_a_sum_right_before_it_an_operation_has_no_first_operand(history: tuple[Item, ...]) -> None:
    assert seed("plus 5", SeedContext(language="en", now=CONTEXT.now, history=history)) is None


def test_without_a_result_there_is_no_answer() -> None:
    assert answer("What is 2 + 2?", None, "en") is None
