"""Answers as plain text, as the source, and their pings."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.render import measure_for, neutralise_pings, render


def plain(text: str) -> str:
    rendered = render(text, Markup.PLAIN, Unit.CODE_POINTS)
    assert rendered.spans == ()
    return rendered.text


def test_formatting_marks_go_and_letters_stay() -> None:
    assert plain("**bold** *it* ~~s~~ `code` __init__.py 5*3*2") == "bold it s `code` __init__.py 5*3*2"


def test_links_show_their_address_once() -> None:
    assert plain("[Wiki](https://e.org/a) <https://e.org> [https://e.org](https://e.org)") == (
        "Wiki (https://e.org/a) https://e.org https://e.org"
    )


def test_a_title_of_a_link_is_shown() -> None:
    assert plain('[a](https://e.org "More")') == "a (https://e.org) “More”"


def test_fences_are_kept() -> None:
    assert plain("~~~py\nx = 1\n~~~") == "```py\nx = 1\n```"
    assert plain("````\n```\n````") == "````\n```\n````"


def test_quotations_and_lists_are_readable() -> None:
    assert plain("> a\n> b\n\n- x\n  - y\n\n1. n") == "> a\n> b\n\n- x\n   - y\n\n1. n"


def test_a_quoted_blank_line_keeps_its_mark() -> None:
    assert plain("> a\n>\n> b") == "> a\n>\n> b"


def test_tables_are_aligned() -> None:
    assert plain("|a|bb|\n|-|-|\n|ccc|d|") == "a   │ bb\n────┼───\nccc │ d"


def test_nothing_visible_is_shown_as_written() -> None:
    assert plain("#") == "#"


def test_the_source_is_left_as_it_is_for_markdown() -> None:
    text = "# T\n\n**b** `c`  \n- x\n"
    assert render(text, Markup.MARKDOWN, Unit.UTF16).text == text


@pytest.mark.parametrize("ping", ["@everyone", "@here", "@room", "<@123>", "<@!123>", "<@&456>", "@Everyone"])
@pytest.mark.parametrize("markup", list(Markup))
def test_pings_are_broken_by_a_zero_width_space(ping: str, markup: Markup) -> None:
    shown = render(f"Hi {ping}!", markup, Unit.UTF16).text
    assert shown == f"Hi {ping}!".replace("@", "@\u200b")


def test_pings_in_code_are_broken_where_the_platform_reads_the_source() -> None:
    assert "@\u200beveryone" in render("`@everyone`", Markup.MARKDOWN, Unit.UTF16).text
    assert render("`@everyone`", Markup.ENTITIES, Unit.UTF16).text == "@everyone"


@pytest.mark.parametrize("text", ["a@example.org", "@hereby", "@everyone_else", "@somebody", "5 <@ 6"])
def test_what_pings_nobody_is_left_alone(text: str) -> None:
    assert neutralise_pings(text) == text


def test_neutralising_twice_changes_nothing_more() -> None:
    once = neutralise_pings("@here <@1>")
    assert neutralise_pings(once) == once


@pytest.mark.parametrize(("unit", "expected"), [(Unit.UTF16, 3), (Unit.UTF8, 6), (Unit.CODE_POINTS, 2)])
def test_measures_count_the_unit_of_the_platform(unit: Unit, expected: int) -> None:
    assert measure_for(Markup.ENTITIES, unit)("**😀ä**") == expected
    assert measure_for(Markup.PLAIN, unit)("**😀ä**") == expected
    assert measure_for(Markup.MARKDOWN, unit)("**😀ä**") == expected + 4


def test_importing_the_renderer_loads_no_parser() -> None:
    code = "import sys, jarvisbot.gateway.render; sys.exit('markdown_it' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=30).returncode == 0


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab7 *_`~[]()<>#|-\n漢😀", max_size=120))
def test_no_letter_is_lost_in_plain_text(text: str) -> None:
    found = [mark for mark in plain(text) if mark.isalnum()]
    for mark in (mark for mark in text if mark.isalnum()):
        assert mark in found
        found.remove(mark)
