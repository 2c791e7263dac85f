"""The devices that the installed llama.cpp can compute on. As a program it prints what it finds as JSON.

The bindings leave this part of the library out, so its functions are called here by their names in ggml-backend.h.
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path
from typing import Final, Literal

import llama_cpp
import msgspec

from jarvisbot.models.llamacpp.placement import Device

__all__ = ["Library", "find_devices", "look"]

Kind = Literal["processor", "card", "integrated", "accelerator"]
KINDS: Final[dict[int, Kind]] = {0: "processor", 1: "card", 2: "integrated", 3: "accelerator"}
"""GGML_BACKEND_DEVICE_TYPE_CPU, _GPU, _IGPU, _ACCEL; others are made of these."""


class Library(msgspec.Struct, frozen=True, kw_only=True):
    """The installed library. `offloads` tells whether it was built for any graphics card."""

    version: str
    offloads: bool
    devices: tuple[Device, ...]


def look() -> Library:
    """What is installed."""
    return Library(
        version=llama_cpp.__version__, offloads=bool(llama_cpp.llama_supports_gpu_offload()), devices=find_devices()
    )


def find_devices() -> tuple[Device, ...]:
    """All devices; none where the library does not tell."""
    library = next(iter(sorted((Path(llama_cpp.__file__).parent / "lib").glob("libggml.*"))), None)
    if library is None:
        return ()
    ggml = ctypes.CDLL(str(library))
    try:
        count, get = ggml.ggml_backend_dev_count, ggml.ggml_backend_dev_get
        name, describe = ggml.ggml_backend_dev_name, ggml.ggml_backend_dev_description
        kind, memory = ggml.ggml_backend_dev_type, ggml.ggml_backend_dev_memory
    except AttributeError:
        return ()
    count.restype, get.restype, get.argtypes = ctypes.c_size_t, ctypes.c_void_p, [ctypes.c_size_t]
    for text in (name, describe):
        text.restype, text.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
    kind.restype, kind.argtypes = ctypes.c_int, [ctypes.c_void_p]
    size = ctypes.POINTER(ctypes.c_size_t)
    memory.restype, memory.argtypes = None, [ctypes.c_void_p, size, size]
    found = []
    for at in range(count()):
        device = get(at)
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        memory(device, ctypes.byref(free), ctypes.byref(total))
        known = KINDS.get(kind(device))
        if known is not None:
            found.append(
                Device(
                    name=(name(device) or b"").decode("utf-8", "replace"),
                    description=(describe(device) or b"").decode("utf-8", "replace"),
                    kind=known,
                    free_bytes=free.value,
                    total_bytes=total.value,
                )
            )
    return tuple(found)


if __name__ == "__main__":
    sys.stdout.buffer.write(msgspec.json.encode(look()))
