"""A loaded model's vocabulary: text to tokens, tokens to bytes, and which tokens are special."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable

import llama_cpp

from jarvisbot.models.llamacpp.specials import BREAK, Specials

__all__ = ["Vocabulary"]

SPECIAL = (
    llama_cpp.LLAMA_TOKEN_ATTR_CONTROL | llama_cpp.LLAMA_TOKEN_ATTR_USER_DEFINED | llama_cpp.LLAMA_TOKEN_ATTR_UNKNOWN
)


class Vocabulary:
    """Reads the library's vocabulary; lives as long as the model it belongs to."""

    def __init__(self, model: int) -> None:
        self.handle = llama_cpp.llama_model_get_vocab(model)
        self.size: int = llama_cpp.llama_vocab_n_tokens(self.handle)
        attributes = [(token, llama_cpp.llama_vocab_get_attr(self.handle, token)) for token in range(self.size)]
        self.special_tokens = frozenset(token for token, attribute in attributes if attribute & SPECIAL)
        self.control_tokens = frozenset(
            token for token, attribute in attributes if attribute & llama_cpp.LLAMA_TOKEN_ATTR_CONTROL
        )
        self.specials = Specials(self.text(token) for token in self.special_tokens)
        self.end_tokens = frozenset(
            token for token in range(self.size) if llama_cpp.llama_vocab_is_eog(self.handle, token)
        )
        self.bos_text = self._named(llama_cpp.llama_vocab_bos(self.handle))
        self.eos_text = self._named(llama_cpp.llama_vocab_eos(self.handle))
        self._bos: int | None = (
            llama_cpp.llama_vocab_bos(self.handle) if llama_cpp.llama_vocab_get_add_bos(self.handle) else None
        )
        self._pieces: dict[int, bytes] = {}

    def text(self, token: int) -> str:
        """The token's text as the vocabulary spells it."""
        spelled: bytes = llama_cpp.llama_vocab_get_text(self.handle, token)
        return spelled.decode("utf-8", "replace")

    def piece(self, token: int) -> bytes:
        """The bytes that the token stands for, special ones included; not always whole characters."""
        known = self._pieces.get(token)
        if known is None:
            known = self._pieces[token] = self._read_piece(token)
        return known

    def prompt(self, marked: str) -> list[int]:
        """The tokens of a rendered prompt, with one beginning token where the vocabulary wants it."""
        tokens = self.tokens(marked)
        if self._bos is not None and tokens[:1] != [self._bos]:
            tokens.insert(0, self._bos)
        return tokens

    def tokens(self, marked: str) -> list[int]:
        """The tokens of `marked`, piece by piece between the break marks, with special texts as special tokens."""
        return [token for piece in marked.split(BREAK) if piece for token in self._tokens_of(piece)]

    def _tokens_of(self, text: str) -> Iterable[int]:
        encoded = text.encode("utf-8")
        room = len(encoded) + 8
        buffer = (llama_cpp.llama_token * room)()
        made = llama_cpp.llama_tokenize(self.handle, encoded, len(encoded), buffer, room, False, True)
        if made < 0:
            room = -made
            buffer = (llama_cpp.llama_token * room)()
            made = llama_cpp.llama_tokenize(self.handle, encoded, len(encoded), buffer, room, False, True)
        tokens: list[int] = buffer[:made]
        return tokens

    def _named(self, token: int) -> str:
        return self.text(token) if token >= 0 else ""

    def _read_piece(self, token: int) -> bytes:
        room = 64
        while True:
            buffer = ctypes.create_string_buffer(room)
            length = llama_cpp.llama_token_to_piece(self.handle, token, buffer, room, 0, True)
            if length >= 0:
                return buffer.raw[:length]
            room = -length
