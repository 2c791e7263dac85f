"""What jarvisbot costs on top of what it stands on; run by hand: `python benchmarks/overhead.py`.

Every row compares ours with the bare thing in the same run, turn by turn, so that a busy machine slows both alike.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from silent import SilentConnector

from jarvisbot.app import Parts, open_app
from jarvisbot.clock import SystemClock
from jarvisbot.config import load
from jarvisbot.model import Done, ModelRequest, Sampling
from jarvisbot.models.llamacpp.client import LlamaCpp
from jarvisbot.models.llamacpp.location import demo_model
from jarvisbot.models.llamacpp.protocol import Load
from jarvisbot.models.llamacpp.supervisor import Supervisor
from jarvisbot.models.scripted import Scripted
from jarvisbot.reading.arithmetic import evaluate
from jarvisbot.types import System, User

CONTEXT_TOKENS = 2048
COMMITS_A_TURN = 6
"""The message, the turn's begin, its end, the placeholder's id, the part handed over, the connector's own row."""
QUESTION = (System(text="You are thorough."), User(text="Tell a very long story about a lighthouse and its keeper."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: `ours` and `bare` in `unit`, their `ratio`, and what `judged` may be at most."""

    name: str
    ours: float
    bare: float
    ratio: float
    target: float
    unit: str
    judged: Literal["ratio", "ours"] = "ratio"

    @property
    def met(self) -> bool:
        """Whether the target holds in this run."""
        return (self.ratio if self.judged == "ratio" else self.ours) <= self.target


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


async def turn_row(*, turns: int) -> Row:
    """Processor time of a turn that code answers, all threads, against the bare sum and as many durable commits."""
    with tempfile.TemporaryDirectory() as folder:
        config = load(None, environment={}, overrides={"bot.data_folder": folder, "access.owners": '["silent:1"]'})
        connector = SilentConnector()
        parts = Parts(connectors=[connector], model=Scripted(["never asked"]))
        async with open_app(config, parts) as app:
            life = asyncio.create_task(app.run())
            for number in range(10):
                await connector.ask(number, f"What is {number} * 4321?")
            begun = time.process_time()
            for number in range(10, 10 + turns):
                await connector.ask(number, f"What is {number} * 4321?")
            ours = (time.process_time() - begun) / turns
            life.cancel()
            await asyncio.gather(life, return_exceptions=True)
        with contextlib.closing(sqlite3.connect(Path(folder) / "bare.db", isolation_level=None)) as store:
            store.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; CREATE TABLE t (x TEXT) STRICT")
            begun = time.process_time()
            for number in range(turns):
                line = evaluate(f"{number} * 4321").line
                for _ in range(COMMITS_A_TURN):
                    store.execute("INSERT INTO t VALUES (?)", (line,))
            bare = (time.process_time() - begun) / turns
    return Row(
        name="turn answered in code",
        ours=ours * 1000,
        bare=bare * 1000,
        ratio=ours / bare,
        target=10,
        unit="ms/turn",
        judged="ours",
    )


COMPILED = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An environment in which modules are compiled once: an installed package is."""


def child_seconds(code: str) -> float:
    """Processor seconds of a fresh interpreter that runs `code`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL, env=COMPILED)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


OURS_IMPORTED = """
import gc, sys
gc.disable()  # as cli.main does
before = set(sys.modules)
import jarvisbot.cli, jarvisbot.config, jarvisbot.logs, jarvisbot.app
from jarvisbot import discovery
for kind in ("tools", "commands"):
    for name in discovery.names(kind):
        discovery.load(kind, name)
discovery.load("connectors", "console")
discovery.load("models", "llamacpp")
"""
THEIRS = OURS_IMPORTED + "print([m for m in sys.modules if m not in before and not m.startswith('jarvisbot')])"


def import_row(*, rounds: int) -> Row:
    """What `chat` imports before its first question against the same libraries imported bare."""
    listed = subprocess.run(
        [sys.executable, "-c", THEIRS], check=True, capture_output=True, text=True, env=COMPILED
    ).stdout
    bare_code = f"import importlib\nfor name in {listed.strip()}: importlib.import_module(name)"
    pairs = [(child_seconds(OURS_IMPORTED), child_seconds(bare_code)) for _ in range(rounds)]
    return Row(
        name="imports of chat",
        ours=statistics.median(ours for ours, _ in pairs) * 1000,
        bare=statistics.median(bare for _, bare in pairs) * 1000,
        ratio=statistics.median(ours / bare for ours, bare in pairs),
        target=1.3,
        unit="ms",
    )


def help_row(*, rounds: int) -> Row:
    """`jarvisbot --help` against an interpreter that does nothing."""
    code = "import jarvisbot.cli\ntry: jarvisbot.cli.main(['--help'])\nexcept SystemExit: pass"
    pairs = [(child_seconds(code), child_seconds("pass")) for _ in range(rounds)]
    ours = statistics.median(ours for ours, _ in pairs)
    bare = statistics.median(bare for _, bare in pairs)
    return Row(
        name="jarvisbot --help",
        ours=ours * 1000,
        bare=bare * 1000,
        ratio=ours / bare,
        target=150,
        unit="ms",
        judged="ours",
    )


async def rows(rounds: int, tokens: int) -> list[Row]:
    """All rows of the table."""
    likeliest = Sampling(temperature=0)
    return [
        await worker_row("worker, likeliest token", likeliest, rounds=rounds, tokens=tokens),
        await worker_row("worker, sampled token", Sampling(seed=7), rounds=rounds, tokens=tokens),
        await turn_row(turns=100),
        import_row(rounds=rounds),
        help_row(rounds=rounds),
    ]


def table(lines: list[Row]) -> Iterator[str]:
    """The rows as text, aligned."""
    yield f"{'what':28} {'ours':>9} {'bare':>9} {'unit':10} {'ratio':>6} target"
    for row in lines:
        target = f"{row.judged} <= {row.target:g}{'' if row.met else '  over'}"
        yield f"{row.name:28} {row.ours:9.3f} {row.bare:9.3f} {row.unit:10} {row.ratio:6.3f} {target}"


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
