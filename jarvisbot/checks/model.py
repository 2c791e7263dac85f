"""The model: its file and the library that runs it, or the server that has it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from jarvisbot import app
from jarvisbot.check import Subject, good, note, problem
from jarvisbot.errors import JarvisError
from jarvisbot.model_files.machine import memory_bytes, size
from jarvisbot.types import Finding

__all__ = ["check"]

LOCAL = "llamacpp"


async def check(subject: Subject) -> Sequence[Finding]:
    """A local model is not loaded for this, a server is asked what it has."""
    if subject.config.model_backend == LOCAL:
        return await asyncio.to_thread(_local, subject)
    model = app.model(subject.config)
    try:
        info = await model.info()
    except JarvisError as error:
        return [problem("model", error.user_message)]
    finally:
        await model.close()
    where = f" on {info.place}" if info.place else ""
    outside = [note("model", f"What is said goes outside your network, to {info.place}.")] if info.outside else []
    return [good("model", f"{info.name}{where} answers."), *outside]


def idle_card(*, offloads: bool, devices: Path = Path("/dev")) -> list[Finding]:
    """A note where the machine has a graphics card that the installed library was built without, with the ways to another."""
    from jarvisbot.models.llamacpp.library import ways_to_a_card

    if offloads or not any((*devices.glob("dri/renderD*"), *devices.glob("nvidia[0-9]*"))):
        return []
    ways = "; ".join(f"{card}: {command}" for card, command in ways_to_a_card())
    return [note("model", "There is a graphics card, and the installed llama-cpp-python cannot use it.", ways)]


def _local(subject: Subject) -> list[Finding]:
    from jarvisbot.models.llamacpp import Settings, gguf, library
    from jarvisbot.models.llamacpp.location import find_model

    settings, _ = subject.config.section("model", Settings)
    path = find_model(settings.path, subject.data_folder / "models")
    complaint = gguf.complaint(path)
    if complaint is not None:
        return [problem("model", complaint, "`jarvisbot model install` gets a whole one.")]
    found = library.look()
    shape = gguf.shape(path)
    architecture = f", architecture {shape.architecture}" if shape is not None and shape.architecture else ""
    bytes_ = path.stat().st_size
    findings = [good("model", f"{path} ({size(bytes_)}{architecture}); {library.described(found)}.")]
    findings += idle_card(offloads=found.offloads)
    free = memory_bytes()
    if free is not None and free < bytes_:
        text = f"The model has {size(bytes_)} and {size(free)} of memory are free now: it is slow or fails."
        findings.append(note("model", text, "`jarvisbot model list` shows smaller ones."))
    return findings
