"""The decoding of one reply: token by token, with its stops, budgets and think block."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Literal, TypeAlias

from jarvisbot.models.llamacpp.memory import SLICE_TOKENS, Memory
from jarvisbot.models.llamacpp.output import Output, ThinkWatch
from jarvisbot.models.llamacpp.sampling import Chooser, NothingAllowed
from jarvisbot.models.llamacpp.vocabulary import Vocabulary

__all__ = ["Reason", "Writing"]

Reason: TypeAlias = Literal["end", "length", "time", "stop"]


class Writing:
    """One reply being written. `made` counts its tokens, `reason` says why it ended.

    `ends` are the tokens that end it, `output` knows the texts that do. When `think` is due, `think_close` is put in.
    """

    def __init__(
        self,
        memory: Memory,
        vocabulary: Vocabulary,
        chooser: Chooser,
        *,
        ends: frozenset[int],
        output: Output,
        think: ThinkWatch,
        think_close: str,
    ) -> None:
        self._memory = memory
        self._vocabulary = vocabulary
        self._chooser = chooser
        self._ends = ends
        self._output = output
        self._think = think
        self._think_close = think_close
        self.made = 0
        self.reason: Reason = "length"

    def run(self, *, limit: int, room: int, in_time: Callable[[], bool]) -> Iterator[str]:
        """The reply's text; one string a step, empty where a step shows nothing.

        At most `limit` tokens are made and `room` evaluated.
        """
        pending: list[int] = []
        while self.made < min(limit, room):
            if self._think.due:
                closing = self._vocabulary.tokens(self._think_close)
                if len(pending) + len(closing) >= room - self.made:
                    break
                pending += closing
                room -= len(closing)
                self._think.closed()
                self._output.drop_half()
                yield self._output.show(self._think_close)
            for start in range(0, len(pending), SLICE_TOKENS):
                self._memory.evaluate(pending[start : start + SLICE_TOKENS])
            try:
                token = self._chooser.choose()
            except NothingAllowed:
                self.reason = "end"
                break
            if token in self._ends:
                self.reason = "end"
                break
            self.made += 1
            pending = [token]
            text = self._output.decode(self._vocabulary.piece(token))
            self._think.saw(text)
            yield self._output.show(text)
            if self._output.stopped:
                self.reason = "stop"
                return
            if not in_time():
                self.reason = "time"
                break
        yield self._output.finish()
