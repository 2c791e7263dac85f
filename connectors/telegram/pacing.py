"""How fast one chat may be written to, so that Telegram has no reason to refuse.

About one message a second in any chat, in short bursts more, and no more than 20 a minute in a group
(https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this).
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from jarvisbot.errors import ConnectorError, RateLimited

__all__ = ["Pace"]

BURST, BURST_S = 6, 6.0
GROUP, GROUP_S = 20, 60.0
KEPT_FOR_FINAL = 5
"""Of a group's minute this many are not spent on drafts: an answer finds room."""


class Pace:
    """State: when each chat was written to in the last minute. `monotonic` is in seconds."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._sent: dict[str, deque[float]] = {}

    def take(self, room: str, *, droppable: bool) -> None:
        """Counts a message to the chat. Raises, and counts nothing, where it would be one too many.

        That is a RateLimited, or for what is `droppable` a bare ConnectorError: it is left out, and nothing waits for it.
        """
        now = self._monotonic()
        sent = self._sent.setdefault(room, deque())
        while sent and now - sent[0] >= GROUP_S:
            sent.popleft()
        wait = _wait(sent, now, BURST - (1 if droppable else 0), BURST_S)
        if room.startswith("-"):
            wait = max(wait, _wait(sent, now, GROUP - (KEPT_FOR_FINAL if droppable else 0), GROUP_S))
        if wait > 0 and droppable:
            raise ConnectorError("This change of a draft is left out, so that the answer finds room.")
        if wait > 0:
            raise RateLimited(f"This chat is written to again in {wait:.1f} s.", retry_after_s=wait)
        sent.append(now)
        if len(self._sent) > 1000:
            self._sent = {room: times for room, times in self._sent.items() if times and now - times[-1] < GROUP_S}


def _wait(sent: deque[float], now: float, most: int, seconds: float) -> float:
    """Seconds until fewer than `most` lie within the last `seconds`."""
    return max(0.0, sent[-most] + seconds - now) if len(sent) >= most else 0.0
