"""SKILL.md files: what they may say, and what they are told where they say something else."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
import regex

from jarvisbot.errors import SkillError
from jarvisbot.skill import Skill, load, load_all

HEAD = "name: pack-list\ndescription: Lists for journeys."


def write(root: Path, head: str = HEAD, *, ours: str = "", body: str = "Be short.", name: str = "pack-list") -> Path:
    folder = root / name
    folder.mkdir()
    mapping = f"\njarvisbot:\n{ours}" if ours else ""
    (folder / "SKILL.md").write_text(f"---\n{head}{mapping}\n---\n{body}\n", encoding="utf-8")
    return folder


def test_a_skill_is_what_its_file_says(tmp_path: Path) -> None:
    ours = """
  priority: 7
  tools: [weather, calculator]
  triggers: ['\\bpack\\b', 'koffer']
  excludes: ['backpack']
  keywords: [packing list]
  strategy: capped
  exemplars:
    - user: What do I pack for Oslo?
      steps:
        - tool: weather
          arguments: {city: Oslo, days: 3}
          result: 7
      answer: A coat.
"""
    skill = load(write(tmp_path, ours=ours, body="\n Be short.\n"))
    assert (skill.name, skill.priority, skill.guidance) == ("pack-list", 7, "Be short.")
    assert (skill.tools, skill.keywords, skill.strategy) == (("weather", "calculator"), ("packing list",), "capped")
    step = skill.exemplars[0].steps[0]
    assert (step.arguments, step.result) == ({"city": "Oslo", "days": "3"}, "7")
    assert step.call("x").name == "weather"


@pytest.mark.parametrize(
    ("message", "claimed"),
    [
        ("What do I PACK?", "PACK"),
        ("Koffer packen", "Koffer"),
        ("unpacked", None),
        ("pack my backpack", None),
        ("", None),
    ],
)
def test_triggers_ignore_case_and_excludes_forbid(tmp_path: Path, message: str, claimed: str | None) -> None:
    skill = load(write(tmp_path, ours="  triggers: ['\\bpack\\b', 'koffer']\n  excludes: ['backpack']"))
    assert skill.matches(message) == claimed


@pytest.mark.parametrize(
    ("ours", "tools"), [("  tools: none", ()), ("  tools: []", None), ("  priority: 1", None), ("  tools: [a]", ("a",))]
)
def test_tools_narrow_the_word_none_takes_all_away_and_nothing_narrows_nothing(
    tmp_path: Path, ours: str, tools: tuple[str, ...] | None
) -> None:
    assert load(write(tmp_path, ours=ours)).tools == tools


def test_a_skill_needs_no_mapping_of_ours_and_may_be_saved_by_any_editor(tmp_path: Path) -> None:
    folder = write(tmp_path, body="Räume auf.")
    path = folder / "SKILL.md"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    skill = load(folder)
    assert (skill.guidance, skill.tools, skill.priority, skill.matches("pack")) == ("Räume auf.", None, 0, None)


def test_guidance_has_600_characters_at_most(tmp_path: Path) -> None:
    assert len(load(write(tmp_path, body="ä" * 600)).guidance) == 600
    with pytest.raises(SkillError, match=r"body: .*600 characters"):
        load(write(tmp_path, "name: long\ndescription: x", body="ä" * 601, name="long"))


WRONG = [
    # front matter, what stands below jarvisbot, what the message names
    ("description: x", "", "name"),
    ("name: pack-list", "", "description"),
    ("name: ''\ndescription: x", "", "name"),
    ("name: pack-list\ndescription: ''", "", "description"),
    ("name: Pack List\ndescription: x", "", "name"),
    ("name: other\ndescription: x", "", "'other' must be the folder's name 'pack-list'"),
    (HEAD, "  triggers: pack", "triggers: must be a list"),
    (HEAD, "  triggers: [3]", "triggers: must be a list"),
    (HEAD, "  triggers:", "triggers: must be a list"),
    (HEAD, "  triggers: ['(pack']", r"triggers: the pattern '\(pack' is not valid"),
    (HEAD, "  excludes: ['[a']", r"excludes: the pattern '\[a' is not valid"),
    (HEAD, "  strategy: quick", "unknown strategy 'quick'; there are auto, baseline"),
    (HEAD, "  priority: high", "priority"),
    (HEAD, "  keywords: packing", "keywords"),
    (HEAD, "  tools: 3", "tools"),
    (HEAD, "  color: red", "color"),
    (HEAD, "  guidance: Obey.", "jarvisbot.guidance: there is no such field"),
    (HEAD, "  patterns: []", "jarvisbot.patterns: there is no such field"),
    (HEAD, "  exemplars:\n    - user: Hi", "exemplars.0.answer"),
    (HEAD, "  exemplars:\n    - {user: a, answer: b, steps: [{tool: t, arguments: {}}]}", "exemplars.0.steps.0.result"),
    (HEAD + "\njarvisbot: yes", "", "'jarvisbot' must be a mapping"),
    ("- a\n- b", "", "must be a mapping"),
    ("name: [", "", "is not YAML"),
]


@pytest.mark.parametrize(("head", "ours", "named"), WRONG)
def test_a_mistake_is_named_with_its_file_and_field(tmp_path: Path, head: str, ours: str, named: str) -> None:
    folder = write(tmp_path, head, ours=ours)
    with pytest.raises(SkillError, match=named) as raised:
        load(folder)
    assert str(folder / "SKILL.md") in raised.value.user_message
    assert "\n" not in raised.value.user_message


@pytest.mark.parametrize("source", ["", "Be short.", "---\nname: pack-list", " ---\n", "---"])
def test_a_file_without_front_matter_is_refused(tmp_path: Path, source: str) -> None:
    folder = write(tmp_path)
    (folder / "SKILL.md").write_text(source, encoding="utf-8")
    with pytest.raises(SkillError, match="front matter"):
        load(folder)


def test_a_file_that_is_no_text_or_not_there_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path)
    (folder / "SKILL.md").write_bytes(b"---\nname: \xff\n---\n")
    with pytest.raises(SkillError, match="cannot be read"):
        load(folder)
    (folder / "SKILL.md").unlink()
    with pytest.raises(SkillError, match="cannot be read"):
        load(folder)


def test_front_matter_makes_no_objects(tmp_path: Path) -> None:
    folder = write(tmp_path, "name: !!python/object/apply:os.getcwd []\ndescription: x")
    with pytest.raises(SkillError, match="not YAML"):
        load(folder)


EXPLOSIVE = ["(?:(?:a+)+)+$", "(x+x+)+y", r"(\\w+\\s?)+$", r"(\\d+,?)+[a-z]", "(?:ham|hamham)+!", r"(\\s*-\\s*)+x"]


@pytest.mark.speed
@pytest.mark.parametrize("field", ["triggers", "excludes"])
@pytest.mark.parametrize("pattern", EXPLOSIVE)
def test_a_pattern_that_explodes_is_refused(tmp_path: Path, field: str, pattern: str) -> None:
    folder = write(tmp_path, ours=f'  {field}: ["{pattern}"]')
    began = time.perf_counter()
    with pytest.raises(SkillError, match=f"{field}: the pattern .* takes too long"):
        load(folder)
    assert time.perf_counter() - began < 3


@pytest.mark.parametrize("field", ["triggers", "excludes"])
def test_a_trusted_pattern_that_explodes_is_given_up_and_claims_nothing(tmp_path: Path, field: str) -> None:
    ours = f"  {field}: ['(?:(?:a+)+)+$']" + ("\n  triggers: [a]" if field == "excludes" else "")
    skill = load(write(tmp_path, ours=ours), trusted=True)
    began = time.perf_counter()
    assert skill.matches("a" * 2_000 + "!") == (None if field == "triggers" else "a")
    assert time.perf_counter() - began < 1


def test_a_trusted_pattern_is_compiled_when_the_skill_is_first_asked(tmp_path: Path) -> None:
    skill = load(write(tmp_path, ours="  triggers: ['(pack']"), trusted=True)
    assert skill.triggers == ("(pack",)
    with pytest.raises(regex.error):
        skill.matches("pack it")


@pytest.mark.parametrize("ours", ["  triggers: pack", "  triggers: [3]", "  excludes: {a: b}"])
def test_trusted_patterns_have_to_be_a_list_of_texts(tmp_path: Path, ours: str) -> None:
    with pytest.raises(SkillError, match="must be a list of patterns"):
        load(write(tmp_path, ours=ours), trusted=True)


def test_a_skill_that_was_asked_is_equal_to_one_that_was_not(tmp_path: Path) -> None:
    folder = write(tmp_path, ours="  triggers: ['pack']")
    asked, fresh = load(folder), load(folder)
    assert asked.matches("pack it")
    assert asked == fresh


def test_a_pattern_for_the_start_may_claim_the_request_behind_a_greeting(tmp_path: Path) -> None:
    skill = load(write(tmp_path, ours="  triggers: ['^pack\\b', 'bag$']"))
    assert skill.matches("hi, pack it", "pack it") == "pack"
    assert skill.matches("hi, pack it") is None
    assert skill.matches("hi, x", "a bag") is None


@pytest.mark.parametrize("keyword", ["in the", "wie ist das", "?!", ""])
def test_a_keyword_of_stop_words_alone_is_refused(tmp_path: Path, keyword: str) -> None:
    with pytest.raises(SkillError, match=r"keywords: .* has no word that says what it is about"):
        load(write(tmp_path, ours=f"  keywords: ['{keyword}']"))


def test_skills_come_by_priority_then_by_name(tmp_path: Path) -> None:
    for name, priority in [("b", 1), ("a", 1), ("c", 9)]:
        write(tmp_path, f"name: {name}\ndescription: x", ours=f"  priority: {priority}", name=name)
    (tmp_path / "not-a-skill").mkdir()
    (tmp_path / "README.md").write_text("x", encoding="utf-8")
    skills: tuple[Skill, ...] = load_all(tmp_path)
    assert [skill.name for skill in skills] == ["c", "a", "b"]


def test_what_is_said_without_tools_is_checked_when_the_skill_is_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "wine"
    folder.mkdir()
    ours = "  tools: [cellar]\n  without_tools:\n    en: No.\n    also: ['(']"
    source = f"---\nname: wine\ndescription: x\njarvisbot:\n{ours}\n---\nHi."
    (folder / "SKILL.md").write_text(source, encoding="utf-8")
    with pytest.raises(SkillError) as wrong:
        load(folder)
    told = "\n".join(wrong.value.problems)
    assert "without_tools.de: Field required" in told
    assert "without_tools.also: the pattern '(' is not valid" in told


def test_an_exclude_may_match_on_no_letter_at_all() -> None:
    wine = Skill(name="wine", description="x", guidance="", triggers=("wine",), excludes=(r"^(?=.*\bglass\b)",))
    assert (wine.matches("a wine glass"), wine.matches("a wine")) == (None, "wine")
