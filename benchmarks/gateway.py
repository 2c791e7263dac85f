"""What the way from a message to its answer costs beside a bare bot; run by hand: `python benchmarks/gateway.py`.

Both talk to the same emulated Telegram and have their answer at once, so what is measured is the way alone. The floor is a bot
of thirty lines on the bare SDK that polls and sends. Its times move with the machine as ours do: the ratio is what counts.
Where click and rich are installed, as for development, httpx imports its own command line: 5 MB of either bot are that.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.emulators.telegram import TOKEN, TelegramEmulator, User  # noqa: E402

ANSWER = "That is what I think of it."
QUESTION = "What do you think of number {}, in one sentence?"
CHATS = 20
FLOOR = """
import asyncio, sys
from telegram import Bot

async def main():
    bot = Bot(sys.argv[1], base_url=sys.argv[2])
    offset, tasks = None, set()
    async def answer(chat):
        await bot.send_message(chat, sys.argv[3])
    async with bot:
        while True:
            for update in await bot.get_updates(offset=offset, timeout=2):
                offset = update.update_id + 1
                task = asyncio.create_task(answer(update.message.chat.id))
                tasks.add(task)
                task.add_done_callback(tasks.discard)

asyncio.run(main())
"""
CONFIG = """
[access]
owners = [{owners}]
[limits]
parallel_conversations = 20
[model]
backend = "scripted"
replies = [{replies}]
[connectors.telegram]
token_env = "TOKEN"
api_url = "{api}"
file_url = "{files}"
poll_timeout_s = 2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One bot: milliseconds, seconds, bytes."""

    start_cpu_s: float
    p50_ms: float
    p95_ms: float
    message_cpu_ms: float
    together_s: float
    idle_cpu_ms_s: float
    resident_mb: float


def spent_s(process: int) -> float:
    """Processor time of the process and its children so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def precise_s(process: int) -> float:
    """What all threads of the process have had of the processor, to the nanosecond."""
    found = [(task / "schedstat").read_text().split()[0] for task in Path(f"/proc/{process}/task").iterdir()]
    return sum(map(int, found)) / 1e9


def resident_mb(process: int) -> float:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextlib.asynccontextmanager
async def running(telegram: TelegramEmulator, *command: str, env: dict[str, str]) -> AsyncIterator[int]:
    polls = len(telegram.called("getUpdates"))
    process = await asyncio.create_subprocess_exec(
        *command, env={**os.environ, **env}, stderr=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL
    )
    try:
        await telegram.until(lambda: len(telegram.called("getUpdates")) > polls, timeout_s=60)
        yield process.pid
    finally:
        process.terminate()
        await process.wait()


async def measure(telegram: TelegramEmulator, people: Sequence[User], messages: int, process: int) -> Measured:
    start_cpu_s = precise_s(process)
    await ask(telegram, people[0], 0)  # what is imported on first use
    before, took = precise_s(process), []
    for number in range(1, messages + 1):
        took.append(await ask(telegram, people[0], number))
    message_cpu_ms = (precise_s(process) - before) / messages * 1000
    began = time.perf_counter()
    await asyncio.gather(*(ask(telegram, person, 1) for person in people))
    together_s = time.perf_counter() - began
    await asyncio.sleep(1)
    before = precise_s(process)
    await asyncio.sleep(6)
    idle = (precise_s(process) - before) / 6 * 1000
    cuts = statistics.quantiles(took, n=20)
    return Measured(
        start_cpu_s=start_cpu_s,
        p50_ms=statistics.median(took) * 1000,
        p95_ms=cuts[-1] * 1000,
        message_cpu_ms=message_cpu_ms,
        together_s=together_s,
        idle_cpu_ms_s=idle,
        resident_mb=resident_mb(process),
    )


async def ask(telegram: TelegramEmulator, person: User, number: int) -> float:
    """Seconds from the message to its final text in the chat."""
    answers = len(telegram.answers(person.id))
    began = time.perf_counter()
    await telegram.say(person, person.id, QUESTION.format(number))
    await telegram.until(
        lambda: len(found := telegram.answers(person.id)) > answers and found[-1].startswith(ANSWER), timeout_s=60
    )
    return time.perf_counter() - began


async def run(messages: int) -> int:
    async with TelegramEmulator(token=TOKEN) as telegram:
        people = [telegram.person(1001 + number, f"Person {number}") for number in range(CHATS)]
        floor_command = (sys.executable, "-c", FLOOR, TOKEN, telegram.api_url, ANSWER)
        async with running(telegram, *floor_command, env={}) as process:
            floor = await measure(telegram, people, messages, process)
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder, "config.toml")
            config.write_text(
                CONFIG.format(
                    owners=", ".join(f'"telegram:{person.id}"' for person in people),
                    replies=", ".join([f'"{ANSWER}"'] * (messages + CHATS + 10)),
                    api=telegram.api_url,
                    files=telegram.file_url,
                )
            )
            program = str(Path(sys.executable).with_name("jarvisbot"))
            ours_command = (program, "--config", str(config), "--data", str(Path(folder, "data")), "run")
            async with running(telegram, *ours_command, env={"TOKEN": TOKEN}) as process:
                ours = await measure(telegram, people, messages, process)
    rows = [
        ("update to final text, p50", ours.p50_ms, floor.p50_ms, "ms", 60.0),
        ("update to final text, p95", ours.p95_ms, floor.p95_ms, "ms", 120.0),
        ("processor a message", ours.message_cpu_ms, floor.message_cpu_ms, "ms", 25.0),
        (f"{CHATS} chats at once", ours.together_s, floor.together_s, "s", 0.5),
        ("processor until the first poll", ours.start_cpu_s, floor.start_cpu_s, "s", 0.9),
        ("resident memory, idle", ours.resident_mb, floor.resident_mb, "MB", 75.0),
        ("processor, idle", ours.idle_cpu_ms_s, floor.idle_cpu_ms_s, "ms/s", 5.0),
    ]
    print(f"{'':32} {'ours':>10} {'floor':>10} {'ratio':>7} {'at most':>10}")
    missed = 0
    for name, mine, bare, unit, bound in rows:
        missed += mine > bound
        mark = "" if mine <= bound else "  MISSED"
        ratio = mine / bare if bare else float("inf")
        print(f"{name:32} {mine:10.2f} {bare:10.2f} {ratio:7.1f} {bound:10.2f} {unit}{mark}")
    return 1 if missed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=100, help="how many messages one after the other")
    raise SystemExit(asyncio.run(run(parser.parse_args().messages)))
