"""Check of a Discord message, as strict as its documents.

https://discord.com/developers/docs/resources/message#create-message and #embed-object-embed-limits.
"""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot.types import Embed, LinkButton

__all__ = ["check_content", "check_embeds", "check_links", "units"]


def units(text: str) -> int:
    """The length in UTF-16 units, the strictest way to count."""
    return len(text.encode("utf-16-le")) // 2


def check_content(content: str) -> None:
    """Raises AssertionError where Discord would answer 50035 or 50006."""
    assert content.strip(), "cannot send an empty message"
    assert units(content) <= 2000, "content must be 2000 or fewer in length"


def check_embeds(embeds: Sequence[Embed]) -> None:
    """Raises AssertionError where an embed is over a limit, or all of a message together are."""
    assert len(embeds) <= 10
    total = 0
    for embed in embeds:
        assert embed.title or embed.description or embed.fields or embed.footer
        assert units(embed.title) <= 256
        assert units(embed.description) <= 4096
        assert units(embed.footer) <= 2048
        assert len(embed.fields) <= 25
        for field in embed.fields:
            assert field.name.strip()
            assert units(field.name) <= 256
            assert field.value.strip()
            assert units(field.value) <= 1024
            total += units(field.name) + units(field.value)
        total += units(embed.title) + units(embed.description) + units(embed.footer)
    assert total <= 6000


def check_links(links: Sequence[LinkButton]) -> None:
    """Raises AssertionError where a message cannot carry these buttons."""
    assert len(links) <= 25
    for link in links:
        assert link.label.strip()
        assert units(link.label) <= 80
        assert units(link.url) <= 512
        assert link.url.startswith(("http://", "https://"))
