"""Faults that the emulated server is told to have: what goes wrong, for which method, how often."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

__all__ = ["BlackHole", "Cut", "Delay", "Fault", "Flood", "Gate", "Plan", "Refusal", "ServerError"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """429 with `retry_after` seconds; the method is not carried out."""

    retry_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Any error answer in the API's form; the method is not carried out."""

    code: int
    description: str
    parameters: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerError:
    """The HTML page `page` of a front server, `applied` or not."""

    status: int = 502
    applied: bool = False
    page: str = "<html><head><title>Bad Gateway</title></head></html>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The connection is cut without an answer, before or after (`applied`) the method was carried out."""

    applied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BlackHole:
    """No answer, ever, on a connection that stays open; the method is carried out where `applied`."""

    applied: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """The method is carried out `seconds` late."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """The request waits for `opened`, before the method is carried out or (`applied`) after it; then all is well."""

    opened: asyncio.Event
    applied: bool = False


Fault: TypeAlias = Flood | Refusal | ServerError | Cut | BlackHole | Delay | Gate


@dataclass(slots=True, kw_only=True)
class Plan:
    """A fault that waits for its requests. `times` counts down, None is for ever; `hits` is how often it struck."""

    method: str
    fault: Fault
    times: int | None
    when: Callable[[dict[str, Any]], bool]
    hits: int = 0

    def strikes(self, method: str, parameters: dict[str, Any]) -> bool:
        """Whether this request is hit; a hit is counted."""
        if self.times == 0 or self.method not in ("*", method) or not self.when(parameters):
            return False
        self.hits += 1
        if self.times is not None:
            self.times -= 1
        return True

    def heal(self) -> None:
        """Ends the fault; requests that hang already go on hanging."""
        self.times = 0
