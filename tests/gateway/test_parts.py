"""The texts of an answer's messages, for platforms that show rows and sources themselves and for those that do not."""

from __future__ import annotations

import msgspec
from jarvisbot.connectors.console import Console

from jarvisbot.gateway.parts import texts, texts_aside
from jarvisbot.types import Source

TERMINAL = Console().capabilities
PLATFORM = msgspec.structs.replace(TERMINAL, native_rows=False)
NOTE = "Please check: 2 * 3 is not so."
SOURCES = (Source(title="Page", url="https://e.org"),)


def test_a_terminal_has_the_note_under_what_it_has_shown_already() -> None:
    assert texts("Done *so*.", rows=(), sources=SOURCES, capabilities=TERMINAL, note=NOTE) == (f"Done *so*.\n\n{NOTE}",)
    assert texts("Done.", rows=(), sources=(), capabilities=TERMINAL) == ("Done.",)


def test_a_platform_has_the_note_between_answer_and_sources() -> None:
    (text,) = texts("Done.", rows=(), sources=SOURCES, capabilities=PLATFORM, note=NOTE)
    assert text == "Done.\n\nPlease check: 2 \\* 3 is not so.\n\nSources: [Page](<https://e.org>)"


async def test_a_long_answer_has_it_in_its_last_message() -> None:
    limited = msgspec.structs.replace(PLATFORM, text_limit=1000)
    parts = await texts_aside("word " * 900, rows=(), sources=(), capabilities=limited, note=NOTE)
    assert len(parts) > 4
    assert [NOTE.replace("*", "\\*") in part for part in parts] == [False] * (len(parts) - 1) + [True]
