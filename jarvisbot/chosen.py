"""One of several models: the one that answers now, until another is chosen."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from jarvisbot.model import Done
from jarvisbot.types import Item, ToolSpec

if TYPE_CHECKING:
    from jarvisbot.model import Model, ModelEvent, ModelInfo, ModelRequest

__all__ = ["ChosenModel"]


class ChosenModel:
    """Asks the model that is chosen; at the start that is the first. There is no other way from one to another.

    What runs on a model goes on there when another one is chosen; after that, the former one gives its memory back.
    """

    def __init__(self, models: Mapping[str, Model]) -> None:
        self._models = dict(models)
        self._name = next(iter(self._models))
        self._known: dict[str, ModelInfo] = {}
        self._busy: Counter[str] = Counter()
        self._tokens_per_s: float | None = None

    def __str__(self) -> str:
        """The chosen model, as it calls itself; before it was asked, as the config calls it."""
        known = self.known
        if known is not None:
            return known.name
        first, *_ = self._models
        return str(self._models[first]) if self._name == first else self._name

    @property
    def names(self) -> tuple[str, ...]:
        """All models' names, the first one's first."""
        return tuple(self._models)

    @property
    def name(self) -> str:
        """The chosen one's name."""
        return self._name

    @property
    def known(self) -> ModelInfo | None:
        """What the chosen model last said of itself; None before it was asked."""
        return self._known.get(self._name)

    @property
    def tokens_per_s(self) -> float | None:
        """How fast the last answer was written, by the model that wrote it; None before the first."""
        return self._tokens_per_s

    async def choose(self, name: str) -> None:
        """Has the model of this name asked from now on. Raises KeyError where there is none."""
        self._models[name]
        former, self._name = self._name, name
        await self._let_go(former)

    async def info(self) -> ModelInfo:
        """See `Model.info`."""
        name = self._name
        info = self._known[name] = await self._models[name].info()
        return info

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `Model.stream`."""
        name = self._name
        self._busy[name] += 1
        try:
            async with aclosing(self._models[name].stream(request)) as events:
                async for event in events:
                    if isinstance(event, Done) and event.usage.decode_s > 0:
                        self._tokens_per_s = event.usage.completion_tokens / event.usage.decode_s
                    yield event
        finally:
            self._busy[name] -= 1
            await self._let_go(name)

    async def count(self, items: Sequence[Item], tools: Sequence[ToolSpec] = ()) -> int:
        """See `Model.count`."""
        return await self._models[self._name].count(items, tools)

    async def close(self) -> None:
        """See `Model.close`; closes all of them."""
        for model in self._models.values():
            await model.close()

    async def _let_go(self, name: str) -> None:
        if name != self._name and not self._busy[name]:
            await self._models[name].close()
