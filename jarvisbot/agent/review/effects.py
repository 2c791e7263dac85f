"""What the calls of a turn changed in the world, told from their names, arguments and results."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence

from jarvisbot.store.turns import CallRecord

__all__ = ["Effect", "effects_of", "has_read_own", "has_read_pages"]


class Effect(enum.StrEnum):
    """What people are told has been done for them."""

    SAVED = "saved"
    DELETED = "deleted"
    SENT = "sent"
    REMINDED = "reminded"
    BOOKED = "booked"


_STEMS = {
    Effect.SAVED: "sav|stor|remember|memori[sz]|not(?:e|ed|iz)|writ|writt|add|creat|insert|updat|set|put|append|record|upsert"
    "|keep|kept|gespeichert|notiert|gemerkt|vermerkt|angelegt|erstellt",
    Effect.DELETED: "delet|remov|forget|forgot|cancel|clear|eras|drop|purg|discard|gelöscht|entfernt|storniert|abgesagt",
    Effect.SENT: "send|sent|e?mail|messag|post|notif|forward|repl|publish|sms|text|gesendet|geschickt|verschickt",
    Effect.REMINDED: "remind|alarm|timer|schedul|cron|job|wecker|erinner",
    Effect.BOOKED: "book|reserv|schedul|appoint|mov|reschedul|event|gebucht|reserviert|eingetragen|verschoben",
}
_EFFECT = {effect: re.compile(rf"(?:{stems})", re.IGNORECASE) for effect, stems in _STEMS.items()}
_READS = re.compile(
    r"(?:read|list|search|recall|get|find|found|show|view|query|look|fetch|check|research|lookup|browse|status|current"
    r"|calculat|convert|weather|time|translate|summari[sz]e)",
    re.IGNORECASE,
)
_PAGES = re.compile(r"(?:web|page|research|search|read|url|news|lookup|wiki)", re.IGNORECASE)
_FAMILIES = {
    "calendar": (Effect.BOOKED, Effect.REMINDED),
    "memory": (),
    "note": (),
    "reminder": (Effect.REMINDED,),
    "mail": (),
    "contact": (),
    "list": (),
}
_ACTIONS = ("command", "action", "operation", "op", "method", "mode", "verb", "intent")
_RESULT_WORDS = 3


def effects_of(calls: Sequence[CallRecord]) -> frozenset[Effect]:
    """The effects of the calls that succeeded. Where nothing tells what a tool does, it may have had any of them."""
    found: set[Effect] = set()
    for made in calls:
        if made.result.ok:
            found |= _effects(made)
    return frozenset(found)


def has_read_own(calls: Sequence[CallRecord]) -> bool:
    """Whether something that is kept for people was read, so that its state can be told."""
    return any(made.result.ok and _family(made.call.name) is not None for made in calls)


def has_read_pages(calls: Sequence[CallRecord]) -> bool:
    """Whether something was read that tells of other people's doings."""
    return any(made.result.ok and any(map(_PAGES.match, _tokens(made.call.name))) for made in calls)


def _effects(made: CallRecord) -> set[Effect]:
    """What one call did: by its action where it has one, else by its name and the first words of its result."""
    name, family = _tokens(made.call.name), _family(made.call.name)
    action = [word for key in _ACTIONS for word in _tokens(str(made.call.arguments.get(key) or ""))]
    if any(_READS.match(word) for word in (name if family is None else action[:1])):
        return set()
    telling = action or [word for word in name if _family(word) is None] + _tokens(made.result.text)[:_RESULT_WORDS]
    words = telling if family else [*name, *telling]
    found = {effect for effect in Effect if any(_EFFECT[effect].match(word) for word in words)}
    if not found:
        return set() if any(_READS.match(word) for word in words) else set(Effect)
    return found if family is None or Effect.DELETED in found else found | {*_FAMILIES[family], Effect.SAVED}


def _family(name: str) -> str | None:
    tokens = _tokens(name)
    return next((family for family in _FAMILIES if any(token in (family, f"{family}s") for token in tokens)), None)


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text[:200]))
