"""What may know what, and what an add-on is: proved over whatever discovery finds."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from jarvisbot import discovery, folders
from jarvisbot.command import Command
from jarvisbot.discovery import Kind
from jarvisbot.tool import tools_in
from tests.every_tool import configured

ROOT = Path(__file__).resolve().parent.parent
KINDS: tuple[Kind, ...] = ("connectors", "models", "tools", "commands", "skills")
ADD_ONS = [(kind, name) for kind in KINDS for name in discovery.names(kind)]
SDKS = ["telegram", "discord", "nio", "llama_cpp", "numpy", "jinja2", "aiohttp", "httpx", "pint"]
LOADERS = {"jarvisbot/connectors.py", "jarvisbot/skills.py"}


def sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.py") if "__pycache__" not in path.parts)


def imported(path: Path) -> Iterator[str]:
    """Every module that a file names in an import, wherever it stands, by its one name in the program."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(module="jarvisbot", level=0):
                yield from (f"jarvisbot.{alias.name}" for alias in node.names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module
            case ast.ImportFrom(module=module, level=level):
                folder = path.parents[level - 1].relative_to(ROOT).parts
                outside = () if folder[:1] == ("jarvisbot",) else ("jarvisbot",)
                yield ".".join([*outside, *folder, *([module] if module else [])])


def is_within(module: str, allowed: str) -> bool:
    return module == allowed or module.startswith(f"{allowed}.")


def plain_environment() -> dict[str, str]:
    """This run's environment without what makes a child measure coverage."""
    return {name: value for name, value in os.environ.items() if not name.startswith("COV")}


def run_python(code: str) -> str:
    """What a fresh interpreter prints."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        cwd="/",
        env=plain_environment(),
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def processor_seconds(*command: str | Path) -> float:
    """User and system time of one run, its own children included."""
    with Path(os.devnull).open("w") as nowhere:
        child = subprocess.Popen(command, stdout=nowhere, stderr=nowhere, cwd="/", env=plain_environment())
        _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    assert child.returncode == 0
    return usage.ru_utime + usage.ru_stime


# ---------------------------------------------------------------- who imports whom


def test_every_import_contract_is_kept() -> None:
    # In a process of its own: import-linter sets up logging anew and switches off every logger that there is.
    command = [Path(sys.executable).parent / "lint-imports", "--no-cache", "--no-logo", "pyproject.toml"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=ROOT, env=plain_environment())
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", sources(folders.bundled("connectors")), ids=lambda path: path.stem)
def test_a_connector_knows_its_seam_its_own_files_and_its_sdk_only(path: Path) -> None:
    # import-linter knows a connector as connectors.NAME and does not see what it imports as jarvisbot.connectors.NAME.
    own = path.relative_to(folders.bundled("connectors")).parts[0].removesuffix(".py")
    allowed = ["jarvisbot.connector", "jarvisbot.types", "jarvisbot.errors", f"jarvisbot.connectors.{own}"]
    ours = [module for module in imported(path) if module.split(".")[0] in ("jarvisbot", "connectors")]
    assert not [module for module in ours if not any(is_within(module, name) for name in allowed)]


@pytest.mark.parametrize("path", sources(folders.bundled("skills")), ids=lambda path: path.stem)
def test_a_skills_module_knows_values_errors_and_reading_only(path: Path) -> None:
    allowed = ["jarvisbot.types", "jarvisbot.errors", "jarvisbot.reading", *sorted(sys.stdlib_module_names)]
    assert not [module for module in imported(path) if not any(is_within(module, name) for name in allowed)]


@pytest.mark.parametrize("path", sources(ROOT / "jarvisbot"), ids=lambda path: str(path.relative_to(ROOT)))
def test_connectors_and_skills_have_one_name_in_the_core(path: Path) -> None:
    assert not [module for module in imported(path) if is_within(module, "connectors") or is_within(module, "skills")]


# ---------------------------------------------------------------- what an add-on is


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "skills"])
def test_a_plural_folder_holds_add_ons_and_nothing_else(kind: Kind) -> None:
    folder = Path(str(importlib.import_module(f"jarvisbot.{kind}").__path__[0]))
    entries = {
        entry.stem for entry in folder.iterdir() if entry.name not in ("__init__.py", "__pycache__", "README.md")
    }
    assert entries == set(discovery.names(kind))


def test_a_skill_is_a_folder_with_its_text_and_at_most_one_module_of_its_name() -> None:
    entries = [entry for entry in folders.bundled("skills").iterdir() if entry.name not in ("README.md", "__pycache__")]
    modules = set()
    for entry in entries:
        assert (entry / "SKILL.md").is_file(), entry
        for path in sources(entry):
            assert path == entry / f"{entry.name.replace('-', '_')}.py"
            modules.add(path.stem)
    assert modules == set(discovery.names("skills"))


@pytest.mark.parametrize(("kind", "name"), ADD_ONS, ids=[f"{kind}.{name}" for kind, name in ADD_ONS])
def test_an_add_on_is_complete(kind: Kind, name: str) -> None:
    module = discovery.load(kind, name)
    assert module.__doc__
    assert module.__doc__.strip()
    match kind:
        case "connectors" | "models":
            assert issubclass(module.Settings, BaseModel)
            assert inspect.isfunction(module.create)
        case "tools":
            assert [value.name for value in tools_in(module, configured())] == [name]
        case "commands":
            assert [value.name for value in vars(module).values() if isinstance(value, Command)] == [name]
        case "skills":
            assert inspect.isfunction(module.seed)
            assert inspect.isfunction(module.answer)


@pytest.mark.parametrize(
    "path",
    [*sources(ROOT / "jarvisbot"), *sources(ROOT / "connectors"), *sources(ROOT / "skills"), *sources(ROOT / "tests")],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_a_module_says_what_it_is_for(path: Path) -> None:
    documentation = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert documentation
    assert documentation.splitlines()[0].strip()


# ---------------------------------------------------------------- what is loaded when


def test_listing_add_ons_imports_none_of_them_nor_an_sdk() -> None:
    loaded = json.loads(
        run_python(
            "import json, sys; from jarvisbot import discovery; "
            f"names = [discovery.names(kind) for kind in {KINDS!r}]; print(json.dumps(sorted(sys.modules)))"
        )
    )
    assert "jarvisbot.connectors" in loaded
    assert not set(SDKS) & set(loaded)
    assert not {f"jarvisbot.{kind}.{name}" for kind, name in ADD_ONS} & set(loaded)


def test_help_imports_no_sdk_and_nothing_heavy() -> None:
    loaded = run_python(
        "import atexit, sys; sys.argv = ['jarvisbot', '--help']; "
        "atexit.register(lambda: print('LOADED', *sorted(sys.modules))); "
        "from jarvisbot.cli import main; sys.exit(main())"
    ).rpartition("LOADED ")[2]
    assert "jarvisbot.cli" in loaded.split()
    assert not {*SDKS, "pydantic", "regex", "yaml", "sqlite3", "aiosqlite", "asyncio"} & set(loaded.split())


def loaded_by_a_talk(folder: Path, question: str) -> set[str]:
    """The modules that a whole `chat --once` has imported when it is over."""
    code = (
        f"import atexit, sys; sys.argv = ['jarvisbot', '--data', {str(folder)!r}, 'chat', '--once', {question!r}]; "
        "atexit.register(lambda: print('LOADED', *sorted(sys.modules))); "
        "from jarvisbot.cli import main; sys.exit(main())"
    )
    return set(run_python(code).rpartition("LOADED ")[2].split())


@pytest.mark.parametrize("question", ["What is 6 * 7?", "Hallo!"])
def test_a_talk_that_converts_nothing_imports_no_units_and_no_web_client(tmp_path: Path, question: str) -> None:
    loaded = loaded_by_a_talk(tmp_path, question)
    assert "jarvisbot.tools.convert" in loaded
    assert not {"pint", "httpx", "jarvisbot.reading.units"} & loaded


def test_a_conversion_imports_pint_and_no_web_client(tmp_path: Path) -> None:
    loaded = loaded_by_a_talk(tmp_path, "3 ft in cm")
    assert "pint" in loaded
    assert "httpx" not in loaded


@pytest.mark.parametrize("arguments", [["chat", "--once", "2 + 2"], ["chat"]])
def test_a_question_and_a_pipe_import_nothing_that_only_a_terminal_needs(arguments: list[str], tmp_path: Path) -> None:
    loaded = run_python(
        f"import atexit, sys; sys.argv = ['jarvisbot', '--data', {str(tmp_path / 'data')!r}, *{arguments!r}]; "
        "atexit.register(lambda: print('LOADED', *sorted(sys.modules))); "
        "from jarvisbot.cli import main; sys.exit(main())"
    ).rpartition("LOADED ")[2]
    assert "jarvisbot.connectors.console" in loaded.split()
    assert not {"prompt_toolkit", "wcwidth", "readline", "jarvisbot.connectors.console.prompt"} & set(loaded.split())


def test_help_costs_at_most_150_ms_of_processor_time() -> None:
    program = Path(sys.executable).parent / "jarvisbot"
    assert min(processor_seconds(program, "--help") for _ in range(5)) <= 0.150
