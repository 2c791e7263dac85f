"""The system unit: systemd itself finds nothing wrong with it and little exposed by it."""

from __future__ import annotations

import argparse
import configparser
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

UNIT = Path(__file__).resolve().parent.parent / "systemd" / "jarvisbot.service"
HIGHEST_EXPOSURE = 20
"""In tenths, as systemd-analyze counts: 2.0 of 10."""


@pytest.fixture
def analyze() -> str:
    found = shutil.which("systemd-analyze")
    assert found, "systemd-analyze is not installed: apt-get install systemd"
    return found


@pytest.fixture
def service() -> configparser.SectionProxy:
    unit = configparser.ConfigParser(interpolation=None, strict=False)
    unit.optionxform = str  # type: ignore[assignment]
    unit.read_string(UNIT.read_text(encoding="utf-8"))
    return unit["Service"]


@pytest.fixture
def copy(tmp_path: Path, service: configparser.SectionProxy) -> Path:
    """The unit with a program that exists on every machine in place of ours, which verify would miss."""
    path = tmp_path / UNIT.name
    program = shlex.split(service["ExecStart"])[0]
    path.write_text(UNIT.read_text(encoding="utf-8").replace(program, "/bin/true"), encoding="utf-8")
    return path


def test_systemd_finds_nothing_to_complain_about(analyze: str, copy: Path) -> None:
    done = subprocess.run(
        [analyze, "verify", "--recursive-errors=yes", "--man=no", copy], capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_word_that_systemd_does_not_know_is_found(analyze: str, copy: Path) -> None:
    copy.write_text(copy.read_text(encoding="utf-8").replace("NoNewPrivileges=", "NoNewPrivilege="), encoding="utf-8")
    done = subprocess.run(
        [analyze, "verify", "--recursive-errors=yes", "--man=no", copy], capture_output=True, text=True, timeout=60
    )
    assert "NoNewPrivilege" in done.stderr


def test_little_of_the_machine_is_exposed(analyze: str, copy: Path) -> None:
    done = subprocess.run(
        [analyze, "security", "--offline=true", "--no-pager", f"--threshold={HIGHEST_EXPOSURE}", copy],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_unit_starts_the_program_with_its_own_config_and_state(service: configparser.SectionProxy) -> None:
    program, *arguments = shlex.split(service["ExecStart"])
    assert Path(program).name == "jarvisbot"
    parser = argparse.ArgumentParser()
    parser.add_argument("--config", type=Path)
    parser.add_argument("--data", type=Path)
    parser.add_argument("command")
    read = parser.parse_args(arguments)
    name, _, file = service["LoadCredential"].partition(":")
    assert (read.config, file) == (Path("%d", name), "/etc/jarvisbot/config.toml")
    assert read.data == Path("/var/lib", service["StateDirectory"])
    assert read.command == "run"


def test_a_start_that_cannot_succeed_is_not_repeated(service: configparser.SectionProxy) -> None:
    assert service["Restart"] == "on-failure"
    assert service["RestartPreventExitStatus"].split() == ["2", "3"]


def test_start_and_life_are_told_by_the_program_itself(service: configparser.SectionProxy) -> None:
    assert (service["Type"], service["NotifyAccess"]) == ("notify", "main")
    assert int(service["WatchdogSec"]) > 0


def test_what_runs_out_of_memory_is_not_the_bot_and_a_stop_has_time(service: configparser.SectionProxy) -> None:
    assert service["OOMPolicy"] == "continue"
    assert service["KillMode"] == "mixed"
    assert service["TimeoutStopSec"] == "15"
    assert int(service["TasksMax"]) > 0


def test_the_network_is_waited_for_and_a_broken_start_is_not_repeated_for_ever() -> None:
    text = UNIT.read_text(encoding="utf-8")
    assert "\nAfter=network-online.target\n" in text
    assert "\nWants=network-online.target\n" in text
    assert "\nStartLimitBurst=" in text
