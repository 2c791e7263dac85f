"""What a model reads for one turn: stable parts first, what varies last, all of it inside the token budget."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import assert_never

import msgspec

from jarvisbot.errors import ContextTooLong
from jarvisbot.model import Model
from jarvisbot.skill import Exemplar, Skill
from jarvisbot.types import Assistant, Item, Result, System, ToolResult, ToolSpec, User

__all__ = ["examples", "fitted", "opening", "system_text"]

EXAMPLES_AND_GUIDANCE_LIMIT = 1_600
HISTORY_TOKENS = 1_500
"""At the 75 tokens a second that two cores read with a model of 0.8B parameters, a cold talk is read in 20 s."""
LONGEST_REMEMBERED = 1_000
"""Characters of one earlier text that the model reads again."""
ITEM_TOKENS = 16
"""More than any template puts around an item."""


@cache
def _prompt() -> str:
    return Path(__file__).with_name("prompt.md").read_text(encoding="utf-8").strip()


def system_text(skill: Skill | None) -> str:
    """The system prompt and the skill's guidance: the same bytes for the same skill."""
    return _prompt() if skill is None or not skill.guidance else f"{_prompt()}\n\n{skill.guidance}"


def examples(skill: Skill | None, language: str = "en") -> tuple[Item, ...]:
    """The skill's worked examples as real turns, in written order until the next would not fit; the first always.

    Where the skill has examples in the reply's language, only those are shown: a small model copies the language of what it
    was shown, whatever it is told.
    """
    if skill is None:
        return ()
    items: list[Item] = []
    room = EXAMPLES_AND_GUIDANCE_LIMIT - len(skill.guidance)
    fitting = [exemplar for exemplar in skill.exemplars if exemplar.language == language] or skill.exemplars
    for number, exemplar in enumerate(fitting):
        room -= _size(exemplar)
        if number and room < 0:
            break
        items.append(User(text=exemplar.user))
        for step_number, step in enumerate(exemplar.steps):
            call = step.call(f"example{number}.{step_number}")
            items.append(Assistant(text="", calls=(call,)))
            items.append(Result(result=ToolResult(call_id=call.id, text=step.result)))
        items.append(Assistant(text=exemplar.answer))
    return tuple(items)


def _size(exemplar: Exemplar) -> int:
    steps = sum(len(step.tool) + len(step.result) + sum(map(len, step.arguments.values())) for step in exemplar.steps)
    return len(exemplar.user) + len(exemplar.answer) + steps


def opening(skill: Skill | None, language: str = "en") -> tuple[Item, ...]:
    """System text and examples: the prefix that turns with the same skill and language share byte for byte."""
    return (System(text=system_text(skill)), *examples(skill, language))


async def fitted(
    model: Model,
    *,
    start: Sequence[Item],
    history: Sequence[Item],
    end: Sequence[Item],
    tools: Sequence[ToolSpec],
    context_tokens: int,
    reserve: int,
) -> tuple[Item, ...]:
    """The prompt's items with as much of the history, newest last, as fits beside `reserve` tokens for the answer.

    Long texts of the history are shortened and whole exchanges left out, oldest first, so that a small machine has read the
    talk in seconds. Raises ContextTooLong where even an empty history does not fit.
    """
    room = context_tokens - min(reserve, context_tokens // 4)
    kept = await _recent(model, [_shortened(item) for item in history])
    tools_tokens = sum(ITEM_TOKENS + len(str(tool).encode()) for tool in tools)
    while True:
        items = (*start, *kept, *end)
        if sum(map(_most_tokens, items)) + tools_tokens <= room:
            return items
        needed = await model.count(items, tools)
        if needed <= room:
            return items
        if not kept:
            raise ContextTooLong(
                f"That is too long for this model: it makes {needed} tokens with all that belongs to it, and {room} fit.",
                needed=needed,
                available=room,
            )
        kept = _without_oldest(kept, needed / room)


async def _recent(model: Model, history: list[Item]) -> list[Item]:
    """The newest exchanges of the history that make no more than `HISTORY_TOKENS` together."""
    while history and sum(map(_most_tokens, history)) > HISTORY_TOKENS:
        needed = await model.count(history)
        if needed <= HISTORY_TOKENS:
            break
        history = _without_oldest(history, needed / HISTORY_TOKENS)
    return history


def _shortened(item: Item) -> Item:
    """The item with the middle of a long text left out: what was said is remembered, not recited."""
    match item:
        case User(text=text) | Assistant(text=text) if len(text) > LONGEST_REMEMBERED:
            return msgspec.structs.replace(item, text=_without_middle(text))
        case Result(result=result) if len(result.text) > LONGEST_REMEMBERED:
            return Result(result=msgspec.structs.replace(result, text=_without_middle(result.text)))
        case _:
            return item


def _without_middle(text: str) -> str:
    head = LONGEST_REMEMBERED * 3 // 4
    return f"{text[:head]} […] {text[-(LONGEST_REMEMBERED - head) :]}"


def _without_oldest(items: list[Item], excess: float) -> list[Item]:
    """The items without the oldest exchanges: at least one, more where much has to go."""
    starts = [place for place, item in enumerate(items) if isinstance(item, User)]
    drop = max(1, int(len(starts) * (1 - 1 / excess)))
    return items[starts[drop] :] if drop < len(starts) else []


def _most_tokens(item: Item) -> int:
    """No tokenizer makes more tokens of a text than it has bytes: where those fit, nothing has to be counted."""
    match item:
        case System(text=text) | User(text=text):
            said = text
        case Assistant(text=text, calls=calls):
            said = text + "".join(f"{call.name}{call.arguments}" for call in calls)
        case Result(result=result):
            said = result.text
        case _:
            assert_never(item)
    return ITEM_TOKENS + len(said.encode("utf-8", "replace"))
