"""Where the local socket lies, and what is said where it cannot lie there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jarvisbot.errors import Disconnected
from jarvisbot.local import place


def test_nobody_listens_where_there_is_nothing_or_no_folder(tmp_path: Path) -> None:
    assert place.connect(tmp_path) is None
    assert place.connect(tmp_path / "missing") is None
    (tmp_path / "file").write_text("")
    assert place.connect(tmp_path / "file") is None


def test_both_ends_find_each_other_and_know_whose_the_other_is(data_folder: Path) -> None:
    with place.listen(data_folder) as listener:
        connection = place.connect(data_folder)
        assert connection is not None
        accepted, _ = listener.accept()
        with connection, accepted:
            assert place.peer(accepted) == place.peer(connection) == os.geteuid()


@pytest.mark.parametrize("length", [90, 91, 92, 93, 94, 95, 96, 107, 108, 250, 2000])
def test_any_length_of_path_will_do(tmp_path: Path, length: int) -> None:
    folder = tmp_path
    while len(os.fsencode(folder)) < length:
        folder /= "x" * max(1, min(200, length - len(os.fsencode(folder)) - 1))
    folder.mkdir(parents=True, exist_ok=True)
    with place.listen(folder):
        connection = place.connect(folder)
        assert connection is not None
        connection.close()
    place.remove(folder)
    assert list(folder.iterdir()) == []


def test_a_folder_in_the_sockets_place_is_named(data_folder: Path) -> None:
    (data_folder / place.NAME).mkdir()
    with pytest.raises(Disconnected, match=r"console\.sock cannot be made"):
        place.listen(data_folder)
    assert place.connect(data_folder) is None
    place.remove(data_folder)


def test_removing_what_is_not_there_is_fine(data_folder: Path) -> None:
    place.remove(data_folder)
