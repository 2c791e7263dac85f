"""The tool calls of one turn: counted, told as events, and never run twice alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import msgspec

from jarvisbot.clock import Clock
from jarvisbot.store.turns import CallRecord
from jarvisbot.tool import Toolbox, ToolContext, normalised
from jarvisbot.types import (
    Allow,
    Inbound,
    Principal,
    Source,
    ToolCall,
    ToolFinished,
    ToolResult,
    ToolStarted,
    TurnEvent,
)

__all__ = ["Calling", "Publish"]

Publish = Callable[[TurnEvent], None]


@dataclass(slots=True, kw_only=True)
class Calling:
    """Runs the calls of one turn. State: what was called, the sources it brought, whether strangers' text was read."""

    toolbox: Toolbox
    clock: Clock
    publish: Publish
    message: Inbound
    principal: Principal
    turn: int
    zone: str
    language: str
    limit: int
    """How many calls the turn may make."""
    made: list[CallRecord] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    tainted: bool = False
    in_circles: bool = False
    """The same call was made for the third time."""

    def next_id(self) -> str:
        """The id of the call that is run next."""
        return f"turn{self.turn}.{len(self.made) + 1}"

    async def run(self, call: ToolCall) -> ToolResult:
        """The call's result. One that was made before is not run again, and one above the limit is not run at all."""
        if (again := self._repeated(call)) is not None:
            self.made.append(CallRecord(call=call, result=again, seconds=0.0))
            return again
        where = ToolContext(
            principal=self.principal,
            at=self.message.at,
            turn=str(self.turn),
            now=self.clock.now(),
            zone=self.zone,
            language=self.language,
        )
        label = self.toolbox.label(call.name)
        began = self.clock.monotonic()
        if len(self.made) >= self.limit:
            result = ToolResult(call_id=call.id, text="The tool calls of this turn are used up. Answer now.", ok=False)
        else:
            if isinstance(self.toolbox.permits(call, context=where, tainted=self.tainted), Allow):
                self.publish(ToolStarted(call=call, label=label))
            result = await self.toolbox.run(call, context=where, tainted=self.tainted)
        seconds = self.clock.monotonic() - began
        self.made.append(CallRecord(call=call, result=result, seconds=seconds))
        self.publish(ToolFinished(result=result, call=call, label=label, seconds=seconds))
        self.tainted = self.tainted or (result.ok and self.toolbox.taints(call.name))
        self.sources.extend(source for source in result.sources if source not in self.sources)
        return result

    def _repeated(self, call: ToolCall) -> ToolResult | None:
        """The result of the same call earlier in this turn, with a note; None for a new call."""
        if self.toolbox.changes(call.name):
            return None
        same = [made for made in self.made if normalised(made.call) == normalised(call)]
        if not same:
            return None
        self.in_circles = self.in_circles or len(same) > 1
        first = same[0].result
        return msgspec.structs.replace(
            first, call_id=call.id, text=f"{first.text}\n(The same call was made before: it was not run again.)"
        )
