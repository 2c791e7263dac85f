"""Embeds and link buttons within Discord's limits."""

from __future__ import annotations

import pytest

from jarvisbot.gateway.render.embed import embeds, fitted, link_buttons
from jarvisbot.gateway.render.frame import Frame
from jarvisbot.types import Embed, EmbedField, RowState, Source, ToolRow
from tests.emulators.discord.limits import check_embeds, check_links, units
from tests.emulators.discord.markdown import mentions


def row(label: str = "Calculated", detail: str = "1 + 1", state: RowState = RowState.DONE) -> ToolRow:
    return ToolRow(label=label, detail=detail, tool="calculator", state=state, seconds=2)


def source(number: int, url: str = "") -> Source:
    return Source(title=f"Page {number}", url=url or f"https://e{number}.org/x")


def fields(count: int, size: int) -> tuple[EmbedField, ...]:
    return tuple(EmbedField(name=f"n{number}", value="v" * size) for number in range(count))


def test_a_row_is_a_field_and_the_labels_are_the_footer() -> None:
    (embed,) = embeds(Frame(rows=(row(), row(state=RowState.FAILED)), labels=("corrected", "thought for 3.2 s")))
    assert [field.name for field in embed.fields] == ["Calculated (2.0 s)", "Calculated (failed, 2.0 s)"]
    assert embed.fields[0].value == "`1 + 1` · calculator"
    assert embed.footer == "corrected · thought for 3.2 s"


def test_labels_alone_are_a_line_and_nothing_is_nothing() -> None:
    assert embeds(Frame(labels=("a_b",))) == (Embed(description="a_b"),)
    assert embeds(Frame()) == ()
    assert embeds(Frame(sources=(source(1),))) == ()


def test_sources_are_buttons_at_most_eight_and_the_others_are_counted() -> None:
    frame = Frame(sources=tuple(source(number) for number in range(11)))
    assert [link.label for link in link_buttons(frame)] == [f"Page {number}" for number in range(8)]
    (embed,) = embeds(frame)
    assert embed.description == "+3 more sources"


def test_a_source_that_no_button_can_open_is_named() -> None:
    frame = Frame(sources=(source(1, "https://e.org/" + "x" * 600), source(2, "file:///etc/passwd"), source(3)))
    assert [link.label for link in link_buttons(frame)] == ["Page 3"]
    assert embeds(frame)[0].fields == (EmbedField(name="Sources", value="Page 1\nPage 2"),)


def test_an_oversized_embed_is_cut_with_an_ellipsis_and_a_count() -> None:
    embed = fitted(Embed(title="t" * 300, fields=(EmbedField(name="n", value="v" * 1500), *fields(30, 260))))
    check_embeds([embed])
    assert embed.title.endswith("…")
    assert embed.fields[0].value.endswith("…")
    shown = len(embed.fields)
    assert shown < 25
    assert embed.footer == f"+{31 - shown} more"


def test_the_twenty_sixth_field_is_counted_in_the_footer() -> None:
    embed = fitted(Embed(fields=fields(26, 60), footer="by"))
    check_embeds([embed])
    assert len(embed.fields) == 25
    assert embed.footer == "by · +1 more"


@pytest.mark.parametrize("mark", ["x", "😀", "漢", "👩‍👩‍👧‍👦"])
@pytest.mark.parametrize("over", [-1, 0, 1])
@pytest.mark.parametrize("field", ["title", "description", "footer", "name", "value"])
def test_each_limit_holds_at_its_edge(field: str, over: int, mark: str) -> None:
    limit = {"title": 256, "description": 4096, "footer": 2048, "name": 256, "value": 1024}[field]
    text = "x" * (limit + over - units(mark)) + mark
    if field in ("name", "value"):
        entry = EmbedField(**({"name": "n", "value": "v"} | {field: text}))
        embed = fitted(Embed(fields=(entry,)))
        kept = getattr(embed.fields[0], field)  # the field's own name is what is tested
    else:
        embed = fitted(Embed(**{field: text}))
        kept = {"title": embed.title, "description": embed.description, "footer": embed.footer}[field]
    check_embeds([embed])
    assert (kept == text) == (over <= 0)
    assert over <= 0 or kept.endswith("…")


@pytest.mark.parametrize("size", [5975, 5976, 5977, 6000, 6001, 9000])
def test_all_texts_together_hold(size: int) -> None:
    check_embeds(
        [fitted(Embed(title="t" * 256, description="d" * 4096, fields=fields(3, size // 3), footer="f" * 2048))]
    )
    check_embeds([fitted(Embed(fields=fields(size // 250, 240)))])
    check_embeds([fitted(Embed(fields=fields(25, 0)))])


def test_hostile_rows_stay_within_limits_and_ping_nobody() -> None:
    rows = tuple(row("@everyone <@1> **" + "l" * 400, "`" * number + "<@&2> @here " * 50) for number in range(40))
    frame = Frame(rows=rows, labels=("@everyone",) * 50, sources=tuple(source(number) for number in range(30)))
    shown = embeds(frame)
    check_embeds(shown)
    check_links(link_buttons(frame))
    texts = [shown[0].footer, *(text for field in shown[0].fields for text in (field.name, field.value))]
    assert [found for text in texts for found in mentions(text)] == []
