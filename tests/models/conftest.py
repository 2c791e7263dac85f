"""Tiny model files, and models that are closed when a test is over."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path

import llama_cpp
import pytest

from jarvisbot.clock import SystemClock
from jarvisbot.models.llamacpp import Settings
from jarvisbot.models.llamacpp.client import LlamaCpp
from jarvisbot.models.llamacpp.location import demo_model
from jarvisbot.models.llamacpp.protocol import Load
from jarvisbot.models.llamacpp.supervisor import Supervisor
from jarvisbot.models.llamacpp.vocabulary import Vocabulary
from tests.emulators.tiny_gguf import write_gguf

StartModel = Callable[..., LlamaCpp]


@pytest.fixture(scope="session")
def tiny_llama(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A llama that knows tools and thinking, with 4096 tokens of context."""
    return write_gguf(tmp_path_factory.mktemp("tiny") / "tiny_llama.gguf", "llama")


@pytest.fixture(scope="session")
def tiny_qwen35(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a hybrid model, whose state cannot be taken back."""
    return write_gguf(tmp_path_factory.mktemp("tiny") / "tiny_qwen35.gguf", "qwen35")


@pytest.fixture(scope="session")
def demo() -> Path:
    """The demo model's file."""
    path = demo_model()
    assert path is not None, "the dev extras hold the demo model"
    return path


@pytest.fixture
async def start_model() -> AsyncIterator[StartModel]:
    """Makes models over a worker of their own, closed at the end of the test."""
    async with AsyncExitStack() as stack:

        def start(path: Path, **settings: object) -> LlamaCpp:
            wanted = Settings.model_validate({"path": path, "threads": 1, **settings})
            layers = None if wanted.gpu_layers == "auto" else wanted.gpu_layers
            load = Load(path=str(path), threads=1, context_tokens=wanted.context_tokens, gpu_layers=layers)
            supervisor = Supervisor(load, stall_s=wanted.stall_s, restarts=wanted.restarts, clock=SystemClock())
            model = LlamaCpp(supervisor, stall_s=wanted.stall_s, restarts=wanted.restarts)
            stack.push_async_callback(model.close)
            return model

        yield start


@contextmanager
def vocabulary_of(path: Path) -> Iterator[tuple[Vocabulary, str | None]]:
    """The vocabulary and the chat template of a file, read without its weights."""
    parameters = llama_cpp.llama_model_default_params()
    parameters.vocab_only = True
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters)
    assert model
    try:
        template = llama_cpp.llama_model_chat_template(model, None)
        yield Vocabulary(model), template.decode() if template else None
    finally:
        llama_cpp.llama_model_free(model)
