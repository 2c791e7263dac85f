"""Who and where: places, authors, people with their roles, the files they send."""

from __future__ import annotations

import enum

import msgspec

__all__ = ["Address", "Author", "FileRef", "Principal", "Role"]


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


class FileRef(msgspec.Struct, frozen=True, kw_only=True):
    """A file held in the media folder: history and results carry this, never the bytes.

    `id` is empty where a file is only named: it was too large, or nothing could read it. `name` is for display only.
    """

    id: str
    name: str
    media_type: str
    size_bytes: int
