"""Loading a GGUF: the library's model and context, or one sentence on why there is none."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Callable
from pathlib import Path

import llama_cpp

from jarvisbot.models.llamacpp import gguf
from jarvisbot.models.llamacpp.devices import find_devices
from jarvisbot.models.llamacpp.memory import SLICE_TOKENS
from jarvisbot.models.llamacpp.placement import placement
from jarvisbot.models.llamacpp.protocol import Load

__all__ = ["LibraryLog", "LoadError", "ModelHandles", "load_model"]

DEFAULT_CONTEXT_TOKENS = 8192
WARNING = 3
"""GGML_LOG_LEVEL_WARN; errors are 4."""
UNKNOWN_ARCHITECTURE = re.compile(r"unknown model architecture: '([^']*)'")
LAST_LOAD_ERROR = re.compile(r"error loading model: (.*)")


class LoadError(Exception):
    """The model cannot be loaded; the text is one sentence for people."""


class LibraryLog:
    """The library's log while the block runs: warnings go to stderr, all of it is kept until a model is loaded."""

    def __init__(self) -> None:
        self.text = ""
        self._keep = True
        self._callback = llama_cpp.llama_log_callback(self._hear)

    def __enter__(self) -> LibraryLog:
        llama_cpp.llama_log_set(self._callback, ctypes.c_void_p(0))
        return self

    def __exit__(self, *_: object) -> None:
        llama_cpp.llama_log_set(llama_cpp.llama_log_callback(), ctypes.c_void_p(0))  # the library's own, on stderr

    def stop_keeping(self) -> None:
        """From here on nothing is kept."""
        self.text = ""
        self._keep = False

    def _hear(self, level: int, text: bytes, _: object) -> None:
        if self._keep:
            self.text = (self.text + text.decode("utf-8", "replace"))[-65536:]
        if level in (WARNING, WARNING + 1):
            os.write(2, text)


class ModelHandles:
    """A loaded model and its context; `free` gives both back."""

    def __init__(self, model: int, context: int, *, name: str, context_tokens: int, gpu_layers: int = 0) -> None:
        self.model = model
        self.context = context
        self.name = name
        self.context_tokens = context_tokens
        self.layers: int = llama_cpp.llama_model_n_layer(model) + 1
        """With the output, as `gpu_layers` counts them."""
        self.gpu_layers = self.layers if gpu_layers < 0 else min(gpu_layers, self.layers)

    @property
    def architecture(self) -> str:
        """The architecture's name in the file."""
        buffer = ctypes.create_string_buffer(64)
        llama_cpp.llama_model_meta_val_str(self.model, b"general.architecture", buffer, 64)
        return buffer.value.decode("utf-8", "replace")

    def chat_template(self) -> str | None:
        """The file's own chat template."""
        source: bytes | None = llama_cpp.llama_model_chat_template(self.model, None)
        return source.decode("utf-8", "replace") if source else None

    def free(self) -> None:
        """Gives the library's memory back."""
        llama_cpp.llama_free(self.context)
        llama_cpp.llama_model_free(self.model)


def load_model(command: Load, progress: Callable[[float], None], log: LibraryLog) -> ModelHandles:
    """The model of `command`, with a context for one talk and its checkpoint.

    `progress` is told the share that is read, 0 to 1. Raises LoadError.
    """
    path = Path(command.path)
    parameters = llama_cpp.llama_model_default_params()
    parameters.n_gpu_layers = gpu_layers = _gpu_layers(command, path)

    def go_on(share: float, _: object) -> bool:
        progress(share)
        return True

    told = llama_cpp.llama_progress_callback(go_on)  # kept until the load is over: the library calls it
    parameters.progress_callback = told
    model = llama_cpp.llama_model_load_from_file(str(path).encode(), parameters) if path.is_file() else None
    if model is None:
        raise LoadError(gguf.complaint(path) or _library_complaint(path.name, log.text))
    if not llama_cpp.llama_model_has_decoder(model):
        raise LoadError(f"The model file {path.name} holds a model that cannot write text.")
    tokens = _context_tokens(command.context_tokens, llama_cpp.llama_model_n_ctx_train(model))
    context = llama_cpp.llama_init_from_model(model, _context_parameters(command, tokens))
    if context is None:
        raise LoadError(
            f"There is no room for {path.name} with {tokens} tokens of context: lower model.context_tokens."
        )
    return ModelHandles(
        model,
        context,
        name=path.stem,
        context_tokens=min(tokens, llama_cpp.llama_n_ctx_seq(context)),
        gpu_layers=gpu_layers,
    )


def _gpu_layers(command: Load, path: Path) -> int:
    """What was asked for, or what fits; 0 where the library knows no graphics card."""
    if not llama_cpp.llama_supports_gpu_offload() or command.gpu_layers == 0:
        return 0
    if command.gpu_layers is not None:
        return command.gpu_layers
    shape = gguf.shape(path)
    if shape is None:
        return 0
    return placement(
        shape, find_devices(), context_tokens=_context_tokens(command.context_tokens, shape.context_tokens)
    )


def _context_tokens(wanted: int | None, trained: int) -> int:
    """What is wanted, but never more than the model was made for: past that it writes nonsense."""
    return min(wanted or DEFAULT_CONTEXT_TOKENS, trained or DEFAULT_CONTEXT_TOKENS)


def _context_parameters(command: Load, tokens: int) -> llama_cpp.llama_context_params:
    parameters = llama_cpp.llama_context_default_params()
    parameters.n_ctx = tokens
    parameters.n_batch = SLICE_TOKENS
    parameters.n_ubatch = SLICE_TOKENS
    parameters.n_seq_max = 2
    parameters.kv_unified = True
    parameters.n_threads = command.threads
    parameters.n_threads_batch = command.threads
    parameters.no_perf = True
    return parameters


def _library_complaint(name: str, log: str) -> str:
    unknown = UNKNOWN_ARCHITECTURE.search(log)
    if unknown is not None:
        return (
            f"The model file {name} is of the architecture {unknown.group(1)!r},"
            " which the installed llama-cpp-python does not know."
        )
    causes = LAST_LOAD_ERROR.findall(log)
    cause = f": {causes[-1].strip().rstrip('.')}" if causes else ""
    return f"The model file {name} cannot be loaded{cause}."
