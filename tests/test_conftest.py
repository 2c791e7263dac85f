"""The guard around the tests themselves."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from jarvisbot import folders


@pytest.mark.parametrize("address", [("192.0.2.1", 9), ("example.org", 9), ("2001:db8::1", 9)])
def test_a_connection_that_leaves_this_machine_is_refused(
    address: tuple[str, int], refused_connections: list[str]
) -> None:
    with pytest.raises(RuntimeError, match="only loopback"):
        socket.create_connection(address, timeout=0.1)
    assert refused_connections
    refused_connections.clear()


def test_a_datagram_that_leaves_this_machine_is_refused(refused_connections: list[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as line, pytest.raises(RuntimeError, match="only loopback"):
        line.sendto(b"x", ("192.0.2.1", 9))
    refused_connections.clear()


def test_loopback_and_unix_sockets_are_open(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pass
    with socket.socket(socket.AF_UNIX) as server, socket.socket(socket.AF_UNIX) as client:
        server.bind(str(tmp_path / "line"))
        server.listen()
        client.connect(str(tmp_path / "line"))


def test_the_default_folders_are_not_the_persons_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert folders.data_folder().is_relative_to(tmp_path_factory.getbasetemp())
    assert folders.config_file().is_relative_to(tmp_path_factory.getbasetemp())
    assert not [name for name in os.environ if name.startswith("JARVISBOT_")]


@pytest.mark.speed
def test_nothing_traces_a_test_of_speed() -> None:
    assert sys.gettrace() is None
