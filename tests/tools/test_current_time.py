"""The clock as the model and the toolbox see it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from jarvisbot.agent.review import review
from jarvisbot.store.turns import CallRecord
from jarvisbot.tool import Risk, Tool, Toolbox, ToolContext
from jarvisbot.tools.current_time import current_time
from jarvisbot.types import Address, Allow, Arguments, Author, Decision, Principal, Role, ToolCall, ToolResult


class Open:
    """A policy that lets every call pass."""

    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        return Allow()


CONTEXT = ToolContext(
    principal=Principal(user="console:1", role=Role.MEMBER, author=Author(id="1", name="Ada")),
    at=Address(connector="console", room="main"),
    turn="t1",
    now=datetime(2026, 5, 11, 12, 26, tzinfo=UTC),
    zone="America/Sao_Paulo",
)
OWN = "09:26 GMT-3 (UTC-3, America/Sao_Paulo), Mon 11 May 2026"


async def run(arguments: Arguments) -> ToolResult:
    toolbox = Toolbox(tools=[current_time], gate=Open())
    return await toolbox.run(ToolCall(id="c1", name="current_time", arguments=arguments), context=CONTEXT)


def test_it_reads_only_changes_by_itself_and_tells_the_model_what_it_takes() -> None:
    assert current_time.risk is Risk.READ
    assert current_time.label == "Checked the clock"
    assert current_time.changes
    assert not current_time.taints
    properties = current_time.spec.parameters["properties"]
    assert isinstance(properties, dict)
    assert list(properties) == ["place", "at", "to"]
    assert all(value["description"] for value in properties.values())
    assert current_time.spec.parameters["required"] == []


@pytest.mark.parametrize(
    "place", ["", "here", "Local", "me", "hier", "lokal", "now", " HERE. ", "bei mir", "local time"]
)
async def test_without_a_place_it_is_the_persons_own_clock(place: str) -> None:
    result = await run({"place": place})
    assert (result.ok, result.text) == (True, OWN)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, OWN),
        ({"place": None}, OWN),
        ({"at": "now"}, OWN),
        ({"place": "Lima"}, "Lima, Peru — 07:26 GMT-5 (UTC-5, America/Lima), Mon 11 May 2026"),
        ({"place": "time in Lima please"}, "Lima, Peru — 07:26 GMT-5 (UTC-5, America/Lima), Mon 11 May 2026"),
        ({"place": "Wie spät ist es in Mailand"}, "Milan, Italy — 14:26 CEST (UTC+2, Europe/Rome), Mon 11 May 2026"),
        ({"place": "europe/berlin"}, "Europe/Berlin — 14:26 CEST (UTC+2, Europe/Berlin), Mon 11 May 2026"),
        ({"place": "America/New York"}, "America/New_York — 08:26 GMT-4 (UTC-4, America/New_York), Mon 11 May 2026"),
        ({"place": "MEZ"}, "MEZ — 14:26 CEST (UTC+2, Europe/Berlin), Mon 11 May 2026"),
        ({"place": "GMT"}, "GMT — 12:26 UTC (UTC+0, UTC), Mon 11 May 2026"),
        ({"place": "UTC+5:30"}, "UTC+5:30 — 17:56 GMT+5:30 (UTC+5:30, UTC+5:30), Mon 11 May 2026"),
        (
            {"place": "Tokyo and Lima"},
            "Tokyo, Japan — 21:26 GMT+9 (UTC+9, Asia/Tokyo), Mon 11 May 2026\n"
            "Lima, Peru — 07:26 GMT-5 (UTC-5, America/Lima), Mon 11 May 2026",
        ),
        (
            {"place": "Trinidad and Tobago"},
            "Port of Spain, Trinidad & Tobago — 08:26 GMT-4 (UTC-4, America/Port_of_Spain), Mon 11 May 2026",
        ),
        (
            {"at": "14:00", "to": "Tokyo"},
            "14:00 GMT-3 (UTC-3, America/Sao_Paulo), Mon 11 May 2026\n"
            "Tokyo, Japan — 02:00 GMT+9 (UTC+9, Asia/Tokyo), Tue 12 May 2026",
        ),
        (
            {"place": "Berlin", "at": "02:30 2026-10-25", "to": "UTC"},
            "Berlin, Germany — 02:30 CEST (UTC+2, Europe/Berlin), Sun 25 Oct 2026\n"
            "UTC — 00:30 UTC (UTC+0, UTC), Sun 25 Oct 2026\n"
            "Berlin, Germany — 02:30 CET (UTC+1, Europe/Berlin), Sun 25 Oct 2026\n"
            "UTC — 01:30 UTC (UTC+0, UTC), Sun 25 Oct 2026\n"
            "Clocks are set back then: 02:30 comes twice.",
        ),
        ({"at": "29 Feb 2028"}, "Tue 29 Feb 2028, calendar week 9"),
        (
            {"at": "one year after 29 Feb 2028"},
            "Wed 28 Feb 2029, calendar week 9\n"
            "Counted: 1 year after Tue 29 Feb 2028; that month has no day 29, so its last one is taken.",
        ),
    ],
)
async def test_clocks_are_told_one_a_line(arguments: Arguments, text: str) -> None:
    result = await run(arguments)
    assert (result.ok, result.text) == (True, text)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"place": "Blefuscu"}, 'No place "Blefuscu" is known. Ask which town is meant.'),
        ({"place": "Lima and Blefuscu"}, 'No place "Blefuscu" is known. Ask which town is meant.'),
        ({"place": "USA"}, '"USA" has several time zones. Ask which town is meant, such as Washington.'),
        ({"place": "Georgia"}, '"Georgia" may be Georgia (country); Georgia (US state). Ask which one is meant.'),
        (
            {"place": "IST"},
            '"IST" may be India Standard Time (Delhi); Israel Standard Time (Jerusalem); Irish Standard Time (Dublin). '
            "Ask which one is meant.",
        ),
        ({"place": "bst"}, '"BST" may be British Summer Time (London); Bangladesh Standard Time (Dhaka)'),
        (
            {"place": "Berlin", "at": "2026-03-29 02:30"},
            "02:30 on Sun 29 Mar 2026 does not exist in Berlin, Germany: clocks go from 02:00 to 03:00.",
        ),
        (
            {"place": "Samoa", "at": "2011-12-30 12:00"},
            "12:00 on Fri 30 Dec 2011 does not exist in Apia, Samoa: that day is left out.",
        ),
        ({"at": "29 Feb 2027"}, "29 February 2027 is not a date: 2027 is not a leap year."),
        ({"at": "whenever"}, '"whenever" is no time or date. Write HH:MM, YYYY-MM-DD, or both.'),
        ({"at": "9999-12-31 23:59", "to": "Auckland"}, "Fri 31 Dec 9999 is too far off for a clock."),
        ({"place": "Europe/Atlantis"}, 'No place "Europe/Atlantis" is known. Ask which town is meant.'),
        ({"place": "UTC+25"}, 'No place "UTC+25" is known.'),
        ({"zone": "UTC"}, "place, at, to"),
    ],
)
async def test_what_cannot_be_told_says_what_to_ask(arguments: Arguments, text: str) -> None:
    result = await run(arguments)
    assert not result.ok
    assert text in result.text


@pytest.mark.parametrize(
    ("arguments", "draft", "kinds"),
    [
        ({"place": "Lima"}, "In Lima it is 07:26.", []),
        ({"place": "Lima"}, "In Lima it is 09:26.", ["wrong-number"]),
        ({"place": "Tokyo and Lima"}, "It is 21:26 in Tokyo and 07:26 in Lima.", []),
        ({"at": "14:00", "to": "Tokyo"}, "14:00 here is 02:00 in Tokyo.", []),
        ({"at": "14:00", "to": "Tokyo"}, "14:00 here is 03:00 in Tokyo.", ["wrong-number"]),
        ({"at": "29 Feb 2028"}, "That is a Tuesday.", []),
    ],
)
async def test_the_check_of_an_answer_reads_its_lines(arguments: Arguments, draft: str, kinds: list[str]) -> None:
    result = await run(arguments)
    call = ToolCall(id="c1", name="current_time", arguments=arguments)
    findings = review(
        question="?", calls=[CallRecord(call=call, result=result, seconds=0.0)], draft=draft, language="en"
    )
    assert [finding.kind for finding in findings] == kinds


@pytest.mark.parametrize("place", ["x" * 50_000, "a and " * 5_000, "in " * 5_000, "\0", "—", "(UTC+1, Mars/Sea)"])
async def test_a_hostile_place_is_refused(place: str) -> None:
    result = await run({"place": place})
    assert not result.ok
    assert len(result.text) < 300
