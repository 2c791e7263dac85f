"""The classes of risk in words."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["risk_in_words"]

_WORDS: Mapping[str, tuple[str, str]] = {
    "R0": ("only reads", "liest nur"),
    "R1": ("changes what is kept here", "ändert, was hier gespeichert ist"),
    "R2": ("writes or switches something", "schreibt oder schaltet etwas"),
    "R3": ("has an effect outside", "wirkt nach außen"),
    "R4": ("may destroy something", "kann etwas zerstören"),
    "R5": ("touches credentials", "rührt an Zugangsdaten"),
}


def risk_in_words(risk: str, *, german: bool = False) -> str:
    """What a tool of this class (R0 to R5) can do at worst; an unknown class by its own name."""
    english, translated = _WORDS.get(risk, (risk, risk))
    return translated if german else english
