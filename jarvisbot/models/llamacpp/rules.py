"""The rules a reply can be put under: a slot's characters and stop, a grammar."""

from __future__ import annotations

import codecs
import re

import llama_cpp
import numpy as np

from jarvisbot.models.llamacpp.output import held_back
from jarvisbot.models.llamacpp.protocol import SlotRule
from jarvisbot.models.llamacpp.sampling import (
    CANDIDATE,
    Logits,
    NothingAllowed,
    apply,
    by_likelihood,
    candidates,
    sampled,
)
from jarvisbot.models.llamacpp.vocabulary import Vocabulary

__all__ = ["BadGrammar", "GrammarRule", "SlotCharacters"]


class BadGrammar(Exception):
    """The library cannot read the grammar."""


class SlotCharacters:
    """Only characters of the slot's class, then its stop string or the end."""

    def __init__(self, slot: SlotRule, vocabulary: Vocabulary) -> None:
        self._stop = slot.stop
        self._class = re.compile(f"[{slot.characters}]*") if slot.characters is not None else None
        self._vocabulary = vocabulary
        self._open = b""

    def allows(self, token: int) -> bool:
        """Whether `token` adds nothing but allowed characters, the stop string, or what may become it."""
        if token in self._vocabulary.end_tokens:
            return True
        return token not in self._vocabulary.control_tokens and self._rest(token) is not None

    def replacement(self, logits: Logits, chain: int) -> int:
        """The likeliest allowed token; `chain` has no say. Raises NothingAllowed."""
        for token in by_likelihood(logits):
            if self.allows(token):
                return token
        raise NothingAllowed

    def accept(self, token: int) -> None:
        """Keeps what of the text is still undecided."""
        self._open = self._rest(token) or b""

    def free(self) -> None:
        """There is nothing to give back."""

    def _rest(self, token: int) -> bytes | None:
        """What is undecided after `token`: half a character, a beginning of the stop string. None if it may not be."""
        piece = self._vocabulary.piece(token)
        raw = self._open + piece
        decoder = codecs.getincrementaldecoder("utf-8")("strict")
        try:
            text = decoder.decode(raw)
        except UnicodeDecodeError:
            return None
        half: bytes = decoder.getstate()[0]
        if not piece:
            return None  # a token without text would go on for ever
        if self._stop and self._stop in text:
            return b"" if self._fits(text.partition(self._stop)[0]) else None
        held = held_back(text, (self._stop,)) if not half else 0
        decided = text[: len(text) - held]
        return text[len(decided) :].encode() + half if self._fits(decided) else None

    def _fits(self, text: str) -> bool:
        return self._class is None or self._class.fullmatch(text) is not None


class GrammarRule:
    """A GBNF grammar, asked about one token at a time."""

    def __init__(self, gbnf: str, vocabulary: Vocabulary) -> None:
        self._grammar = llama_cpp.llama_sampler_init_grammar(vocabulary.handle, gbnf.encode(), b"root")
        if not self._grammar:
            raise BadGrammar
        self._one = np.zeros(1, CANDIDATE)

    def allows(self, token: int) -> bool:
        """Whether the grammar can go on with `token`."""
        self._one[0] = (token, 1.0, 0.0)
        apply(self._grammar, self._one)
        return bool(np.isfinite(self._one[0]["logit"]))

    def replacement(self, logits: Logits, chain: int) -> int:
        """The chain's pick among all tokens that the grammar allows. Raises NothingAllowed."""
        among = candidates(logits)
        apply(self._grammar, among)
        token = sampled(chain, among)
        if token is None:
            raise NothingAllowed
        return token

    def accept(self, token: int) -> None:
        """Moves the grammar on."""
        llama_cpp.llama_sampler_accept(self._grammar, token)

    def free(self) -> None:
        """Gives the library's memory back."""
        llama_cpp.llama_sampler_free(self._grammar)
