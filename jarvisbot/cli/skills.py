"""`jarvisbot skills`: what there is, what one says, which one claims a message, what is wrong with one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from jarvisbot import abilities
from jarvisbot.agent import route
from jarvisbot.agent.context import examples
from jarvisbot.agent.examples import objections
from jarvisbot.catalogue import Catalogue, Entry, Off, skill_folders
from jarvisbot.cli.printing import nearest, print_json, print_table, printable
from jarvisbot.clock import SystemClock
from jarvisbot.config import Config
from jarvisbot.errors import ConfigError, SkillError
from jarvisbot.skill import Skill, load
from jarvisbot.types import Resident, Route, User

__all__ = ["check", "list_skills", "route_text", "show"]


def list_skills(config: Config, *, as_json: bool) -> None:
    """Prints every skill with whether it runs, and what of the owner's folders cannot be used."""
    catalogue, tools = abilities.catalogue(config), _tools(config)
    if as_json:
        print_json(
            {
                "skills": [_summary(entry, tools) for entry in catalogue.entries],
                "broken": [{"file": str(each.file), "problems": each.problems} for each in catalogue.broken],
            }
        )
        return
    print_table(
        [
            (entry.skill.name, str(entry.skill.priority), _state(entry, tools), entry.skill.description)
            for entry in catalogue.entries
        ]
    )
    for problem in (problem for broken in catalogue.broken for problem in broken.problems):
        print(f"broken: {printable(problem)}")


def show(config: Config, name: str, *, as_json: bool) -> None:
    """Prints all that one skill says. Raises ConfigError for a name that does not exist."""
    catalogue, tools = abilities.catalogue(config), _tools(config)
    entry = _named(catalogue, name)
    skill = entry.skill
    if as_json:
        print_json({**_summary(entry, tools), **skill.model_dump(mode="json")})
        return
    spoken = Counter(exemplar.language for exemplar in skill.exemplars)
    rows = [
        ("file", f"{entry.file}{' (comes with jarvisbot)' if entry.bundled else ''}"),
        ("state", _state(entry, tools)),
        ("priority", str(skill.priority)),
        ("tools", "any" if skill.tools is None else ", ".join(skill.tools) or "none"),
        ("strategy", skill.strategy or "auto"),
        ("carries", "yes" if skill.carries else "no"),
        *(_listed("without", [said.en, said.de]) if (said := skill.without_tools) else []),
        *_listed("triggers", skill.triggers),
        *_listed("excludes", skill.excludes),
        *_listed("keywords", [", ".join(skill.keywords)] if skill.keywords else []),
        ("examples", ", ".join(f"{count} {language}" for language, count in sorted(spoken.items())) or "–"),
        *_listed("guidance", skill.guidance.splitlines()),
    ]
    print(f"{skill.name}: {skill.description}")
    print_table(rows, indent="  ")


def route_text(config: Config, text: str, *, after: str | None, as_json: bool) -> None:
    """Prints which skill claims the text and why. Raises ConfigError where `after` is no skill."""
    catalogue, tools = abilities.catalogue(config), _tools(config)
    resident = Resident(skill=_named(catalogue, after).skill.name) if after else None
    found = route.find(text, route.usable(catalogue.skills, tools), resident)
    every = route.find(text, [entry.skill for entry in catalogue.entries], resident)
    instead = None if every.skill in (None, found.skill) else every
    off = _state(_named(catalogue, str(every.skill)), tools) if instead else ""
    if as_json:
        idle = {**_route(instead), "why": off} if instead else None
        print_json({**_route(found), "off": idle})
        return
    rows = [("skill", found.skill or "none"), ("stage", found.stage.value), ("evidence", found.evidence or "–")]
    if instead:
        rows.append(("else", f"{instead.skill} would claim it by {instead.stage.value} ({instead.evidence}): {off}"))
    print_table(rows)


def check(config: Config, folders: Sequence[Path], *, as_json: bool) -> bool:
    """Prints what is wrong with the skills in the folders, or else with all of the owner's; false where anything is.

    A folder is a skill's or holds skills' folders.
    """
    catalogue, tools = abilities.catalogue(config), _tools(config)
    names = {entry.skill.name: entry.file for entry in catalogue.entries}
    places = _files(folders or abilities.own_folders(config))
    looked_at = [_looked_at(folder, file, names=names, tools=tools) for folder, file in places]
    if as_json:
        print_json([msgspec.to_builtins(each) for each in looked_at])
    else:
        for each in looked_at:
            for line in (*each.problems, *(f"{each.file}: note: {note}" for note in each.notes)):
                print(printable(line))
            if not each.problems:
                print(f"{each.file}: good")
        if not looked_at:
            place = config.bot.data_folder / "skills"
            print(f"There is no skill of your own: put one into {place}/NAME/SKILL.md, or name its folder.")
    return not any(each.problems for each in looked_at)


class _Checked(msgspec.Struct, frozen=True, kw_only=True):
    """One file that was looked at. `notes` are worth knowing and no mistakes."""

    file: str
    problems: tuple[str, ...]
    notes: tuple[str, ...] = ()


def _files(folders: Sequence[Path]) -> Iterator[tuple[Path, Path | str]]:
    """Each folder with its SKILL.md, or with why there is none."""
    for folder in folders:
        if folder.name == "SKILL.md" and folder.is_file():
            yield folder.parent, folder
        elif (folder / "SKILL.md").is_file():
            yield folder, folder / "SKILL.md"
        else:
            try:
                below = skill_folders(folder)
            except OSError as error:
                yield folder, f"{folder}: cannot be read ({error.strerror})."
                continue
            if not below:
                yield folder, f"{folder}: there is no SKILL.md in it or in a folder directly below it."
            yield from ((each, each / "SKILL.md") for each in below)


def _looked_at(folder: Path, file: Path | str, *, names: dict[str, Path], tools: frozenset[str]) -> _Checked:
    """What is wrong with one skill; its name is added to those that are taken."""
    if isinstance(file, str):
        return _Checked(file=str(folder), problems=(file,))
    try:
        skill = load(folder)
    except SkillError as error:
        return _Checked(file=str(file), problems=error.problems)
    problems = [f"{file}: {objection}" for objection in objections(skill)]
    taken = names.setdefault(skill.name, file)
    if not taken.samefile(file):
        problems.append(f"{file}: name: {skill.name!r} is there already, in {taken}; give it another name.")
    return _Checked(file=str(file), problems=tuple(problems), notes=tuple(_notes(skill, tools)))


def _notes(skill: Skill, tools: frozenset[str]) -> Iterator[str]:
    missing = [tool for tool in skill.tools or () if tool not in tools]
    if missing and len(missing) == len(skill.tools or ()):
        yield f"tools: it stays silent, because none of its tools is there: {', '.join(missing)}."
    elif missing:
        yield f"tools: not there: {', '.join(missing)}."
    if not (skill.triggers or skill.keywords):
        yield "it has neither triggers nor keywords, so only its description finds it."
    for language in sorted({exemplar.language for exemplar in skill.exemplars}):
        written = sum(exemplar.language == language for exemplar in skill.exemplars)
        shown = sum(isinstance(item, User) for item in examples(skill, language))
        if shown < written:
            yield f"exemplars: only the first {shown} of {written} in {language!r} fit beside the guidance."


def _tools(config: Config) -> frozenset[str]:
    return frozenset(abilities.toolbox(config, SystemClock()).names)


def _named(catalogue: Catalogue, name: str) -> Entry:
    known = {entry.skill.name: entry for entry in catalogue.entries}
    if name not in known:
        raise ConfigError(f"There is no skill {printable(name)!r}; {nearest(name, known)}.")
    return known[name]


def _state(entry: Entry, tools: frozenset[str]) -> str:
    match entry.off(tools):
        case None:
            return "on"
        case Off.DISABLED:
            return "off: disabled in [skills]"
        case Off.NO_TOOLS:
            return f"off: needs {' or '.join(entry.skill.tools or ())}"


def _summary(entry: Entry, tools: frozenset[str]) -> Mapping[str, object]:
    off = entry.off(tools)
    return {
        "name": entry.skill.name,
        "description": entry.skill.description,
        "priority": entry.skill.priority,
        "tools": entry.skill.tools,
        "file": str(entry.file),
        "bundled": entry.bundled,
        "off": off.value if off else None,
    }


def _route(found: Route) -> dict[str, object]:
    return {"skill": found.skill, "stage": found.stage.value, "evidence": found.evidence}


def _listed(heading: str, lines: Sequence[str]) -> list[tuple[str, str]]:
    """Rows under one heading: it stands in front of the first."""
    return [(heading if number == 0 else "", line) for number, line in enumerate(lines or ["–"])]
