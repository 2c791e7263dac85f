"""A turn as it happens: how it is routed, what it shows, how it ends."""

from __future__ import annotations

import enum
from typing import TypeAlias

import msgspec

from jarvisbot.types.tools import Source, ToolCall, ToolResult

__all__ = [
    "Answered",
    "Failed",
    "Question",
    "QuestionPosted",
    "Redrafted",
    "Resident",
    "Review",
    "Route",
    "Stage",
    "TextDelta",
    "Thinking",
    "ToolFinished",
    "ToolStarted",
    "TurnEvent",
]


class Stage(enum.StrEnum):
    """Which of the router's stages found the skill."""

    TRIGGER = "trigger"
    SEARCH = "search"
    CARRY_OVER = "carry-over"
    QUESTION = "question"
    NONE = "none"


class Route(msgspec.Struct, frozen=True, kw_only=True):
    """Which skill answers and why; `skill` is None where no skill claims the message."""

    skill: str | None = None
    stage: Stage = Stage.NONE
    evidence: str = ""


class Resident(msgspec.Struct, frozen=True, kw_only=True):
    """The skill that answered last in a conversation, and for how many turns it has only been carried over."""

    skill: str
    carried: int = 0


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """How the answer came about: what the check still objects to, and the labels shown with the answer."""

    findings: tuple[str, ...] = ()
    corrected: bool = False
    wound_down: bool = False
    strategy: str = ""
    """How the model was asked; empty where it was not."""
    thought_s: float = 0.0
    """Seconds that it reasoned."""
    shortened: bool = False
    """The message was too long for the model, which has read its beginning and its end."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """Something only a person can answer; `choices` are the options offered."""

    id: str
    text: str
    choices: tuple[str, ...] = ()


class Thinking(msgspec.Struct, frozen=True, kw_only=True):
    """The model has been thinking for `seconds` by now and shows no text yet."""

    seconds: float


class TextDelta(msgspec.Struct, frozen=True, kw_only=True):
    """More of the visible answer."""

    text: str


class Redrafted(msgspec.Struct, frozen=True, kw_only=True):
    """The visible answer so far is `text` now: a stream was begun again or its text was taken back."""

    text: str


class ToolStarted(msgspec.Struct, frozen=True, kw_only=True):
    """A call passed the policy and runs now."""

    call: ToolCall
    label: str
    """The tool in words, with its verb in the past: "Calculated"."""


class ToolFinished(msgspec.Struct, frozen=True, kw_only=True):
    """The call ended, well or badly, after `seconds`; a refused one ends without having started."""

    result: ToolResult
    call: ToolCall
    label: str
    seconds: float


class QuestionPosted(msgspec.Struct, frozen=True, kw_only=True):
    """The turn waits for a person."""

    question: Question


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """The turn is over and this is its whole text; nothing of it changes after this."""

    text: str
    review: Review = msgspec.field(default_factory=Review)
    sources: tuple[Source, ...] = ()
    route: Route = msgspec.field(default_factory=Route)


class Failed(msgspec.Struct, frozen=True, kw_only=True):
    """The turn is over without an answer; `message` says so in plain words. `missing`: a part has to be installed."""

    message: str
    missing: bool = False


TurnEvent: TypeAlias = (
    Thinking | TextDelta | Redrafted | ToolStarted | ToolFinished | QuestionPosted | Answered | Failed
)
