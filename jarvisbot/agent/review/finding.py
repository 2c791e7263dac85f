"""What the check of an answer objects to."""

from __future__ import annotations

import enum

import msgspec

__all__ = ["Check", "Finding"]


class Check(enum.StrEnum):
    """The checks, in the order in which they are made and reported."""

    WRONG_NUMBER = "wrong-number"
    WRONG_FACT = "wrong-fact"
    INVENTED_SOURCE = "invented-source"
    MISSING_SOURCE = "missing-source"
    WRONG_LANGUAGE = "wrong-language"
    FALSE_DONE = "false-done"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One objection to a draft: `words` tell people, `fix` tells the model what to change, both in the reply's language."""

    kind: Check
    words: str
    fix: str
