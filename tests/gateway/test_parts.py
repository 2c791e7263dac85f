"""The texts of an answer's messages, for platforms that show rows and sources themselves and for those that do not."""

from __future__ import annotations

import msgspec
from jarvisbot.connectors.console import Console

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.parts import Frame, outbound, outbound_aside, texts, texts_aside
from jarvisbot.types import Address, Rendered, Source, ToolRow

TERMINAL = Console().capabilities
PLATFORM = msgspec.structs.replace(TERMINAL, native_rows=False, append_only=False)
TELEGRAM = msgspec.structs.replace(PLATFORM, markup=Markup.ENTITIES, unit=Unit.UTF16, text_limit=4096)
DISCORD = msgspec.structs.replace(PLATFORM, markup=Markup.DISCORD, unit=Unit.UTF16, text_limit=2000)
NOTE = "Please check: 2 * 3 is not so."
AT = Address(connector="c", room="1")
FRAME = Frame(
    rows=(ToolRow(label="Calculated", detail="1", tool="calculator"),),
    sources=(Source(title="Page", url="https://e.org"),),
    labels=("corrected",),
)


def test_a_terminal_has_the_note_under_what_it_has_shown_already() -> None:
    assert texts("Done *so*.", FRAME, TERMINAL, note=NOTE) == (f"Done *so*.\n\n{NOTE}",)
    assert texts("Done.", Frame(), TERMINAL) == ("Done.",)


def test_a_platform_has_the_note_under_the_answer_and_it_is_never_formatting() -> None:
    (text,) = texts("Done.", FRAME, TELEGRAM, note="2 * 3 * 4 is _not_ <b>.")
    assert outbound(1, AT, text, TELEGRAM).body.text == "Done.\n\n2 * 3 * 4 is _not_ <b>."


async def test_a_long_answer_has_it_in_its_last_message() -> None:
    limited = msgspec.structs.replace(PLATFORM, text_limit=1000)
    parts = await texts_aside("word " * 900, Frame(), limited, note=NOTE)
    assert len(parts) > 4
    assert [NOTE.replace("*", "\\*") in part for part in parts] == [False] * (len(parts) - 1) + [True]


def test_a_terminal_gets_rows_labels_and_sources_as_values() -> None:
    message = outbound(1, AT, "Done.", TERMINAL, FRAME)
    assert (message.rows, message.sources, message.labels) == (FRAME.rows, FRAME.sources, FRAME.labels)
    assert message.body.text == "Done."


def test_telegram_gets_them_in_the_text() -> None:
    message = outbound(1, AT, "Done.", TELEGRAM, FRAME)
    assert (message.rows, message.sources, message.labels) == ((), (), ())
    assert message.body.text == "Calculated 1 · calculator\ncorrected\n\nDone.\n\nSources: Page"


def test_discord_gets_them_as_an_embed_and_buttons() -> None:
    message = outbound(1, AT, "Done.", DISCORD, FRAME)
    assert message.body.text == "Done."
    assert [(field.name, field.value) for field in message.embeds[0].fields] == [("Calculated", "`1` · calculator")]
    assert message.embeds[0].footer == "corrected"
    assert [(link.label, link.url) for link in message.links] == [("Page", "https://e.org")]
    assert outbound(1, AT, "Done.", DISCORD).embeds == ()


async def test_a_message_made_aside_is_the_same() -> None:
    text = "**word** " * 400
    assert await outbound_aside(1, AT, text, TELEGRAM, FRAME, reply_to="7") == outbound(
        1, AT, text, TELEGRAM, FRAME, reply_to="7"
    )


def test_a_plain_resend_is_never_longer_than_a_message() -> None:
    text = "[a](https://example.org/" + "x" * 100 + ") " * 1
    body = outbound(1, AT, text * 100, TELEGRAM, plain=True).body
    assert body == Rendered(text=("a " * 100).strip())
    assert outbound(1, AT, text, TELEGRAM, plain=True).body.text == f"a (https://example.org/{'x' * 100})"
