"""The skills of one bot: those that come with it, and those in folders of its owner's, of which only the text is read."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from jarvisbot.errors import SkillError
from jarvisbot.skill import Skill, load

__all__ = ["Broken", "Catalogue", "Entry", "Off", "gather", "skill_folders"]


class Off(enum.StrEnum):
    """Why a skill does not run."""

    DISABLED = "disabled"
    """It is in `disabled` of [skills]."""
    NO_TOOLS = "no-tools"
    """None of the tools that it needs is there."""


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """A skill with the file that it was read from. `bundled`: it comes with the program."""

    skill: Skill
    file: Path
    bundled: bool
    disabled: bool = False

    def off(self, tools: Collection[str]) -> Off | None:
        """Why it does not run beside these tools; None where it does."""
        if self.disabled:
            return Off.DISABLED
        wanted = self.skill.tools
        return Off.NO_TOOLS if wanted and not any(tool in tools for tool in wanted) else None


class Broken(msgspec.Struct, frozen=True, kw_only=True):
    """A SKILL.md, or a folder of them, that cannot be used, and why: each problem names its file."""

    file: Path
    problems: tuple[str, ...]


class Catalogue(msgspec.Struct, frozen=True, kw_only=True):
    """Every skill that was read, highest priority first, then by name; and what could not be read."""

    entries: tuple[Entry, ...]
    broken: tuple[Broken, ...] = ()

    @property
    def skills(self) -> tuple[Skill, ...]:
        """Those that are not switched off."""
        return tuple(entry.skill for entry in self.entries if not entry.disabled)


def skill_folders(root: Path) -> tuple[Path, ...]:
    """The folders directly below `root` that hold a SKILL.md, by name. Raises OSError."""
    return tuple(folder for folder in sorted(root.iterdir()) if _holds_skill(folder))


def _holds_skill(folder: Path) -> bool:
    """Whether there is a SKILL.md, of whatever kind, or no telling: reading it then says what is wrong."""
    try:
        (folder / "SKILL.md").lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return True


def gather(
    bundled: Path,
    own: Iterable[Path] = (),
    *,
    disabled: Collection[str] = (),
    objections: Callable[[Skill], Sequence[str]] = lambda _: (),
) -> Catalogue:
    """The skills below `bundled`, and those below each folder of `own`.

    What cannot be used of a folder of `own` is kept as broken and stops nothing, as is a name that is taken already. A
    folder's code is never imported. `objections` are what else speaks against a skill of `own`, a sentence each. Raises
    SkillError where a bundled skill is wrong.
    """
    entries = [
        Entry(skill=load(folder, trusted=True), file=folder / "SKILL.md", bundled=True)
        for folder in skill_folders(bundled)
    ]
    broken: list[Broken] = []
    for found in _own(own, bundled, objections):
        if isinstance(found, Broken):
            broken.append(found)
        elif (taken := next((entry for entry in entries if entry.skill.name == found.skill.name), None)) is not None:
            both = (
                f"{found.file}: the skill {found.skill.name!r} is there already, in {taken.file}; give it another name."
            )
            broken.append(Broken(file=found.file, problems=(both,)))
        else:
            entries.append(found)
    entries.sort(key=lambda entry: (-entry.skill.priority, entry.skill.name))
    return Catalogue(
        entries=tuple(msgspec.structs.replace(entry, disabled=entry.skill.name in disabled) for entry in entries),
        broken=tuple(broken),
    )


def _own(
    roots: Iterable[Path], bundled: Path, objections: Callable[[Skill], Sequence[str]]
) -> Iterator[Entry | Broken]:
    for root in dict.fromkeys(roots):
        try:
            folders = () if root.samefile(bundled) else skill_folders(root)
        except OSError as error:
            yield Broken(file=root, problems=(f"{root}: cannot be read ({error.strerror}).",))
            continue
        for folder in folders:
            file = folder / "SKILL.md"
            try:
                skill = load(folder)
            except SkillError as error:
                yield Broken(file=file, problems=error.problems)
                continue
            if against := tuple(f"{file}: {objection}" for objection in objections(skill)):
                yield Broken(file=file, problems=against)
            else:
                yield Entry(skill=skill, file=file, bundled=False)
