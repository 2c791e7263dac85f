"""How an answer came about, in a few words under it; `/why` tells the whole of it."""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot.types import Answered, Failed, RowState, ToolRow

__all__ = ["labels"]

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

_LEAST_THOUGHT_S = 0.5
_WHOLE_SECONDS_FROM_S = 60


def labels(
    ended: Answered | Failed | None,
    rows: Sequence[ToolRow],
    language: str,
    *,
    routed: bool = True,
    flagged: bool = True,
) -> tuple[str, ...]:
    """The skill and how it was found, seconds of reasoning, failed calls, and what the check did; German or English.

    Without the skill where not `routed`, without "please check" where not `flagged`.
    """
    if not isinstance(ended, Answered):
        return ()
    route, review = ended.route, ended.review
    found = [f"{route.skill} ({route.stage})"] if routed and route.skill else []
    if review.thought_s >= _LEAST_THOUGHT_S:
        count = f"{review.thought_s:.1f}" if review.thought_s < _WHOLE_SECONDS_FROM_S else f"{review.thought_s:.0f}"
        found.append(_say("thought", language, count=count.replace(".", ",") if language == "de" else count))
    if failed := sum(row.state is RowState.FAILED for row in rows):
        found.append(_say("failed", language, count=failed, all=len(rows)))
    done = [
        ("corrected", review.corrected),
        ("flagged", flagged and bool(review.findings)),
        ("wound_down", review.wound_down),
    ]
    return (*found, *(_say(name, language) for name, true in done if true))


def _say(name: str, language: str, **values: object) -> str:
    return _WORDS.get(language, _WORDS["en"])[name].format(**values)
