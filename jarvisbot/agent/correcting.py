"""What a model is told to correct its draft by, and the addresses its talk had before."""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot.agent.review import Finding, urls_in
from jarvisbot.types import Assistant, Item, User

__all__ = ["correction", "known_urls"]


def correction(findings: Sequence[Finding], language: str) -> str:
    """The one request for a correction, in German or, for every other language, in English."""
    fixes = "\n".join(f"- {finding.fix}" for finding in findings)
    if language == "de":
        return f"An dieser Antwort stimmt etwas nicht:\n{fixes}\nGib nur die verbesserte Antwort."
    return f"Something is wrong with this answer:\n{fixes}\nGive the corrected answer only."


def known_urls(history: Sequence[Item]) -> frozenset[str]:
    """The addresses that people and earlier answers named."""
    texts = (item.text for item in history if isinstance(item, User | Assistant))
    return frozenset(url for text in texts for url in urls_in(text))
