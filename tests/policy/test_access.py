"""Who may talk: those on a list, with the highest role they have; nobody else."""

from __future__ import annotations

import pytest

from jarvisbot.policy.access import Access
from jarvisbot.types import Address, Author, Role

LISTS = Access(owners=["fake:1"], admins=["fake:1", "fake:2"], members=["fake:2", "fake:3"])
HERE = Address(connector="fake", room="9")


def author(id: str, *, is_bot: bool = False) -> Author:
    return Author(id=id, name=f"user {id}", is_bot=is_bot)


@pytest.mark.parametrize(("id", "role"), [("1", Role.OWNER), ("2", Role.ADMIN), ("3", Role.MEMBER)])
def test_a_person_on_a_list_has_the_highest_role_of_the_lists(id: str, role: Role) -> None:
    principal = LISTS.principal(HERE, author(id))
    assert principal is not None
    assert (principal.user, principal.role, principal.author) == (f"fake:{id}", role, author(id))


@pytest.mark.parametrize("id", ["4", "", "11", "1 ", "FAKE:1", "fake:1", "user 1"])
def test_a_stranger_is_nobody(id: str) -> None:
    assert LISTS.principal(HERE, author(id)) is None
    assert Access().principal(HERE, author(id)) is None


def test_the_same_id_on_another_platform_is_another_person() -> None:
    assert LISTS.principal(Address(connector="other", room="9"), author("1")) is None


@pytest.mark.parametrize("id", ["1", "2", "3"])
def test_a_bot_is_nobody_whatever_list_it_is_on(id: str) -> None:
    assert LISTS.principal(HERE, author(id, is_bot=True)) is None


def test_a_display_name_gives_no_role() -> None:
    assert LISTS.principal(HERE, Author(id="4", name="fake:1")) is None


def test_who_sits_at_the_console_owns_the_box() -> None:
    principal = Access().principal(Address(connector="console", room="local"), author("local"))
    assert principal is not None
    assert principal.role is Role.OWNER
