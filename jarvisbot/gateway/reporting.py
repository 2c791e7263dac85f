"""How the bot is doing, in the words of `/status`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from jarvisbot.clock import Clock
from jarvisbot.gateway.model_choice import Models, where
from jarvisbot.gateway.supervisor import ConnectorStatus, Line
from jarvisbot.store import inbox
from jarvisbot.store.database import Store

__all__ = ["Reporting"]

_LINES = {
    "en": {
        Line.STARTING: "starting",
        Line.RUNNING: "connected",
        Line.WAITING: "not connected, trying again",
        Line.ENDED: "ended",
        Line.FAILED: "stopped for good",
    },
    "de": {
        Line.STARTING: "startet",
        Line.RUNNING: "verbunden",
        Line.WAITING: "nicht verbunden, versucht es weiter",
        Line.ENDED: "beendet",
        Line.FAILED: "endgültig angehalten",
    },
}


class Reporting(msgspec.Struct, frozen=True, kw_only=True):
    """Writes the report. `began` is the clock's reading at the start, `models` are those that may answer."""

    store: Store
    clock: Clock
    began: float
    models: Models
    connectors: Callable[[], Sequence[ConnectorStatus]]

    async def report(self, conversation: str, language: str) -> str:
        """Uptime, model, queue and connections as CommonMark, in German or English."""
        here, everywhere = await inbox.waiting_now(self.store, conversation)
        uptime = _duration(self.clock.monotonic() - self.began)
        german = language == "de"
        lines = [
            f"- Läuft seit: {uptime}" if german else f"- Up for: {uptime}",
            f"- {'Modell' if german else 'Model'}: {self.models}{where(self.models.known, language)}",
            f"- Es warten: {here} hier, {everywhere} insgesamt"
            if german
            else f"- Waiting: {here} here, {everywhere} in all",
        ]
        return "\n".join([*lines, *(_line(status, "de" if german else "en") for status in self.connectors())])


def _line(status: ConnectorStatus, language: str) -> str:
    if status.line is Line.RUNNING:
        again = "neu verbunden" if language == "de" else "reconnected"
    else:
        again = "Versuche" if language == "de" else "tries"
    reconnects = f", {again}: {status.reconnects}" if status.reconnects else ""
    problem = f" – {status.problem}" if status.problem else ""
    return f"- {status.name}: {_LINES[language][status.line]}{reconnects}{problem}"


def _duration(seconds: float) -> str:
    """The time in its two largest units."""
    minutes = int(seconds // 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"
