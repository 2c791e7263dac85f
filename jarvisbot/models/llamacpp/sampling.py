"""The choice of the next token: the sampling chain, free or under a rule.

A rule is asked about the chosen token only; the whole vocabulary is looked at when it says no. That is exact for the
likeliest token, and costs half of masking every step (measured at 248k tokens).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Protocol

import llama_cpp
import numpy as np
import numpy.typing as npt

from jarvisbot.model import Sampling

__all__ = ["Chain", "Chooser", "NothingAllowed", "Rule", "RuledChooser"]

PENALTY_WINDOW = 64
"""How many generated tokens back a repetition is penalised, as llama.cpp does by default."""
CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])
FIRST_LOOK = 128
"""How many of the likeliest tokens are tried before the whole vocabulary is put in order."""

Logits = npt.NDArray[np.float32]


class NothingAllowed(Exception):
    """The rule allows no token at all."""


class Chooser(Protocol):
    """Chooses from the logits of the last evaluated token."""

    def choose(self) -> int:
        """The next token. Raises NothingAllowed."""

    def free(self) -> None:
        """Gives the library's memory back."""


class Chain:
    """The library's sampling chain for one generation."""

    def __init__(self, context: int, vocabulary_size: int, sampling: Sampling) -> None:
        self._context = context
        parameters = llama_cpp.llama_sampler_chain_default_params()
        parameters.no_perf = True
        self.handle = llama_cpp.llama_sampler_chain_init(parameters)
        for sampler in _samplers(vocabulary_size, sampling):
            llama_cpp.llama_sampler_chain_add(self.handle, sampler)

    def choose(self) -> int:
        """The next token."""
        token: int = llama_cpp.llama_sampler_sample(self.handle, self._context, -1)
        return token

    def free(self) -> None:
        """Gives the library's memory back."""
        llama_cpp.llama_sampler_free(self.handle)


def _samplers(vocabulary_size: int, sampling: Sampling) -> Iterator[int]:
    if sampling.temperature <= 0:
        yield llama_cpp.llama_sampler_init_greedy()
        return
    if sampling.repetition != 1.0:
        yield llama_cpp.llama_sampler_init_penalties(vocabulary_size, PENALTY_WINDOW, sampling.repetition, 0.0, 0.0)
    if sampling.top_k > 0:
        yield llama_cpp.llama_sampler_init_top_k(sampling.top_k)
    if sampling.top_p < 1.0:
        yield llama_cpp.llama_sampler_init_top_p(sampling.top_p, 1)
    yield llama_cpp.llama_sampler_init_temp(sampling.temperature)
    seed = llama_cpp.LLAMA_DEFAULT_SEED if sampling.seed is None else sampling.seed & 0xFFFFFFFF
    yield llama_cpp.llama_sampler_init_dist(seed)


class Rule(Protocol):
    """What a reply has to look like."""

    def allows(self, token: int) -> bool:
        """Whether `token` may come next."""

    def replacement(self, logits: Logits, chain: int) -> int:
        """A token that may come next, where the chosen one may not. Raises NothingAllowed."""

    def accept(self, token: int) -> None:
        """Told what came next."""

    def free(self) -> None:
        """Gives the library's memory back."""


class RuledChooser:
    """A chain whose choice a rule may turn down."""

    def __init__(self, context: int, vocabulary_size: int, chain: Chain, rule: Rule) -> None:
        self._context = context
        self._size = vocabulary_size
        self._chain = chain
        self._rule = rule

    def choose(self) -> int:
        """The next token. Raises NothingAllowed."""
        logits: Logits = np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(self._context, -1), (self._size,))
        token = sampled(self._chain.handle, candidates(logits))
        if token is None or not self._rule.allows(token):
            token = self._rule.replacement(logits, self._chain.handle)
        self._rule.accept(token)
        llama_cpp.llama_sampler_accept(self._chain.handle, token)
        return token

    def free(self) -> None:
        """Gives the library's memory back."""
        self._rule.free()
        self._chain.free()


Candidates = npt.NDArray[np.void]


def candidates(logits: Logits) -> Candidates:
    """All tokens with their logits, in the library's layout."""
    made = np.empty(len(logits), CANDIDATE)
    made["id"] = np.arange(len(logits), dtype=np.int32)
    made["logit"] = logits
    made["p"] = 0
    return made


def apply(sampler: int, among: Candidates) -> llama_cpp.llama_token_data_array:
    """Runs one of the library's samplers over `among`, in place; what it returns is valid as long as `among` is."""
    data = among.ctypes.data_as(llama_cpp.llama_token_data_p)
    array = llama_cpp.llama_token_data_array(data=data, size=len(among), selected=-1, sorted=False)
    llama_cpp.llama_sampler_apply(sampler, ctypes.byref(array))
    return array


def sampled(chain: int, among: Candidates) -> int | None:
    """The token that the chain picks; None where all of them are ruled out."""
    array = apply(chain, among)
    chosen = array.data[array.selected] if array.selected >= 0 else None
    return int(chosen.id) if chosen is not None and np.isfinite(chosen.logit) else None


def by_likelihood(logits: Logits) -> Iterator[int]:
    """Every token, the likeliest first."""
    first = np.argpartition(logits, -FIRST_LOOK)[-FIRST_LOOK:] if len(logits) > FIRST_LOOK else np.arange(len(logits))
    yield from map(int, first[np.argsort(-logits[first], kind="stable")])
    if len(first) < len(logits):
        yield from map(int, np.argsort(-logits, kind="stable")[FIRST_LOOK:])
