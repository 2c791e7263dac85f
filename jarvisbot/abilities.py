"""What a bot can do: its tools behind the policy and its skills, as the config has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from jarvisbot import discovery
from jarvisbot.catalogue import Catalogue, gather
from jarvisbot.clock import Clock
from jarvisbot.command import Abilities
from jarvisbot.config import Config
from jarvisbot.folders import bundled
from jarvisbot.policy.rules import decide
from jarvisbot.skill import Skill, SkillCode
from jarvisbot.tool import Tool, Toolbox, ToolContext, tools_in
from jarvisbot.types import Decision, ToolCall

__all__ = ["SkillModules", "catalogue", "offered", "own_folders", "toolbox"]


class _PolicyGate(msgspec.Struct, frozen=True, kw_only=True):
    """The rules, as the Toolbox asks for them."""

    mode: str
    clock: Clock

    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        """See `tool.Gate`."""
        return decide(
            mode=self.mode,
            risk=tool.risk,
            requires_approval=tool.requires_approval,
            tainted=tainted,
            summary=f"{tool.label} {', '.join(f'{name}={value}' for name, value in call.arguments.items())}",
            now=self.clock.now(),
        )


def toolbox(config: Config, clock: Clock) -> Toolbox:
    """The tools that are not switched off and that the config has what they need for, behind the policy of the config."""
    off = set(config.tools.disabled)
    names = [name for name in discovery.names("tools") if name not in off]
    found = [tool for name in names for tool in tools_in(discovery.load("tools", name), config)]
    return Toolbox(found, _PolicyGate(mode=config.policy.mode, clock=clock))


def catalogue(config: Config) -> Catalogue:
    """Every skill of the program and of the owner's folders; of the latter what cannot be used is told as broken."""
    return gather(bundled("skills"), own_folders(config), disabled=config.skills.disabled, objections=_objections)


def offered(config: Config, catalogue: Catalogue, toolbox: Toolbox) -> Abilities:
    """What commands tell people about the skills and tools."""
    return Abilities(catalogue=catalogue, tools=toolbox.listed(), disabled_tools=config.tools.disabled)


def _objections(skill: Skill) -> tuple[str, ...]:
    from jarvisbot.agent.examples import objections  # on use: only skills of the owner's are looked at

    return objections(skill)


def own_folders(config: Config) -> tuple[Path, ...]:
    """Where the owner's skills lie: the folder skills in the data folder, if it is there, and those that the config names."""
    usual = config.bot.data_folder / "skills"
    try:
        there = usual.is_dir()
    except OSError:  # it is there and cannot be looked at: reading it says why
        there = True
    return (*((usual,) if there else ()), *config.skills.folders)


class SkillModules(Mapping[str, SkillCode]):
    """The code of bundled skills by skill name, each imported when its skill first answers; no other skill has any."""

    def __init__(self, catalogue: Catalogue) -> None:
        modules = set(discovery.names("skills"))
        named = [entry.skill.name for entry in catalogue.entries if entry.bundled]
        self._modules = {skill: name for skill in named if (name := skill.replace("-", "_")) in modules}

    def __getitem__(self, name: str) -> SkillCode:
        module = discovery.load("skills", self._modules[name])
        return SkillCode(seed=module.seed, answer=module.answer)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
