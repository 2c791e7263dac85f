"""What jarvisbot costs on top of what it stands on; run by hand: `python benchmarks/overhead.py`.

Every row compares ours with the bare thing in the same run, turn by turn, so that a busy machine slows both alike.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from jarvisbot.clock import SystemClock
from jarvisbot.model import Done, ModelRequest, Sampling
from jarvisbot.models.llamacpp.client import LlamaCpp
from jarvisbot.models.llamacpp.location import demo_model
from jarvisbot.models.llamacpp.protocol import Load
from jarvisbot.models.llamacpp.supervisor import Supervisor
from jarvisbot.types import System, User

CONTEXT_TOKENS = 2048
QUESTION = (System(text="You are thorough."), User(text="Tell a very long story about a lighthouse and its keeper."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: `ours` and `bare` in `unit`, their `ratio`, and what the ratio may be."""

    name: str
    ours: float
    bare: float
    ratio: float
    target: float
    unit: str


def processor_seconds(pid: int) -> float:
    """What all threads of a process have had of the processor so far, to the nanosecond."""
    spent = [(task / "schedstat").read_text().split()[0] for task in Path(f"/proc/{pid}/task").iterdir()]
    return sum(map(int, spent)) / 1e9


class BareLoop:
    """The library's own loop: evaluate a token, sample the next."""

    def __init__(self, path: Path, sampling: Sampling) -> None:
        import llama_cpp
        from llama_cpp._internals import LlamaSampler

        self._library = llama_cpp
        self._model = llama_cpp.Llama(
            str(path), n_ctx=CONTEXT_TOKENS, n_threads=1, n_threads_batch=1, verbose=False, n_batch=64
        )
        said = zip(("system", "user"), QUESTION, strict=True)
        turns = [f"<|im_start|>{role}\n{item.text}<|im_end|>\n" for role, item in said]
        text = "".join([*turns, "<|im_start|>assistant\n"]).encode()
        self._prompt = self._model.tokenize(text, add_bos=False, special=True)
        self._sampler = LlamaSampler()
        if sampling.temperature <= 0:
            self._sampler.add_greedy()
        else:
            vocabulary = self._model.n_vocab()
            self._sampler.add_penalties(vocabulary, 64, sampling.repetition, 0.0, 0.0)
            self._sampler.add_top_k(sampling.top_k)
            self._sampler.add_top_p(sampling.top_p, 1)
            self._sampler.add_temp(sampling.temperature)
            self._sampler.add_dist(sampling.seed or 0)
        self._model.eval(self._prompt)

    def spend(self, tokens: int) -> float:
        """Processor seconds a token, with the prompt evaluated but for its last token."""
        begun = time.process_time()
        self._model.n_tokens = len(self._prompt) - 1
        self._model.eval(self._prompt[-1:])
        for _ in range(tokens - 1):
            self._model.eval([self._sampler.sample(self._model._ctx, -1)])
        self._sampler.sample(self._model._ctx, -1)
        return (time.process_time() - begun) / tokens


async def ours_spends(model: LlamaCpp, request: ModelRequest) -> float:
    """Processor seconds a token of the worker, for a prompt that it knows but for its last token."""
    begun = processor_seconds(model.worker_pid or 0)
    async for event in model.stream(request):
        if isinstance(event, Done):
            return (processor_seconds(model.worker_pid or 0) - begun) / max(1, event.usage.completion_tokens)
    raise AssertionError("a stream ends with Done")


async def worker_row(name: str, sampling: Sampling, *, rounds: int, tokens: int) -> Row:
    """Processor time a token of our worker against the bare library's loop, one thread, demo model."""
    path = demo_model()
    if path is None:
        raise SystemExit("pip install 'jarvisbot[demo]' first")
    bare_loop = BareLoop(path, sampling)
    load = Load(path=str(path), threads=1, context_tokens=CONTEXT_TOKENS)
    model = LlamaCpp(Supervisor(load, stall_s=60, restarts=0, clock=SystemClock()), stall_s=60, restarts=0)
    request = ModelRequest(items=QUESTION, sampling=sampling, max_tokens=tokens)
    try:
        await model.info()
        await ours_spends(model, request)  # the prompt, once
        bare_loop.spend(tokens)
        pairs = [(await ours_spends(model, request), bare_loop.spend(tokens)) for _ in range(rounds)]
    finally:
        await model.close()
    return Row(
        name=name,
        ours=statistics.median(ours for ours, _ in pairs) * 1000,
        bare=statistics.median(bare for _, bare in pairs) * 1000,
        ratio=statistics.median(ours / bare for ours, bare in pairs),
        target=1.05,
        unit="ms/token",
    )


async def rows(rounds: int, tokens: int) -> list[Row]:
    """All rows of the table."""
    likeliest = Sampling(temperature=0)
    return [
        await worker_row("worker, likeliest token", likeliest, rounds=rounds, tokens=tokens),
        await worker_row("worker, sampled token", Sampling(seed=7), rounds=rounds, tokens=tokens),
    ]


def table(lines: list[Row]) -> Iterator[str]:
    """The rows as text, aligned."""
    yield f"{'what':28} {'ours':>9} {'bare':>9} {'unit':10} {'ratio':>6} {'target':>7}"
    for row in lines:
        verdict = "" if row.ratio <= row.target else "  over"
        yield (
            f"{row.name:28} {row.ours:9.3f} {row.bare:9.3f} {row.unit:10} {row.ratio:6.3f} {row.target:7.2f}{verdict}"
        )


def main() -> None:
    """Prints the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--rounds", type=int, default=9)
    arguments.add_argument("--tokens", type=int, default=96)
    given = arguments.parse_args()
    for line in table(asyncio.run(rows(given.rounds, given.tokens))):
        print(line)


if __name__ == "__main__":
    main()
