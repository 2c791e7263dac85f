"""The seam of checks: what keeps one from looking is its own finding."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from jarvisbot import discovery
from jarvisbot.check import Check, Subject, examine, good
from jarvisbot.checks import clock, network, permissions, unit
from jarvisbot.config import load
from jarvisbot.errors import ModelUnavailable
from jarvisbot.systemd.unit import Placement, render
from jarvisbot.types import Finding, Severity


@pytest.fixture
def subject(tmp_path: Path) -> Subject:
    config = load(
        None, environment={}, overrides={"bot.data_folder": str(tmp_path / "data"), "bot.timezone": "Asia/Tokyo"}
    )
    return Subject(config=config, root=tmp_path)


async def hangs(subject: Subject) -> Sequence[Finding]:
    await asyncio.Event().wait()
    return []


async def may_not(subject: Subject) -> Sequence[Finding]:
    raise PermissionError(13, "Permission denied", "/var/lib/private")


async def fails(subject: Subject) -> Sequence[Finding]:
    raise ModelUnavailable("The model is away.")


async def works(subject: Subject) -> Sequence[Finding]:
    return [good("x", "All is well.")]


@pytest.mark.parametrize(
    ("check", "severity", "words"),
    [
        (hangs, Severity.UNKNOWN, "took longer"),
        (may_not, Severity.UNKNOWN, "/var/lib/private: Permission denied"),
        (fails, Severity.PROBLEM, "The model is away."),
        (works, Severity.GOOD, "All is well."),
    ],
)
async def test_a_check_always_ends_in_findings(subject: Subject, check: Check, severity: Severity, words: str) -> None:
    (found,) = await examine("x", check, subject, limit_s=0.05)
    assert (found.about, found.severity) == ("x", severity)
    assert words in found.text


@pytest.mark.parametrize("name", discovery.names("checks"))
def test_every_check_is_documented_and_has_its_function(name: str) -> None:
    module = discovery.load("checks", name)
    assert module.__doc__
    assert asyncio.iscoroutinefunction(module.check)


async def severities(check: Check, subject: Subject) -> list[Severity]:
    return [found.severity for found in await check(subject)]


async def test_a_machine_without_a_way_out_is_noted(subject: Subject) -> None:
    assert await severities(network.check, subject) == [Severity.NOTE, Severity.NOTE]
    net = subject.root / "proc" / "net"
    net.mkdir(parents=True)
    (subject.root / "etc").mkdir()
    (subject.root / "etc" / "resolv.conf").write_text("# mine\nnameserver 192.0.2.1\n", encoding="utf-8")
    (net / "route").write_text("Iface Destination Gateway\neth0 00000000 0100A8C0\n", encoding="utf-8")
    assert await severities(network.check, subject) == [Severity.GOOD]
    (net / "route").write_text("Iface Destination Gateway\neth0 0000A8C0 00000000\n", encoding="utf-8")
    assert await severities(network.check, subject) == [Severity.NOTE]
    zeros = "0" * 32
    (net / "ipv6_route").write_text(f"{zeros} 00 {zeros} 00 {zeros} f 1 0 200200 lo\n", encoding="utf-8")
    assert await severities(network.check, subject) == [Severity.NOTE]
    (net / "ipv6_route").write_text(f"{zeros} 00 {zeros} 00 fe80{zeros[4:]} 64 1 0 3 eth0\n", encoding="utf-8")
    assert await severities(network.check, subject) == [Severity.GOOD]


async def test_a_unit_that_drifted_is_noted(subject: Subject) -> None:
    path = subject.root / "etc" / "systemd" / "system" / "jarvisbot.service"
    assert await severities(unit.check, subject) == [Severity.GOOD]
    path.parent.mkdir(parents=True)
    text = render(Placement(program=Path("/opt/jarvisbot"), config=Path("/etc/jarvisbot/config.toml")))
    for written, expected in (
        (text, Severity.GOOD),
        (text + "Nice=5\n", Severity.NOTE),
        (text.replace(text.split()[8].rstrip(","), "0" * 16, 1), Severity.NOTE),
        ("[Service]\n", Severity.NOTE),
    ):
        path.write_text(written, encoding="utf-8")
        assert await severities(unit.check, subject) == [expected]


async def test_the_clock_is_told_in_the_configured_zone(subject: Subject) -> None:
    (found,) = await clock.check(subject)
    assert "Asia/Tokyo" in found.text


async def test_a_data_folder_that_others_may_enter_is_a_problem(subject: Subject) -> None:
    subject.data_folder.mkdir(mode=0o700)
    assert await severities(permissions.check, subject) == [Severity.GOOD]
    subject.data_folder.chmod(0o750)
    assert await severities(permissions.check, subject) == [Severity.PROBLEM]
