"""The worker process: what it knows, what its crashes cost, when it ends."""

from __future__ import annotations

import asyncio
import logging
import os
import select
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from jarvisbot.errors import ModelError, ModelUnavailable
from jarvisbot.model import Done, Grammar, ModelEvent, ModelRequest, Prefill, Sampling, Stopped, TextPiece
from jarvisbot.models.llamacpp.client import LlamaCpp
from jarvisbot.models.llamacpp.process import WorkerProcess, worker_environment
from jarvisbot.models.llamacpp.protocol import (
    Cancel,
    Count,
    Load,
    Loaded,
    Loading,
    Turn,
)
from jarvisbot.models.llamacpp.supervisor import Supervisor
from jarvisbot.types import User
from tests.models.conftest import StartModel

PATIENCE_S = 20.0


def request(text: str = "Hello?", *, max_tokens: int = 4) -> ModelRequest:
    return ModelRequest(items=(User(text=text),), sampling=Sampling(temperature=0), max_tokens=max_tokens)


ENDLESS = request(max_tokens=4000)


async def answer(model: LlamaCpp, wanted: ModelRequest) -> list[ModelEvent]:
    return [event async for event in model.stream(wanted)]


async def rest(stream: AsyncIterator[ModelEvent]) -> None:
    """Reads a stream to its end, which must not come as Done."""
    async for event in stream:
        assert not isinstance(event, Done)


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextPiece))


async def gone(pid: int) -> None:
    """Waits until the process has ended, whoever its parent is by now."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        ended = await asyncio.to_thread(select.select, [descriptor], [], [], PATIENCE_S)
        assert ended[0], "the process is still there"
    finally:
        os.close(descriptor)


class Impatient:
    """A clock on which waiting costs nothing; `waits` are the seconds that were waited for."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def now(self) -> datetime:
        return datetime(2026, 1, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        self.waits.append(seconds)
        await asyncio.sleep(0)


# ---------------------------------------------------------------- what it knows


async def test_no_secret_is_in_the_workers_environment(
    tiny_llama: Path, start_model: StartModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JARVISBOT_TELEGRAM_TOKEN", "planted-secret-1")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "planted-secret-2")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    model = start_model(tiny_llama)
    await model.info()
    known = Path(f"/proc/{model.worker_pid}/environ").read_bytes()
    assert b"planted-secret" not in known
    assert b"LC_ALL=C.UTF-8" in known
    assert b"OMP_WAIT_POLICY=passive" in known


def test_the_environment_is_an_allow_list() -> None:
    given = {
        "PATH": "/bin",
        "LC_TIME": "C",
        "LC_TOKEN_": "x",
        "MY_PATH": "x",
        "PATH_TOKEN": "x",
        "OMP_WAIT_POLICY": "active",
    }
    known = worker_environment(given)
    assert "MY_PATH" not in known
    assert "PATH_TOKEN" not in known
    assert known["PATH"] == "/bin"
    assert known["OMP_WAIT_POLICY"] == "active"


async def test_a_hostile_working_directory_is_not_imported_from(
    tiny_llama: Path, start_model: StartModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("llama_cpp", "numpy", "jinja2", "json", "jarvisbot"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('imported from the working directory')")
    monkeypatch.chdir(tmp_path)
    assert (await start_model(tiny_llama).info()).name == "tiny_llama"


async def test_memory_is_taken_from_the_worker_before_the_bot(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    await model.info()
    ours = int(Path("/proc/self/oom_score_adj").read_text())
    assert int(Path(f"/proc/{model.worker_pid}/oom_score_adj").read_text()) == 500 >= ours


async def test_what_the_library_prints_goes_to_our_log_only(
    tmp_path: Path, start_model: StartModel, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(b"GGUF" + b"\0" * 100)
    with caplog.at_level(logging.DEBUG, "jarvisbot.models.llamacpp.process"), pytest.raises(ModelUnavailable):
        await start_model(broken).info()
    assert [record for record in caplog.records if "worker: " in record.getMessage()]
    assert capfd.readouterr() == ("", "")


# ---------------------------------------------------------------- taking turns


async def test_requests_are_answered_in_the_order_they_came(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    ended: list[int] = []

    async def ask(number: int) -> None:
        async for event in model.stream(request(f"{number}", max_tokens=30 - number)):
            if isinstance(event, Done):
                ended.append(number)

    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        for number in range(6):
            group.create_task(ask(number))
    assert ended == list(range(6))


async def test_a_slow_reader_does_not_keep_others_waiting(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    async with asyncio.timeout(PATIENCE_S), aclosing(model.stream(request(max_tokens=20))) as slow:
        await anext(slow)
        assert isinstance((await answer(model, request("second")))[-1], Done)
        assert isinstance([event async for event in slow][-1], Done)


async def test_a_closed_stream_makes_room_for_the_next(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    async with asyncio.timeout(PATIENCE_S):
        async with aclosing(model.stream(ENDLESS)) as stream:
            async for event in stream:
                if isinstance(event, TextPiece):
                    break
        pid = model.worker_pid
        assert isinstance((await answer(model, request()))[-1], Done)
        assert model.worker_pid == pid


async def test_a_cancelled_task_ends_its_generation(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    begun = asyncio.Event()

    async def ask() -> None:
        async for event in model.stream(ENDLESS):
            if isinstance(event, TextPiece):
                begun.set()

    async with asyncio.timeout(PATIENCE_S):
        task = asyncio.create_task(ask())
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert isinstance((await answer(model, request()))[-1], Done)


async def test_a_task_cancelled_while_the_model_loads_leaves_no_process(
    tiny_llama: Path, start_model: StartModel
) -> None:
    model = start_model(tiny_llama)
    spawned = asyncio.Event()
    worker: list[WorkerProcess] = []

    async def spawn() -> WorkerProcess:
        worker.append(await WorkerProcess.spawn())
        spawned.set()
        return worker[0]

    load = Load(path=str(tiny_llama), threads=1, context_tokens=None)
    model = LlamaCpp(Supervisor(load, stall_s=60, restarts=0, clock=Impatient(), spawn=spawn), stall_s=60, restarts=0)
    task = asyncio.create_task(model.info())
    await spawned.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await gone(worker[0].pid)
    assert model.worker_pid is None


async def test_counting_works_while_a_generation_runs(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    async with asyncio.timeout(PATIENCE_S), aclosing(model.stream(ENDLESS)) as stream:
        await anext(stream)
        assert await model.count(ENDLESS.items) > 10


async def test_a_request_that_is_refused_harms_nobody_else(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    with pytest.raises(ModelError, match="grammar"):
        await answer(model, ModelRequest(items=(User(text="Hello?"),), constraint=Grammar(gbnf="root ::= (")))
    pid = model.worker_pid
    assert isinstance((await answer(model, request()))[-1], Done)
    assert model.worker_pid == pid


async def test_events_of_a_request_that_nobody_knows_are_dropped(tiny_llama: Path) -> None:
    worker = await WorkerProcess.spawn()
    try:
        worker.send(Load(path=str(tiny_llama), threads=1, context_tokens=None))
        async with asyncio.timeout(PATIENCE_S):
            while isinstance(event := await worker.load_event(), Loading):
                pass
            assert isinstance(event, Loaded)
            worker.send(Cancel(id=99))
            worker.send(Count(id=77, turns=(Turn(role="user", text="nobody waits for this"),)))
            number = worker.number()
            inbox = worker.open(number)
            worker.send(Count(id=number, turns=(Turn(role="user", text="Hello?"),)))
            assert getattr(await inbox.get(), "id", None) == number
    finally:
        await worker.close()


# ---------------------------------------------------------------- crashes


async def test_a_worker_killed_in_the_middle_costs_that_stream_and_nothing_else(
    tiny_llama: Path, start_model: StartModel
) -> None:
    model = start_model(tiny_llama)
    async with asyncio.timeout(PATIENCE_S):
        stream = model.stream(ENDLESS)
        while not isinstance(await anext(stream), TextPiece):
            pass
        os.kill(model.worker_pid or 0, signal.SIGKILL)
        with pytest.raises(ModelUnavailable):
            await rest(stream)
        assert isinstance((await answer(model, request()))[-1], Done)


async def test_requests_that_wait_go_on_with_the_next_worker(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group, aclosing(model.stream(ENDLESS)) as stream:
        assert isinstance(await anext(stream), Prefill)
        first = model.worker_pid or 0
        waiting = [group.create_task(answer(model, request(f"{number}"))) for number in range(3)]
        await asyncio.sleep(0)
        os.kill(first, signal.SIGKILL)
        with pytest.raises(ModelUnavailable):
            await rest(stream)
    assert all(isinstance(task.result()[-1], Done) for task in waiting)
    assert model.worker_pid != first


async def test_a_worker_that_died_while_idle_is_not_noticed(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama, restarts=0)
    async with asyncio.timeout(PATIENCE_S):
        for _ in range(3):
            await model.info()
            pid = model.worker_pid or 0
            os.kill(pid, signal.SIGKILL)
            await gone(pid)
            assert await model.count(request().items) > 0


async def test_a_worker_that_hangs_is_replaced(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama, stall_s=1.0)
    async with asyncio.timeout(PATIENCE_S):
        stream = model.stream(ENDLESS)
        while not isinstance(await anext(stream), TextPiece):
            pass
        hung = model.worker_pid or 0
        os.kill(hung, signal.SIGSTOP)
        with pytest.raises(ModelUnavailable):
            await rest(stream)
        await gone(hung)
        assert isinstance((await answer(model, request()))[-1], Done)


@pytest.mark.parametrize("restarts", [0, 3])
async def test_a_worker_that_always_crashes_is_given_up_after_so_many_restarts(tiny_llama: Path, restarts: int) -> None:
    spawned: list[WorkerProcess] = []

    async def spawn() -> WorkerProcess:
        worker = await WorkerProcess.spawn()
        worker.kill()
        spawned.append(worker)
        return worker

    clock = Impatient()
    load = Load(path=str(tiny_llama), threads=1, context_tokens=None)
    supervisor = Supervisor(load, stall_s=60, restarts=restarts, clock=clock, spawn=spawn)
    model = LlamaCpp(supervisor, stall_s=60, restarts=restarts)
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(ModelUnavailable, match=r"tiny_llama\.gguf crashes whenever it is loaded"):
            await model.info()
    assert len(spawned) == restarts + 1
    assert clock.waits == [0.5, 1.0][: max(0, restarts - 1)]
    with pytest.raises(ModelUnavailable):
        await model.info()
    assert len(spawned) == restarts + 2  # a later request tries once more


async def test_a_process_that_cannot_be_made_is_unavailable(tiny_llama: Path) -> None:
    async def spawn() -> WorkerProcess:
        raise OSError(12, "Cannot allocate memory")

    load = Load(path=str(tiny_llama), threads=1, context_tokens=None)
    supervisor = Supervisor(load, stall_s=60, restarts=3, clock=Impatient(), spawn=spawn)
    with pytest.raises(ModelUnavailable, match="Cannot allocate memory"):
        await LlamaCpp(supervisor, stall_s=60, restarts=3).info()


# ---------------------------------------------------------------- the end


async def test_closing_ends_the_worker_and_every_request(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    running = asyncio.Event()

    async def ask() -> None:
        async for event in model.stream(ENDLESS):
            if isinstance(event, TextPiece):
                running.set()

    async with asyncio.timeout(PATIENCE_S):
        tasks = [asyncio.create_task(ask()) for _ in range(3)]
        await running.wait()
        pid = model.worker_pid or 0
        await model.close()
        await gone(pid)
        ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(end) for end in ends] == [ModelUnavailable] * 3
    assert model.worker_pid is None


async def test_closing_twice_and_closing_what_never_ran_is_fine(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    await model.close()
    await model.info()
    await model.close()
    await model.close()


async def test_a_worker_that_does_not_listen_is_closed_by_force(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    await model.info()
    pid = model.worker_pid or 0
    os.kill(pid, signal.SIGSTOP)
    async with asyncio.timeout(PATIENCE_S):
        await model.close()
        await gone(pid)


PARENT = """
import asyncio, sys
from pathlib import Path
from jarvisbot.models.llamacpp import Settings, create
async def main():
    model = create(Settings(path=Path(sys.argv[1]), threads=1), models_folder=None)
    await model.info()
    print(model.worker_pid, flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""


async def test_the_worker_dies_with_its_parent(tiny_llama: Path) -> None:
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", PARENT, str(tiny_llama), stdout=subprocess.PIPE)
    assert parent.stdout
    try:
        async with asyncio.timeout(PATIENCE_S):
            worker = int(await parent.stdout.readline())
            os.kill(worker, 0)
            os.kill(worker, signal.SIGSTOP)  # so that it cannot end by itself
            parent.kill()
            await parent.wait()
            await gone(worker)
    finally:
        if parent.returncode is None:
            parent.kill()
            await parent.wait()


async def test_a_worker_whose_parent_is_another_process_ends_at_once() -> None:
    orphan = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", "jarvisbot.models.llamacpp.worker", "1", stdin=subprocess.PIPE
    )
    async with asyncio.timeout(PATIENCE_S):
        assert await orphan.wait() == 0


async def test_a_reply_that_ended_well_says_how(tiny_llama: Path, start_model: StartModel) -> None:
    events = await answer(start_model(tiny_llama), request(max_tokens=4))
    assert events[-1] == Done(reason=Stopped.LENGTH, usage=events[-1].usage)  # type: ignore[union-attr]
    assert len(text_of(events)) == 4
