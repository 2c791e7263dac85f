"""Chats of the emulated Telegram: people, messages as they are seen now and were before, updates that wait."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Chats", "File", "Message", "User"]

_UPDATE_AGE_S = 24 * 60 * 60
"""Telegram keeps an update that nobody fetches for a day."""

_NOT_BY_DEFAULT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """An account. A person's private chat with the bot has the person's own id."""

    id: int
    first_name: str
    username: str | None = None
    is_bot: bool = False

    def json(self) -> dict[str, Any]:
        value = {"id": self.id, "is_bot": self.is_bot, "first_name": self.first_name}
        return value if self.username is None else {**value, "username": self.username}


@dataclass(slots=True, kw_only=True)
class Message:
    """A message; `texts` holds every text it ever had, the one shown now last. Fields the API adds lie in `fields`."""

    id: int
    chat: dict[str, Any]
    sender: User
    date: int
    texts: list[str] = field(default_factory=list)
    entities: list[dict[str, Any]] = field(default_factory=list)
    fields: dict[str, Any] = field(default_factory=dict)
    reactions: list[str] = field(default_factory=list)
    people_reactions: dict[int, list[str]] = field(default_factory=dict)
    edited: int | None = None
    deleted: bool = False

    @property
    def text(self) -> str | None:
        return self.texts[-1] if self.texts else None

    @property
    def reply_to(self) -> int | None:
        reply = self.fields.get("reply_to_message")
        return None if reply is None else int(reply["message_id"])

    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = {
            "message_id": self.id,
            "from": self.sender.json(),
            "chat": self.chat,
            "date": self.date,
        }
        if self.text is not None:
            value["text"] = self.text
        if self.entities:
            value["entities" if self.text is not None else "caption_entities"] = self.entities
        if self.edited is not None:
            value["edit_date"] = self.edited
        return value | self.fields


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file on Telegram's servers; `told` is the size that messages tell of it, None where they tell none."""

    identity: str
    data: bytes
    name: str
    told: int | None

    @property
    def path(self) -> str:
        return f"documents/{self.identity}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Update:
    body: dict[str, Any]
    created: float


class Chats:
    """Owner of all chats, messages and pending updates. `clock` gives seconds since the epoch."""

    def __init__(self, *, bot: User, clock: Callable[[], float]) -> None:
        self.bot = bot
        self.clock = clock
        self.chats: dict[int, dict[str, Any]] = {}
        self.threads: set[tuple[int, int]] = set()
        self.blocked: set[int] = set()
        self.migrated: dict[int, int] = {}
        self.files: dict[str, File] = {}
        self.webhook = ""
        self.messages: dict[tuple[int, int], Message] = {}
        self.allowed_updates: list[str] = []
        self._updates: list[_Update] = []
        self._message_ids = itertools.count(1)
        self.next_update_id = 700_000_001

    # ---------------------------------------------------------------- messages

    def add(self, chat_id: int, sender: User, text: str | None = None, *, date: float | None = None) -> Message:
        """A new message at the end of a chat."""
        message = Message(
            id=next(self._message_ids),
            chat=self.chats[chat_id],
            sender=sender,
            date=int(self.clock() if date is None else date),
            texts=[] if text is None else [text],
        )
        self.messages[chat_id, message.id] = message
        return message

    def find(self, chat_id: int, message_id: int) -> Message | None:
        """A message that is still there."""
        message = self.messages.get((chat_id, message_id))
        return None if message is None or message.deleted else message

    def shown(self, chat_id: int) -> list[Message]:
        """The messages of a chat that are still there, oldest first."""
        return [message for (chat, _), message in self.messages.items() if chat == chat_id and not message.deleted]

    # ---------------------------------------------------------------- updates

    def push(self, kind: str, body: dict[str, Any]) -> int | None:
        """Queues an update and answers its id; None where the bot did not ask for this kind."""
        if self.allowed_updates and kind not in self.allowed_updates:
            return None
        if not self.allowed_updates and kind in _NOT_BY_DEFAULT:
            return None
        update_id = self.next_update_id
        self.next_update_id += 1
        self._updates.append(_Update(body={"update_id": update_id, kind: body}, created=self.clock()))
        return update_id

    def confirm(self, offset: int) -> None:
        """Forgets the updates below `offset`; a negative one keeps that many from the end.

        An offset that lies in the future is taken for another server's and ignored, as Telegram does.
        """
        if offset < 0:
            self._updates = self._updates[offset:]
        elif offset <= self.next_update_id + 10:
            self._updates = [update for update in self._updates if update.body["update_id"] >= offset]

    def take(self, update_id: int) -> None:
        """Forgets one update, which a webhook has taken."""
        self._updates = [update for update in self._updates if update.body["update_id"] != update_id]

    def pending(self) -> list[dict[str, Any]]:
        """The updates that are not confirmed and not too old, oldest first."""
        oldest = self.clock() - _UPDATE_AGE_S
        self._updates = [update for update in self._updates if update.created >= oldest]
        return [update.body for update in self._updates]
