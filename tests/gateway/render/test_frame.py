"""The text of a message with its tool rows and sources written into it."""

from __future__ import annotations

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.render import render
from jarvisbot.gateway.render.frame import compose, noted
from jarvisbot.types import RowState, Source, ToolRow


def row(**changes: object) -> ToolRow:
    values: dict[str, object] = {"label": "Calculated", "detail": "98765 * 4321", "tool": "calculator"} | changes
    return ToolRow(**values)  # type: ignore[arg-type]


def source(number: int) -> Source:
    return Source(title=f"Page {number}", url=f"https://e{number}.org/x")


def shown(text: str) -> str:
    return render(text, Markup.ENTITIES, Unit.UTF16).text


def test_an_answer_alone_is_left_as_it_is() -> None:
    assert compose("The **answer**.", (), ()) == "The **answer**."


def test_rows_come_first_one_a_line() -> None:
    text = compose("426,763,565", (row(), row(label="Searched the web", detail="news", seconds=1.24)), ())
    assert shown(text) == "Calculated 98765 * 4321\nSearched the web news (1.2 s)\n\n426,763,565"


def test_a_detail_is_code_so_that_nothing_in_it_is_formatting() -> None:
    assert compose("", (row(detail="2**3 `x`"),), ()) == "Calculated `` 2**3 `x` ``"
    assert shown(compose("", (row(detail="**a** _b_"),), ())) == "Calculated **a** _b_"


def test_a_label_is_never_formatting() -> None:
    assert shown(compose("", (row(label="Used *my* [tool](x)", detail=""),), ())) == "Used *my* [tool](x)"


def test_states_are_words() -> None:
    assert (
        shown(compose("", (row(state=RowState.FAILED, seconds=2.0),), ())) == "Calculated 98765 * 4321 (failed, 2.0 s)"
    )
    assert shown(compose("", (row(state=RowState.RUNNING),), ())) == "Calculated 98765 * 4321 (running)"


def test_times_too_short_to_show_are_left_out() -> None:
    assert " s)" not in compose("", (row(seconds=0.049),), ())
    assert "(0.1 s)" in compose("", (row(seconds=0.05),), ())


def test_a_long_detail_is_cut_between_characters_and_marked() -> None:
    text = compose("", (row(detail="👩‍👩‍👧‍👦" * 200),), ())
    assert text.count("👩‍👩‍👧‍👦") == 79
    assert "…" in text


def test_lines_in_a_detail_become_one() -> None:
    assert "\n" not in compose("", (row(detail="a\n\nb"),), ())


def test_sources_are_links_under_the_answer() -> None:
    text = compose("Done.", (), (source(1), source(2)))
    rendered = render(text, Markup.ENTITIES, Unit.UTF16)
    assert rendered.text == "Done.\n\nSources: Page 1 · Page 2"
    assert [span.url for span in rendered.spans] == ["https://e1.org/x", "https://e2.org/x"]


def test_at_most_eight_sources_are_shown_and_the_others_counted() -> None:
    text = compose("Done.", (), tuple(source(number) for number in range(11)))
    assert "Page 7" in text
    assert "Page 8" not in text
    assert text.endswith("+3 more")


def test_the_same_page_is_shown_once() -> None:
    assert compose("", (), (source(1), source(1))).count("Page 1") == 1


def test_odd_titles_and_addresses_stay_one_link() -> None:
    odd = Source(title="A ] [ *b* | c", url="https://e.org/a_(b)?q=<x>")
    rendered = render(compose("", (), (odd,)), Markup.ENTITIES, Unit.UTF16)
    assert rendered.text == "Sources: A ] [ *b* | c"
    assert [span.url for span in rendered.spans] == ["https://e.org/a_(b)?q=%3Cx%3E"]


def test_a_source_without_a_title_shows_its_site() -> None:
    assert shown(compose("", (), (Source(title="", url="https://e.org/a"),))) == "Sources: e.org"


def test_an_unsafe_address_is_no_link() -> None:
    assert render(compose("", (), (Source(title="T", url="javascript:x"),)), Markup.ENTITIES, Unit.UTF16).spans == ()


def test_sources_stay_out_of_a_fence_left_open() -> None:
    text = compose("```py\nx = 1", (), (source(1),))
    assert text == "```py\nx = 1\n```\n\nSources: [Page 1](<https://e1.org/x>)"


def test_without_anything_there_is_nothing() -> None:
    assert compose("", (), ()) == ""


def test_a_note_stands_between_the_answer_and_its_sources_and_is_never_formatting() -> None:
    text = compose("**Done**.", (row(),), (source(1),), "Please check: 2 * 3 * 4 is _not_ <b>.")
    assert shown(text) == (
        "Calculated 98765 * 4321\n\nDone.\n\nPlease check: 2 * 3 * 4 is _not_ <b>.\n\nSources: Page 1"
    )


def test_a_note_does_not_end_up_in_a_fence_that_was_left_open() -> None:
    assert shown(compose("```py\nx = 1", (), (), "Please check: x.")).endswith("x = 1\n\nPlease check: x.")
    assert noted("```\nx", "Please check: x.") == "```\nx\n```\n\nPlease check: x."


def test_there_is_no_note_under_nothing() -> None:
    assert compose("", (), (), "Please check: x.") == ""
    assert noted("text ", "") == "text "
