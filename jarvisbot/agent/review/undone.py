"""Drafts that pass over the failure of an action that was asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from jarvisbot.agent.review.finding import Check, Finding
from jarvisbot.store.turns import CallRecord

__all__ = ["undone"]

TOOLS = frozenset({"home_action"})

_SAYS_SO = re.compile(
    r"\b(?:not|never|no|nothing|none|unable|fail\w*|error|problem|sorry|unfortunately|approv\w*|permission|denied|refused|without"
    r"|cannot|unknown|only|instead|which|\w+n['’]?t"
    r"|nicht|nichts|kein\w*|nie|leider|fehl\w*|gescheitert|problem|freigabe|genehmig\w*|erlaub\w*|verweigert|abgelehnt|ohne"
    r"|unbekannt\w*|nur|stattdessen|welche\w*|konnte|könnte)\b|\?",
    re.IGNORECASE,
)


def undone(calls: Sequence[CallRecord], draft: str, *, german: bool) -> Finding | None:
    """An objection where every action of the turn came to nothing and no word of the draft says so.

    Shy: any negation, question or word of failing passes.
    """
    tried = [made for made in calls if made.call.name in TOOLS]
    if not tried or any(made.result.ok for made in tried) or _SAYS_SO.search(draft):
        return None
    if german:
        return Finding(
            kind=Check.FALSE_DONE,
            words="Die Antwort klingt, als ob etwas ausgeführt wurde; das ist nicht geschehen.",
            fix="Es wurde nichts ausgeführt. Behaupte es nicht; sag, dass es nicht getan ist, und warum.",
        )
    return Finding(
        kind=Check.FALSE_DONE,
        words="The answer sounds as if something was run; that has not happened.",
        fix="Nothing was run. Do not claim it; say that it is not done, and why.",
    )
