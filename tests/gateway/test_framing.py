"""What stands around an answer, from the turn to the platform: rows while it works, labels and sources at its end."""

from __future__ import annotations

from pathlib import Path

import pytest

from jarvisbot.connector import Capabilities, Markup, Once, Unit
from jarvisbot.types import SpanKind
from tests.fakes import FakeConnector, said
from tests.gateway.conftest import running

CITED = "It is **so**.\n\nSource: [The page](https://e.org/a)"


class Discord(FakeConnector):
    """A platform with Discord's markup."""

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(text_limit=2000, unit=Unit.UTF16, markup=Markup.DISCORD, once=Once.KEY, edits=True)


class Matrix(FakeConnector):
    """A platform with HTML."""

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(text_limit=22_000, unit=Unit.UTF8, markup=Markup.HTML, once=Once.KEY, edits=True)


async def test_a_citation_is_shown_as_a_link_and_history_keeps_the_line(folder: Path) -> None:
    async with running(folder, [CITED, "Nothing more."]) as bot:
        await bot.hears(said("Any tips?"))
        await bot.settles()
        assert bot.connector.shown == ["It is so.\n\nSources: The page"]
        body = bot.connector.log[-1][1].body
        assert [span.url for span in body.spans if span.kind is SpanKind.LINK] == ["https://e.org/a"]
        await bot.hears(said("And what else could you tell me?"))
        await bot.settles()
        assert CITED in str([getattr(item, "text", "") for item in bot.model.requests[-1].items]).replace("\\n", "\n")


async def test_a_recollection_stays_prose(folder: Path) -> None:
    async with running(folder, ["It is so.\n\nSource: my own recollection"]) as bot:
        await bot.hears(said("Any tips?"))
        await bot.settles()
        assert bot.connector.shown == ["It is so.\n\nSource: my own recollection"]


async def test_discord_is_handed_the_citation_as_a_button(folder: Path) -> None:
    async with running(folder, [CITED], connector=Discord()) as bot:
        await bot.hears(said("Any tips?"))
        await bot.settles()
        last = bot.connector.log[-1][1]
        assert last.body.text == "It is **so**."
        assert [(link.label, link.url) for link in last.links] == [("The page", "https://e.org/a")]


async def test_matrix_is_handed_html_and_a_plain_body(folder: Path) -> None:
    async with running(folder, [CITED], connector=Matrix()) as bot:
        await bot.hears(said("Any tips?"))
        await bot.settles()
        last = bot.connector.log[-1][1].body
        assert last.html == '<p>It is <strong>so</strong>.</p><p>Sources: <a href="https://e.org/a">The page</a></p>'
        assert last.text == "It is so.\n\nSources: The page (https://e.org/a)"


@pytest.mark.parametrize("connector", [FakeConnector, Discord, Matrix])
async def test_the_name_of_the_function_stands_with_its_row(folder: Path, connector: type[FakeConnector]) -> None:
    async with running(folder, connector=connector()) as bot:
        await bot.hears(said("what is 98765 * 4321?"))
        await bot.settles()
        last = bot.connector.log[-1][1]
        words = last.body.text + "".join(field.name + field.value for embed in last.embeds for field in embed.fields)
        assert "Calculated" in words
        assert "calculator" in words
        folded = {span.kind for span in last.body.spans} | {SpanKind.EXPANDABLE for _ in last.embeds}
        assert SpanKind.EXPANDABLE in folded or last.body.html.startswith("<details>")
