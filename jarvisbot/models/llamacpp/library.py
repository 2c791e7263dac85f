"""What llama.cpp is installed, looked at from outside, and how to get one for a graphics card, in words."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys

import msgspec

from jarvisbot.errors import MissingPart, ModelUnavailable
from jarvisbot.folders import install_command
from jarvisbot.models.llamacpp.placement import Device
from jarvisbot.models.llamacpp.process import worker_environment

__all__ = ["Found", "described", "installed", "look", "ways_to_a_card"]

LONGEST_LOOK_S = 60.0
"""A driver may take long to wake up."""
PACKAGE = "llama-cpp-python"


class Found(msgspec.Struct, frozen=True, kw_only=True):
    """`devices.Library` as it came over the line."""

    version: str
    offloads: bool
    devices: tuple[Device, ...]


def installed() -> bool:
    """Whether there is a library at all; it is not loaded."""
    return importlib.util.find_spec("llama_cpp") is not None


def look() -> Found:
    """What is installed, asked in a process of its own: the library may abort the process that it is in.

    Blocks for a second or so. Raises MissingPart where there is none, ModelUnavailable where it does not load.
    """
    if not installed():
        raise MissingPart(f"The local model needs {PACKAGE}: {install_command('jarvisbot[local]')}")
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "jarvisbot.models.llamacpp.devices"],
            capture_output=True,
            timeout=LONGEST_LOOK_S,
            check=True,
            env=worker_environment(os.environ),
        )
        return msgspec.json.decode(done.stdout, type=Found)
    except (OSError, subprocess.SubprocessError, msgspec.DecodeError) as error:
        raise ModelUnavailable(f"The installed {PACKAGE} does not load: install it anew by {_anew('')}") from error


def described(found: Found) -> str:
    """One line on what is installed and what it computes on."""
    cards = [device for device in found.devices if device.kind in ("card", "integrated")]
    if cards:
        on = ", ".join(f"{card.description or card.name} ({card.free_bytes / 1e9:.1f} GB free)" for card in cards)
    elif found.offloads:
        on = "the processor: it knows graphics cards and finds none"
    else:
        on = "the processor: it was built without support for graphics cards"
    return f"{PACKAGE} {found.version} on {on}"


def ways_to_a_card() -> tuple[tuple[str, str], ...]:
    """How to get the library for each kind of card: what it is for, and the command.

    As the documentation of llama-cpp-python says it: https://llama-cpp-python.readthedocs.io/en/latest/#supported-backends
    """
    options = (
        ("NVIDIA (CUDA)", "-DGGML_CUDA=on"),
        ("AMD (ROCm)", "-DGGML_HIP=on"),
        ("most cards (Vulkan)", "-DGGML_VULKAN=on"),
        ("Apple (Metal)", "-DGGML_METAL=on"),
    )
    return tuple((card, _anew(option)) for card, option in options)


def _anew(options: str) -> str:
    given = f'CMAKE_ARGS="{options}" ' if options else ""
    return f"{given}{install_command(PACKAGE)} --force-reinstall --no-cache-dir --no-deps"
