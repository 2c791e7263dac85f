"""The documents: commands that exist, tables that equal the registries, configs that load, links that lead on."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from jarvisbot import config, discovery, folders, skill
from jarvisbot.command import Command
from tests.every_tool import every_tool

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
SKILLS = (ROOT / "docs" / "skills.md").read_text(encoding="utf-8")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "connectors").glob("*.md")])
TRY = (
    "python3 -m venv .venv && .venv/bin/pip install -e '.[demo]' && "
    '.venv/bin/jarvisbot chat --once "What is 98765 * 4321?"'
)
TEST = "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/pytest"


def blocks(text: str, language: str) -> list[str]:
    """The contents of the fenced blocks of one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def documented(language: str) -> list[tuple[str, str]]:
    """(place, contents) of every fenced block of one language in any document."""
    return [
        (f"{path.relative_to(ROOT)}#{number}", block)
        for path in DOCUMENTS
        for number, block in enumerate(blocks(path.read_text(encoding="utf-8"), language), 1)
    ]


def table(heading: str) -> dict[str, str]:
    """First and last cell of each row of the table under a heading of the README."""
    section = re.search(rf"^#+ {heading}\n(.*?)(?=^#|\Z)", README, re.MULTILINE | re.DOTALL)
    assert section, heading
    rows = [line.strip().strip("|").split(" | ") for line in section[1].splitlines() if line.startswith("| `")]
    return {row[0].strip().strip("`"): row[-1].strip() for row in rows}


# ---------------------------------------------------------------- README


@pytest.mark.parametrize("command", [TRY, TEST])
def test_readme_shows_the_command_as_a_line_of_its_own(command: str) -> None:
    lines = [line for block in blocks(README, "bash") for line in block.splitlines()]
    assert command in lines


def test_readme_shows_what_the_command_prints(tmp_path: Path) -> None:
    program, *arguments = shlex.split(TRY.split(" && ")[-1])
    command = [Path(sys.executable).parent / Path(program).name, "--data", tmp_path, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    without_times = re.sub(r" \(\d+\.\d s\)$", "", done.stdout, flags=re.MULTILINE)
    assert without_times in blocks(README, "console")


def test_ci_runs_what_readme_says_and_ends_with_its_test_command() -> None:
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    steps = TEST.split(" && ")
    assert [line for line in lines if line in steps] == steps
    assert lines[-1] == steps[-1]


def test_the_table_of_commands_equals_the_registry() -> None:
    found = [value for name in discovery.names("commands") for value in vars(discovery.load("commands", name)).values()]
    assert table("Commands") == {f"/{value.name}": value.help for value in found if isinstance(value, Command)}


def test_the_table_of_tools_equals_the_registry() -> None:
    found = [value for tools in every_tool().values() for value in tools]
    assert table("Tools") == {value.name: value.spec.description for value in found}


def test_the_table_of_skills_equals_the_folder() -> None:
    assert table("Skills") == {found.name: found.description for found in skill.load_all(folders.bundled("skills"))}


def test_every_place_on_the_map_exists() -> None:
    (tree,) = blocks(README, "text")[-1:]
    places = [line.split()[0] for line in tree.splitlines() if line.strip()]
    assert len(places) > 10
    assert not [place for place in places if not (ROOT / place).exists()]


def test_every_top_folder_is_on_the_map() -> None:
    (tree,) = blocks(README, "text")[-1:]
    shown = {line.split()[0].split("/")[0] for line in tree.splitlines() if line.strip()}
    names = {path.name for path in ROOT.iterdir() if path.is_dir() and (path.name == ".ci" or path.name[0] != ".")}
    assert names - {"dist", "build", "htmlcov"} <= shown


# ---------------------------------------------------------------- all documents


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_within_the_project_lead_somewhere(path: Path) -> None:
    targets = re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", path.read_text(encoding="utf-8"))
    assert not [target for target in targets if not (path.parent / target).exists()]


def test_subcommands_in_the_documents_exist() -> None:
    program = Path(sys.executable).parent / "jarvisbot"
    known = subprocess.run([program, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    for where, block in documented("bash"):
        for line in block.splitlines():
            words = shlex.split(line, comments=True)
            for place, word in enumerate(words):
                if word.endswith("bin/jarvisbot") or word == "jarvisbot":
                    subcommand = next((rest for rest in words[place + 1 :] if re.fullmatch(r"[a-z]+", rest)), "")
                    assert re.search(rf"\b{subcommand}\b", known), f"{where}: {line}"


SESSIONS = [(where, block) for where, block in documented("console") if block.startswith("$ ")]


@pytest.mark.parametrize(("where", "block"), SESSIONS, ids=[where for where, _ in SESSIONS])
def test_a_session_in_the_documents_prints_what_it_shows(where: str, block: str, tmp_path: Path) -> None:
    skills = tmp_path / ".local" / "share" / "jarvisbot" / "skills"
    for head, text in re.findall(
        r"^~/\.local/share/jarvisbot/skills/(.*):\n\n```yaml\n(.*?)^```$", SKILLS, re.M | re.S
    ):
        if where.startswith("docs/skills.md"):
            (skills / head).parent.mkdir(parents=True)
            (skills / head).write_text(text, encoding="utf-8")
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    shown = []
    for command in re.findall(r"^\$ (.*)$", block, re.MULTILINE):
        done = subprocess.run(
            ["bash", "-c", command],
            capture_output=True,
            text=True,
            timeout=60,
            env={"PATH": path, "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        )
        shown.append(f"$ {command}\n{done.stdout}{done.stderr}".replace(str(tmp_path), "~"))
    assert "".join(shown) == block


@pytest.mark.parametrize(("where", "block"), documented("toml"), ids=[where for where, _ in documented("toml")])
def test_a_config_in_the_documents_loads(where: str, block: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("123456:a-token\n")
    secret.chmod(0o600)
    file = tmp_path / "config.toml"
    address = tmp_path / "address"
    address.write_text("http://example.org/hook\n")
    address.chmod(0o600)
    block = re.sub(r'(webhook_file = )"[^"]*"', rf'\1"{address}"', block)
    file.write_text(re.sub(r'(?<!webhook)(_file = )"[^"]*"', rf'\1"{secret}"', block))
    file.chmod(0o600)
    loaded = config.load(file, environment={})
    sections = {"model": loaded.model_backend, **{f"models.{name}": backend for name, backend in loaded.models.items()}}
    for section, backend in sections.items():
        module = discovery.load("models", backend)
        secrets = getattr(module, "OPTIONAL_SECRETS", ())
        loaded.section(section, module.Settings, optional_secrets=secrets, drop={"backend"})
    for name in loaded.connectors:
        module = discovery.load("connectors", name)
        loaded.section(f"connectors.{name}", module.Settings, secrets=getattr(module, "SECRETS", ()))
    assert all(loaded.actions())
    assert not loaded.warnings


def test_no_document_speaks_of_a_place_outside_the_project() -> None:
    for path in DOCUMENTS:
        assert not re.search(r"(?<![\w.~])/(?:work|root|home)/", path.read_text(encoding="utf-8")), path
