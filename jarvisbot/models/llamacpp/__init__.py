"""The local backend: a GGUF model run by llama.cpp in a supervised worker process.

    parent (asyncio)                              worker (one thread; it owns the library)
    client.py      the Model seam                 worker.py      the process: dies with its parent
    supervisor.py  one worker alive, restarts     serving.py     commands in, events out, over channel.py
    process.py     spawning, frames, killing      loading.py     model and context, or one clear complaint
    items.py       items, cleaned, as turns       engine.py      a generation: prompt, prefill, writing.py
    location.py    which file is meant            memory.py      what is evaluated, and used again
    machine.py     how many cores there are       sampling.py    choosing a token, under rules.py
                                                  template.py    the chat template, over jarvisbot.transcript
    library.py     what is installed, in words    vocabulary.py  tokens; specials.py, output.py
              protocol.py, gguf.py  (both)        devices.py     what can be computed on; placement.py

Nothing on the parent's side imports llama_cpp, numpy or jinja2: those live and die with the worker.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from jarvisbot.errors import MissingPart

if TYPE_CHECKING:
    from jarvisbot.models.llamacpp.client import LlamaCpp

__all__ = ["Settings", "create", "threads"]


class Settings(BaseModel):
    """The config's section for a model that runs on this machine."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    path: Path | None = Field(
        default=None,
        description="The GGUF file; without it the one chosen by `jarvisbot model use`, else the newest one in the models "
        "folder, else the demo model if it is there.",
    )
    threads: int | None = Field(
        default=None, ge=1, le=1024, description="CPU threads; without it one less than there are physical cores."
    )
    context_tokens: int | None = Field(
        default=None, ge=64, description="The longest talk in tokens; without it what the model knows, at most 8192."
    )
    gpu_layers: Annotated[int, Field(ge=-1)] | Literal["auto"] = Field(
        default="auto",
        description='Layers a GPU holds: "auto" for as many as fit, -1 for all, 0 for none; needs a llama-cpp-python built '
        "for that GPU.",
    )
    stall_s: float = Field(
        default=120.0, gt=0, description="A model process that makes no progress for so many seconds is replaced."
    )
    restarts: int = Field(
        default=3,
        ge=0,
        description="Crashes in a row that are answered with a new process before the model is given up.",
    )


def threads(settings: Settings) -> int:
    """CPU threads of the model's process."""
    from jarvisbot.models.llamacpp.machine import default_threads

    return settings.threads or default_threads()


def create(settings: Settings, *, models_folder: Path | None) -> LlamaCpp:
    """The model of `settings`, not loaded yet. Raises MissingPart where the library or any model file is missing."""
    # Imported on use: a bot that answers in code, or with a model elsewhere, never needs any of this.
    from jarvisbot.clock import SystemClock
    from jarvisbot.folders import install_command
    from jarvisbot.models.llamacpp.client import LlamaCpp
    from jarvisbot.models.llamacpp.location import find_model
    from jarvisbot.models.llamacpp.protocol import Load
    from jarvisbot.models.llamacpp.supervisor import Supervisor

    path = find_model(
        settings.path, models_folder
    )  # first: the demo that is named where there is none brings the library
    if importlib.util.find_spec("llama_cpp") is None:
        raise MissingPart(f"The local model needs llama-cpp-python: {install_command('jarvisbot[local]')}")
    load = Load(
        path=str(path),
        threads=threads(settings),
        context_tokens=settings.context_tokens,
        gpu_layers=None if settings.gpu_layers == "auto" else settings.gpu_layers,
    )
    supervisor = Supervisor(load, stall_s=settings.stall_s, restarts=settings.restarts, clock=SystemClock())
    return LlamaCpp(supervisor, stall_s=settings.stall_s, restarts=settings.restarts)
