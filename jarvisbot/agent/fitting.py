"""Prompts that fit: the talk trimmed to the model's window, which may turn out smaller, and an over-long message cut."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass

import msgspec

from jarvisbot.agent import context
from jarvisbot.errors import ContextTooLong
from jarvisbot.model import Model, ModelRequest
from jarvisbot.types import Item, Result, ToolSpec, User

__all__ = ["Fitting"]

logger = logging.getLogger(__name__)

CUT_UP_TO = 3
"""A message this many times too long is cut; of a longer one too little would be read for an answer to be of use."""
LEAST_KEPT = 200
"""Characters of a text that are left of it at least."""
MARGIN = 0.95
"""What is kept of a text is guessed from the tokens of the whole; its parts may have a few more."""


@dataclass(slots=True, kw_only=True)
class Fitting:
    """Fits the prompts of one turn. State: the window as far as it is known, and whether the person's message was cut."""

    model: Model
    context_tokens: int
    shortened: bool = False

    async def items(
        self,
        *,
        start: Sequence[Item],
        history: Sequence[Item],
        end: Sequence[Item],
        tools: Sequence[ToolSpec],
        reserve: int,
        under: str,
    ) -> tuple[Item, ...]:
        """The prompt's items: what fits of the history, and where nothing of it does, the end with its longest texts cut.

        What tools brought is cut first. Raises ContextTooLong where what is left is more than `CUT_UP_TO` times too long, or
        the start alone does not fit.
        """
        try:
            return await context.fitted(
                self.model,
                start=start,
                history=history,
                end=end,
                tools=tools,
                context_tokens=self.context_tokens,
                reserve=reserve,
                under=under,
            )
        except ContextTooLong as error:
            return await self._cut(error, start, list(end), tools, under)

    async def narrowed(self, error: ContextTooLong, request: ModelRequest) -> bool:
        """Told that the model refused a prompt: whether the window is known to be smaller now, so that less will be sent.

        Where the backend's count differs from the model's own, the window is taken in the backend's measure.
        """
        counted = await self.model.count(request.items, request.tools)
        window = int((error.available + 1) * min(1.0, counted / max(1, error.needed)))
        if window >= self.context_tokens:
            return False
        logger.warning("context_is_smaller", extra={"conversation": request.room, "context_tokens": window})
        self.context_tokens = window
        return True

    async def _cut(
        self, error: ContextTooLong, start: Sequence[Item], end: list[Item], tools: Sequence[ToolSpec], under: str
    ) -> tuple[Item, ...]:
        """The start and the end with the middles of its longest texts left out. Raises `error` where that is not enough."""
        needed, room = error.needed, error.available
        for place in sorted(range(len(end)), key=lambda place: (isinstance(end[place], User), -len(_text(end[place])))):
            whole = end[place]
            if len(_text(whole)) <= LEAST_KEPT:
                continue
            if isinstance(whole, User) and needed > CUT_UP_TO * room:
                break
            end[place] = _with_text(whole, _without_middle(_text(whole), LEAST_KEPT))
            least = await self._count(start, end, tools, under)
            self.shortened = self.shortened or (place == 0 and isinstance(whole, User))
            if least > room:
                needed = least
                continue
            kept = len(_text(whole)) * (room - least) / max(1, needed - least)
            while (kept := kept * MARGIN) > LEAST_KEPT:
                shorter = [*end[:place], _with_text(whole, _without_middle(_text(whole), int(kept))), *end[place + 1 :]]
                if await self._count(start, shorter, tools, under) <= room:
                    return _read(start, shorter, under)
            return _read(start, end, under)
        raise error

    async def _count(self, start: Sequence[Item], end: Sequence[Item], tools: Sequence[ToolSpec], under: str) -> int:
        return await self.model.count(_read(start, end, under), tools)


def _read(start: Sequence[Item], end: Sequence[Item], under: str) -> tuple[Item, ...]:
    return (*start, *(context.headed(item, under) if isinstance(item, User) else item for item in end))


def _text(item: Item) -> str:
    """What may be cut of an item: what a person wrote, what a tool brought."""
    match item:
        case User(text=text):
            return text
        case Result(result=result):
            return result.text
        case _:
            return ""


def _with_text(item: Item, text: str) -> Item:
    match item:
        case User():
            return msgspec.structs.replace(item, text=text)
        case Result(result=result):
            return Result(result=msgspec.structs.replace(result, text=text))
        case _:
            return item


def _without_middle(text: str, kept: int) -> str:
    """The beginning and the end of the text, with a line between them that says how much is missing."""
    head = kept * 3 // 4
    return f"{text[:head]}\n[{len(text) - kept} characters are left out here: it is too long.]\n{text[len(text) - kept + head :]}"
