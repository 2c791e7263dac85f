"""docs/promises.md: each promise names what shows it, and that exists."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROMISES = ROOT / "docs" / "promises.md"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """One row of the table: `shown_by` are node ids of tests, or files of benchmarks."""

    text: str
    shown_by: tuple[str, ...]


def promises(text: str) -> list[Promise]:
    rows = [line.strip().strip("|").split("|") for line in text.splitlines() if line.startswith("|")]
    return [
        Promise(text=row[0].strip(), shown_by=tuple(re.findall(r"`([^`]+)`", row[-1])))
        for row in rows
        if not set(row[0].strip()) <= set("-: ") and row[0].strip() != "Promise"
    ]


def exists(node: str, root: Path = ROOT) -> bool:
    """Whether a node id names a test function that is defined, or a benchmark's file."""
    name, _, function = node.partition("::")
    file = root / name
    if not file.is_file():
        return False
    if not function:
        return file.is_relative_to(root / "benchmarks")
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return any(isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef) and item.name == function for item in tree.body)


ALL = promises(PROMISES.read_text(encoding="utf-8"))


def test_there_are_promises() -> None:
    assert len(ALL) >= 10
    assert len({promise.text for promise in ALL}) == len(ALL)


@pytest.mark.parametrize("promise", ALL, ids=[promise.text[:60] for promise in ALL])
def test_what_shows_a_promise_exists(promise: Promise) -> None:
    assert promise.shown_by
    assert not [node for node in promise.shown_by if not exists(node)]


def test_a_test_that_is_not_there_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_x.py").write_text("def test_a(): ...\ndef helper():\n    def test_b(): ...\n")
    assert exists("tests/test_x.py::test_a", tmp_path)
    assert not exists("tests/test_x.py::test_b", tmp_path)
    assert not exists("tests/test_x.py", tmp_path)
    assert not exists("tests/test_y.py::test_a", tmp_path)
