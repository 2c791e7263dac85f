"""How the bot is doing, in the words of `/status`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from jarvisbot.clock import Clock
from jarvisbot.gateway.model_choice import Models, where
from jarvisbot.gateway.report import ConnectorReport, Report, duration, status_line
from jarvisbot.gateway.supervisor import ConnectorStatus, Line
from jarvisbot.store import inbox
from jarvisbot.store.database import Store
from jarvisbot.usage import used

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

    def status_line(self) -> str:
        """What systemd shows of the service."""
        return status_line(self._lines(), str(self.models))

    async def whole(self) -> Report:
        """Everything, for programs of this machine."""
        running, waiting = await inbox.at_work(self.store)
        known, spent = self.models.known, used()
        return Report(
            uptime_s=self.clock.monotonic() - self.began,
            model=str(self.models),
            model_place=known.place if known is not None else "",
            context_tokens=known.context_tokens if known is not None else None,
            tokens_per_s=self.models.tokens_per_s,
            running=running,
            waiting=waiting,
            connectors=self._lines(),
            memory_bytes=spent.memory_bytes,
            model_memory_bytes=spent.children_bytes,
            cpu_s=spent.cpu_s,
        )

    def _lines(self) -> tuple[ConnectorReport, ...]:
        return tuple(
            ConnectorReport(
                name=status.name,
                state=status.line.value,
                since=status.since,
                last_event=status.last_event,
                reconnects=status.reconnects,
                problem=status.problem,
            )
            for status in self.connectors()
        )

    async def report(self, conversation: str, language: str) -> str:
        """Uptime, model, queue and connections as CommonMark, in German or English."""
        here, everywhere = await inbox.waiting_now(self.store, conversation)
        uptime = duration(self.clock.monotonic() - self.began)
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
