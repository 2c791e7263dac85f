"""What the program asks of the kernel stays inside the unit's filter."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.program import environment

UNIT = Path(__file__).resolve().parent.parent / "systemd" / "jarvisbot.service"
REFUSED_WITHOUT_HARM = frozenset({"fchown", "mbind", "sched_setaffinity", "sched_setscheduler", "setpriority"})
"""What a talk asks for and goes on without: SQLite as root, and the model's worker, whose calls are in @resources."""


@cache
def calls_of(group: str) -> frozenset[str]:
    """The system calls of one of systemd's groups, with those of the groups in it."""
    said = subprocess.run(
        ["systemd-analyze", "syscall-filter", "--no-pager", group], capture_output=True, text=True, check=True
    ).stdout
    words = {line.strip() for line in said.splitlines()[1:] if line.strip() and not line.strip().startswith("#")}
    nested = [calls_of(word) for word in words if word.startswith("@")]
    return frozenset({word for word in words if not word.startswith("@")}.union(*nested))


def allowed() -> frozenset[str]:
    """What the unit's SystemCallFilter lines leave, in their order."""
    found: frozenset[str] = frozenset()
    for line in re.findall(r"^SystemCallFilter=(.*)$", UNIT.read_text(encoding="utf-8"), re.MULTILINE):
        groups = line.removeprefix("~").split()
        calls = frozenset().union(*(calls_of(group) if group.startswith("@") else {group} for group in groups))
        found = found - calls if line.startswith("~") else found | calls
    return found


@pytest.mark.skipif(not shutil.which("strace"), reason="strace is not installed: apt-get install strace")
@pytest.mark.parametrize("question", ["What is 98765 * 4321?", "Tell me a joke about a lighthouse."])
def test_a_talk_with_the_model_goes_on_where_the_service_is_refused_a_system_call(
    question: str, tmp_path: Path
) -> None:
    outside = REFUSED_WITHOUT_HARM - allowed()
    refusing = f"inject={','.join(sorted(outside))}:error=EPERM"
    seen = tmp_path / "calls"
    program = Path(sys.executable).with_name("jarvisbot")
    done = subprocess.run(
        [
            "strace",
            "-f",
            "-qq",
            "-e",
            refusing,
            "-o",
            seen,
            program,
            "--data",
            tmp_path / "data",
            "chat",
            "--once",
            question,
        ],
        capture_output=True,
        text=True,
        timeout=110,
        env={name: value for name, value in environment(tmp_path).items() if not name.startswith("COV")},
    )
    if "ptrace" in done.stderr and "not permitted" in done.stderr:
        pytest.skip("this machine lets nobody watch a process")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    lines = seen.read_text(encoding="utf-8", errors="replace").splitlines()
    calls = {found[1] for line in lines if (found := re.match(r"\d+ +(?:<\.\.\. )?(\w+)[( ]", line))}
    assert len(calls) > 30
    assert calls - allowed() <= outside
