"""What a check-up finds."""

from __future__ import annotations

import enum

import msgspec

__all__ = ["Finding", "Severity"]


class Severity(enum.StrEnum):
    """How bad a finding is; `UNKNOWN` is for what could not be looked at."""

    GOOD = "good"
    NOTE = "note"
    PROBLEM = "problem"
    UNKNOWN = "unknown"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at, in a sentence, and what to do about it where there is something to do."""

    about: str
    severity: Severity
    text: str
    remedy: str = ""
