"""What stands around an answer, in each platform's form."""

from __future__ import annotations

import pytest

from jarvisbot.connector import Capabilities, Markup, Once, Unit
from jarvisbot.gateway.parts import Frame, body, texts
from jarvisbot.gateway.render import size
from jarvisbot.gateway.render.frame import noted
from jarvisbot.gateway.render.framing import framed
from jarvisbot.types import Rendered, RowState, Source, SpanKind, ToolRow


def platform(markup: Markup, *, limit: int | None = 4096, unit: Unit = Unit.UTF16) -> Capabilities:
    return Capabilities(text_limit=limit, unit=unit, markup=markup, once=Once.KEY)


TELEGRAM = platform(Markup.ENTITIES)
MATRIX = platform(Markup.HTML, limit=22_000, unit=Unit.UTF8)
PLAIN = platform(Markup.PLAIN)
MARKDOWN = platform(Markup.MARKDOWN)


def row(**changes: object) -> ToolRow:
    values: dict[str, object] = {"label": "Calculated", "detail": "98765 * 4321", "tool": "calculator"} | changes
    return ToolRow(**values)  # type: ignore[arg-type]


def source(number: int) -> Source:
    return Source(title=f"Page {number}", url=f"https://e{number}.org/x")


def message(text: str = "", *, on: Capabilities = TELEGRAM, plain: bool = False, **frame: object) -> Rendered:
    return framed(body(text, on, plain=plain), Frame(**frame), on, plain=plain)  # type: ignore[arg-type]


def shown(text: str = "", **frame: object) -> str:
    return message(text, **frame).text


def test_an_answer_alone_is_left_as_it_is() -> None:
    for on in (TELEGRAM, MATRIX, PLAIN, MARKDOWN):
        assert message("The **answer**.", on=on) == body("The **answer**.", on)


def test_rows_come_first_one_a_line_folded_up_with_the_name_of_the_function() -> None:
    rendered = message(
        "426,763,565", rows=(row(), row(label="Searched the web", detail="news", seconds=1.24, tool="web_search"))
    )
    head = "Calculated 98765 * 4321 · calculator\nSearched the web news (1.2 s) · web_search"
    assert rendered.text == f"{head}\n\n426,763,565"
    assert [(span.kind, span.start, span.length) for span in rendered.spans] == [
        (SpanKind.EXPANDABLE, 0, len(head)),
        (SpanKind.CODE, 11, 12),
        (SpanKind.CODE, 54, 4),
    ]


def test_labels_are_the_last_line_of_the_rows() -> None:
    rendered = message("4", rows=(row(),), labels=("arithmetic (trigger)", "thought for 3.2 s"))
    assert rendered.text.split("\n")[1] == "arithmetic (trigger) · thought for 3.2 s"
    assert [span.kind for span in rendered.spans] == [SpanKind.EXPANDABLE, SpanKind.CODE, SpanKind.ITALIC]


def test_labels_without_rows_are_the_last_line_of_the_message() -> None:
    rendered = message("4", sources=(source(1),), labels=("corrected",))
    assert rendered.text == "4\n\nSources: Page 1\ncorrected"
    assert [span.kind for span in rendered.spans] == [SpanKind.LINK, SpanKind.EXPANDABLE, SpanKind.ITALIC]


def test_offsets_count_what_stands_above_in_the_unit_of_the_platform() -> None:
    rendered = message("**bold**", rows=(row(label="😀", detail=""),))
    (bold,) = [span for span in rendered.spans if span.kind is SpanKind.BOLD]
    assert (
        rendered.text.encode("utf-16-le")[2 * bold.start : 2 * (bold.start + bold.length)].decode("utf-16-le") == "bold"
    )


def test_a_detail_is_code_so_that_nothing_in_it_is_formatting() -> None:
    assert shown(rows=(row(detail="**a** _b_", tool=""),)) == "Calculated **a** _b_"
    assert message(on=MARKDOWN, rows=(row(detail="2**3 `x`", tool=""),)).text == "Calculated `` 2**3 `x` ``"


def test_a_label_is_never_formatting() -> None:
    assert shown(rows=(row(label="Used *my* [tool](x)", detail="", tool=""),)) == "Used *my* [tool](x)"
    assert "<b>" not in message(on=MATRIX, rows=(row(label="<b>", detail="<b>", tool="<b>"),), labels=("<b>",)).html


def test_states_are_words() -> None:
    assert "(failed, 2.0 s)" in shown(rows=(row(state=RowState.FAILED, seconds=2.0),))
    assert "(running)" in shown(rows=(row(state=RowState.RUNNING),))


def test_times_too_short_to_show_are_left_out() -> None:
    assert " s)" not in shown(rows=(row(seconds=0.049),))
    assert "(0.1 s)" in shown(rows=(row(seconds=0.05),))


def test_a_long_detail_is_cut_between_characters_and_marked() -> None:
    text = shown(rows=(row(detail="👩‍👩‍👧‍👦" * 200),))
    assert text.count("👩‍👩‍👧‍👦") == 79
    assert "…" in text


def test_lines_in_a_detail_become_one() -> None:
    assert "\n" not in shown(rows=(row(detail="a\n\nb"),))


@pytest.mark.parametrize("on", [TELEGRAM, MATRIX, PLAIN, MARKDOWN])
def test_pings_in_rows_labels_and_sources_are_neutralised(on: Capabilities) -> None:
    rendered = message(
        "x", on=on, rows=(row(label="@room", detail="@everyone", tool="@here"),), labels=("@everyone",),
        sources=(Source(title="@room", url=""),),
    )  # fmt: skip
    assert not [word for word in ("@room", "@everyone", "@here") if word in rendered.text + rendered.html]


def test_sources_are_links_under_the_answer() -> None:
    rendered = message("Done.", sources=(source(1), source(2)))
    assert rendered.text == "Done.\n\nSources: Page 1 · Page 2"
    assert [span.url for span in rendered.spans] == ["https://e1.org/x", "https://e2.org/x"]


@pytest.mark.parametrize("on", [TELEGRAM, MATRIX, PLAIN, MARKDOWN])
def test_at_most_eight_sources_are_shown_and_the_others_counted(on: Capabilities) -> None:
    text = message("Done.", on=on, sources=tuple(source(number) for number in range(11))).text
    assert "Page 7" in text
    assert "Page 8" not in text
    assert text.endswith("+3 more")


def test_the_same_page_is_shown_once() -> None:
    assert shown(sources=(source(1), source(1))).count("Page 1") == 1


def test_odd_titles_and_addresses_stay_one_link() -> None:
    odd = Source(title="A ] [ *b* | c", url="https://e.org/a_(b)?q=<x>")
    rendered = message(sources=(odd,))
    assert rendered.text == "Sources: A ] [ *b* | c"
    assert [span.url for span in rendered.spans] == ["https://e.org/a_(b)?q=%3Cx%3E"]
    assert 'href="https://e.org/a_(b)?q=%3Cx%3E"' in message(on=MATRIX, sources=(odd,)).html


def test_a_source_without_a_title_shows_its_site() -> None:
    assert shown(sources=(Source(title="", url="https://e.org/a"),)) == "Sources: e.org"


def test_an_unsafe_address_is_no_link() -> None:
    assert message(sources=(Source(title="T", url="javascript:x"),)).spans == ()
    assert "href" not in message(on=MATRIX, sources=(Source(title="T", url="javascript:x"),)).html


def test_matrix_folds_rows_up_and_links_sources() -> None:
    rendered = message("Hi *you*", on=MATRIX, rows=(row(seconds=2),), labels=("corrected",), sources=(source(1),))
    assert rendered.html == (
        "<details><summary>Calculated</summary>Calculated <code>98765 * 4321</code> (2.0 s) · calculator"
        "<br><em>corrected</em></details><p>Hi <em>you</em></p>"
        '<p>Sources: <a href="https://e1.org/x">Page 1</a></p>'
    )
    assert rendered.text == (
        "Calculated 98765 * 4321 (2.0 s) · calculator\ncorrected\n\nHi you\n\nSources: Page 1 (https://e1.org/x)"
    )


def test_a_plain_resend_keeps_every_word_and_no_formatting() -> None:
    for on in (TELEGRAM, MATRIX):
        rendered = message("**Hi**", on=on, plain=True, rows=(row(),), sources=(source(1),))
        assert rendered == Rendered(text=message("Hi", on=on, rows=(row(),), sources=(source(1),)).text)


@pytest.mark.parametrize("on", [platform(Markup.ENTITIES, limit=300), platform(Markup.HTML, limit=900, unit=Unit.UTF8)])
@pytest.mark.parametrize("words", [1, 20, 40, 60, 500])
def test_a_frame_never_makes_a_message_too_long(on: Capabilities, words: int) -> None:
    frame = Frame(rows=(row(),) * 9, labels=("label " * 9,), sources=tuple(source(number) for number in range(30)))
    parts = texts("word " * words, frame, on)
    for position, text in enumerate(parts):
        first, last = position == 0, position == len(parts) - 1
        around = Frame(
            rows=frame.rows if first else (), labels=frame.labels if last else (), sources=frame.sources if last else ()
        )
        whole = framed(body(text, on), around, on)
        assert size(whole, on.markup, on.unit) <= on.text_limit  # type: ignore[operator]
    assert " ".join(" ".join(parts).split()) == ("word " * words).strip()


def test_rows_without_room_are_counted() -> None:
    text = message("x", on=platform(Markup.ENTITIES, limit=300), rows=(row(),) * 9).text
    assert text == "Calculated 98765 * 4321 · calculator\n" * 2 + "+7 more\n\nx"


def test_without_anything_there_is_nothing() -> None:
    assert message() == Rendered(text="")


def test_a_note_does_not_end_up_in_a_fence_that_was_left_open() -> None:
    assert noted("```\nx", "Please check: x.") == "```\nx\n```\n\nPlease check: x."


def test_there_is_no_note_under_nothing() -> None:
    assert noted("", "Please check: x.") == ""
    assert noted("text ", "") == "text "
