"""A model that is made when it is first asked."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from typing import TYPE_CHECKING

from jarvisbot.types import Item, ToolSpec

if TYPE_CHECKING:
    from jarvisbot.model import Model, ModelEvent, ModelInfo, ModelRequest

__all__ = ["LateModel"]


class LateModel:
    """A model that is made when it is first asked: until then its backend is not even imported.

    Where it cannot be made, every request fails with the reason, and the next one tries again.
    """

    def __init__(self, make: Callable[[], Model], *, name: str = "model") -> None:
        self._make = make
        self._name = name
        self._known: ModelInfo | None = None
        self._made: Model | None = None

    def _model(self) -> Model:
        if self._made is None:
            self._made = self._make()
        return self._made

    def __str__(self) -> str:
        """The model by its name once it was loaded, else its backend."""
        return self._known.name if self._known is not None else self._name

    async def info(self) -> ModelInfo:
        """See `Model.info`."""
        self._known = await self._model().info()
        return self._known

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """See `Model.stream`."""
        return self._model().stream(request)

    async def count(self, items: Sequence[Item], tools: Sequence[ToolSpec] = ()) -> int:
        """See `Model.count`."""
        return await self._model().count(items, tools)

    async def close(self) -> None:
        """See `Model.close`; a model that was never asked has nothing to end."""
        if self._made is not None:
            await self._made.close()
