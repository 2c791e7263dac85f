"""Answers in Discord's markdown, and what its clients show of them."""

from __future__ import annotations

import pytest

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.render import render
from tests.emulators.discord.markdown import mentions, visible


def content(text: str) -> str:
    return render(text, Markup.DISCORD, Unit.UTF16).text


def seen(text: str) -> str:
    return "".join(piece for piece, _ in visible(content(text)))


def over(text: str, word: str) -> set[str]:
    """The formatting over a word, which stands in one piece or letter by letter."""
    pieces = visible(content(text))
    letters = [(mark, kinds) for piece, kinds in pieces for mark in piece]
    at = "".join(mark for mark, _ in letters).index(word)
    found = {kinds for _, kinds in letters[at : at + len(word)]}
    assert len(found) == 1
    return set(found.pop())


@pytest.mark.parametrize(
    "text",
    [
        "5*3*2 = 30",
        "2 ** 3 and 2**3**2",
        "snake_case_names and a_b",
        "see __init__.py and pkg/__main__.py",
        "Price (est.) = 3.50 - 10%! See item_1 #2 | a > b {x} ~ok~ +1",
        "if a < b && c > d: use <T> or <br> or <table>; AT&T x",
        "||no spoiler|| and | x | y |",
        "a ` b",
        "C:\\dir\\new",
        "~~ ~ ~~",
        "[a] (b) [c",
        "__a__b",
    ],
)
def test_what_is_no_formatting_is_seen_as_it_was_written(text: str) -> None:
    assert seen(text) == text
    assert {kind for _, kinds in visible(content(text)) for kind in kinds} == set()


@pytest.mark.parametrize(
    "line", ["# no", "## no", "### no", "-# no", "- no", "+ no", "> no", ">>> no", "1. no", "10. no"]
)
def test_a_line_that_begins_like_a_block_does_not_become_one(line: str) -> None:
    text = f"word\\\n\\{line}" if not line[0].isdigit() else f"word\\\n{line.replace('.', chr(92) + '.')}"
    assert content(text).split("\n")[1].startswith("\\") or "\\." in content(text)
    assert seen(text).split("\n")[1] == line
    assert {kind for _, kinds in visible(content(text)) for kind in kinds} == set()


def test_bold_italic_strike_code_and_their_mixtures_survive() -> None:
    text = "**b** *i* ~~s~~ `c` ***both*** **in *it* side** *a***z**"
    assert over(text, "both") == {"strong", "em"}
    assert over(text, "it") == {"strong", "em"}
    assert over(text, "c") == {"code"}
    assert over(text, "z") == {"strong"}
    assert seen(text).replace("\u200b", "") == "b i s c both in it side az"


def test_code_keeps_its_backticks_and_stars() -> None:
    assert content("`` a`b ``") == "`` a`b ``"
    assert over("**bold `x**y` bold**", "x**y") == {"code"}
    assert over("**bold `x**y` more**", "more") == {"strong"}


def test_headings_to_the_third_level_are_headings_and_the_others_bold() -> None:
    assert content("# A\n\n## B\n\n### C\n\n#### D\n\n- # E") == "# A\n\n## B\n\n### C\n\n**D**\n\n- **E**"


def test_lists_keep_numbers_levels_and_code() -> None:
    text = "1. one\n   - a\n     - b\n2) two\n\n   ```py\n   x = 1\n   ```\n10. ten"
    assert content(text) == "1. one\n   - a\n     - b\n\n2) two\n\n```py\nx = 1\n```\n\n10. ten"
    assert over(text, "x = 1") == {"pre"}


def test_numbers_that_skip_are_text_since_discord_would_count_on() -> None:
    assert content("1. a\n2. b\n5. c") == "1\\. a\n2\\. b\n5\\. c"
    assert content("3. a\n4. b") == "3. a\n4. b"


def test_a_narrow_table_is_aligned_code_and_a_wide_one_cards() -> None:
    assert content("| a | 漢字 |\n|---|--:|\n| 1 | x |") == "```\na │ 漢字\n──┼─────\n1 │    x\n```"
    wide = "| City | Remark |\n|---|---|\n| Oslo | " + "long " * 10 + "|\n| Rome | |"
    assert content(wide) == f"**City:** Oslo\n**Remark:** {('long ' * 10).strip()}\n\n**City:** Rome\n**Remark:** –"


def test_links_in_a_table_stay_links() -> None:
    assert "[x](<https://e.org>)" in content("| a |\n|---|\n| [x](https://e.org) |")


def test_quotations_do_not_nest_and_stay_readable() -> None:
    assert content("> a\n> > b\n\nc") == "> a\n> \n> > b\n\nc"
    assert over("> a\n\nb", "b") == set()
    assert over("> > ```\n> > x\n> > ```", "x") == {"quote", "pre"}


def test_links_and_pictures_are_masked_links_without_a_preview() -> None:
    assert content("[site](https://e.org/a_(b)?q=1*2) ") == "[site](<https://e.org/a_(b)?q=1%2A2>)"
    assert content("![a cat](https://e.org/c.png)") == "[a cat](<https://e.org/c.png>)"
    assert content("<https://e.org/a_b>") == "<https://e.org/a_b>"
    assert content("[https://bank.org](https://evil.org)") == "https://bank.org (<https://evil.org>)"
    assert content("[x](javascript:alert)") == "x (javascript:alert)"
    assert content("[write](mailto:a@e.org)") == "write (mailto:a@e.org)"


def test_an_address_in_the_text_stays_whole() -> None:
    assert content("see https://e.org/a_b_c/__init__.py?x=1 now") == "see https://e.org/a_b_c/__init__.py?x=1 now"


@pytest.mark.parametrize(
    "ping",
    [
        "@everyone",
        "@here",
        "<@7>",
        "<@!7>",
        "<@&42>",
        "<#9>",
        "<:a:1>",
        "<a:b:12>",
        "<t:1700000000:R>",
        "</help:12>",
        "<id:guide>",
    ],
)
@pytest.mark.parametrize(
    "form", ["{}", "**{}**", "[{}](https://e.org)", "# {}", "> {}", "| a |\n|---|\n| {} https://e.org |"]
)
def test_pings_times_and_emoji_are_text(ping: str, form: str) -> None:
    text = content(form.format(ping))
    assert mentions(text) == []
    assert "".join(mark for mark in ping if mark.isalnum()) in "".join(mark for mark in text if mark.isalnum())


def test_fences_are_closed_whatever_stands_in_them() -> None:
    assert content("````md\n```\nx\n```\n````") == "```md\n`\u200b``\nx\n`\u200b``\u200b\n```"
    assert over("~~~py\nx = 1\n~~~\n\nafter", "after") == set()


def test_what_would_show_nothing_is_shown_as_written() -> None:
    assert seen("[](<>)") == "[](<>)"
    assert seen("> &#10;") == "> &#10;"
