"""How the running bot is doing, as values: for `jarvisbot status`, `jarvisbot doctor` and the service manager."""

from __future__ import annotations

from datetime import datetime

import msgspec

__all__ = ["ConnectorReport", "Report", "duration", "status_line"]


class ConnectorReport(msgspec.Struct, frozen=True, kw_only=True):
    """A connector's line. `state` is a `supervisor.Line`; `last_event` is when something last came in since the start."""

    name: str
    state: str
    since: datetime
    last_event: datetime | None = None
    reconnects: int = 0
    problem: str = ""


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """Everything at once. `tokens_per_s` is None until a model has answered, `context_tokens` until one was loaded."""

    uptime_s: float
    model: str
    model_place: str = ""
    """Empty for this machine."""
    context_tokens: int | None = None
    tokens_per_s: float | None = None
    running: int = 0
    """Conversations that are worked on."""
    waiting: int = 0
    """Messages that are not answered yet."""
    connectors: tuple[ConnectorReport, ...] = ()
    memory_bytes: int = 0
    model_memory_bytes: int = 0
    """Of the processes that run the model."""
    cpu_s: float = 0.0


def duration(seconds: float) -> str:
    """The time in its two largest units."""
    minutes = int(seconds // 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def status_line(connectors: tuple[ConnectorReport, ...], model: str) -> str:
    """One line on connectors and model, for `systemctl status`."""
    lines = ", ".join(f"{connector.name} {connector.state}" for connector in connectors)
    return f"{lines or 'no platform'}; model {model}"
