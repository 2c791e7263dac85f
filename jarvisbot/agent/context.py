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
from jarvisbot.types import Assistant, Heading, Item, Result, System, ToolResult, ToolSpec, User

__all__ = ["base", "examples", "fitted", "headed", "opening", "system_text"]

EXAMPLES_AND_GUIDANCE_LIMIT = 1_600
HISTORY_TOKENS = 1_500
"""At the 75 tokens a second that two cores read with a model of 0.8B parameters, a cold talk is read in 20 s."""
BYTES_A_TOKEN = 3
"""Fewer than tokenizers make of a token's worth of European text, and what Chinese characters take."""
LONGEST_REMEMBERED = 1_000
"""Characters of one earlier text that the model reads again."""
LANGUAGE_RULE = "{in the language of the question}"
"""The place in the prompt of the one rule that does not always stand there."""
ITEM_TOKENS = 16
"""More than any template puts around an item."""


@cache
def _prompt() -> str:
    return Path(__file__).with_name("prompt.md").read_text(encoding="utf-8").strip()


def system_text(skill: Skill | None, *, chosen: bool = False) -> str:
    """The system prompt and the skill's guidance: the same bytes for the same skill.

    Where the person chose a language, the prompt does not ask for the question's: a small model follows neither of two rules.
    """
    prompt = _prompt().replace(LANGUAGE_RULE, " " if chosen else f" {LANGUAGE_RULE[1:-1]}, ")
    return prompt if skill is None or not skill.guidance else f"{prompt}\n\n{skill.guidance}"


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


def opening(skill: Skill | None, language: str = "en", *, chosen: bool = False) -> tuple[Item, ...]:
    """System text and examples: the prefix that turns with the same skill and language share byte for byte."""
    return (System(text=system_text(skill, chosen=chosen)), *examples(skill, language))


def base(skill: Skill | None, language: str, *, chosen: bool) -> str:
    """The name of an opening: the same for the same bytes."""
    return f"{skill.name if skill else ''}/{language}{'!' if chosen else ''}"


def headed(item: User, under: str) -> User:
    """The message as a model reads it: its lines in front if they were read under the opening `under`.

    What it quotes and who speaks stand there always.
    """
    lines = [item.heading.text if item.heading.base == under else "", item.heading.material]
    lines.append(f"{item.heading.speaker}:" if item.heading.speaker else "")
    shown = "\n".join([*(line for line in lines if line), item.text])
    return msgspec.structs.replace(item, text=shown, heading=Heading())


async def fitted(
    model: Model,
    *,
    start: Sequence[Item],
    history: Sequence[Item],
    end: Sequence[Item],
    tools: Sequence[ToolSpec],
    context_tokens: int,
    reserve: int,
    under: str = "",
) -> tuple[Item, ...]:
    """The prompt's items with as much of the history, newest last, as fits beside `reserve` tokens for the answer.

    Long texts of the history are shortened and whole exchanges left out, oldest first, so that a small machine has read the
    talk in seconds. Messages have their headings as they were read before, as long as the opening `under` has not changed.
    Raises ContextTooLong where even an empty history does not fit.
    """
    room = context_tokens - min(reserve, context_tokens // 4)
    kept = _recent([_shortened(item) for item in _as_read(history, under)])
    end = [headed(item, under) if isinstance(item, User) else item for item in end]
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


def _as_read(history: Sequence[Item], under: str) -> list[Item]:
    """The history with the headings of the last turns that were all read under this opening; before them it is bare.

    Another skill in between had the model read everything anew, without them.
    """
    places = [place for place, item in enumerate(history) if isinstance(item, User) and item.heading.base]
    changed = next((place for place in reversed(places) if _base(history[place]) != under), -1)
    return [
        headed(item, under if place > changed else "") if isinstance(item, User) else item
        for place, item in enumerate(history)
    ]


def _base(item: Item) -> str:
    return item.heading.base if isinstance(item, User) else ""


def _recent(history: Sequence[Item]) -> list[Item]:
    """The newest exchanges of the history that make about `HISTORY_TOKENS` together.

    Where they become more, half of them go at once: what is left stays the beginning of the next prompts for a while, and
    a model has read it already. It depends on nothing but the history, so that each turn finds the same.
    """
    kept: list[list[Item]] = []
    for item in history:
        if isinstance(item, User) or not kept:
            kept.append([])
        kept[-1].append(item)
        if _about(kept) > HISTORY_TOKENS:
            while len(kept) > 1 and _about(kept) > HISTORY_TOKENS // 2:
                del kept[0]
    return [item for exchange in kept for item in exchange]


def _about(exchanges: Sequence[Sequence[Item]]) -> int:
    """Their tokens, guessed."""
    return sum(_most_tokens(item) // BYTES_A_TOKEN + 1 for exchange in exchanges for item in exchange)


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
