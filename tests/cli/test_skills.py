"""`jarvisbot skills`: listed, shown, tried and checked, as tables and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jarvisbot.catalogue import skill_folders
from jarvisbot.folders import bundled
from tests.program import Outcome, jarvisbot
from tests.test_skill import write

SHIPPED = [folder.name for folder in skill_folders(bundled("skills"))]


async def skills(*arguments: str, home: Path, config: str = "") -> Outcome:
    """The command with a data folder of its own, and with a config where one is given."""
    flags = ["--data", str(home / "data")]
    if config:
        (home / "config.toml").write_text(config, encoding="utf-8")
        flags += ["--config", str(home / "config.toml")]
    return await jarvisbot("skills", *arguments, *flags, home=home)


async def as_json(*arguments: str, home: Path, config: str = "", code: int = 0) -> Any:
    done = await skills(*arguments, "--json", home=home, config=config)
    assert (done.code, done.errors) == (code, "")
    return json.loads(done.output)


def own(home: Path, head: str = "name: wine\ndescription: Which wine.", *, ours: str = "", name: str = "wine") -> Path:
    root = home / "data" / "skills"
    root.mkdir(parents=True, exist_ok=True)
    return write(root, head, ours=ours, name=name)


async def test_every_skill_is_listed_with_whether_it_runs(tmp_path: Path) -> None:
    own(tmp_path)
    own(tmp_path, "name: bad\ndescription: x", ours="  color: red", name="bad")
    config = '[skills]\ndisabled = ["advice"]\n[tools]\ndisabled = ["calculator"]\n'
    done = await skills("list", home=tmp_path, config=config)
    assert (done.code, done.errors) == (0, "")
    *lines, broken = done.output.splitlines()
    table = {line.split()[0]: line for line in lines}
    assert set(table) == {*SHIPPED, "wine"}
    assert "off: disabled in [skills]" in table["advice"]
    assert "off: needs calculator" in table["arithmetic"]
    assert "  on  " in table["wine"]
    assert len({line.index(line.split("  ")[-1].strip()) for line in lines}) == 1, "columns are aligned"
    assert broken.startswith(f"broken: {tmp_path / 'data' / 'skills' / 'bad' / 'SKILL.md'}: color")
    listed = await as_json("list", home=tmp_path, config=config)
    by_name = {entry["name"]: entry for entry in listed["skills"]}
    assert {name: by_name[name]["off"] for name in ("advice", "arithmetic", "wine")} == {
        "advice": "disabled",
        "arithmetic": "no-tools",
        "wine": None,
    }
    assert by_name["wine"]["bundled"] is False
    assert [entry["file"] for entry in listed["broken"]] == [str(tmp_path / "data" / "skills" / "bad" / "SKILL.md")]


async def test_all_that_a_skill_says_is_shown(tmp_path: Path) -> None:
    ours = "  priority: 7\n  tools: [a, b]\n  triggers: ['wine', 'wein']\n  keywords: [red wine, rotwein]\n  carries: false"
    folder = own(tmp_path, ours=f"{ours}\n  exemplars:\n    - {{user: Red?, answer: Merlot.}}")
    done = await skills("show", "wine", home=tmp_path)
    assert done.code == 0
    assert done.output.splitlines() == [
        "wine: Which wine.",
        f"  file      {folder / 'SKILL.md'}",
        "  state     off: needs a or b",
        "  priority  7",
        "  tools     a, b",
        "  strategy  auto",
        "  carries   no",
        "  triggers  wine",
        "            wein",
        "  excludes  –",
        "  keywords  red wine, rotwein",
        "  examples  1 en",
        "  guidance  Be short.",
    ]
    shown = await as_json("show", "wine", home=tmp_path)
    assert (shown["triggers"], shown["tools"], shown["off"]) == (["wine", "wein"], ["a", "b"], "no-tools")
    assert shown["exemplars"] == [{"user": "Red?", "steps": [], "answer": "Merlot.", "language": "en"}]


@pytest.mark.parametrize("name", SHIPPED)
async def test_every_shipped_skill_can_be_shown(name: str, tmp_path: Path) -> None:
    assert (await as_json("show", name, home=tmp_path))["name"] == name


@pytest.mark.parametrize(
    "call", [("show", "wether"), ("show", "x\x1b[31m"), ("route", "and in Rome?", "--after", "wether")]
)
async def test_an_unknown_skill_is_a_wrong_call_that_names_the_nearest(call: tuple[str, ...], tmp_path: Path) -> None:
    done = await skills(*call, home=tmp_path)
    assert (done.code, done.output) == (2, "")
    assert "There is no skill '" in done.errors
    assert "\x1b" not in done.errors
    assert ("the nearest is 'weather'" if "wether" in call else "there are: advice, ") in done.errors


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (["What is 7 times 6?"], {"skill": "arithmetic", "stage": "trigger", "evidence": "7 times 6", "off": None}),
        (
            ["What", "is", "7 times 6?"],
            {"skill": "arithmetic", "stage": "trigger", "evidence": "7 times 6", "off": None},
        ),
        (["Which", "Merlot?"], {"skill": "wine", "stage": "search", "evidence": "merlot", "off": None}),
        (["and white?", "--after", "wine"], {"skill": "wine", "stage": "carry-over", "evidence": "wine", "off": None}),
        (["Hmmm."], {"skill": None, "stage": "none", "evidence": "", "off": None}),
        (
            ["tell my bank what I owe"],
            {
                "skill": None,
                "stage": "none",
                "evidence": "",
                "off": {"skill": "bank", "stage": "search", "evidence": "my bank", "why": "off: needs bank_account"},
            },
        ),
    ],
)
async def test_a_message_is_routed_with_what_spoke_for_it(call: list[str], expected: object, tmp_path: Path) -> None:
    own(tmp_path, ours="  keywords: [merlot]")
    own(
        tmp_path,
        "name: bank\ndescription: x",
        ours="  keywords: [my bank]\n  tools: [bank_account]\n  priority: 90",
        name="bank",
    )
    assert await as_json("route", *call, home=tmp_path) == expected


async def test_a_route_is_told_in_lines(tmp_path: Path) -> None:
    own(tmp_path, ours="  keywords: [merlot]\n  tools: [cellar]")
    done = await skills("route", "Which Merlot?", home=tmp_path)
    assert done.output.splitlines()[-1] == "else      wine would claim it by search (merlot): off: needs cellar"
    done = await skills("route", "2 + 2", home=tmp_path)
    assert done.output == "skill     arithmetic\nstage     trigger\nevidence  2 + 2\n"


# ---------------------------------------------------------------- check


async def test_everything_that_is_wrong_is_told_at_once_with_file_and_field(tmp_path: Path) -> None:
    good = own(tmp_path, ours="  triggers: ['wine']")
    bad = own(
        tmp_path,
        "name: bad\ndescription: ''",
        ours="  triggers: ['(', '(?:(?:a+)+)+$']\n  color: red\n  strategy: quick\n  keywords: [the]",
        name="bad",
    )
    taken = own(tmp_path, "name: weather\ndescription: Mine.", name="weather")
    step = "{tool: t, arguments: {}, result: r}"
    unread = own(
        tmp_path,
        "name: marks\ndescription: x",
        ours="  tools: none\n  exemplars:\n    - {user: a, answer: '<think>b</think>', steps: [" + step + "]}",
        name="marks",
    )
    for call in ([], [str(tmp_path / "data" / "skills")], [str(path) for path in (good, bad, taken, unread)]):
        done = await skills("check", *call, home=tmp_path)
        assert (done.code, done.errors) == (1, "")
        for path, words in [
            (bad, "description: String should have at least 1 character"),
            (bad, "triggers: the pattern '(' is not valid"),
            (bad, "triggers: the pattern '(?:(?:a+)+)+$' takes too long on some messages"),
            (bad, "color: Extra inputs are not permitted"),
            (bad, "strategy: unknown strategy 'quick'"),
            (taken, f"name: 'weather' is there already, in {bundled('skills') / 'weather' / 'SKILL.md'}"),
            (unread, "exemplars.0.steps.0.tool: 't' is none of the skill's tools."),
            (unread, "exemplars.0.answer: it cannot be read back"),
        ]:
            assert f"{path / 'SKILL.md'}: {words}" in done.output
        assert f"{good / 'SKILL.md'}: good\n" in done.output
    checked = await as_json("check", home=tmp_path, code=1)
    assert {Path(each["file"]).parent.name: bool(each["problems"]) for each in checked} == {
        "bad": True,
        "marks": True,
        "weather": True,
        "wine": False,
    }


async def test_what_is_worth_knowing_and_no_mistake_is_a_note(tmp_path: Path) -> None:
    long = "\n".join(f"    - {{user: 'Question {number}?', answer: '{'word ' * 60}end.'}}" for number in range(9))
    folder = own(tmp_path, ours=f"  tools: [cellar]\n  exemplars:\n{long}")
    done = await skills("check", str(folder), home=tmp_path)
    assert done.code == 0
    assert [line.split(": ", 1)[1] for line in done.output.splitlines()] == [
        "note: tools: it stays silent, because none of its tools is there: cellar.",
        "note: it has neither triggers nor keywords, so only its description finds it.",
        "note: exemplars: only the first 5 of 9 in 'en' fit beside the guidance.",
        "good",
    ]


async def test_the_shipped_skills_pass(tmp_path: Path) -> None:
    checked = await as_json("check", str(bundled("skills")), home=tmp_path)
    assert [Path(each["file"]).parent.name for each in checked] == SHIPPED


async def test_two_skills_of_one_name_are_told_with_both_files(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for root in (first, second):
        root.mkdir()
        write(root)
    done = await skills("check", str(first), str(second), home=tmp_path)
    assert done.code == 1
    assert f"{second / 'pack-list' / 'SKILL.md'}: name: 'pack-list' is there already, in {first}" in done.output


@pytest.mark.parametrize(
    ("make", "words"), [(False, "No such file or directory"), (True, "there is no SKILL.md in it")]
)
async def test_a_folder_without_a_skill_is_told(make: bool, words: str, tmp_path: Path) -> None:
    if make:
        (tmp_path / "empty").mkdir()
    done = await skills("check", str(tmp_path / "empty"), home=tmp_path)
    assert done.code == 1
    assert words in done.output


async def test_who_has_no_skill_yet_is_told_where_one_goes(tmp_path: Path) -> None:
    done = await skills("check", home=tmp_path)
    assert done.code == 0
    assert f"{tmp_path / 'data' / 'skills'}/NAME/SKILL.md" in done.output
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("call", [("list",), ("list", "--json"), ("show", "advice"), ("route", "x"), ("check",)])
async def test_nothing_is_written_and_no_lock_is_taken(call: tuple[str, ...], tmp_path: Path) -> None:
    assert (await skills(*call, home=tmp_path)).code == 0
    assert not (tmp_path / "data").exists()
