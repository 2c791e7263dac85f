"""How a model is asked: how long it may reason, and how long its answer may get."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from jarvisbot.agent.question import TurnLimits

__all__ = ["AUTO", "RESCUE_TOKENS", "Strategy", "strategy"]

AUTO = "auto"
"""Capped on a processor, where each token takes a twentieth of a second or more; baseline on a graphics card."""
RESCUE_TOKENS = 512
"""What an answer gets that its reasoning left no room for."""


class Strategy(msgspec.Struct, frozen=True, kw_only=True):
    """One way to ask. Budgets are in tokens."""

    name: str
    think_tokens: int | None
    """None: reasoning is not cut off, and shares `answer_tokens` with the answer."""
    answer_tokens: int
    think_prefix: str = ""
    """How the reasoning begins where tools are offered."""

    def most_tokens(self, *, thinking: bool) -> int:
        """Tokens of a whole reply, reasoning included where there is any."""
        return (
            self.answer_tokens + self.think_tokens if thinking and self.think_tokens is not None else self.answer_tokens
        )


_STRATEGIES: Mapping[str, Strategy] = {
    made.name: made
    for made in (
        Strategy(name="baseline", think_tokens=None, answer_tokens=1024),
        Strategy(name="capped", think_tokens=32, answer_tokens=512),
        Strategy(name="routed", think_tokens=32, answer_tokens=512, think_prefix="A tool is needed here."),
        Strategy(name="verbose", think_tokens=256, answer_tokens=512),
    )
}


def strategy(name: str | None, limits: TurnLimits, *, gpu: bool) -> Strategy:
    """The strategy of this name, or the config's where there is none or it is "auto", with the config's own budgets.

    Raises KeyError for a name that there is not.
    """
    wanted = limits.strategy if name in (None, AUTO) else name
    if wanted == AUTO:
        wanted = "baseline" if gpu else "capped"
    found = _STRATEGIES[str(wanted)]
    return msgspec.structs.replace(
        found,
        think_tokens=found.think_tokens if limits.think_tokens is None else limits.think_tokens,
        answer_tokens=limits.answer_tokens or found.answer_tokens,
    )
