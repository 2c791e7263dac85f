"""How many layers a graphics card is given, and what is told of the installed library."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import gguf as gguf_package
import pytest

from jarvisbot.gateway.model_choice import where
from jarvisbot.model import ModelInfo
from jarvisbot.models.llamacpp import Settings, gguf, library
from jarvisbot.models.llamacpp.devices import find_devices
from jarvisbot.models.llamacpp.gguf import Shape
from jarvisbot.models.llamacpp.library import Found
from jarvisbot.models.llamacpp.placement import KEPT_FREE_BYTES, Device, placement
from tests.emulators.tiny_gguf import write_gguf
from tests.models.conftest import StartModel

MB = 1 << 20
GB = 1 << 30
PROCESSOR = Device(name="CPU", kind="processor", free_bytes=16 * GB, total_bytes=16 * GB)
ACCELERATOR = Device(name="BLAS", kind="accelerator", free_bytes=0, total_bytes=0)
MODEL = Shape(
    architecture="llama",
    layer_bytes=(20 * MB,) * 24,
    output_bytes=100 * MB,
    cache_bytes=(4096,) * 24,
    context_tokens=8192,
)
"""24 layers, each 20 MB and 32 MB of cache at 8192 tokens, and an output of 100 MB: 1348 MB in all."""


def card(free: int, kind: str = "card") -> Device:
    return Device(name="GPU0", kind=kind, free_bytes=free, total_bytes=24 * GB)  # type: ignore[arg-type]


def room(free: int) -> Device:
    """A card with so much left after what is kept free."""
    return card(free + KEPT_FREE_BYTES)


@pytest.mark.parametrize(
    ("devices", "layers"),
    [
        ([], 0),
        ([PROCESSOR, ACCELERATOR], 0),
        ([PROCESSOR, card(24 * GB)], 25),
        ([room(1348 * MB)], 25),
        ([room(1348 * MB - 1)], 24),
        ([room(100 * MB + 10 * 52 * MB)], 11),
        ([room(120 * MB)], 0),
        ([card(300 * MB)], 0),
        ([room(700 * MB), room(700 * MB)], 25),
        ([room(700 * MB), card(100 * MB)], 12),
        ([card(16 * GB, "integrated")], 25),
        ([card(2 * GB, "integrated")], 8),
        ([card(16 * GB, "integrated"), room(204 * MB)], 3),
    ],
    ids=[
        "none",
        "no card",
        "one big",
        "just enough",
        "one byte short",
        "one small",
        "too small to be of use",
        "full",
        "two",
        "two, one full",
        "integrated",
        "integrated, little memory",
        "integrated beside a card",
    ],
)
def test_a_card_gets_as_many_layers_as_fit(devices: list[Device], layers: int) -> None:
    assert placement(MODEL, devices, context_tokens=8192) == layers


def test_a_longer_context_leaves_room_for_fewer_layers() -> None:
    fits = [placement(MODEL, [room(1348 * MB)], context_tokens=tokens) for tokens in (4096, 8192, 16384, 65536)]
    assert fits == sorted(fits, reverse=True)
    assert fits[0] == 25 > fits[2] > fits[3] > 0


@pytest.mark.parametrize("architecture", ["llama", "qwen3", "qwen35"])
def test_the_shape_of_a_model_is_read_from_its_file(tmp_path: Path, architecture: str) -> None:
    path = write_gguf(tmp_path / "tiny.gguf", architecture, context_tokens=2048)  # type: ignore[arg-type]
    shape = gguf.shape(path)
    assert shape is not None
    assert (shape.architecture, shape.context_tokens, len(shape.layer_bytes)) == (architecture, 2048, 2)
    assert all(size > 10_000 for size in shape.layer_bytes)
    weights = sum(shape.layer_bytes) + shape.output_bytes
    assert path.stat().st_size * 0.5 < weights < path.stat().st_size
    per_token = 2 * 2 * 16 * 2  # key and value, two heads of 16 numbers, two bytes each
    assert shape.cache_bytes == ((0, per_token) if architecture == "qwen35" else (per_token, per_token))


def test_the_shape_of_the_demo_model_has_its_embedding_as_output(demo: Path) -> None:
    shape = gguf.shape(demo)
    assert shape is not None
    assert len(shape.layer_bytes) == 30
    assert demo.stat().st_size * 0.95 < sum(shape.layer_bytes) + shape.output_bytes < demo.stat().st_size


def test_heads_that_differ_by_layer_count_as_the_most(tmp_path: Path) -> None:
    writer = gguf_package.GGUFWriter(tmp_path / "x.gguf", "lfm2")
    writer.add_block_count(3)
    writer.add_embedding_length(64)
    writer.add_head_count(4)
    writer.add_head_count_kv([0, 2, 0])
    writer.add_array("tokenizer.ggml.tokens", ["a", "b"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    shape = gguf.shape(tmp_path / "x.gguf")
    assert shape is not None
    assert shape.cache_bytes == (2 * (16 + 16) * 2,) * 3


@pytest.mark.parametrize("content", [b"", b"no model at all", b"GGUF\3\0\0\0" + b"\xff" * 40])
def test_what_is_no_model_has_no_shape(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.gguf").write_bytes(content)
    assert gguf.shape(tmp_path / "x.gguf") is None
    assert gguf.shape(tmp_path / "none.gguf") is None


@pytest.mark.parametrize("layers", ["auto", -1, 0, 2])
async def test_a_library_without_cards_takes_every_setting_and_says_what_it_did(
    tmp_path: Path, start_model: StartModel, layers: int | str
) -> None:
    info = await start_model(write_gguf(tmp_path / "tiny.gguf"), gpu_layers=layers).info()
    assert (info.gpu, info.gpu_layers, info.layers) == (False, 0, 3)


@pytest.mark.parametrize("wrong", [-2, "some", 1.5])
def test_another_number_of_layers_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match="gpu_layers"):
        Settings.model_validate({"gpu_layers": wrong})


@pytest.mark.parametrize(
    ("language", "layers", "words"),
    [
        ("en", 20, ", on this machine, graphics card: 20/25 layers"),
        ("de", 25, ", auf diesem Rechner, Grafikkarte: 25/25 Schichten"),
        ("en", 0, ", on this machine"),
        ("de", 0, ", auf diesem Rechner"),
    ],
)
def test_the_status_shows_the_layers_on_a_card(language: str, layers: int, words: str) -> None:
    info = ModelInfo(name="big", context_tokens=8, tools=True, thinking=True, layers=25, gpu_layers=layers)
    assert where(info, language) == words


# ---------------------------------------------------------------- the installed library


def test_the_installed_library_tells_its_devices() -> None:
    assert [device.kind for device in find_devices()].count("processor") == 1


async def test_the_library_is_looked_at_from_a_process_of_its_own() -> None:
    found = await asyncio.to_thread(library.look)
    assert found.version.split(".")[0].isdigit()
    assert any(device.kind == "processor" and device.total_bytes > 0 for device in found.devices)


@pytest.mark.parametrize(
    ("offloads", "devices", "words"),
    [
        (False, (PROCESSOR,), "on the processor: it was built without support for graphics cards"),
        (True, (PROCESSOR,), "on the processor: it knows graphics cards and finds none"),
        (True, (PROCESSOR, card(8_000_000_000)), "on GPU0 (8.0 GB free)"),
    ],
)
def test_what_is_installed_is_said_in_one_line(offloads: bool, devices: tuple[Device, ...], words: str) -> None:
    said = library.described(Found(version="0.3.36", offloads=offloads, devices=devices))
    assert said == f"llama-cpp-python 0.3.36 {words}"


def test_each_kind_of_card_has_a_command_that_brings_its_library() -> None:
    ways = dict(library.ways_to_a_card())
    assert [name.partition(" ")[0] for name in ways] == ["NVIDIA", "AMD", "most", "Apple"]
    for command in ways.values():
        assert "CMAKE_ARGS=" in command
        assert f"{sys.executable} -m pip install" in command
