"""What every test stands on: no socket leaves this machine, nobody's own files are touched, leaks are errors."""

from __future__ import annotations

import ipaddress
import logging
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from hypothesis import settings

from jarvisbot.logs import LIBRARIES

settings.register_profile("deterministic", derandomize=True, deadline=None, database=None)
settings.load_profile("deterministic")

_refused: list[str] = []
_outside_allowed = False


def _is_on_this_machine(host: str) -> bool:
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False


def _guard(event: str, arguments: tuple[object, ...]) -> None:
    """Refuses what would leave this machine; an audit hook sees every socket of the process, whoever made it."""
    if event in ("socket.connect", "socket.sendto"):
        address = arguments[1]
        host = address[0] if isinstance(address, tuple) else None
    elif event == "socket.getaddrinfo":
        host = arguments[0]
    else:
        return
    if isinstance(host, bytes):
        host = host.decode("ascii", "replace")
    if not isinstance(host, str) or _outside_allowed or _is_on_this_machine(host):
        return
    _refused.append(f"{event} {host}")
    raise RuntimeError(f"a test may not reach {host}: only loopback and unix sockets are open")


sys.addaudithook(_guard)


@pytest.fixture
def refused_connections() -> list[str]:
    """What the guard has refused in this test so far; a test that means to be refused clears it."""
    return _refused


@pytest.fixture(autouse=True)
def _logging_stays_as_it_was() -> Iterator[None]:
    """A command that a test runs in this process sets logging and the hooks up for itself: the next test finds them as before."""
    root, hooks = logging.getLogger(), (sys.excepthook, sys.unraisablehook, threading.excepthook)
    handlers, level = list(root.handlers), root.level
    levels = {name: logging.getLogger(name).level for name in LIBRARIES}
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    for name, old in levels.items():
        logging.getLogger(name).setLevel(old)
    logging.captureWarnings(False)
    sys.excepthook, sys.unraisablehook, threading.excepthook = hooks


@pytest.fixture(autouse=True)
def _nothing_leaves_this_machine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fails a test that tried to reach outside, also where the code under test swallowed the refusal."""
    global _outside_allowed
    _outside_allowed = request.node.get_closest_marker("live") is not None
    _refused.clear()
    yield
    _outside_allowed = False
    assert not _refused


@pytest.fixture(autouse=True, scope="session")
def _own_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Puts the person's own config, data and environment out of reach."""
    home = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("JARVISBOT_", "XDG_"))]:
            patch.delenv(name)
        patch.delenv("CREDENTIALS_DIRECTORY", raising=False)
        patch.setenv("HOME", str(home))
        yield


@pytest.fixture(autouse=True, scope="session")
def _no_child_outlives_the_run() -> Iterator[None]:
    """A process that a test started and nobody ended is a leak like an unclosed file."""
    yield
    left = [" ".join(child.cmdline()) for child in psutil.Process().children(recursive=True) if child.is_running()]
    assert not [line for line in left if line]


@pytest.fixture(autouse=True)
def _no_tracer_in_a_measured_time(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test marked `speed` bounds a time, so it is not slowed down by what traces its lines for coverage."""
    if request.node.get_closest_marker("speed") is None:
        yield
        return
    ours, threads = sys.gettrace(), threading.gettrace()
    sys.settrace(None)
    threading.settrace(None)  # type: ignore[arg-type]  # None switches it off, whatever its stub says
    yield
    sys.settrace(ours)
    threading.settrace(threads)  # type: ignore[arg-type]


@pytest.fixture
def data_folder(tmp_path: Path) -> Path:
    """An empty data folder as the program makes it: for its owner alone."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    return folder
