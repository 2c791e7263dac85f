"""Slash commands: what is one, and what each says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot import discovery
from jarvisbot.catalogue import Catalogue
from jarvisbot.command import Abilities, Command, CommandContext, command, parse, quoted
from jarvisbot.store.members import Member
from jarvisbot.store.people import Preferences
from jarvisbot.store.traces import Trace
from jarvisbot.types import Address, Author, Principal, Role

AT = Address(connector="fake", room="1")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("/help", ("help", "")),
        ("  /HELP  ", ("help", "")),
        ("/approve 12 now", ("approve", "12 now")),
        ("/help@jarvis_bot  me", ("help", "me")),
        ("/new\nfirst\nsecond", ("new", "first\nsecond")),
        ("/a1_b", ("a1_b", "")),
    ],
)
def test_a_name_behind_a_slash_is_a_command(text: str, found: tuple[str, str]) -> None:
    assert parse(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "help",
        "/",
        "// no",
        "/ help",
        "/etc/passwd",
        "/home/me/x.txt is where?",
        "say /help",
        "/3",
        "",
        "/help!",
        "/ä",
    ],
)
def test_paths_and_words_are_no_command(text: str) -> None:
    assert parse(text) is None


@given(st.text())
def test_any_text_is_read_without_breaking(text: str) -> None:
    found = parse(f"/{text}")
    assert found is None or found[0] == found[0].lower() != ""


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("2+2", 80, "`2+2`"),
        ("a\n\n  b\t c", 80, "`a b c`"),
        ("`x` @everyone [a](b)", 80, "`'x' @everyone [a](b)`"),
        ("abcdef", 4, "`abc…`"),
        ("abcd", 4, "`abcd`"),
        (" \n ", 80, "–"),
        ("", 80, "–"),
    ],
)
def test_quoted_text_is_one_inert_line(text: str, limit: int, shown: str) -> None:
    assert quoted(text, limit=limit) == shown


# ---------------------------------------------------------------- the commands there are


@dataclass
class Controls:
    """A conversation that remembers what was done to it."""

    running: int = 0
    asked: bool = False
    traced: Trace | None = None
    members: list[Member] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    async def pair(self, code: str, by: str) -> Member | None:
        self.done.append(f"pair {code} by {by}")
        return self.members[0] if self.members else None

    async def unpair(self, user: str) -> bool:
        return any(member.user == user for member in self.members)

    async def paired(self) -> list[Member]:
        return self.members

    async def stop(self, conversation: str, *, before: int) -> int:
        self.done.append(f"stop {conversation}")
        return self.running

    async def retry(self, conversation: str) -> bool:
        self.done.append(f"retry {conversation}")
        return self.asked

    async def forget(self, conversation: str) -> None:
        self.done.append(f"forget {conversation}")

    async def report(self, conversation: str, language: str) -> str:
        return f"Up, {conversation}."

    async def models(self, language: str) -> str:
        return f"One, {language}."

    async def choose_model(self, name: str, language: str) -> str:
        self.done.append(f"choose {name}")
        return f"{name}, {language}."

    async def trace(self, conversation: str) -> Trace | None:
        self.done.append(f"trace {conversation}")
        return self.traced


@dataclass
class Choices:
    """What one person chose, and what holds without that."""

    chosen: Preferences = field(default_factory=Preferences)
    default: Preferences = field(default_factory=lambda: Preferences(zone="Europe/Berlin"))
    users: set[str] = field(default_factory=set)

    async def of(self, user: str) -> Preferences:
        self.users.add(user)
        return self.chosen

    def usual(self) -> Preferences:
        return self.default

    async def set_language(self, user: str, language: str | None) -> None:
        self.users.add(user)
        self.chosen = msgspec.structs.replace(self.chosen, language=language)

    async def set_zone(self, user: str, zone: str | None) -> None:
        self.users.add(user)
        self.chosen = msgspec.structs.replace(self.chosen, zone=zone)


NOTHING = Abilities(catalogue=Catalogue(entries=()), tools=())


COMMANDS: dict[str, Command] = {
    value.name: value
    for name in discovery.names("commands")
    for value in vars(discovery.load("commands", name)).values()
    if isinstance(value, Command)
}


async def say(
    name: str,
    arguments: str = "",
    *,
    language: str = "en",
    choices: Choices | None = None,
    abilities: Abilities = NOTHING,
    controls: Controls | None = None,
    role: Role = Role.OWNER,
    commands: Sequence[Command] | None = None,
) -> str | None:
    author = Author(id="1", name="Ada")
    return await COMMANDS[name].run(
        CommandContext(
            principal=Principal(user="fake:1", role=role, author=author),
            at=AT,
            arguments=arguments,
            order=7,
            language=language,
            controls=controls or Controls(),
            commands=list(COMMANDS.values()) if commands is None else commands,
            choices=choices or Choices(),
            abilities=abilities,
            now=datetime(2026, 11, 30, 12, 5, tzinfo=UTC),
        )
    )


def test_every_command_can_be_typed_and_says_what_it_does_in_one_line() -> None:
    for name, known in COMMANDS.items():
        assert parse(f"/{name}") == (name, "")
        assert known.help
        assert known.german
        assert "\n" not in known.help + known.german
        assert known.german != known.help


async def test_help_lists_what_this_person_may_use() -> None:
    @command("secret", help="for owners", role=Role.OWNER)
    async def secret(context: CommandContext) -> str:
        return ""

    every = [*COMMANDS.values(), secret]
    owner, guest = await say("help", commands=every), await say("help", commands=every, role=Role.GUEST)
    assert owner is not None
    assert guest is not None
    assert [line.split("`")[1] for line in owner.splitlines() if "`" in line] == sorted(
        f"/{each.name}" for each in every
    )
    assert "/secret" not in guest
    assert "/help" in guest


async def test_help_is_german_for_a_german_talk() -> None:
    text = await say("help", language="de")
    assert text is not None
    assert COMMANDS["stop"].german in text
    assert COMMANDS["stop"].help not in text


async def test_new_forgets_the_talk() -> None:
    controls = Controls()
    assert await say("new", controls=controls) == "A new talk."
    assert controls.done == [f"forget {AT.key}"]


async def test_stop_says_how_many_messages_it_ended() -> None:
    assert await say("stop", controls=Controls(running=3)) == "Stopped (3)."
    assert await say("stop", controls=Controls()) == "Nothing is running."
    assert await say("stop", controls=Controls(running=3), language="de") == "Angehalten (3)."


async def test_retry_is_silent_where_the_answer_follows() -> None:
    assert await say("retry", controls=Controls(asked=True)) is None
    assert await say("retry") == "There is no question here yet."


async def test_status_is_the_services_report() -> None:
    assert await say("status") == f"Up, {AT.key}."


@pytest.mark.parametrize(("language", "word"), [("en", "Jarvis"), ("de", "Hallo"), ("fr", "Hello")])
async def test_start_greets_in_german_or_english(language: str, word: str) -> None:
    text = await say("start", language=language)
    assert text is not None
    assert word in text
    assert "/help" in text


def test_stopping_and_asking_for_help_do_not_wait_for_a_running_turn() -> None:
    assert {name for name, known in COMMANDS.items() if not known.immediate} == {
        "lang", "new", "retry", "tz", "why"
    }  # fmt: skip
