"""What is wrong with a model file, and how large its parts are, read from its header.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Only the standard library is used, so the parent
may look into a file whose loading killed the worker.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

__all__ = ["Shape", "complaint", "shape"]

MAGIC = b"GGUF"
VERSIONS = (2, 3)
SCALAR_BYTES: Mapping[int, int] = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
STRING, ARRAY, UINT32 = 8, 9, 4
INTEGERS: Mapping[int, str] = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 10: "Q", 11: "q"}
SHAPE_KEYS = re.compile(
    r"general\.architecture|.+\.(?:block_count|context_length|embedding_length|full_attention_interval|"
    r"attention\.(?:head_count|head_count_kv|key_length|value_length))"
)
LAYER = re.compile(r"blk\.(\d+)\.")
CACHE_VALUE_BYTES = 2
"""The cache holds 16-bit numbers."""
BLOCKS: Mapping[int, tuple[int, int]] = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66),
    17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136),
    24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54), 35: (256, 66),
    39: (32, 17),
}  # fmt: skip
"""Values and bytes of one block by tensor type (ggml.h); a type that is not here is not measured."""
LONGEST_STRING_BYTES = 1 << 28


class _Short(Exception):
    """The file ends inside its header."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What a model's parts take, in bytes. `cache_bytes` is what one token of context takes in each layer."""

    architecture: str
    layer_bytes: tuple[int, ...]
    output_bytes: int
    cache_bytes: tuple[int, ...]
    context_tokens: int


@dataclass(slots=True)
class _Header:
    alignment: int = 32
    data_bytes: int = 0
    values: dict[str, int | str] = field(default_factory=dict)
    """Those of SHAPE_KEYS, without the architecture's name in front; of a list, the largest."""
    tensors: dict[str, int] = field(default_factory=dict)

    def number(self, key: str, otherwise: int = 0) -> int:
        """A number of the header."""
        value = self.values.get(key, otherwise)
        return value if isinstance(value, int) else otherwise


def shape(path: Path) -> Shape | None:
    """How large the parts of a model file are; None where it has no readable header."""
    try:
        with path.open("rb") as file:
            if file.read(4) != MAGIC or int.from_bytes(file.read(4), "little") not in VERSIONS:
                return None
            header = _read_header(file)
    except (OSError, _Short, ValueError):
        return None
    count = header.number("block_count")
    layers = [0] * count
    others: dict[str, int] = {}
    for name, size in header.tensors.items():
        found = LAYER.match(name)
        if found is None:
            others[name] = size
        elif int(found[1]) < count:
            layers[int(found[1])] += size
    heads = header.number("head_count") or 1
    width = header.number("embedding_length") // heads
    each = header.number("head_count_kv", heads) * (
        header.number("key_length", width) + header.number("value_length", width)
    )
    interval = max(1, header.number("full_attention_interval", 1))  # of a hybrid, only each n-th layer has a cache
    embedding = others.pop("token_embd.weight", 0)  # stays with the processor, but for one that is the output as well
    return Shape(
        architecture=str(header.values.get("architecture", "")),
        layer_bytes=tuple(layers),
        output_bytes=sum(others.values()) + (0 if "output.weight" in others else embedding),
        cache_bytes=tuple(each * CACHE_VALUE_BYTES if (at + 1) % interval == 0 else 0 for at in range(count)),
        context_tokens=header.number("context_length"),
    )


def complaint(path: Path) -> str | None:
    """One sentence that names the file and what is wrong with it, or None where nothing can be seen from outside."""
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            return _complaint(file, size, path.name)
    except FileNotFoundError:
        return f"The model file {path} does not exist."
    except IsADirectoryError:
        return f"The model file {path} is a folder."
    except OSError as error:
        return f"The model file {path} cannot be read: {error.strerror}."


def _complaint(file: BinaryIO, size: int, name: str) -> str | None:
    if size == 0:
        return f"The model file {name} is empty."
    start = file.read(8)
    if start[:4] != MAGIC[: len(start)]:
        return f"The model file {name} is not a GGUF file."
    try:
        if len(start) < 8:
            raise _Short
        version = int.from_bytes(start[4:], "little")
        if version not in VERSIONS:
            if int.from_bytes(start[4:], "big") in VERSIONS:
                return f"The model file {name} was written for big-endian machines."
            return f"The model file {name} has GGUF version {version}; versions 2 and 3 can be read."
        header = _read_header(file)
    except _Short:
        return f"The model file {name} is truncated: it ends within its header, after {size:,} bytes."
    except ValueError:
        return f"The model file {name} is damaged: its header makes no sense."
    data = -(-file.tell() // header.alignment) * header.alignment
    if size < data + header.data_bytes:
        return f"The model file {name} is truncated: it has {size:,} of {data + header.data_bytes:,} bytes."
    return None


def _read_header(file: BinaryIO) -> _Header:
    """Raises _Short at the end of the file, ValueError for what no GGUF holds."""
    header = _Header()
    tensors, pairs = _number(file, "<Q"), _number(file, "<Q")
    for _ in range(pairs):
        key, kind = _string(file), _number(file, "<I")
        if key == "general.alignment" and kind == UINT32:
            header.alignment = max(1, _number(file, "<I"))
        elif SHAPE_KEYS.fullmatch(key):
            header.values[key.rpartition(".")[2]] = _value(file, kind)
        else:
            _skip(file, kind)
    for _ in range(tensors):
        name = _string(file)
        dimensions = _number(file, "<I")
        if dimensions > 8:
            raise ValueError(dimensions)
        values = 1
        for _ in range(dimensions):
            values *= _number(file, "<Q")
        kind, offset = _number(file, "<I"), _number(file, "<Q")
        per_block, block_bytes = BLOCKS.get(kind, (1, 0))
        header.tensors[name] = values // per_block * block_bytes
        header.data_bytes = max(header.data_bytes, offset + header.tensors[name])
    return header


def _value(file: BinaryIO, kind: int) -> int | str:
    """A text, a whole number, or the largest of a list of those; 0 for anything else."""
    if kind == STRING:
        return _string(file)
    if kind in INTEGERS:
        return _number(file, f"<{INTEGERS[kind]}")
    if kind != ARRAY:
        _skip(file, kind)
        return 0
    inner, length = _number(file, "<I"), _number(file, "<Q")
    if inner not in INTEGERS or length > 1 << 16:
        raise ValueError(inner)
    return max((_number(file, f"<{INTEGERS[inner]}") for _ in range(length)), default=0)


def _skip(file: BinaryIO, kind: int) -> None:
    if kind == STRING:
        _string(file)
    elif kind == ARRAY:
        inner, length = _number(file, "<I"), _number(file, "<Q")
        if inner in SCALAR_BYTES:
            _take(file, SCALAR_BYTES[inner] * length)
        elif inner == STRING:
            for _ in range(length):
                _string(file)
        else:
            raise ValueError(inner)
    elif kind in SCALAR_BYTES:
        _take(file, SCALAR_BYTES[kind])
    else:
        raise ValueError(kind)


def _string(file: BinaryIO) -> str:
    return _take(file, _number(file, "<Q")).decode("utf-8", "replace")


def _number(file: BinaryIO, form: str) -> int:
    (number,) = struct.unpack(form, _take(file, struct.calcsize(form)))
    return int(number)


def _take(file: BinaryIO, length: int) -> bytes:
    if length > LONGEST_STRING_BYTES:
        raise ValueError(length)
    taken = file.read(length)
    if len(taken) < length:
        raise _Short
    return taken
