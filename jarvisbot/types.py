"""The values that travel between the parts: frozen, slotted, keyword-only.

Text from pages, attachments and tools is data: it travels as `ToolResult` or `FileRef`, never as `System`.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

import msgspec

JsonValue: TypeAlias = "bool | int | float | str | Sequence[JsonValue] | Mapping[str, JsonValue] | None"
Arguments: TypeAlias = Mapping[str, JsonValue]
"""The arguments of a tool call, as JSON values by name."""


# ---------------------------------------------------------------- who and where


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """A place that messages come from and go to: one conversation."""

    connector: str
    room: str
    space: str | None = None
    thread: str | None = None

    @property
    def key(self) -> str:
        """The conversation's id everywhere: `connector:space/room/thread`, empty parts left out, each part escaped."""
        parts = [part for part in (self.space, self.room, self.thread) if part is not None]
        marks = "".join("1" if part is not None else "0" for part in (self.space, self.thread))
        return f"{self.connector}:{marks}:" + "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)


class Author(msgspec.Struct, frozen=True, kw_only=True):
    """Who wrote something, as the platform says it: `id` is stable, `name` is for display only."""

    id: str
    name: str
    is_bot: bool = False


class Role(enum.StrEnum):
    """What a person may do here, from most to least."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    GUEST = "guest"

    @property
    def rank(self) -> int:
        """Higher may do more."""
        return {Role.OWNER: 3, Role.ADMIN: 2, Role.MEMBER: 1, Role.GUEST: 0}[self]


class Principal(msgspec.Struct, frozen=True, kw_only=True):
    """An author whom `policy.access` knows: `user` is `connector:author id`, the owner of memory and approvals."""

    user: str
    role: Role
    author: Author


# ---------------------------------------------------------------- files


class FileRef(msgspec.Struct, frozen=True, kw_only=True):
    """A file held in the media folder: history and results carry this, never the bytes.

    `id` is empty where a file is only named: it was too large, or nothing could read it. `name` is for display only.
    """

    id: str
    name: str
    media_type: str
    size_bytes: int


# ---------------------------------------------------------------- what comes in


class Origin(enum.StrEnum):
    """What made a turn begin."""

    CHAT = "chat"
    REACTION = "reaction"
    SCHEDULE = "schedule"
    WAKE = "wake"
    """A job that ran in the background has finished."""


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """A new message."""


class Edited(msgspec.Struct, frozen=True, kw_only=True):
    """The message `id` has the text of this `Inbound` now."""

    id: str


class Deleted(msgspec.Struct, frozen=True, kw_only=True):
    """The message `id` is gone."""

    id: str


class Reacted(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody put (`added`) or removed the reaction `key` on the message `id`."""

    id: str
    key: str
    added: bool


class Pressed(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody pressed a button of the message `id`; `data` is what the button carries."""

    id: str
    data: str


class Moved(msgspec.Struct, frozen=True, kw_only=True):
    """The room goes on at another address (a supergroup, a room upgrade)."""

    to: Address


About: TypeAlias = Said | Edited | Deleted | Reacted | Pressed | Moved


class Inbound(msgspec.Struct, frozen=True, kw_only=True):
    """One event from a platform that is meant for the bot. `id` is unique within its connector."""

    id: str
    at: Address
    author: Author
    text: str
    sent: datetime
    addressed: bool = True
    direct: bool = True
    """A direct chat: nobody but this author reads the answer."""
    attachments: tuple[FileRef, ...] = ()
    reply_to: str | None = None
    quoted: str = ""
    """What the message replies to or quotes, with its author's name in front: data beside the question."""
    origin: Origin = Origin.CHAT
    about: About = msgspec.field(default_factory=Said)


# ---------------------------------------------------------------- tools


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A page that a result rests on."""

    title: str
    url: str
    excerpt: str = ""


class ToolCall(msgspec.Struct, frozen=True, kw_only=True):
    """A wish to run a tool. Having one is not permission to run it."""

    id: str
    name: str
    arguments: Arguments


class ToolResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a call came to; `text` is data that a model may read, also when `ok` is false."""

    call_id: str
    text: str
    ok: bool = True
    sources: tuple[Source, ...] = ()
    files: tuple[FileRef, ...] = ()


class ToolSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is told about a tool: `parameters` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, JsonValue]


class ToolSummary(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as people are told of it. `label` is it in words, with its verb in the past; `risk` is R0 to R5."""

    spec: ToolSpec
    label: str
    risk: str
    timeout_s: float
    requires_approval: bool = False


class Allow(msgspec.Struct, frozen=True, kw_only=True):
    """The call may run now."""


class Ask(msgspec.Struct, frozen=True, kw_only=True):
    """The call may run once a person has agreed to `summary` before `expires` (UTC)."""

    summary: str
    expires: datetime


class Deny(msgspec.Struct, frozen=True, kw_only=True):
    """The call will not run; `reason` is shown to the model and to people."""

    reason: str


Decision: TypeAlias = Allow | Ask | Deny


# ---------------------------------------------------------------- what a model reads and history stores


class System(msgspec.Struct, frozen=True, kw_only=True):
    """Our own words to the model."""

    text: str


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """What a model read in front of a message, as it read it: lines that are different each turn."""

    text: str = ""
    """What is remembered, the topic, the language, the time; empty where no model was asked."""
    speaker: str = ""
    """Who speaks, in a group."""
    material: str = ""
    """What the message quotes and the text of its files: data, each line of it marked."""
    base: str = ""
    """Names the prompt's beginning under which the text was read; under another one it is not repeated."""


class User(msgspec.Struct, frozen=True, kw_only=True):
    """What a person said."""

    text: str
    attachments: tuple[FileRef, ...] = ()
    author: Author | None = None
    heading: Heading = msgspec.field(default_factory=Heading)


class Assistant(msgspec.Struct, frozen=True, kw_only=True):
    """What the model said and which calls it made. `thinking` is kept for the trace and never sent back to a model."""

    text: str
    thinking: str = ""
    calls: tuple[ToolCall, ...] = ()


class Result(msgspec.Struct, frozen=True, kw_only=True):
    """What a call of the assistant item before came to."""

    result: ToolResult


Item: TypeAlias = System | User | Assistant | Result


class SeedContext(msgspec.Struct, frozen=True, kw_only=True):
    """What a skill's `seed` may know besides the message itself."""

    language: str
    """The reply's language, "en" or "de"."""
    now: datetime
    """UTC."""
    zone: str = "UTC"
    """The person's time zone, an IANA name."""
    zone_chosen: bool = False
    """The person set it themselves."""
    history: tuple[Item, ...] = ()
    """The conversation so far, oldest first, without the message."""


# ---------------------------------------------------------------- a turn, as it happens


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


# ---------------------------------------------------------------- what is found


class Severity(enum.StrEnum):
    """How bad a finding is; `UNKNOWN` is for what could not be looked at."""

    GOOD = "good"
    NOTE = "note"
    PROBLEM = "problem"
    UNKNOWN = "unknown"


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at, in a sentence, and what to do about it where there is something to do."""

    about: str
    severity: Severity
    text: str
    remedy: str = ""


# ---------------------------------------------------------------- what goes out


class RowState(enum.StrEnum):
    """How far the call of a tool row is."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class ToolRow(msgspec.Struct, frozen=True, kw_only=True):
    """One line on a tool that worked for the answer: the tool in words, its argument in short, its time."""

    label: str
    detail: str
    tool: str
    state: RowState = RowState.DONE
    seconds: float = 0.0


class SpanKind(enum.StrEnum):
    """Formatting that a platform with entities shows."""

    BOLD = "bold"
    ITALIC = "italic"
    STRIKE = "strike"
    CODE = "code"
    PRE = "pre"
    LINK = "link"
    QUOTE = "quote"
    EXPANDABLE = "expandable"
    """A quotation that is shown folded up."""


class Span(msgspec.Struct, frozen=True, kw_only=True):
    """Formatting of `length` units from `start`, in the unit of the platform the text was rendered for."""

    kind: SpanKind
    start: int
    length: int
    url: str | None = None
    language: str | None = None


class Rendered(msgspec.Struct, frozen=True, kw_only=True):
    """Text as a platform shows it: its characters, its formatting where the platform takes entities or HTML beside them."""

    text: str
    spans: tuple[Span, ...] = ()
    html: str = ""


class EmbedField(msgspec.Struct, frozen=True, kw_only=True):
    """A titled text in an `Embed`."""

    name: str
    value: str


class Embed(msgspec.Struct, frozen=True, kw_only=True):
    """A box under a message, for platforms that have such; within Discord's limits where `Outbound` carries it."""

    title: str = ""
    description: str = ""
    fields: tuple[EmbedField, ...] = ()
    footer: str = ""


class LinkButton(msgspec.Struct, frozen=True, kw_only=True):
    """A button that opens a page."""

    label: str
    url: str


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """A button: `label` is shown, `data` comes back in `Pressed`."""

    label: str
    data: str


class Outbound(msgspec.Struct, frozen=True, kw_only=True):
    """One message to send, or to put in place of the message `replaces`.

    `id` is the same for every attempt at the same message: platforms that take an idempotency key get it.
    `body` is rendered for the connector's markup; `rows` and `sources` are for connectors that show them natively.
    `labels` say in short how the answer came about ("corrected"), for connectors that show them natively.
    `final` is false for a draft, which may be skipped and is never retried; `thinking_s` is how long the model has been
    thinking by then, while there is no text yet.
    `problem` is true where the text says what went wrong instead of answering.
    `embeds` and `links` show rows, labels and sources where the connector's markup is Discord's.
    """

    id: str
    to: Address
    body: Rendered
    rows: tuple[ToolRow, ...] = ()
    sources: tuple[Source, ...] = ()
    attachments: tuple[FileRef, ...] = ()
    reply_to: str | None = None
    choices: tuple[Choice, ...] = ()
    replaces: str | None = None
    labels: tuple[str, ...] = ()
    thinking_s: float = 0.0
    final: bool = True
    problem: bool = False
    embeds: tuple[Embed, ...] = ()
    links: tuple[LinkButton, ...] = ()
