"""Who may talk: deny by default, by lists of the config and by codes that an admin has approved."""

from __future__ import annotations

from collections.abc import Collection, Container

import msgspec

from jarvisbot.types import Address, Author, Principal, Role

__all__ = ["Access"]


class Access(msgspec.Struct, frozen=True, kw_only=True):
    """Turns an author into a principal. Entries are `connector:author id`; the console's person owns the box.

    `paired` are members who were let in by a code.
    """

    owners: Collection[str] = ()
    admins: Collection[str] = ()
    members: Collection[str] = ()
    paired: Container[str] = ()

    def principal(self, at: Address, author: Author) -> Principal | None:
        """The author as a person with a role, or None for a stranger or a bot: strangers are met with silence."""
        if author.is_bot:
            return None
        user = f"{at.connector}:{author.id}"
        if at.connector == "console" or user in self.owners:
            role = Role.OWNER
        elif user in self.admins:
            role = Role.ADMIN
        elif user in self.members or user in self.paired:
            role = Role.MEMBER
        else:
            return None
        return Principal(user=user, role=role, author=author)
