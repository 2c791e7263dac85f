"""How fast a model is on this machine: measured with the worker itself."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

import msgspec

from jarvisbot.model import Done, ModelInfo, ModelRequest, Sampling, Usage
from jarvisbot.models.llamacpp.client import LlamaCpp
from jarvisbot.types import Item, User

__all__ = ["ANSWER_WORDS", "Speed", "measure"]

ANSWER_WORDS = 60
"""A plain answer: two or three sentences."""
ANSWER = (
    "The heating starts at six in the morning and goes off at ten at night. On Sundays it starts an hour later. If the "
    "room is colder than fifteen degrees it runs at any time, so nothing freezes while you are away. You can change "
    "all of this in the settings of the thermostat, or ask me to remind you."
)
READ_TOKENS = 512
"""Long enough to measure how fast a prompt is read."""
WRITTEN_TOKENS = 64
TRIES = 4


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    """What was measured. Rates are tokens in a second; `first_s` is a plain answer with the whole prompt to be read
    before, `next_s` one in a talk that goes on, from the question to the last word.
    """

    load_s: float
    read_rate: float
    write_rate: float
    opening_tokens: int
    question_tokens: int
    answer_tokens: int
    first_s: float
    next_s: float


async def measure(model: LlamaCpp, opening: Sequence[Item], question: User) -> tuple[ModelInfo, Speed]:
    """Loads the model, has it read and write, and says what a plain answer to `question` costs.

    `opening` is what stands before a question. Raises ModelUnavailable or ModelError.
    """
    began = time.monotonic()
    info = await model.info()
    load_s = time.monotonic() - began
    empty = await model.count([User(text="")])
    answer = await model.count([User(text=ANSWER)]) - empty
    opened = await model.count([*opening, question])
    asked = await model.count([question])
    reading = await _generate(model, [User(text=_long(min(READ_TOKENS, info.context_tokens // 2), answer))], 1)
    read_rate = (reading.prompt_tokens - reading.cached_tokens) / max(reading.prefill_s, 1e-9)
    tokens, seconds = 0, 0.0
    for number in range(TRIES):
        writing = await _generate(model, [User(text=f"Tell me a long story, number {number + 1}.")], WRITTEN_TOKENS)
        tokens += writing.completion_tokens
        seconds += writing.decode_s
        if tokens >= WRITTEN_TOKENS:
            break
    write_rate = tokens / max(seconds, 1e-9)
    written_s = answer / max(write_rate, 1e-9)
    return info, Speed(
        load_s=load_s,
        read_rate=read_rate,
        write_rate=write_rate,
        opening_tokens=opened,
        question_tokens=asked,
        answer_tokens=answer,
        first_s=opened / read_rate + written_s,
        next_s=asked / read_rate + written_s,
    )


def _long(tokens: int, answer_tokens: int) -> str:
    """A text of about so many tokens."""
    return " ".join([ANSWER] * max(1, round(tokens / max(answer_tokens, 1))))


async def _generate(model: LlamaCpp, items: Sequence[Item], most: int) -> Usage:
    request = ModelRequest(items=tuple(items), max_tokens=most, sampling=Sampling(temperature=0.8, seed=1))
    async with contextlib.aclosing(model.stream(request)) as events:
        async for event in events:
            if isinstance(event, Done):
                return event.usage
    raise AssertionError("a stream ends with Done")
