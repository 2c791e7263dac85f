"""The unit of an installation, as systemd reads it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from jarvisbot.systemd.unit import Placement, gpu_drop_in, provenance, render, shipped

OPT = Placement(program=Path("/opt/jarvisbot/.venv/bin/jarvisbot"), config=Path("/etc/jarvisbot/config.toml"))
HOME = Placement(
    program=Path("/home/max/jarvis bot/.venv/bin/jarvisbot"),
    config=Path("/home/max/.config/jarvisbot/config.toml"),
    data=Path("/home/max/.local/share/jarvisbot"),
    user="daemon",
    credentials={"telegram_token": Path("/home/max/.config/jarvisbot/telegram.token")},
    read=(Path("/home/max/jarvis bot"), Path("/usr")),
    memory_bytes=2 << 30,
)


def lines(placement: Placement) -> list[str]:
    return render(placement).splitlines()


@pytest.mark.parametrize("placement", [OPT, HOME], ids=["opt", "home"])
def test_systemd_takes_it_and_little_is_exposed(placement: Placement, tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    assert analyze, "systemd-analyze is not installed: apt-get install systemd"
    unit = tmp_path / "jarvisbot.service"
    program = next(line for line in lines(placement) if line.startswith("ExecStart=")).split(" --config")[0]
    unit.write_text(render(placement).replace(program, "ExecStart=/bin/true"), encoding="utf-8")
    for words in (["verify", "--recursive-errors=yes", "--man=no"], ["security", "--offline=true", "--threshold=20"]):
        done = subprocess.run([analyze, *words, "--no-pager", unit], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        assert done.stderr == ""


def test_the_programs_place_config_and_data_are_in_it() -> None:
    assert (
        "ExecStart=/opt/jarvisbot/.venv/bin/jarvisbot --config %d/config.toml --data /var/lib/jarvisbot run"
        in lines(OPT)
    )
    assert "LoadCredential=config.toml:/etc/jarvisbot/config.toml" in lines(OPT)
    assert "StateDirectory=jarvisbot" in lines(OPT)
    assert "DynamicUser=yes" in lines(OPT)
    assert "ProtectHome=yes" in lines(OPT)


def test_what_lies_in_a_home_is_shown_and_nothing_else_of_it() -> None:
    found = lines(HOME)
    assert [line for line in found if line.startswith(("ProtectHome", "Bind"))] == [
        "ProtectHome=tmpfs",
        'BindReadOnlyPaths="/home/max/jarvis bot"',
        "BindPaths=/home/max/.local/share/jarvisbot",
    ]
    assert "User=daemon" in found
    assert "DynamicUser=no" in found
    assert not [line for line in found if line.startswith("StateDirectory")]
    assert "LoadCredential=telegram_token:/home/max/.config/jarvisbot/telegram.token" in found
    assert "MemoryMax=2048M" in found


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/opt/a b", '"/opt/a b"'),
        ("/opt/50%", "/opt/50%%"),
        ('/opt/"x"', '"/opt/\\"x\\""'),
        ("/opt/a$b", '"/opt/a$$b"'),
    ],
)
def test_marks_that_systemd_reads_as_its_own_are_written_as_letters(path: str, written: str) -> None:
    program = OPT.__class__(program=Path(path), config=OPT.config)
    assert f"ExecStart={written} --config %d/config.toml --data /var/lib/jarvisbot run" in lines(program)


def test_it_is_known_again_and_a_change_is_seen() -> None:
    text = render(OPT)
    assert provenance(text).ours
    assert provenance(text).intact
    assert provenance(text).current
    changed = provenance(text.replace("TasksMax=128", "TasksMax=1"))
    assert (changed.ours, changed.intact) == (True, False)
    assert not provenance(shipped()).ours


def test_growing_pauses_are_used_where_systemd_knows_them() -> None:
    assert "RestartSteps=6" not in lines(OPT)
    assert "RestartSteps=6" in lines(Placement(program=OPT.program, config=OPT.config, backoff=True))


def test_the_drop_in_of_a_graphics_card_opens_its_devices_alone() -> None:
    text = gpu_drop_in(["video"])
    assert "PrivateDevices=no" in text
    assert "DevicePolicy=closed" in text
    assert "SupplementaryGroups=video" in text
    assert "SupplementaryGroups" not in gpu_drop_in([])
    assert provenance(text).intact
