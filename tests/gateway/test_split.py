"""Long answers in parts: limits, fences, formatting over cuts, nothing lost, and time."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.render import measure_for, render
from jarvisbot.gateway.split import split

Measure = Callable[[str], int]

telegram = measure_for(Markup.ENTITIES, Unit.UTF16)
discord = measure_for(Markup.MARKDOWN, Unit.UTF16)
"""The source itself, which is what Discord shows but for what has to be escaped."""
escaped = measure_for(Markup.DISCORD, Unit.UTF16)
matrix = measure_for(Markup.HTML, Unit.UTF8)
plain = measure_for(Markup.PLAIN, Unit.CODE_POINTS)

PLATFORMS = [
    pytest.param(telegram, 4096, id="telegram"),
    pytest.param(discord, 2000, id="source"),
    pytest.param(escaped, 2000, id="discord"),
    pytest.param(matrix, 22_000, id="matrix"),
]
FENCE_LINE = re.compile(r"^(?:[ \t>]|[-+*] |\d+[.)] )*(?:`{3,}|~{3,})[^`\n]*$", re.MULTILINE)


def squeezed(text: str) -> str:
    return "".join(text.split())


def letters(text: str) -> str:
    return "".join(mark for mark in text if mark.isalnum())


def without_fences(text: str) -> str:
    return squeezed(FENCE_LINE.sub("", text))


def checked(text: str, limit: int, measure: Measure) -> tuple[str, ...]:
    parts = split(text, limit=limit, measure=measure)
    assert all(measure(part) <= limit for part in parts)
    assert all(part.strip() for part in parts)
    return parts


def cpu_seconds(text: str, limit: int, measure: Measure) -> float:
    split("warm *up*", limit=limit, measure=measure)
    start = time.thread_time()
    split(text, limit=limit, measure=measure)
    return time.thread_time() - start


# ---------------------------------------------------------------- whole texts


def test_a_text_that_fits_is_one_part_unchanged() -> None:
    assert split("Hello **you**.", limit=100, measure=discord) == ("Hello **you**.",)


@pytest.mark.parametrize("text", ["", " ", "\n\n \t\n", "\u2003\n"])
def test_a_blank_text_has_no_parts(text: str) -> None:
    assert split(text, limit=10, measure=telegram) == ()
    assert split(text, limit=None, measure=telegram) == ()


def test_without_a_limit_there_is_one_part() -> None:
    assert split("word " * 10_000, limit=None, measure=discord) == (("word " * 10_000).rstrip(),)


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="limit"):
        split("text", limit=0, measure=discord)


# ---------------------------------------------------------------- order of preference


def test_paragraphs_are_kept_whole_where_that_fills_half_a_part() -> None:
    assert checked("a " * 30 + "\n\n" + "b " * 30, 100, discord) == (("a " * 30).strip(), ("b " * 30).strip())


def test_lines_are_cut_before_sentences() -> None:
    assert checked("One two. Three four\nfive six. Seven eight nine ten", 36, discord)[0] == "One two. Three four"


def test_sentences_are_cut_before_words() -> None:
    assert checked("One two three four five. Six seven eight nine", 40, discord)[0] == "One two three four five."


def test_words_are_cut_before_letters() -> None:
    assert checked("alpha beta gamma delta", 13, discord) == ("alpha beta", "gamma delta")


def test_chinese_sentences_end_without_a_blank() -> None:
    assert checked("今天天气很好，我们去公园。我们去公园散步吧怎么样", 18, discord)[0] == "今天天气很好，我们去公园。"


def test_a_heading_stays_with_what_it_heads() -> None:
    parts = checked("para " * 12 + "\n\n## Next\n\n" + "more " * 12, 80, discord)
    assert parts[1].startswith("## Next\n\nmore")


def test_an_address_is_not_cut_where_a_word_end_is_near() -> None:
    parts = checked("Please see the page at https://example.org/a/long/path/to/it", 50, discord)
    assert parts == ("Please see the page at", "https://example.org/a/long/path/to/it")


# ---------------------------------------------------------------- characters


@pytest.mark.parametrize("text", ["a" * 4095 + "😀", "😀" * 2049])
def test_telegram_parts_count_utf16_units_and_keep_emoji_whole(text: str) -> None:
    parts = checked(text, 4096, telegram)
    assert len(parts) == 2
    assert "".join(parts) == text


@pytest.mark.parametrize("cluster", ["👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "e\u0301", "नि", "❤️"])
def test_a_grapheme_cluster_is_never_cut(cluster: str) -> None:
    parts = checked(cluster * 40, 30, telegram)
    assert all(len(part) % len(cluster) == 0 for part in parts)
    assert "".join(parts) == cluster * 40


def test_a_cluster_longer_than_the_limit_is_cut_rather_than_sent_too_long() -> None:
    parts = checked("👩‍👩‍👧‍👦", 3, telegram)
    assert "".join(parts) == "👩‍👩‍👧‍👦"


@pytest.mark.parametrize("atom", ["&amp;", "&#128512;", "\\*", "\\_", "&nbsp;"])
@pytest.mark.parametrize("offset", range(8))
def test_references_and_escapes_are_never_cut(atom: str, offset: int) -> None:
    parts = checked("x" * offset + atom * 30, 17, discord)
    assert all(re.fullmatch(f"x*(?:{re.escape(atom)})*", part) for part in parts)


# ---------------------------------------------------------------- fences


def test_a_fence_that_crosses_the_limit_is_closed_and_reopened() -> None:
    code = "".join(f"value_{number} = {number}\n" for number in range(300))
    for measure, limit in ((telegram, 4096), (discord, 2000)):
        parts = checked(f"Intro.\n\n```py\n{code}```", limit, measure)
        assert len(parts) > 1
        assert all(part.count("```") == 2 for part in parts)
        assert all(part.startswith("```py\n") for part in parts[1:])
        assert without_fences("\n".join(parts)) == squeezed(f"Intro.{code}")


def test_prose_then_a_fence_at_the_limit_then_an_unclosed_bold() -> None:
    tail = "and **bold that never ends " + "w " * 90
    text = "prose word. " * 325 + "\n\n```py\n" + "x = 1\n" * 58 + "```\n\n" + tail + "\n\nafter"
    parts = checked(text, 4096, telegram)
    assert all(part.count("```") % 2 == 0 for part in parts)
    assert without_fences("\n".join(parts)) == without_fences(text)
    assert not any(
        span.kind.value == "bold" for part in parts for span in render(part, Markup.ENTITIES, Unit.UTF16).spans
    )


def test_only_a_bare_fence_line_closes_the_block() -> None:
    rows = [f"row {number} " + "z" * 60 for number in range(60)]
    rows[1], rows[39] = "```still-inside", "# not a heading"
    parts = checked("```txt\n" + "\n".join(rows) + "\n```", 2000, discord)
    shown = [render(part, Markup.ENTITIES, Unit.UTF16) for part in parts]
    assert all([span.kind.value for span in each.spans] == ["pre"] for each in shown)
    assert all(each.spans[0].length == len(each.text) for each in shown)
    assert "\n".join(each.text for each in shown) == "\n".join(rows)


@pytest.mark.parametrize(
    ("fence", "inside"), [("~~~", "```"), ("````", "```"), ("```", "~~~"), ("~~~~", "~~~"), ("```", "    ```")]
)
def test_other_fences_inside_do_not_close(fence: str, inside: str) -> None:
    code = "\n".join([inside, *(f"line {number}" for number in range(30)), inside])
    parts = checked(f"{fence}md\n{code}\n{fence}", 100, discord)
    assert all(part.startswith(f"{fence}md\n") and part.endswith(f"\n{fence}") for part in parts)
    bodies = [part.removeprefix(f"{fence}md\n").removesuffix(f"\n{fence}") for part in parts]
    assert "\n".join(bodies) == code


@pytest.mark.speed
@pytest.mark.parametrize(("measure", "limit"), PLATFORMS)
def test_a_fence_with_one_endless_line_is_cut_in_time(measure: Measure, limit: int) -> None:
    text = "```json\n" + "[1,2]," * 1500 + "\n```"
    parts = checked(text, limit, measure)
    assert all(part.startswith("```json\n") and part.endswith("\n```") for part in parts)
    assert without_fences("\n".join(parts)) == "[1,2]," * 1500
    assert cpu_seconds(text, limit, measure) < 0.25


def test_code_keeps_its_indent_at_a_cut() -> None:
    code = "def f():\n" + "        deep = 1\n" * 20
    parts = checked(f"```py\n{code}```", 120, discord)
    bodies = [part.removeprefix("```py\n").removesuffix("\n```") for part in parts]
    assert "\n".join(bodies) + "\n" == code


def test_a_cut_never_makes_a_line_that_closes_the_fence() -> None:
    text = "```\n" + "ab ``` " * 30 + "\n```"
    for limit in range(16, 60):
        for part in checked(text, limit, discord):
            assert [type(block).__name__ for block in _parsed(part)] == ["CodeBlock"]


def _parsed(text: str) -> tuple[object, ...]:
    from jarvisbot.gateway.render.tree import parse

    return parse(text)


def test_an_unclosed_fence_is_closed() -> None:
    assert split("Look:\n\n```py\nx = 1", limit=100, measure=discord) == ("Look:\n\n```py\nx = 1\n```",)
    assert split("```py\nx = 1", limit=None, measure=discord) == ("```py\nx = 1\n```",)


@pytest.mark.parametrize("prefix", ["> ", "- ", "1. ", "> - ", "- > "])
def test_a_fence_inside_a_container_is_closed_inside_it(prefix: str) -> None:
    rest = re.sub(r"[^> ]", " ", prefix)
    lines = ["```py", *(f"value_{number} = {number}" for number in range(20)), "```", "end"]
    text = "\n".join((rest if number else prefix) + line for number, line in enumerate(lines))
    parts = checked(text, 100, discord)
    assert len(parts) > 2
    assert all(len(FENCE_LINE.findall(part)) % 2 == 0 for part in parts)
    codes = [
        span for part in parts for span in render(part, Markup.ENTITIES, Unit.UTF16).spans if span.kind.value == "pre"
    ]
    assert len(codes) == len(parts)
    shown = "\n".join(render(part, Markup.ENTITIES, Unit.UTF16).text for part in parts)
    assert [line for line in shown.split("\n") if line.startswith("value_")] == lines[1:-2]


@pytest.mark.parametrize("text", ["> " * 60 + "```\nx", "- \n```\nword word\n```", "**" + "C:\\dir" * 40 + "**"])
@pytest.mark.parametrize("limit", [3, 17, 40])
def test_odd_texts_keep_their_letters(text: str, limit: int) -> None:
    assert letters("".join(checked(text, limit, telegram))) == letters(text)


@pytest.mark.parametrize("limit", range(1, 20))
def test_a_limit_too_small_for_a_fence_still_ends_and_holds(limit: int) -> None:
    parts = checked("Hi\n\n```python\nprint('hello world')\n```\n\nbye", limit, discord)
    assert letters("".join(parts)).replace("python", "").startswith("Hiprint")
    assert letters("".join(parts)).endswith("bye")


# ---------------------------------------------------------------- formatting over cuts


@pytest.mark.parametrize("text", ["**{}**", "*{}*", "~~{}~~", "`{}`", "[{}](https://example.org)"])
def test_formatting_that_fits_a_part_is_not_cut(text: str) -> None:
    formatted = text.format("some words that stay together")
    for before in range(20, 60):
        parts = checked("a" * before + " " + formatted, 80, discord)
        assert any(formatted in part for part in parts)


@pytest.mark.parametrize(("opener", "closer"), [("**", "**"), ("*", "*"), ("~~", "~~"), ("`", "`"), ("***", "***")])
def test_formatting_longer_than_a_part_is_closed_and_reopened(opener: str, closer: str) -> None:
    words = "word " * 60
    parts = checked(f"{opener}{words.strip()}{closer}", 100, discord)
    assert len(parts) > 2
    assert all(part.startswith(opener) and part.endswith(closer) for part in parts)
    kinds = {tuple(span.kind for span in render(part, Markup.ENTITIES, Unit.UTF16).spans) for part in parts}
    assert len(kinds) == 1
    assert kinds != {()}


def test_a_link_longer_than_a_part_leads_to_the_same_page_in_each() -> None:
    parts = checked("[" + "word " * 60 + "end](https://example.org/x)", 100, discord)
    urls = [span.url for part in parts for span in render(part, Markup.ENTITIES, Unit.UTF16).spans]
    assert urls == ["https://example.org/x"] * len(parts)


def test_markup_does_not_count_where_the_platform_does_not_show_it() -> None:
    text = "letters " * 300 + "**bold** " * 120 + "words " * 76
    shown = render(text, Markup.ENTITIES, Unit.UTF16).text
    text += "x" * (4095 - len(shown) - 1) + "&lt;"
    assert telegram(text) <= 4096 < len(text)
    assert len(checked(text, 4096, telegram)) == 1


def test_a_part_does_not_begin_with_what_would_be_read_as_a_block() -> None:
    text = "we use it for # and - and 1. and > and + here and there " * 8
    for limit in range(30, 60):
        for part in checked(text, limit, discord):
            assert [type(block).__name__ for block in _parsed(part)] == ["Paragraph"]


# ---------------------------------------------------------------- containers


def test_a_quotation_goes_on_as_one() -> None:
    parts = checked("> " + "word " * 40, 60, discord)
    assert all(part.startswith("> ") for part in parts)


def test_the_rest_of_a_list_keeps_numbers_and_levels() -> None:
    text = (
        "1. one\n   - a\n     - b " + "long text. " * 20 + "\n     - c\n   - d\n     - e\n2. two\n\n"
        "   ```py\n   a = 1\n   ```\n10. ten"
    )
    parts = checked(text, 100, discord)
    assert parts[-1].endswith("- c\n- d\n  - e\n2. two\n\n   ```py\n   a = 1\n   ```\n10. ten")
    shown = render(parts[-1], Markup.ENTITIES, Unit.UTF16).text
    assert [line for line in shown.split("\n") if line][-6:] == ["• c", "• d", "   • e", "2. two", "a = 1", "10. ten"]


def test_a_table_repeats_its_header() -> None:
    parts = checked("| a | b |\n|---|---|\n" + "| cell | value |\n" * 50, 200, discord)
    assert all(part.startswith("| a | b |\n|---|---|\n| cell") for part in parts)
    assert sum(part.count("| cell |") for part in parts) == 50


# ---------------------------------------------------------------- time


WORDS = "Some **bold** words, `code` and a [link](https://example.org/a_b) in sentence number {}. "


@pytest.mark.speed
@pytest.mark.parametrize(("measure", "limit"), PLATFORMS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n\n".join(WORDS.format(number) * 8 for number in range(140)), id="paragraphs"),
        pytest.param("".join(WORDS.format(number) for number in range(1150)), id="one paragraph"),
        pytest.param("".join(f"- item {number} with some words\n" for number in range(3700)), id="list"),
        pytest.param("```\n" + "".join(f"code line {number}\n" for number in range(6500)) + "```", id="fence"),
        pytest.param("x" * 100_000, id="one line"),
    ],
)
def test_100_kb_are_split_in_about_a_second(text: str, measure: Measure, limit: int) -> None:
    assert cpu_seconds(text, limit, measure) < 2.5


@pytest.mark.speed
@pytest.mark.parametrize(("measure", "limit"), PLATFORMS)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("*a_" * 16_000, id="markers"),
        pytest.param("[" * 25_000 + "]" * 25_000, id="brackets"),
        pytest.param("." * 50_000, id="dots"),
        pytest.param("- " * 25_000, id="dashes"),
        pytest.param("[a](" * 12_000, id="unfinished links"),
    ],
)
def test_text_made_to_be_slow_is_not(text: str, measure: Measure, limit: int) -> None:
    assert cpu_seconds(text, limit, measure) < 4


@pytest.mark.parametrize(("measure", "limit"), PLATFORMS)
def test_a_line_of_10_000_characters_without_blanks_is_split(measure: Measure, limit: int) -> None:
    parts = checked("x" * 10_000, limit, measure)
    assert "".join(parts) == "x" * 10_000
    assert len(parts) == -(-measure("x" * 10_000) // limit)


# ---------------------------------------------------------------- any text

word = st.text(alphabet="abcdefgh XYZ.!?äß漢字かな😀👩‍👧é\u0301नि", min_size=1, max_size=40)
markers = st.sampled_from(
    ["*", "**", "_", "__", "~~", "`", "``", "[", "](https://e.org/a)", "\\", "&amp;", "<", "@here ", "!", "|"]
)
prose = st.lists(st.one_of(word, word, markers), min_size=1, max_size=25).map("".join)
line_start = st.sampled_from(
    ["", "", "- ", "1. ", "7) ", "  - ", "    - ", "> ", "> > ", "# ", "### ", "> - ", "- > ", "    "]
)
prose_block = st.lists(st.tuples(line_start, prose), min_size=1, max_size=6).map(
    lambda lines: "\n".join(start + text for start, text in lines)
)
code_line = st.text(alphabet="abc {}[]=:;#\"'.01\t漢😀", max_size=50)
fence_block = st.builds(
    lambda fence, info, lines, prefix: "\n".join(prefix + line for line in [fence + info, *lines, fence]),
    st.sampled_from(["```", "~~~", "````"]),
    st.sampled_from(["", "py", "json"]),
    st.lists(code_line, max_size=15),
    st.sampled_from(["", "", "", "> "]),
)
long_line = st.builds(
    lambda text, times: text * times, st.sampled_from(["x", "ab ", "漢", "😀", '{"a":1},']), st.integers(1, 120)
)
blocks = st.lists(st.one_of(prose_block, prose_block, fence_block, long_line), min_size=1, max_size=6)
documents = st.tuples(blocks, st.sampled_from(["\n\n", "\n"])).map(lambda pair: pair[1].join(pair[0]))

relaxed = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@relaxed
@given(documents, st.integers(4, 400), st.sampled_from([telegram, discord, escaped, matrix, plain]))
@example("```py\nx\n```", 5, discord)
@example("- > ```\n  > x\n", 30, discord)
def test_no_part_is_too_long_or_blank_whatever_the_text(text: str, limit: int, measure: Measure) -> None:
    parts = checked(text, max(limit, 4 * measure("x")), measure)  # where a letter costs its markup too, four must fit
    assert parts or not letters(FENCE_LINE.sub("", text))


@relaxed
@given(documents, st.integers(60, 400), st.sampled_from([telegram, discord]))
def test_no_letter_is_lost_whatever_the_text(text: str, limit: int, measure: Measure) -> None:
    parts = checked(text, limit, measure)
    source, found = letters(text), letters("".join(parts))
    position = 0
    for mark in found:  # what was added (info strings, addresses, headers) may stand between
        position += position < len(source) and source[position] == mark
    assert position == len(source)


@relaxed
@given(
    st.lists(st.one_of(prose.map(lambda text: text.replace("`", "").replace("~", "")), fence_block), max_size=6),
    st.integers(60, 400),
)
def test_fences_are_even_in_every_part(blocks: list[str], limit: int) -> None:
    text = "\n\n".join(blocks)
    for part in checked(text, limit, discord):
        assert len(FENCE_LINE.findall(part)) % 2 == 0


@relaxed
@given(st.lists(st.one_of(word, long_line), min_size=1, max_size=10).map("\n\n".join), st.integers(20, 300))
def test_plain_text_is_the_parts_joined(text: str, limit: int) -> None:
    assert squeezed("".join(checked(text, limit, telegram))) == squeezed(text)


words = st.lists(st.text(alphabet="abcdef", min_size=1, max_size=8), min_size=1, max_size=12).map(" ".join)
formats = st.sampled_from(["{}", "{}", "**{}**", "*{}*", "`{}`", "~~{}~~", "[{}](https://e.org/a)", "**b *{}* b**"])
loose = st.sampled_from(["&amp;", "\\*", "* ", "_x", "5*3", "a_b", ". ", "! ", "\n", "👍"])
formatted = st.one_of(st.builds(str.format, formats, words), loose)
paragraph = st.lists(formatted, min_size=1, max_size=8).map(" ".join)
code = st.lists(st.text(alphabet="ab {}*_#", max_size=30), max_size=12).map(
    lambda lines: "\n".join(["```py", *lines, "z", "```"])
)
items = st.lists(words, min_size=1, max_size=5).map(lambda texts: "\n".join(f"- {text}" for text in texts))
nested = st.lists(st.tuples(st.integers(0, 3), words), min_size=1, max_size=8).map(
    lambda lines: "\n".join("  " * min(depth, number) + f"- {text}" for number, (depth, text) in enumerate(lines))
)
quotation = paragraph.map(lambda text: "> " + text.replace("\n", "\n> "))
well_formed = st.lists(st.one_of(paragraph, code, items, nested, quotation), min_size=1, max_size=5).map("\n\n".join)


def letters_with_formatting(text: str) -> list[tuple[str, frozenset[tuple[str, str | None]]]]:
    rendered = render(text, Markup.ENTITIES, Unit.CODE_POINTS)
    over: list[set[tuple[str, str | None]]] = [set() for _ in rendered.text]
    for span in rendered.spans:
        for at in range(span.start, span.start + span.length):
            over[at].add((span.kind, span.url))
    return [(mark, frozenset(kinds)) for mark, kinds in zip(rendered.text, over, strict=True) if mark.isalnum()]


@relaxed
@given(well_formed, st.integers(24, 300), st.sampled_from([telegram, discord]))
def test_every_letter_keeps_its_formatting_over_the_cuts(text: str, limit: int, measure: Measure) -> None:
    parts = checked(text, limit, measure)
    assert [entry for part in parts for entry in letters_with_formatting(part)] == letters_with_formatting(text)
