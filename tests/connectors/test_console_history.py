"""The file of what was typed: for its owner alone, of any text, never a reason to fail."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jarvisbot.connectors.console import history
from jarvisbot.connectors.console.history import TypedHistory


def typed(path: Path) -> list[str]:
    """The entries as a new talk finds them, the newest first."""
    return list(TypedHistory(path).load_history_strings())


def test_what_was_typed_is_found_newest_first_with_all_its_lines(tmp_path: Path) -> None:
    kept = TypedHistory(tmp_path / "history")
    entries = ["one", "two\nlines", "+ 3", "", "\n", "a\n\nb", "#\u2028x\x0b\x1c\ry", "Grüße 👋"]
    for entry in entries:
        kept.append_string(entry)
    assert typed(tmp_path / "history") == entries[::-1]


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"])), max_size=5))
def test_any_text_comes_back(tmp_path_factory: pytest.TempPathFactory, entries: list[str]) -> None:
    path = tmp_path_factory.mktemp("history") / "history"
    kept = TypedHistory(path)
    for entry in entries:
        kept.store_string(entry)
    assert typed(path) == entries[::-1]


def test_halves_of_surrogate_pairs_are_kept_as_question_marks(tmp_path: Path) -> None:
    TypedHistory(tmp_path / "history").store_string("a\udcffb")
    assert typed(tmp_path / "history") == ["a?b"]


def test_the_file_is_its_owners_alone_also_if_it_was_not(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_text("+old\n\n")
    path.chmod(0o644)
    kept = TypedHistory(path)
    assert list(kept.load_history_strings()) == ["old"]
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("+theirs\n")
    path = tmp_path / "history"
    path.symlink_to(target)
    kept = TypedHistory(path)
    kept.append_string("mine")
    assert typed(path) == []
    assert target.read_text() == "+theirs\n"


@pytest.mark.parametrize("place", ["missing/history", "folder", "pipe"])
def test_a_file_that_cannot_be_used_is_no_reason_to_fail(tmp_path: Path, place: str) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    kept = TypedHistory(tmp_path / place)
    assert list(kept.load_history_strings()) == []
    kept.append_string("x")
    assert typed(tmp_path / place) == []


def test_a_file_that_has_grown_is_cut_to_its_newest_entries(tmp_path: Path) -> None:
    path = tmp_path / "history"
    kept = TypedHistory(path)
    for number in range(3000):
        kept.store_string(f"{number} " + "x" * 200)
    assert path.stat().st_size > history.LARGEST_BYTES
    found = typed(path)
    assert path.stat().st_size <= history.LARGEST_BYTES // 2
    assert [int(entry.split()[0]) for entry in found] == list(range(2999, 2999 - len(found), -1))
    assert len(found) > 1000
    assert typed(path) == found


def test_bytes_that_are_no_text_are_read(tmp_path: Path) -> None:
    path = tmp_path / "history"
    path.write_bytes(b"+\xff\n\n+ok\n")
    assert typed(path) == ["ok", "\ufffd"]
