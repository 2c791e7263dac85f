"""How many layers of a model a graphics card is given."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from jarvisbot.models.llamacpp.gguf import Shape

__all__ = ["Device", "placement"]

KEPT_FREE_BYTES = 512 << 20
"""Of each card, for its driver, what a step is computed in, and whatever else is on the screen."""


class Device(msgspec.Struct, frozen=True, kw_only=True):
    """A device that the library can compute on. An integrated one shares the machine's own memory."""

    name: str
    description: str = ""
    kind: Literal["processor", "card", "integrated", "accelerator"]
    free_bytes: int
    total_bytes: int


def placement(shape: Shape, devices: Sequence[Device], *, context_tokens: int) -> int:
    """Layers for the cards, as llama.cpp counts them: the output is one more, and comes first.

    Without a card 0; all of them where they fit, with their share of the context, else as many as do. As llama.cpp
    does, an integrated card is used only where there is no other; it gets at most half of the machine's free memory.
    """
    cards = [device for device in devices if device.kind == "card"]
    room = sum(max(0, card.free_bytes - KEPT_FREE_BYTES) for card in cards)
    if not cards:
        room = sum(max(0, card.free_bytes // 2 - KEPT_FREE_BYTES) for card in devices if card.kind == "integrated")
    needs = [
        weights + cache * context_tokens for weights, cache in zip(shape.layer_bytes, shape.cache_bytes, strict=True)
    ]
    fitting = 0
    for need in (shape.output_bytes, *reversed(needs)):
        room -= need
        if room < 0:
            break
        fitting += 1
    return fitting if fitting > 1 else 0
