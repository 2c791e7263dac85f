"""The decision: (mode, risk, flags, taint) -> allow, ask or deny. A pure function over one table."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from datetime import datetime, timedelta

from jarvisbot.types import Allow, Ask, Decision, Deny

__all__ = ["TABLE", "Mode", "decide"]


class Mode(enum.StrEnum):
    """How much the bot may do by itself; set by the owner, never by a message."""

    OBSERVE = "observe"
    ASSIST = "assist"
    AUTONOMOUS = "autonomous"


_RISKS = ("R0", "R1", "R2", "R3", "R4", "R5")

TABLE: Mapping[str, Mapping[str, str]] = {
    Mode.OBSERVE: dict(zip(_RISKS, ("allow", "deny", "deny", "deny", "deny", "deny"), strict=True)),
    Mode.ASSIST: dict(zip(_RISKS, ("allow", "allow", "ask", "ask", "ask", "deny"), strict=True)),
    Mode.AUTONOMOUS: dict(zip(_RISKS, ("allow", "allow", "allow", "ask", "ask", "deny"), strict=True)),
}
"""One row a mode, one cell a risk class; a missing cell denies."""

APPROVAL_TTL = timedelta(seconds=300)


def decide(*, mode: str, risk: str, requires_approval: bool, tainted: bool, summary: str, now: datetime) -> Decision:
    """What the policy says, by these rules in this order.

    Credentials (R5) are denied; observing denies all that is not reading (R0); a tool's own flag turns allow into ask;
    then the table, where an unknown mode or class denies; a tainted turn asks for all that is not reading.
    """
    if risk == "R5":
        return Deny(reason="Tools that touch credentials are never run.")
    if mode == Mode.OBSERVE and risk != "R0":
        return Deny(reason="The bot only observes here: tools that change anything are off.")
    word = TABLE.get(mode, {}).get(risk, "deny")
    if word == "allow" and (requires_approval or (tainted and risk != "R0")):
        word = "ask"
    match word:
        case "allow":
            return Allow()
        case "ask":
            return Ask(summary=summary, expires=now + APPROVAL_TTL)
        case _:
            return Deny(reason=f"The policy has no permission for risk {risk} in mode {mode}.")
