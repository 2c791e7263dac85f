"""What the service manager hears, over a real socket of datagrams."""

from __future__ import annotations

import asyncio
import os
import socket
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from jarvisbot.systemd import notify
from jarvisbot.systemd.notify import Notifier
from tests.service_manager import Manager


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Manager]:
    made = Manager(str(tmp_path / "notify") if request.param == "path" else f"@jarvisbot-{uuid.uuid4()}")
    yield made
    made.close()


def test_start_state_and_end_are_told(manager: Manager) -> None:
    notifier = Notifier(manager.address)
    notifier.ready()
    notifier.status("telegram running")
    notifier.stopping()
    assert manager.heard() == ["READY=1", "STATUS=telegram running", "STOPPING=1", "STATUS=Stopping"]


def test_the_same_state_is_not_told_twice_and_none_after_the_end_began(manager: Manager) -> None:
    notifier = Notifier(manager.address)
    for line in ("starting", "starting", "at\nwork"):
        notifier.status(line)
    notifier.stopping()
    notifier.status("at work again")
    assert manager.heard() == ["STATUS=starting", "STATUS=at work", "STOPPING=1", "STATUS=Stopping"]


async def test_the_loop_feeds_the_watchdog_at_half_its_patience(manager: Manager) -> None:
    notifier = Notifier(manager.address, watchdog_s=0.1)
    assert notifier.pause_s == pytest.approx(0.05)
    beat = asyncio.create_task(notifier.beat(lambda: "at work"))
    heard = [await manager.next() for _ in range(4)]
    beat.cancel()
    await asyncio.gather(beat, return_exceptions=True)
    assert heard == ["WATCHDOG=1", "STATUS=at work", "WATCHDOG=1", "WATCHDOG=1"]


async def test_a_loop_that_hangs_does_not_feed_the_watchdog(manager: Manager) -> None:
    beat = asyncio.create_task(Notifier(manager.address, watchdog_s=0.02).beat(lambda: "at work"))
    await manager.next()
    manager.heard()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as deaf:
        deaf.settimeout(0.1)  # blocks the loop
        deaf.bind(f"\0deaf-{uuid.uuid4()}")
        with pytest.raises(TimeoutError):
            deaf.recv(1)
    assert manager.heard() == []
    beat.cancel()
    await asyncio.gather(beat, return_exceptions=True)


async def test_without_a_watchdog_only_the_state_is_told(manager: Manager) -> None:
    notifier = Notifier(manager.address)
    beat = asyncio.create_task(notifier.beat(lambda: "at work"))
    assert await manager.next() == "STATUS=at work"
    beat.cancel()
    await asyncio.gather(beat, return_exceptions=True)


def test_a_manager_that_is_gone_stops_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    Notifier(str(tmp_path / "nobody")).ready()
    assert "service_manager_unreachable" in caplog.text


def test_the_environment_names_the_socket_and_children_do_not_get_it(manager: Manager) -> None:
    given = {"NOTIFY_SOCKET": manager.address, "WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "42", "HOME": "/"}
    notifier = notify.from_environment(given, process=42)
    assert given == {"HOME": "/"}
    assert notifier.pause_s == 2.0
    notifier.ready()
    assert manager.heard() == ["READY=1"]


@pytest.mark.parametrize(
    ("given", "pause_s"),
    [
        ({"WATCHDOG_USEC": "4000000"}, 2.0),
        ({"WATCHDOG_USEC": "4000000", "WATCHDOG_PID": "7"}, 5.0),
        ({"WATCHDOG_USEC": "0"}, 5.0),
        ({"WATCHDOG_USEC": "soon"}, 5.0),
        ({"WATCHDOG_USEC": "-1"}, 5.0),
        ({}, 5.0),
    ],
)
def test_a_watchdog_of_another_process_or_none_is_not_fed(given: dict[str, str], pause_s: float) -> None:
    assert notify.from_environment({"NOTIFY_SOCKET": "/run/x", **given}, process=os.getpid()).pause_s == pause_s


@pytest.mark.parametrize("address", ["", "vsock:2:1234", "relative", "/" + "x" * 200])
def test_an_address_that_cannot_be_spoken_to_is_silence(address: str) -> None:
    assert notify.from_environment({"NOTIFY_SOCKET": address}, process=1) is notify.SILENT
