"""/skills and /tools: what the bot can do now, what it cannot, and why."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from jarvisbot.catalogue import Catalogue, gather
from jarvisbot.command import Abilities
from jarvisbot.folders import bundled
from jarvisbot.types import Role, ToolSpec, ToolSummary
from tests.test_command import say
from tests.test_skill import write

CATALOGUE = gather(bundled("skills"), disabled=["advice"])


def tool(name: str, *, risk: str = "R0", approval: bool = False) -> ToolSummary:
    spec = ToolSpec(name=name, description="Does it.", parameters={})
    return ToolSummary(spec=spec, label="Did it", risk=risk, timeout_s=5, requires_approval=approval)


def able(*tools: ToolSummary, catalogue: Catalogue = CATALOGUE, disabled: tuple[str, ...] = ()) -> Abilities:
    return Abilities(catalogue=catalogue, tools=tools, disabled_tools=disabled)


async def test_skills_are_listed_with_why_some_are_off() -> None:
    text = str(await say("skills", abilities=able(tool("calculator"), disabled=("weather",))))
    on, off = text.split("\nOff:\n")
    assert on.startswith("These 3 run:")
    assert "- `arithmetic` – Sums, percentages" in on
    assert "- `advice` – switched off in the config" in off
    assert "- `calendar` – its tool is not there: `calendar`" in off
    assert "- `weather` – its tool is not there: `weather` (switched off in the config)" in off
    assert "- `lookup-term` – none of its tools is there: `web_search`, `read_page`" in off
    assert text.count("- `") == len(CATALOGUE.entries)


async def test_one_of_its_tools_is_enough_for_a_skill() -> None:
    on, off = str(await say("skills", abilities=able(tool("read_page")))).split("\nOff:\n")
    assert "`lookup-term`" in on
    assert "`lookup-term`" not in off


async def test_skills_are_told_in_german() -> None:
    text = str(await say("skills", language="de", abilities=able(tool("calculator"), disabled=("weather",))))
    on, off = text.split("\nAus:\n")
    assert on.startswith("Diese 3 laufen:")
    assert "- `arithmetic` – Rechnen, Prozente" in on
    assert "- `advice` – in der Konfiguration abgeschaltet" in off
    assert "- `weather` – ihr Werkzeug fehlt: `weather` (in der Konfiguration abgeschaltet)" in off
    assert "- `lookup-term` – keines ihrer Werkzeuge ist da" in off


def test_every_shipped_skill_says_in_german_what_it_is_for() -> None:
    for entry in CATALOGUE.entries:
        assert entry.skill.german
        assert entry.skill.told(german=True) != entry.skill.told(german=False)


@pytest.mark.parametrize(
    ("role", "told"), [(Role.OWNER, True), (Role.ADMIN, True), (Role.MEMBER, False), (Role.GUEST, False)]
)
async def test_a_broken_skill_is_told_to_those_who_can_mend_it(tmp_path: Path, role: Role, told: bool) -> None:
    write(tmp_path, ours="  color: red")
    write(tmp_path, "name: wine\ndescription: Wine.", name="wine")
    text = str(await say("skills", role=role, abilities=able(catalogue=gather(bundled("skills"), [tmp_path]))))
    assert "- `wine` – Wine." in text
    assert ("color: Extra inputs" in text) is told
    assert (str(tmp_path) in text) is told


async def test_no_skill_at_all_is_said() -> None:
    nothing = able(catalogue=Catalogue(entries=()))
    assert str(await say("skills", abilities=nothing)).startswith("No skill runs.")
    assert str(await say("skills", abilities=nothing, language="de")).startswith("Keine Fähigkeit läuft.")


async def test_tools_are_listed_with_their_risk_in_words() -> None:
    offered = able(tool("look"), tool("send", risk="R3", approval=True), tool("odd", risk="R9"))
    assert str(await say("tools", abilities=offered)).splitlines() == [
        "My tools:",
        "",
        "- `look` (“Did it”, only reads) – Does it.",
        "- `send` (“Did it”, has an effect outside, asks first) – Does it.",
        "- `odd` (“Did it”, R9) – Does it.",
    ]
    german = str(await say("tools", abilities=offered, language="de"))
    assert "- `look` („Did it“, liest nur) – Does it." in german
    assert "wirkt nach außen, fragt vorher" in german


@pytest.mark.parametrize(("language", "words"), [("en", "I have no tool"), ("de", "Ich habe gerade kein Werkzeug")])
async def test_no_tool_at_all_is_said(language: str, words: str) -> None:
    text = str(await say("tools", language=language, abilities=able()))
    assert words in text


def test_a_summary_holds_nothing_that_could_be_run() -> None:
    assert not [value for value in msgspec.structs.asdict(tool("look")).values() if callable(value)]
