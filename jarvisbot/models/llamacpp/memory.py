"""What the context has evaluated, and how much of it a new prompt can use again."""

from __future__ import annotations

from collections.abc import Sequence

import llama_cpp

__all__ = ["SLICE_TOKENS", "Memory", "shared_prefix"]

SLICE_TOKENS = 64
"""Tokens evaluated in one go: prefill is as fast as with 512, and a cancelled one stops eight times sooner."""
TALK, CHECKPOINT = 0, 1


def shared_prefix(one: Sequence[int], other: Sequence[int]) -> int:
    """How many tokens both begin with."""
    shorter = min(len(one), len(other))
    if one[:shorter] == other[:shorter]:
        return shorter
    return next(at for at in range(shorter) if one[at] != other[at])


class Memory:
    """Owns the context's sequences: the talk, and a checkpoint of it for models that cannot take tokens back.

    Hybrid and recurrent models keep a state, not every token: their talk can only grow or begin anew. The prompt
    without the generation prompt is what the next turn will begin with, so its state is kept as the checkpoint.
    """

    def __init__(self, model: int, context: int) -> None:
        self._context = context
        self._sequences = llama_cpp.llama_get_memory(context)
        self._batch = llama_cpp.llama_batch_init(SLICE_TOKENS, 0, 1)
        for at in range(SLICE_TOKENS):
            self._batch.n_seq_id[at] = 1
            self._batch.seq_id[at][0] = TALK
        self._tokens: list[int] = []
        self._checkpoint: list[int] = []
        self.grows_only: bool = llama_cpp.llama_model_is_hybrid(model) or llama_cpp.llama_model_is_recurrent(model)

    def free(self) -> None:
        """Gives the batch's memory back."""
        llama_cpp.llama_batch_free(self._batch)

    def begin(self, prompt: Sequence[int]) -> int:
        """Keeps what `prompt` shares with what is evaluated and forgets the rest; says how many tokens are kept.

        At least the last token of the prompt is left to evaluate: without it there is nothing to sample from.
        """
        kept = min(shared_prefix(self._tokens, prompt), len(prompt) - 1)
        if kept == len(self._tokens):
            return kept
        if kept and llama_cpp.llama_memory_seq_rm(self._sequences, TALK, kept, -1):
            del self._tokens[kept:]
            return kept
        llama_cpp.llama_memory_seq_rm(self._sequences, TALK, -1, -1)
        saved = self._checkpoint
        if saved and len(saved) < len(prompt) and shared_prefix(saved, prompt) == len(saved):
            llama_cpp.llama_memory_seq_cp(self._sequences, CHECKPOINT, TALK, -1, -1)
            self._tokens = saved.copy()
        else:
            llama_cpp.llama_memory_seq_rm(self._sequences, CHECKPOINT, -1, -1)  # it would take the new talk's room
            self._checkpoint = []
            self._tokens = []
        return len(self._tokens)

    def evaluate(self, tokens: Sequence[int], *, sample: bool = True) -> None:
        """Adds at most one slice of tokens; with `sample`, the last one's logits can be sampled from afterwards.

        Raises RuntimeError where the library cannot: what it holds is unknown then, and so is this process's use.
        """
        start = len(self._tokens)
        batch = self._batch
        for at, token in enumerate(tokens):
            batch.token[at] = token
            batch.pos[at] = start + at
            batch.logits[at] = 0
        batch.logits[len(tokens) - 1] = sample
        batch.n_tokens = len(tokens)
        status = llama_cpp.llama_decode(self._context, batch)
        if status != 0:
            raise RuntimeError(f"llama_decode says {status} at {start} + {len(tokens)} tokens")
        self._tokens.extend(tokens)

    def save(self) -> None:
        """Makes what is evaluated now the checkpoint, for a model that cannot take tokens back."""
        llama_cpp.llama_memory_seq_rm(self._sequences, CHECKPOINT, -1, -1)
        llama_cpp.llama_memory_seq_cp(self._sequences, TALK, CHECKPOINT, -1, -1)
        self._checkpoint = self._tokens.copy()
