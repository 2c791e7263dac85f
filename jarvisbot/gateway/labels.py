"""How an answer came about, in a few words under it; `/why` tells the whole of it."""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot.types import Answered, Failed, RowState, ToolRow

__all__ = ["labels", "notable"]

_WORDS = {
    "en": {
        "thought": "thought for {count} s",
        "failed": "{count} of {all} calls failed",
        "corrected": "corrected",
        "flagged": "please check",
        "wound_down": "tool rounds used up",
    },
    "de": {
        "thought": "{count} s nachgedacht",
        "failed": "{count} von {all} Aufrufen fehlgeschlagen",
        "corrected": "korrigiert",
        "flagged": "bitte prüfen",
        "wound_down": "Werkzeug-Runden aufgebraucht",
    },
}


def labels(ended: Answered | Failed | None, rows: Sequence[ToolRow], language: str) -> tuple[str, ...]:
    """The skill and how it was found, seconds of reasoning, failed calls, and what the check did; German or English."""
    if not isinstance(ended, Answered):
        return ()
    route = ended.route
    found = [f"{route.skill} ({route.stage})"] if route.skill else []
    if (seconds := round(ended.review.thought_s)) > 0:
        found.append(_say("thought", language, count=seconds))
    if failed := sum(row.state is RowState.FAILED for row in rows):
        found.append(_say("failed", language, count=failed, all=len(rows)))
    return (*found, *notable(ended, language))


def notable(ended: Answered | Failed | None, language: str) -> tuple[str, ...]:
    """Those that anybody who reads the answer should know, also where a platform has no place for the others."""
    if not isinstance(ended, Answered):
        return ()
    review = ended.review
    found = [("corrected", review.corrected), ("flagged", bool(review.findings)), ("wound_down", review.wound_down)]
    return tuple(_say(name, language) for name, true in found if true)


def _say(name: str, language: str, **values: object) -> str:
    return _WORDS.get(language, _WORDS["en"])[name].format(**values)
