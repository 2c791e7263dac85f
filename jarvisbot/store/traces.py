"""How an answer came about, read back from what is kept of its turn."""

from __future__ import annotations

import json

import msgspec

from jarvisbot.store.codec import item_from
from jarvisbot.store.database import Store
from jarvisbot.store.turns import CallRecord
from jarvisbot.types import Assistant, Review, Route, Stage, ToolCall, ToolResult

__all__ = ["Trace", "last"]


class Trace(msgspec.Struct, frozen=True, kw_only=True):
    """One finished turn: `rounds` are those in which tools were called, a skill's own call included."""

    question: str
    state: str
    """answered, failed or stopped."""
    seconds: float
    route: Route = msgspec.field(default_factory=Route)
    calls: tuple[CallRecord, ...] = ()
    rounds: int = 0
    review: Review = msgspec.field(default_factory=Review)
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    language: str = ""


async def last(store: Store, conversation: str) -> Trace | None:
    """The last turn of the conversation that came to an end since the talk began anew; None where there is none."""
    rows = await store.rows(
        "SELECT t.*, i.text AS question FROM turns t JOIN conversations c ON c.key = t.conversation"
        " JOIN inbox i ON i.seq = t.inbox"
        " WHERE t.conversation = ? AND t.state <> 'running' AND t.id >= c.fresh_from ORDER BY t.id DESC LIMIT 1",
        (conversation,),
    )
    if not rows:
        return None
    turn = rows[0]
    calls = await store.rows("SELECT * FROM calls WHERE turn = ? ORDER BY position", (turn["id"],))
    items = await store.rows("SELECT kind, body FROM items WHERE turn = ? ORDER BY position", (turn["id"],))
    said = [item_from(item["kind"], item["body"]) for item in items]
    return Trace(
        question=turn["question"],
        state=turn["state"],
        seconds=max(0, turn["ended"] - turn["began"]) / 1000 if turn["ended"] else 0.0,
        route=Route(skill=turn["skill"], stage=Stage(turn["stage"] or Stage.NONE), evidence=turn["evidence"] or ""),
        calls=tuple(
            CallRecord(
                call=ToolCall(id=made["id"], name=made["name"], arguments=json.loads(made["arguments"])),
                result=ToolResult(call_id=made["id"], text=made["result"], ok=bool(made["ok"])),
                seconds=made["seconds"],
            )
            for made in calls
        ),
        rounds=sum(isinstance(item, Assistant) and bool(item.calls) for item in said),
        review=Review(
            findings=tuple(json.loads(turn["findings"])),
            corrected=bool(turn["corrected"]),
            wound_down=bool(turn["wound_down"]),
            strategy=turn["strategy"],
            thought_s=turn["thought_s"],
        ),
        prompt_tokens=turn["prompt_tokens"],
        cached_tokens=turn["cached_tokens"],
        completion_tokens=turn["completion_tokens"],
        language=turn["language"],
    )
