"""Answers as text with entities: what is shown, what is formatted, and that a strict platform takes it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.render import measure_for, render
from jarvisbot.types import Rendered, Span, SpanKind

CODE = (SpanKind.CODE, SpanKind.PRE)


def shown(text: str) -> Rendered:
    rendered = render(text, Markup.ENTITIES, Unit.UTF16)
    check(rendered, Unit.UTF16)
    return rendered


def pieces(rendered: Rendered) -> list[tuple[str, str]]:
    """Each span's kind and the characters under it."""
    raw = rendered.text.encode("utf-16-le")
    return [
        (str(span.kind), raw[2 * span.start : 2 * (span.start + span.length)].decode("utf-16-le"))
        for span in rendered.spans
    ]


def unit_bytes(text: str, unit: Unit) -> tuple[bytes, int]:
    match unit:
        case Unit.UTF16:
            return text.encode("utf-16-le", "surrogatepass"), 2
        case Unit.UTF8:
            return text.encode("utf-8", "surrogatepass"), 1
        case Unit.CODE_POINTS:
            return text.encode("utf-32-le", "surrogatepass"), 4


def check(rendered: Rendered, unit: Unit) -> None:
    """What a strict server asks of entities."""
    raw, size = unit_bytes(rendered.text, unit)
    encoding = {Unit.UTF16: "utf-16-le", Unit.UTF8: "utf-8", Unit.CODE_POINTS: "utf-32-le"}[unit]
    ranges = [(span.start, span.start + span.length, span) for span in rendered.spans]
    for start, end, span in ranges:
        assert 0 <= start < end <= len(raw) // size
        under = raw[size * start : size * end].decode(encoding)  # fails where a character is cut
        raw[: size * start].decode(encoding)
        assert under.strip()
        if span.kind in (SpanKind.PRE, SpanKind.QUOTE):
            assert under == under.strip("\n")
        else:
            assert under == under.strip()
        assert (span.url is not None) == (span.kind is SpanKind.LINK)
    for number, (start, end, span) in enumerate(ranges):
        for other_start, other_end, other in ranges[number + 1 :]:
            assert (start, -end) <= (other_start, -other_end)
            if other_start >= end:
                continue
            assert other_end <= end, "spans overlap in part"
            assert span.kind is not other.kind
            assert span.kind not in CODE
            assert other.kind not in CODE or span.kind is SpanKind.QUOTE
            assert other.kind is not SpanKind.QUOTE or span.kind is SpanKind.QUOTE or span.length == other.length


# ---------------------------------------------------------------- characters that trip parsers


def test_reserved_characters_arrive_without_backslashes() -> None:
    text = "Price (est.) = 3.50 - 10%! See item_1 #2 | a > b {x} ~ok~ +1"
    assert shown(text) == Rendered(text=text)


def test_html_is_shown_as_written() -> None:
    rendered = shown("if a < b && c > d: use <T> or <br> or <table>; AT&T &copy; x")
    assert rendered == Rendered(text="if a < b && c > d: use <T> or <br> or <table>; AT&T © x")


def test_html_blocks_and_comments_are_shown_as_written() -> None:
    assert shown("<div>\nhello\n</div>\n\n<!-- note -->").text == "<div>\nhello\n</div>\n\n<!-- note -->"


@pytest.mark.parametrize(
    "text",
    [
        "Set battery_alarm_level and mail jo_do@example.org, see __init__.py",
        "snake_case_name and my__var__x and _private and __dunder",
        "Call obj.__init__(self) or package/__main__.py or _config_.yml",
        "5*3*2 = 30, 2**8 and 2 ** 3 and 2*x*3",
        "1.5*2*3 or 10 * 2 * 3",
        "2*π*r and x_1*y_2*z",
        "2*(3+4)*5 and x**(n+1)**y and f(x)**2 + g(y)**3",
        "https://example.org/_next_/a*b*c and https://en.wikipedia.org/wiki/A_(b)_c_(d)",
        "KeyError: '_id' in {\"a_b\": [1,*2]} at /opt/x_y/[z].py",
    ],
)
def test_identifiers_sums_and_addresses_stay_text(text: str) -> None:
    assert shown(text) == Rendered(text=text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**5**x faster", "5"),
        ("__Note__ this", "Note"),
        ("**3**個", "3"),
        ("__bold__.", "bold"),
        ("a **b** c", "b"),
        ("**Note:**text follows", "Note:"),
        ("**注意：**请看", "注意："),
        ("请看**（说明）**吧", "（说明）"),
        ("重要**(注)**的", "(注)"),
        ("你好**世界**。", "世界"),
        ("**https://example.org/a**", "https://example.org/a"),
    ],
)
def test_bold_is_still_bold(text: str, expected: str) -> None:
    assert pieces(shown(text)) == [("bold", expected)]


def test_bold_that_ends_in_punctuation_ends_there() -> None:
    assert pieces(shown("**One:**two and **three**four")) == [("bold", "One:"), ("bold", "three")]


def test_overlapping_stars_give_nested_spans() -> None:
    rendered = shown("***both*** then **bold *and italic** still italic*")
    assert rendered.text.replace("*", "") == "both then bold and italic still italic"
    assert ("bold", "both") in pieces(rendered)
    assert ("italic", "both") in pieces(rendered)


def test_an_unclosed_star_does_not_leave_its_paragraph() -> None:
    assert shown("a **b\n\nc** d").spans == ()


# ---------------------------------------------------------------- inside a line


def test_each_kind_of_formatting_becomes_a_span() -> None:
    rendered = shown("**b** *i* ~~s~~ `c` [l](https://example.org/x)")
    assert rendered.text == "b i s c l"
    assert pieces(rendered) == [("bold", "b"), ("italic", "i"), ("strike", "s"), ("code", "c"), ("link", "l")]
    assert rendered.spans[-1].url == "https://example.org/x"


def test_spans_count_utf16_units() -> None:
    assert shown("😀 **b😀**").spans == (Span(kind=SpanKind.BOLD, start=3, length=3),)


@pytest.mark.parametrize(("unit", "start", "length"), [(Unit.UTF8, 5, 6), (Unit.CODE_POINTS, 2, 3)])
def test_spans_count_the_unit_asked_for(unit: Unit, start: int, length: int) -> None:
    rendered = render("😀 **ä😀**".replace("ä😀", "ä漢b"), Markup.ENTITIES, unit)
    check(rendered, unit)
    assert rendered.spans == (Span(kind=SpanKind.BOLD, start=start, length=length),)


def test_code_inside_bold_parts_the_bold() -> None:
    assert pieces(shown("**run `git` now**")) == [("bold", "run"), ("code", "git"), ("bold", "now")]


def test_a_link_around_code_stays_a_link() -> None:
    assert pieces(shown("[see `git`](https://example.org)")) == [("link", "see git")]


def test_soft_and_hard_line_breaks_survive() -> None:
    assert shown("one\ntwo  \nthree\\\nfour").text == "one\ntwo\nthree\nfour"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "/docs/a", "ftp://example.org/x", "data:text/html,x", "https://"]
)
def test_an_unsafe_or_relative_address_is_shown_and_not_linked(url: str) -> None:
    assert shown(f"[label]({url})") == Rendered(text=f"label ({url})")


@pytest.mark.parametrize(
    "url", ["http://example.org", "https://example.org/?q=a", "mailto:a@example.org", "tg://user?id=1"]
)
def test_a_safe_address_is_linked(url: str) -> None:
    assert shown(f"[label]({url})").spans == (Span(kind=SpanKind.LINK, start=0, length=5, url=url),)


def test_an_address_in_other_scripts_is_encoded_for_the_platform() -> None:
    (span,) = shown("[x](https://bücher.example/straße?q=ä)").spans
    assert span.url == "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%A4"


def test_autolinks_are_links_without_brackets() -> None:
    rendered = shown("<https://example.org/a> <me@example.org>")
    assert rendered.text == "https://example.org/a me@example.org"
    assert [span.url for span in rendered.spans] == ["https://example.org/a", "mailto:me@example.org"]


def test_an_image_is_its_description_as_a_link() -> None:
    rendered = shown("![A cat](https://example.org/cat.png)")
    assert (rendered.text, rendered.spans[0].url) == ("A cat", "https://example.org/cat.png")
    assert shown("![](https://example.org/cat.png)").text == "https://example.org/cat.png"


def test_an_image_inside_a_link_keeps_both_addresses() -> None:
    rendered = shown("[![alt](https://example.org/i.png)](https://example.org/page)")
    assert rendered.spans[0].url == "https://example.org/page"
    assert rendered.text == "alt (https://example.org/i.png)"


def test_reference_definitions_stay_visible() -> None:
    assert shown("See [1].\n\n[1]: https://example.org/a").text == "See [1].\n\n[1]: https://example.org/a"


# ---------------------------------------------------------------- blocks


def test_lists_keep_numbers_levels_and_code() -> None:
    rendered = shown("1. one\n   - a\n     - b\n2) two\n\n   ```py\n   x\n   ```\n10. ten")
    assert [line for line in rendered.text.split("\n") if line] == [
        "1. one", "   • a", "      • b", "2) two", "x", "10. ten",
    ]  # fmt: skip
    assert rendered.spans[0].language == "py"


def test_numbers_are_those_written_but_equal_ones_are_counted() -> None:
    assert shown("3. c\n7. g").text == "3. c\n7. g"
    assert shown("1. a\n1. b\n1. c").text == "1. a\n2. b\n3. c"


def test_a_second_line_of_an_item_is_indented() -> None:
    assert shown("- one\n  two\n- three").text == "• one\n   two\n• three"


def test_headings_are_bold_lines() -> None:
    rendered = shown("# Title\n\ntext\n\nOther\n---")
    assert rendered.text == "Title\n\ntext\n\nOther"
    assert pieces(rendered) == [("bold", "Title"), ("bold", "Other")]


def test_fenced_code_keeps_its_indent_and_language() -> None:
    rendered = shown("```python\n    return 1\n\nx\n```")
    assert rendered == Rendered(
        text="    return 1\n\nx", spans=(Span(kind=SpanKind.PRE, start=0, length=15, language="python"),)
    )


def test_the_rest_of_an_info_string_is_shown() -> None:
    assert shown('```py title="a.py"\nx\n```').text == 'title="a.py"\nx'


def test_quotations_are_one_span_and_inner_ones_are_marked() -> None:
    rendered = shown("> q **b**\n> > inner\n\nafter")
    assert rendered.text == "q b\n\n> inner\n\nafter"
    assert pieces(rendered) == [("quote", "q b\n\n> inner"), ("bold", "b")]


def test_code_inside_a_quotation_stays_code() -> None:
    assert pieces(shown("> run `git`\n>\n> ```\n>   x\n> ```")) == [
        ("quote", "run git\n\n  x"), ("code", "git"), ("pre", "  x"),
    ]  # fmt: skip


def test_a_divider_is_a_line() -> None:
    assert set(shown("a\n\n---\n\nb").text.split("\n")[2]) == {"─"}


def test_a_text_of_markup_alone_is_shown_as_written() -> None:
    assert shown("```\n```").text == "```\n```"
    assert shown("#").text == "#"


@pytest.mark.parametrize("marks", ["> " * 60, "- " * 60, "1. " * 60])
def test_deep_nesting_loses_nothing(marks: str) -> None:
    assert "deep1text" in shown(marks + "deep1text").text


def test_deeply_nested_formatting_is_shown_as_written() -> None:
    text = "*a _b " * 2000 + "c_ d* " * 2000
    assert shown(text).text.count("a") == 2000


def test_windows_line_ends_are_line_ends() -> None:
    assert shown("a\r\nb\r\n\r\n- c\r\n- d") == shown("a\nb\n\n- c\n- d")


# ---------------------------------------------------------------- tables


def test_a_narrow_table_is_aligned_by_display_columns() -> None:
    rendered = shown("| Stadt | t |\n|---|--:|\n| 東京 | 9 |\n| Köln | 12 |")
    assert rendered.text.split("\n") == ["Stadt │  t", "──────┼───", "東京  │  9", "Köln  │ 12"]
    assert [kind for kind, _ in pieces(rendered)] == ["pre"]


def test_a_wide_table_becomes_cards() -> None:
    rendered = shown(
        "| Name | What it does in many words |\n|---|---|\n| a | one explanation of it in far too many words |\n| b | |"
    )
    assert rendered.text == (
        "Name: a\nWhat it does in many words: one explanation of it in far too many words\n\n"
        "Name: b\nWhat it does in many words: –"
    )
    assert ("bold", "Name:") in pieces(rendered)


def test_links_in_a_table_stay_links() -> None:
    rendered = shown("| a |\n|---|\n| [x](https://example.org) |")
    assert [span.url for span in rendered.spans if span.kind is SpanKind.LINK] == ["https://example.org"]


def test_cells_beyond_the_header_are_kept() -> None:
    assert "surplus" in shown("| a | b |\n|---|---|\n| 1 | 2 | surplus |").text


# ---------------------------------------------------------------- any text

MARKS = (
    "* ** *** _ __ ` `` ~~ ~ [ ](https://e.org) ](x) ![ < > & \\ | a B7 word ж 漢字 😀 é @here <b> 5*3*2 __init__.py"
)
LINES = [
    "\n",
    "\n\n",
    "\n- ",
    "\n1. ",
    "\n  - ",
    "\n> ",
    "\n> > ",
    "\n# ",
    "\n```py\n",
    "\n~~~\n",
    "\n---\n",
    "    ",
    " ",
]
fragments = st.sampled_from([*MARKS.split(), *LINES, "\n|a|b|\n|-|-|\n|c|d|\n"])
wild = st.lists(fragments, max_size=40).map("".join)


def letters(text: str) -> list[str]:
    return sorted(mark for mark in text if mark.isalnum())


@settings(max_examples=400, deadline=None)
@given(wild, st.sampled_from(list(Unit)))
def test_any_text_renders_to_valid_entities_without_losing_a_letter(text: str, unit: Unit) -> None:
    rendered = render(text, Markup.ENTITIES, unit)
    check(rendered, unit)
    assert (
        measure_for(Markup.ENTITIES, unit)(text) == len(unit_bytes(rendered.text, unit)[0]) // unit_bytes("", unit)[1]
    )
    visible = rendered.text + "".join((span.url or "") + (span.language or "") for span in rendered.spans)
    remaining = letters(visible)
    for mark in letters(text):
        if mark in "1":  # equal list numbers are counted
            continue
        assert mark in remaining
        remaining.remove(mark)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_arbitrary_characters_render(text: str) -> None:
    rendered = render(text, Markup.ENTITIES, Unit.UTF16)
    check(rendered, Unit.UTF16)
    assert bool(rendered.text) == bool(text.strip())
