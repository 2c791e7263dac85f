"""A bot's skills: the bundled ones, and those of its owner, of which only the text is read."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from jarvisbot import abilities
from jarvisbot.catalogue import Catalogue, Off, gather, skill_folders
from jarvisbot.config import Config, load
from jarvisbot.errors import SkillError
from jarvisbot.folders import bundled
from tests.test_skill import HEAD, write

SHIPPED = len(skill_folders(bundled("skills")))


def own(root: Path, *names: str, ours: str = "  triggers: ['pack']", body: str = "Be short.") -> Path:
    """A folder with a skill of each name."""
    root.mkdir(parents=True, exist_ok=True)
    for name in names:
        write(root, f"name: {name}\ndescription: Lists for journeys.", ours=ours, body=body, name=name)
    return root


def configured(data: Path, *, folders: str = "[]", disabled: str = "[]") -> Config:
    overrides = {"bot.data_folder": str(data), "skills.folders": folders, "skills.disabled": disabled}
    return load(None, environment={}, overrides=overrides)


def names(catalogue: Catalogue) -> list[str]:
    return [entry.skill.name for entry in catalogue.entries if not entry.bundled]


def test_without_folders_of_ones_own_there_are_the_shipped_skills(tmp_path: Path) -> None:
    catalogue = abilities.catalogue(configured(tmp_path))
    assert len(catalogue.entries) == len(catalogue.skills) == SHIPPED
    assert not catalogue.broken
    assert all(entry.bundled and entry.file.is_file() for entry in catalogue.entries)


def test_skills_are_found_in_the_data_folder_and_in_the_folders_of_the_config(tmp_path: Path) -> None:
    own(tmp_path / "data" / "skills", "pack-list")
    more = own(tmp_path / "more", "wine", "cheese")
    catalogue = abilities.catalogue(configured(tmp_path / "data", folders=f'["{more}"]'))
    assert not catalogue.broken
    assert sorted(names(catalogue)) == ["cheese", "pack-list", "wine"]
    assert len(catalogue.entries) == SHIPPED + 3
    priorities = [(-entry.skill.priority, entry.skill.name) for entry in catalogue.entries]
    assert priorities == sorted(priorities)


def test_a_skill_is_switched_off_by_name_wherever_it_comes_from(tmp_path: Path) -> None:
    own(tmp_path / "skills", "pack-list")
    catalogue = abilities.catalogue(configured(tmp_path, disabled='["pack-list", "advice"]'))
    off = {entry.skill.name for entry in catalogue.entries if entry.off(frozenset()) is Off.DISABLED}
    assert off == {"pack-list", "advice"}
    assert not off & {skill.name for skill in catalogue.skills}


@pytest.mark.parametrize(
    ("ours", "tools", "off"),
    [
        ("  tools: [weather]", set(), Off.NO_TOOLS),
        ("  tools: [weather, calculator]", {"calculator"}, None),
        ("  tools: none", set(), None),
        ("  priority: 1", set(), None),
    ],
)
def test_a_skill_runs_beside_one_of_its_tools(tmp_path: Path, ours: str, tools: set[str], off: Off | None) -> None:
    own(tmp_path / "own", "pack-list", ours=ours)
    (entry,) = [each for each in gather(bundled("skills"), [tmp_path / "own"]).entries if not each.bundled]
    assert entry.off(tools) is off


def test_the_code_of_a_skill_of_ones_own_is_never_imported(tmp_path: Path) -> None:
    folder = own(tmp_path / "skills", "pack-list", "conversation-two") / "pack-list"
    trap = f"import pathlib; pathlib.Path({str(tmp_path / 'imported')!r}).touch()\nraise SystemExit\n"
    for name in ("pack_list.py", "__init__.py", "conftest.py"):
        (folder / name).write_text(trap, encoding="utf-8")
    catalogue = abilities.catalogue(configured(tmp_path))
    assert sorted(names(catalogue)) == ["conversation-two", "pack-list"]
    code = abilities.SkillModules(catalogue)
    assert "pack-list" not in code
    assert "arithmetic" in code
    assert not (tmp_path / "imported").exists()
    assert not [name for name in sys.modules if name.endswith("pack_list")]


def test_a_name_that_is_taken_is_refused_with_both_files(tmp_path: Path) -> None:
    first, second = own(tmp_path / "a", "weather", "wine"), own(tmp_path / "b", "wine")
    catalogue = gather(bundled("skills"), [first, second])
    assert names(catalogue) == ["wine"]
    clash, twice = catalogue.broken
    (problem,) = clash.problems
    assert str(first / "weather" / "SKILL.md") in problem
    assert str(bundled("skills") / "weather" / "SKILL.md") in problem
    (problem,) = twice.problems
    assert str(first / "wine" / "SKILL.md") in problem
    assert str(second / "wine" / "SKILL.md") in problem


@pytest.mark.speed
def test_a_pattern_that_takes_for_ever_costs_its_skill_and_nothing_else(tmp_path: Path) -> None:
    own(tmp_path / "own", "slow", ours="  triggers: ['(?:(?:a+)+)+$']")
    own(tmp_path / "own", "wine")
    catalogue = gather(bundled("skills"), [tmp_path / "own"])
    assert names(catalogue) == ["wine"]
    (broken,) = catalogue.broken
    assert broken.file == tmp_path / "own" / "slow" / "SKILL.md"
    assert "takes too long on some messages" in broken.problems[0]


def test_all_that_is_wrong_with_a_file_is_told_at_once(tmp_path: Path) -> None:
    ours = "  triggers: ['(', 'fine']\n  excludes: 3\n  priority: high\n  color: red\n  strategy: [a]\n  guidance: x"
    folder = write(tmp_path, f"{HEAD}\nlicense: MIT", ours=ours, body="x" * 601)
    catalogue = gather(bundled("skills"), [tmp_path])
    (broken,) = catalogue.broken
    assert all(problem.startswith(f"{folder / 'SKILL.md'}: ") for problem in broken.problems)
    text = "\n".join(broken.problems)
    for words in ("the pattern '('", "excludes: must", "priority:", "color:", "unknown strategy", "guidance", "body:"):
        assert text.count(words) == 1, words
    assert len(broken.problems) == 7


@pytest.mark.parametrize("value", ["2024-99-99", "[" * 5_000, "!!python/name:os.system x", "&a [*a]"])
def test_hostile_front_matter_breaks_its_own_skill_only(tmp_path: Path, value: str) -> None:
    write(tmp_path, f"name: pack-list\ndescription: {value}")
    catalogue = gather(bundled("skills"), [tmp_path])
    assert len(catalogue.broken) == 1
    assert len(catalogue.entries) == SHIPPED


@pytest.mark.parametrize(
    ("exemplar", "words"),
    [
        ("{user: a, answer: 'A <think>b</think> c'}", "exemplars.0.answer: it cannot be read back"),
        (
            "{user: a, answer: b, steps: [{tool: 'two words', arguments: {}, result: x}]}",
            "exemplars.0.steps.0: it cannot",
        ),
        (
            "{user: a, answer: b, steps: [{tool: t, arguments: {k: 'x</parameter>y'}, result: x}]}",
            "exemplars.0.steps.0: it cannot",
        ),
    ],
)
def test_an_example_that_nobody_could_read_back_is_refused(tmp_path: Path, exemplar: str, words: str) -> None:
    own(tmp_path / "skills", "pack-list", ours=f"  exemplars:\n    - {exemplar}")
    (broken,) = abilities.catalogue(configured(tmp_path)).broken
    assert words in broken.problems[0]


def test_an_example_with_a_tool_that_the_skill_does_not_have_is_refused(tmp_path: Path) -> None:
    step = "{tool: weather, arguments: {city: ' Oslo '}, result: x}"
    ours = f"  tools: [calculator]\n  exemplars:\n    - {{user: a, answer: b, steps: [{step}]}}"
    own(tmp_path / "skills", "pack-list", ours=ours)
    (broken,) = abilities.catalogue(configured(tmp_path)).broken
    assert broken.problems[0].endswith("exemplars.0.steps.0.tool: 'weather' is none of the skill's tools.")


def test_an_example_may_end_in_a_line_break_and_begin_its_arguments_with_a_blank(tmp_path: Path) -> None:
    ours = (
        "  exemplars:\n    - user: a\n      answer: |\n        One.\n        Two.\n"
        "      steps: [{tool: t, arguments: {k: ' x '}, result: y}]"
    )
    own(tmp_path / "skills", "pack-list", ours=ours)
    assert not abilities.catalogue(configured(tmp_path)).broken


def test_a_skill_file_that_is_no_file_is_told_and_never_waited_for(tmp_path: Path) -> None:
    folder = own(tmp_path / "skills", "pack-list")
    for name in ("pipe", "zero", "folder", "gone", "loop"):
        (folder / name).mkdir()
    os.mkfifo(folder / "pipe" / "SKILL.md")
    (folder / "zero" / "SKILL.md").symlink_to("/dev/zero")
    (folder / "folder" / "SKILL.md").mkdir()
    (folder / "gone" / "SKILL.md").symlink_to("nowhere")
    (folder / "loop" / "SKILL.md").symlink_to("SKILL.md")
    (folder / "no-skill").touch()
    catalogue = abilities.catalogue(configured(tmp_path))
    assert names(catalogue) == ["pack-list"]
    told = {broken.file.parent.name: " ".join(broken.problems) for broken in catalogue.broken}
    assert told.keys() == {"pipe", "zero", "folder", "gone", "loop"}
    assert all("is no file." in told[name] for name in ("pipe", "zero", "folder"))
    assert all("cannot be read" in told[name] for name in ("gone", "loop"))


def test_a_folder_that_cannot_be_read_is_told_and_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    catalogue = gather(bundled("skills"), [tmp_path / "gone", tmp_path / "file"])
    assert [broken.file.name for broken in catalogue.broken] == ["gone", "file"]
    assert "No such file" in catalogue.broken[0].problems[0]
    assert len(catalogue.entries) == SHIPPED


def test_the_shipped_folder_named_again_is_no_clash(tmp_path: Path) -> None:
    link = tmp_path / "skills"
    link.symlink_to(bundled("skills"))
    catalogue = gather(bundled("skills"), [bundled("skills"), link])
    assert len(catalogue.entries) == SHIPPED
    assert not catalogue.broken


def test_a_shipped_skill_that_is_wrong_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, HEAD, ours="  color: red")
    with pytest.raises(SkillError, match="color"):
        gather(tmp_path)
