"""`jarvisbot replay`: every row of the cases through the program itself, and rows that nothing can be made of."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from jarvisbot.connectors.console import Console
from jarvisbot.connectors.telegram import Settings, create

from jarvisbot import discovery
from jarvisbot.connector import Capabilities
from jarvisbot.replay import KINDS, BadRow, replay
from jarvisbot.replay.splitting import PLATFORMS
from jarvisbot.replay.tools import TOOL_KINDS
from tests.program import Outcome, jarvisbot, start

CASES = Path(__file__).resolve().parent.parent / "cases"
Row = Mapping[str, Any]


def rows(name: str, *kinds: str) -> list[Row]:
    found = [json.loads(line) for line in (CASES / name).read_text(encoding="utf-8").splitlines()]
    return [row for row in found if not kinds or row["kind"] in kinds]


def any_of(expected: object) -> Sequence[object]:
    """A list where one value is expected means any of these."""
    return expected if isinstance(expected, list) else [expected]


async def answered(kind: str, given: Sequence[Row], home: Path) -> list[Row]:
    """The rows as the program writes them back, in one run."""
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in given)
    done = await jarvisbot("replay", kind, home=home, given=lines.encode(), seconds=100)
    assert (done.code, done.errors) == (0, "")
    got = [json.loads(line) for line in done.output.splitlines()]
    assert [{key: value for key, value in row.items() if key != "got"} for row in got] == list(given)
    return got


@pytest.mark.parametrize("name", ["routing.jsonl", "routing_more.jsonl"])
async def test_every_message_is_routed_as_its_row_says(name: str, tmp_path: Path) -> None:
    for row in await answered("routing", rows(name), tmp_path):
        assert row["got"].keys() == {"skill", "stage", "evidence"}
        assert row["got"]["skill"] in any_of(row["expect_skill"]), row
        assert (row["got"]["stage"] == "none") == (row["got"]["skill"] is None)


async def test_every_draft_is_checked_as_its_row_says(tmp_path: Path) -> None:
    for row in await answered("answer-check", rows("answer_check.jsonl"), tmp_path):
        assert row["got"] == {"findings": row["expect"]}, row


def value_of(text: str) -> float:
    return float(text.replace("≈", "=").rpartition("=")[2])


def is_calculated(row: Row) -> bool:
    got = row["got"]
    if "error_class" in row:
        return got.keys() == {"error"} and got["error"] in any_of(row["error_class"])
    return bool(got == {"text": row["expect"]})


def is_calculated_leniently(row: Row) -> bool:
    got = row["got"]
    return "error" in got if row.get("error") else value_of(got["text"]) == pytest.approx(row["expect_value"])


def is_read_as_a_sum(row: Row) -> bool:
    got = row["got"]
    found = got["expression"] == row["expect_expression"] and got["reply"] == row["expect_reply"]
    return found and got.get("error") == row.get("error_class")


def is_listed(row: Row) -> bool:
    candidates = row["got"]["candidates"]
    return candidates[0] == row["expect_first"] and any(name in candidates for name in row["expect_contains"])


def is_asked(row: Row) -> bool:
    return row["got"]["query"] in any_of(row["expect"])


def is_told(row: Row) -> bool:
    got = row["got"]
    wanted = (row["expect_time"], row["expect_offset"], row["expect_date"])
    lines = {row["expect_line"].replace(row["abbrev_any_of"][0], name) for name in row["abbrev_any_of"]}
    return (got["time"], got["offset"], got["date"]) == wanted and got["line"] in lines


JUDGED: Mapping[str, Callable[[Row], bool]] = {
    "calculator": is_calculated,
    "calculator_lenient": is_calculated_leniently,
    "sum_from_message": is_read_as_a_sum,
    "place_asked": lambda row: row["got"] == row["expect"],
    "place_candidates": is_listed,
    "focus_query": is_asked,
    "fact_ask_query": is_asked,
    "pronoun_focus": is_asked,
    "follow_up_query": is_asked,
    "clock_format": is_told,
    "clock_read_back": lambda row: row["got"] == {"time": row["expect_time"], "place": row["expect_place"]},
}


async def test_every_tool_reads_its_rows_as_they_say(tmp_path: Path) -> None:
    given = rows("tools.jsonl")
    wrong = [row for row in await answered("tools", given, tmp_path) if not JUDGED[row["kind"]](row)]
    assert not wrong


def test_every_kind_of_the_cases_can_be_replayed() -> None:
    assert {row["kind"] for row in rows("tools.jsonl")} == set(TOOL_KINDS) == set(JUDGED)


@pytest.mark.parametrize("platform", PLATFORMS)
async def test_a_text_comes_in_the_parts_that_a_platform_takes(platform: str, tmp_path: Path) -> None:
    text = "\n\n".join(f"{number}. " + "ein längerer Satz mit Wörtern. " * 12 for number in range(60))
    (row,) = await answered("split", [{"text": text, "platform": platform}], tmp_path)
    parts = row["got"]["parts"]
    assert "".join("".join(parts).split()) == "".join(text.split())
    limit = PLATFORMS[platform].limit
    assert all(len(part) <= (limit or len(text)) for part in parts)
    assert (len(parts) == 1) == (limit is None)


async def test_a_text_comes_as_the_payloads_that_a_platform_is_sent(tmp_path: Path) -> None:
    text = "**Hi** @room 5*3*2"
    rows_ = [{"text": text, "platform": platform} for platform in PLATFORMS]
    got = {row["platform"]: row["got"]["payloads"] for row in await answered("render", rows_, tmp_path)}
    quiet = "@\u200broom"
    assert got == {
        "console": [{"text": f"**Hi** {quiet} 5*3*2"}],
        "discord": [{"content": f"**Hi** {quiet} 5\\*3\\*2", "allowed_mentions": {"parse": []}}],
        "matrix": [
            {
                "msgtype": "m.text",
                "body": f"Hi {quiet} 5*3*2",
                "format": "org.matrix.custom.html",
                "formatted_body": f"<p><strong>Hi</strong> {quiet} 5*3*2</p>",
                "m.mentions": {},
            }
        ],
        "telegram": [{"text": f"Hi {quiet} 5*3*2", "entities": [{"type": "bold", "offset": 0, "length": 2}]}],
    }
    (blank,) = await answered("render", [{"text": " \n", "platform": "discord"}], tmp_path)
    assert blank["got"] == {"payloads": []}


def test_the_platforms_are_what_their_connectors_say() -> None:
    telegram = create("telegram", Settings(), {"token": "123456:AAE-emulated-token-emulated-token-000"})
    said: dict[str, Capabilities] = {"console": Console().capabilities, "telegram": telegram.capabilities}
    for name in said.keys() & set(discovery.names("connectors")):
        platform = PLATFORMS[name]
        assert (platform.limit, platform.unit) == (said[name].text_limit, said[name].unit)
        assert platform.markup == said[name].markup


# ---------------------------------------------------------------- lines that are no rows


BAD = [
    ("routing", b"not json", "It is not JSON"),
    ("routing", b'{"text": "2+2"', "It is not JSON"),
    ("routing", b"\xff\xfe", "It is not JSON"),
    ("routing", b"[" * 100_000, "It is not JSON"),
    ("routing", b'{"text": "x", "id": NaN}', "It is not JSON"),
    ("routing", b'{"text": "x", "id": 1e999}', "It is not JSON"),
    ("routing", b"[1]", "It is no JSON object"),
    ("routing", b"null", "It is no JSON object"),
    ("routing", b"{}", "missing required field `text`"),
    ("routing", b'{"text": 3}', "Expected `str`, got `int` - at `$.text`"),
    ("routing", b'{"text": "a", "tools_missing": "weather"}', "tools_missing"),
    ("answer-check", b'{"question": "?", "draft": "x", "tools": [{"name": "a"}]}', "missing required field `result`"),
    ("tools", b'{"kind": "dice"}', "There is no kind 'dice'; there are calculator"),
    ("tools", b'{"expression": "1"}', "missing required field `kind`"),
    ("tools", b'{"kind": "calculator"}', "missing required field `expression`"),
    ("split", b'{"text": "a", "platform": "irc"}', "There is no platform 'irc'; there are console, discord"),
    ("render", b'{"text": "a", "platform": "irc"}', "There is no platform 'irc'; there are console, discord"),
    ("render", b'{"platform": "discord"}', "missing required field `text`"),
]
GOOD: Mapping[str, Row] = {
    "routing": {"text": "2+2"},
    "answer-check": {"question": "?", "draft": "Yes.", "tools": []},
    "tools": {"kind": "calculator", "expression": "1 + 1"},
    "split": {"text": "a", "platform": "discord"},
    "render": {"text": "a", "platform": "matrix"},
}


async def replayed(kind: str, given: bytes, home: Path) -> Outcome:
    return await jarvisbot("replay", kind, home=home, given=given)


async def test_a_line_that_is_no_row_is_named_by_its_number_and_the_others_are_answered(tmp_path: Path) -> None:
    for kind in KINDS:
        good = json.dumps(GOOD[kind]).encode()
        bad = [(line, words) for of, line, words in BAD if of == kind]
        done = await replayed(kind, b"\n".join([good, *(line for line, _ in bad), b"", b"  ", good]), tmp_path)
        assert done.code == 1
        assert [json.loads(line)["text" if kind == "split" else "got"] for line in done.output.splitlines()]
        assert len(done.output.splitlines()) == 2
        errors = done.errors.splitlines()
        assert len(errors) == len(bad)
        for number, ((_, words), error) in enumerate(zip(bad, errors, strict=True), 2):
            assert error.startswith(f"jarvisbot: line {number}: ")
            assert words in error


async def test_any_text_comes_back_as_it_was(tmp_path: Path) -> None:
    texts = ["\ud800", "\x00\x1b[31m", "é🙂", "‮x", "a" * 100_000, ""]
    given = "\n".join(json.dumps({"text": text, "id": text[:5]}) for text in texts)
    done = await replayed("routing", given.encode(), tmp_path)
    assert (done.code, done.errors) == (0, "")
    assert [json.loads(line)["text"] for line in done.output.splitlines()] == texts


async def test_each_line_is_answered_before_the_next_is_written(tmp_path: Path) -> None:
    process = await start("replay", "tools", home=tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    async with asyncio.timeout(60):
        for expression, text in [("1 + 1", "1 + 1 = 2"), ("2 * 3", "2 * 3 = 6")]:
            process.stdin.write(json.dumps({"kind": "calculator", "expression": expression}).encode() + b"\n")
            await process.stdin.drain()
            assert json.loads(await process.stdout.readline())["got"] == {"text": text}
        process.stdin.close()
        assert await process.wait() == 0


async def test_no_lines_are_no_mistake(tmp_path: Path) -> None:
    assert await replayed("split", b"", tmp_path) == Outcome(code=0, output="", errors="")


async def test_an_unknown_kind_is_told_which_there_are(tmp_path: Path) -> None:
    done = await replayed("dice", b"", tmp_path)
    assert done.code == 2
    assert all(kind in done.errors for kind in KINDS)


# ---------------------------------------------------------------- as a function


def test_the_resident_skill_has_not_been_carried_yet() -> None:
    assert replay("routing", {"text": "und in Bozen?", "previous_skill": "weather"}) == {
        "skill": "weather",
        "stage": "carry-over",
        "evidence": "weather",
    }
    assert replay("routing", {"text": "hmmm", "previous_skill": None, "tools_missing": None}) == {
        "skill": None,
        "stage": "none",
        "evidence": "",
    }


def test_a_skill_whose_tools_are_missing_claims_nothing() -> None:
    row: Row = {"text": "Is it raining in Bern?", "tools_missing": ["weather"]}
    got = replay("routing", row)
    assert got is not None
    assert got["skill"] != "weather"


def test_a_failed_call_proves_nothing() -> None:
    tool = {"name": "calculator", "arguments": {"expression": "2*3"}}
    row: Row = {"question": "What is 2*3?", "draft": "It is 7.", "tools": [{**tool, "result": "2*3 = 6"}]}
    assert replay("answer-check", row) == {"findings": ["wrong-number"]}
    failed: Row = {**row, "tools": [{**tool, "result": 'Tool "calculator" failed: 2*3 = 6'}]}
    assert replay("answer-check", failed) == {"findings": []}


def test_an_address_of_the_talk_is_known() -> None:
    row: Row = {"question": "Where?", "draft": "See https://a.example/b.", "tools": []}
    search = [{"name": "web_search", "arguments": {}, "result": "1. https://c.example/d"}]
    assert replay("answer-check", {**row, "tools": search}) == {"findings": ["invented-source"]}
    known: Row = {**row, "tools": search, "known_urls": ["https://a.example/b"]}
    assert replay("answer-check", known) == {"findings": []}


def test_a_row_without_its_fields_is_refused() -> None:
    with pytest.raises(BadRow, match="missing required field"):
        replay("split", {"text": "a"})


@pytest.mark.parametrize(
    ("row", "got"),
    [
        ({"kind": "calculator", "expression": "2(3)"}, {"error": "leftover_input"}),
        ({"kind": "calculator", "expression": "1/3"}, {"text": "1/3 ≈ 0.333333333333"}),
        ({"kind": "calculator_lenient", "expression": "2(3)"}, {"text": "2(3) = 6"}),
        ({"kind": "calculator_lenient", "expression": "3 apples"}, {"error": "unknown_name"}),
        ({"kind": "sum_from_message", "message": "hello"}, {"expression": None, "reply": None}),
        (
            {"kind": "sum_from_message", "message": "Was ist 4,5 + 1?", "language": "de"},
            {"expression": "4.5 + 1", "reply": "4,5 + 1 = 5,5"},
        ),
        (
            {"kind": "sum_from_message", "message": "What is 0/0?", "language": "en"},
            {"expression": "0/0", "reply": None, "error": "division_by_zero"},
        ),
    ],
)
def test_a_sum_is_worked_out_or_says_why_not(row: Row, got: Row) -> None:
    assert replay("tools", row) == got
