"""Answers as plain text with entities, for platforms that take formatting beside the text."""

from __future__ import annotations

import msgspec

from jarvisbot.connector import Unit
from jarvisbot.gateway.render.flow import Flow, finished
from jarvisbot.gateway.render.layout import Manner, lay_out
from jarvisbot.gateway.render.tree import parse
from jarvisbot.gateway.render.units import offsets
from jarvisbot.types import Rendered, Span

__all__ = ["counted", "entity_flow", "render_entities"]

_MANNER = Manner(spans=True, bullet="•", table_columns=40)
"""40 columns of monospace is what a phone shows without wrapping."""


def entity_flow(text: str) -> Flow:
    """The visible text and its spans in code points. What would show nothing at all is shown as written."""
    flow = finished(lay_out(parse(text), _MANNER))
    return flow if flow.text or not text.strip() else Flow(text=text.strip())


def render_entities(text: str, unit: Unit) -> Rendered:
    """The visible text and its spans counted in `unit`, in order, outer before inner."""
    return counted(entity_flow(text), unit)


def counted(flow: Flow, unit: Unit) -> Rendered:
    """A finished flow with its spans counted in `unit`."""
    at = offsets(flow.text, unit)
    return Rendered(text=flow.text, spans=tuple(_counted(span, at) for span in flow.spans))


def _counted(span: Span, at: list[int]) -> Span:
    start = at[span.start]
    return msgspec.structs.replace(span, start=start, length=at[span.start + span.length] - start)
