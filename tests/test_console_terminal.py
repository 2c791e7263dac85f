"""The console as a person meets it: keys and screen of the shipped program, alone and attached to a service."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.program import environment
from tests.terminal import Terminal, terminal

ROOT = Path(__file__).resolve().parent.parent
SCRIPT = '[model]\nbackend = "scripted"\nreplies = ["Once upon a time."]\n'
CTRL_C, CTRL_D, ENTER, UP, TAB = "\x03", "\x04", "\r", "\x1b[A", "\t"
QUESTION = "Tell me a story"
STOPPED = "jarvisbot: The running jarvisbot has stopped; what it has not answered yet comes when it runs again and you attach."


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "config.toml").write_text(SCRIPT)
    return tmp_path


@contextlib.contextmanager
def chat(home: Path, *more: str, **settings: object) -> Iterator[Terminal]:
    with terminal(
        "--config",
        "config.toml",
        "--data",
        "data",
        "chat",
        *more,
        home=home,
        size=(40, 140),
        **settings,  # type: ignore[arg-type]
    ) as screen:
        yield screen


@contextlib.contextmanager
def waiting_model(home: Path, *steps: str | None) -> Iterator[Terminal]:
    """A talk whose model waits at each None for SIGUSR1."""
    order = {"folder": str(home / "data"), "steps": steps, "alone": True}
    program = [sys.executable, "-m", "tests.faults.service", json.dumps(order)]
    with terminal(home=home, program=program, more={"PYTHONPATH": str(ROOT)}) as screen:
        screen.prompts()
        yield screen


@contextlib.contextmanager
def service(home: Path, *steps: str | None, point: str = "") -> Iterator[subprocess.Popen[bytes]]:
    """A bot that runs as a service on `data`; killed at the end if it still runs, or when a message passes the point."""
    order = {"folder": str(home / "data"), "steps": steps, "point": point}
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.service", json.dumps(order)],
        stdout=subprocess.PIPE,
        env=environment(home, {"PYTHONPATH": str(ROOT)}),
        cwd=home,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    try:
        yield process
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def go_on(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGUSR1)


def once(home: Path, question: str) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("jarvisbot"), "--data", "data", "chat", "--once", question]
    return subprocess.run(command, cwd=home, env=environment(home), capture_output=True, text=True, timeout=60)


def piped(home: Path, given: str) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("jarvisbot"), "--data", "data", "chat"]
    return subprocess.run(
        command, cwd=home, env=environment(home), input=given, capture_output=True, text=True, timeout=60
    )


def test_a_message_that_is_too_long_for_the_service_is_told_and_the_next_is_answered(home: Path) -> None:
    with service(home):
        done = piped(home, f"{'word ' * 250_000}\nWhat is 2 + 2?\n")
    assert done.returncode == 1
    assert done.stderr == "That message is too long: it may have a million bytes at most.\n"
    assert "2 + 2 = 4" in done.stdout


# ---------------------------------------------------------------- keys


def test_a_line_is_edited_answered_and_found_again_by_the_next_talk(home: Path) -> None:
    with chat(home) as screen:
        screen.prompts()
        screen.types("5 * 12\x01\x1b[C\x1b[C\x1b[C\x1b[C\x0b4" + ENTER)
        screen.shows("5 × 4 = 20")
        screen.prompts()
        screen.types(CTRL_D)
        assert screen.ended() == 0
    history = home / "data" / "history"
    assert history.stat().st_mode & 0o777 == 0o600
    with chat(home) as screen:
        screen.prompts()
        screen.types(UP)
        screen.shows("> 5 * 4")
        screen.types(CTRL_C + CTRL_D)
        assert screen.ended() == 0


def test_lines_that_are_pasted_together_are_one_message(home: Path) -> None:
    with chat(home) as screen:
        screen.prompts()
        screen.types("\x1b[200~once\nmore\x1b[201~")
        screen.shows("> once\n  more")
        screen.types(ENTER)
        screen.shows("Once upon a time.")
        screen.prompts()
        assert screen.text.count("Once upon a time.") == 1
        screen.types("first\x1b\rsecond" + ENTER)
        screen.shows("> first\n  second")


def test_a_command_is_completed_with_its_help_beside_it(home: Path) -> None:
    with chat(home) as screen:
        screen.prompts()
        screen.types("/sto")
        screen.shows("/stop  stop answering")
        screen.types(TAB + ENTER)
        screen.shows("Nothing is running.")
        screen.prompts()
        assert "> /stop\n" in screen.text


def test_ctrl_c_clears_what_is_typed_and_leaves_when_pressed_twice_on_nothing(home: Path) -> None:
    with chat(home) as screen:
        screen.prompts()
        screen.types("never mind")
        screen.shows("never mind")
        screen.types(CTRL_C)
        screen.prompts()
        assert "never mind" not in screen.text
        screen.types(CTRL_C)
        screen.shows("Ctrl-C again or Ctrl-D leaves.")
        screen.prompts()
        screen.types("x")
        screen.shows("> x")
        screen.types(CTRL_C)
        screen.prompts()
        screen.types(CTRL_C)
        screen.until(lambda: screen.text.count("leaves.") == 2)
        screen.types(CTRL_C)
        assert screen.ended() == 0


def test_the_hint_speaks_the_language_of_the_machine(home: Path) -> None:
    with chat(home, more={"LANG": "de_DE.UTF-8"}) as screen:
        screen.prompts()
        screen.types(CTRL_C)
        screen.shows("Noch einmal Strg-C oder Strg-D beendet.")


def test_bytes_that_are_no_text_can_be_typed(home: Path) -> None:
    with chat(home) as screen:
        screen.prompts()
        screen.types(b"tell \xff\xfe me" + ENTER.encode())
        screen.shows("Once upon a time.")
        screen.prompts()
        screen.types(CTRL_D)
        assert screen.ended() == 0
    assert "tell \ufffd\ufffd me" in (home / "data" / "history").read_text().replace("??", "\ufffd\ufffd")


def test_a_terminal_that_can_do_nothing_gets_a_bare_prompt(home: Path) -> None:
    with chat(home, term="dumb") as screen:
        screen.shows(">")
        screen.types("2 + 2\n")
        screen.shows("2 + 2 = 4")
        assert b"\x1b" not in screen.raw
        screen.types(CTRL_D)
        assert screen.ended() == 0


def test_colours_are_left_out_where_nobody_wants_them(home: Path) -> None:
    for more, dim in (({}, True), ({"NO_COLOR": "1"}, False)):
        with chat(home, "--once", "2 + 2", more=more) as screen:
            assert screen.ended() == 0
            assert (b"\x1b[2m" in screen.raw) is dim
            assert screen.lines == ["· Calculated 2 + 2", "2 + 2 = 4", "arithmetic (trigger)"]


# ---------------------------------------------------------------- while an answer is made


def test_a_wait_is_told_in_place_with_its_seconds_and_is_gone_when_the_text_begins(home: Path) -> None:
    with waiting_model(home, None, "Once upon a time.") as screen:
        screen.types(QUESTION + ENTER)
        screen.shows("Thinking… 2 s")
        screen.shows("Thinking… 3 s")
        assert screen.text.count("Thinking") == 1
        go_on(screen.process)
        screen.prompts()
        assert screen.lines == [f"> {QUESTION}", "Once upon a time.", "creative-writing (trigger)", ">"]


def test_a_german_question_is_thought_about_in_german(home: Path) -> None:
    with waiting_model(home, None, "Es war einmal.") as screen:
        screen.types("Erzähl mir bitte eine Geschichte" + ENTER)
        screen.shows("Denkt nach… 2 s")


def test_ctrl_c_stops_the_answer_and_the_talk_goes_on(home: Path) -> None:
    with waiting_model(home, "Once upon a time there was ", None, "an end.") as screen:
        screen.types(QUESTION + ENTER)
        screen.shows("there was")
        screen.types(CTRL_C)
        screen.prompts()
        assert "an end." not in screen.text
        assert screen.text.count("Once upon a time there was") == 1
        screen.types("2 + 2" + ENTER)
        screen.shows("2 + 2 = 4")
        screen.prompts()
        screen.types(CTRL_D)
        assert screen.ended() == 0


def test_what_is_typed_while_an_answer_is_written_waits_for_the_prompt(home: Path) -> None:
    with waiting_model(home, "Once upon a time ", None, "there was an end.") as screen:
        screen.types(QUESTION + ENTER)
        screen.shows("Once upon a time")
        screen.types("2 + ")
        go_on(screen.process)
        screen.shows("there was an end.")
        screen.shows("> 2 +")
        assert "Once upon a time there was an end." in screen.text
        screen.types("2" + ENTER)
        screen.shows("2 + 2 = 4")


# ---------------------------------------------------------------- attached


def test_a_question_of_the_command_line_is_answered_by_the_service(home: Path) -> None:
    with service(home, "Once upon a time."):
        done = once(home, "2 + 2")
        assert (done.returncode, done.stdout, done.stderr) == (0, "· Calculated 2 + 2\n2 + 2 = 4\n", "")
        assert once(home, QUESTION).stdout == "Once upon a time.\n"
        assert piped(home, "2 + 3\n\n2 + 4\n").stdout.splitlines()[1::2] == ["2 + 3 = 5", "2 + 4 = 6"]


def test_a_terminal_attaches_and_commands_reach_the_running_turn(home: Path) -> None:
    with service(home, "Once upon a time there was ", None, "an end."), chat(home) as screen:
        screen.shows("Attached to the running jarvisbot")
        screen.prompts()
        screen.types(QUESTION + ENTER)
        screen.shows("there was")
        screen.types(CTRL_C)
        screen.prompts()
        assert "an end." not in screen.text
        screen.types("/status" + ENTER)
        screen.shows("Up for")
        screen.prompts()
        screen.types(CTRL_D)
        assert screen.ended() == 0


def test_two_terminals_see_the_same_talk(home: Path) -> None:
    with service(home, "Once upon a time ", None, "there was an end.") as bot, chat(home) as one, chat(home) as two:
        one.prompts()
        two.prompts()
        two.types("half a ")
        two.shows("> half a")
        one.types(QUESTION + ENTER)
        one.shows("Once upon a time")
        two.shows(f"> {QUESTION}")
        go_on(bot)
        one.prompts()
        two.shows("Once upon a time there was an end.")
        two.until(lambda: two.lines[-1].strip() == "> half a")
        for screen in (one, two):
            assert screen.text.count("Once upon a time there was an end.") == 1
        two.types("thought" + ENTER)
        one.shows("> half a thought")


def test_a_service_that_is_killed_is_told_and_its_answer_comes_at_the_next_attach_once(home: Path) -> None:
    with service(home, "Once upon a time ", None, "there was an end.") as bot, chat(home) as screen:
        screen.prompts()
        screen.types(QUESTION + ENTER)
        screen.shows("Once upon a time")
        bot.kill()
        assert screen.ended() == 1
        assert screen.lines[-1] == STOPPED
    assert (home / "data" / "console.sock").exists()
    with service(home, "Once upon a time."):
        assert piped(home, "").stdout == "Once upon a time.\n"
        assert piped(home, "").stdout == ""


@pytest.mark.parametrize("point", ["inbox.committed", "answer.committed", "part.sent", "part.receipt"])
def test_one_answer_is_printed_whatever_point_the_service_is_killed_at(home: Path, point: str) -> None:
    with service(home, "Once upon a time.", point=point) as bot:
        first = piped(home, f"{QUESTION}\n")
        assert bot.wait(30) == -signal.SIGKILL
    if point in ("part.sent", "part.receipt"):  # the answer is there: it may be gone before the service is
        assert first.stdout == "Once upon a time.\n"
        assert (first.returncode, first.stderr) in ((0, ""), (1, STOPPED + "\n"))
    else:
        assert (first.returncode, first.stdout, first.stderr) == (1, "", STOPPED + "\n")
    with service(home, "Once upon a time."):
        second = piped(home, "")
    third = piped(home, "")
    assert (second.returncode, third.returncode) == (0, 0)
    assert (first.stdout + second.stdout + third.stdout).count("Once upon a time.") == 1


def test_what_was_typed_before_can_be_searched(home: Path) -> None:
    with chat(home) as screen:
        screen.prompts()
        for question in ("2 + 2", "3 + 3"):
            screen.types(question + ENTER)
            screen.shows(f"{question} = ")
            screen.prompts()
        screen.types("\x122 +")
        screen.shows("> 2 + 2", 10)


def test_a_service_that_stops_is_told_at_the_prompt_and_leaves_no_socket(home: Path) -> None:
    with service(home, "Once.") as bot, chat(home) as screen:
        screen.prompts()
        screen.types("unfinished")
        screen.shows("unfinished")
        bot.terminate()
        assert screen.ended() == 1
        assert screen.lines[-1] == STOPPED
        assert bot.wait(30) == 0
    assert not (home / "data" / "console.sock").exists()
    assert "2 + 2 = 4" in once(home, "2 + 2").stdout


def test_a_client_killed_in_mid_answer_does_not_lose_the_answer_and_nothing_comes_twice(home: Path) -> None:
    with service(home, "Once upon a time ", None, "there was an end.") as bot:
        with chat(home) as screen:
            screen.prompts()
            screen.types(QUESTION + ENTER)
            screen.shows("Once upon a time")
            screen.process.kill()
        go_on(bot)
        assert piped(home, "").stdout == "Once upon a time there was an end.\n"
        assert piped(home, "").stdout == ""
        assert once(home, "2 + 2").stdout.endswith("2 + 2 = 4\n")


def test_a_terminal_that_hangs_up_leaves_the_service_alone(home: Path) -> None:
    with service(home, "Once."):
        with chat(home) as screen:
            screen.prompts()
            os.close(screen.master)
            screen.master = os.open(os.devnull, os.O_RDWR)
            screen.process.wait(30)
        assert "2 + 2 = 4" in once(home, "2 + 2").stdout


def test_the_whole_talk_goes_on_with_a_service_and_without(home: Path) -> None:
    assert "= 4" in once(home, "2 + 2").stdout
    with service(home, "Once."):
        assert "2 + 2 = 4" in piped(home, "/retry\n").stdout
        assert "3 + 3 = 6" in piped(home, "3 + 3\n").stdout
    assert "3 + 3 = 6" in piped(home, "/retry\n").stdout
