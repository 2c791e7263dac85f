"""The owner's actions: found by name, run as programs without a shell or as web hooks, and told in words."""

from __future__ import annotations

import asyncio
import json
import socket
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest
from aiohttp import web

from jarvisbot.config import Action, load
from jarvisbot.errors import BadArguments
from jarvisbot.tool import Risk, Tool, Toolbox
from jarvisbot.tools.home_action import create, made
from jarvisbot.tools.home_action.matching import matching
from jarvisbot.tools.home_action.programs import cleaned, program_environment
from jarvisbot.types import ToolCall, ToolResult
from tests.tools.test_calculator import CONTEXT, Open


async def run(tool: Tool, name: str) -> ToolResult:
    toolbox = Toolbox(tools=[tool], gate=Open())
    return await toolbox.run(ToolCall(id="c1", name="home_action", arguments={"name": name}), context=CONTEXT)


def python(code: str, *arguments: str, timeout_s: float = 20.0) -> Tool:
    return made([Action(name="it", argv=(sys.executable, "-c", code, *arguments), timeout_s=timeout_s)])


# ---------------------------------------------------------------- the tool itself


def test_without_an_action_there_is_no_tool() -> None:
    assert create(load(None, environment={})) is None


def test_it_is_an_external_effect_and_tells_the_model_the_names() -> None:
    config = load(
        None, environment={}, overrides={"actions.spotify.argv": '["true"]', "actions.radio.argv": '["true"]'}
    )
    tool = create(config)
    assert tool is not None
    assert (tool.name, tool.risk, tool.label) == ("home_action", Risk.EXTERNAL, "Tried to run")
    properties = tool.spec.parameters["properties"]
    assert isinstance(properties, dict)
    assert properties["name"]["description"] == "The action's name, one of: spotify; radio"
    assert tool.spec.parameters["required"] == ["name"]


def test_a_model_is_not_told_more_names_than_it_can_read() -> None:
    tool = made([Action(name=f"action number {n}", argv=("true",), description="d" * 100) for n in range(100)])
    assert len(json.dumps(tool.spec.parameters)) < 1_000


# ---------------------------------------------------------------- names

ACTIONS = [
    Action(name="spotify", argv=("true",), aliases=("music", "Musik")),
    Action(name="living room light off", argv=("true",), aliases=("Wohnzimmerlicht aus", "Licht im Wohnzimmer aus")),
    Action(name="living room light on", argv=("true",), aliases=("Wohnzimmerlicht an", "Licht im Wohnzimmer an")),
    Action(name="light off", argv=("true",), aliases=("Licht aus",)),
    Action(name="garage door", argv=("true",), aliases=("Garage", "Garagentor")),
]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("spotify", "spotify"),
        ("Spotify", "spotify"),
        ("the music", "spotify"),
        ("Musik", "spotify"),
        ("open spotify please", "spotify"),
        ("living room light off", "living room light off"),
        ("turn off the living room light", "living room light off"),
        ("turn the living room lights on", "living room light on"),
        ("Schalte das Wohnzimmerlicht aus", "living room light off"),
        ("Mach bitte das Licht im Wohnzimmer aus", "living room light off"),
        ("Kannst du das Wohnzimmerlicht einschalten", "living room light on"),
        ("Wohnzimmerlicht anmachen", "living room light on"),
        ("turn off the light", "light off"),
        ("Licht ausschalten", "light off"),
        ("das Garagentor", "garage door"),
    ],
)
def test_an_action_is_found_by_its_words(text: str, name: str) -> None:
    assert matching(text, ACTIONS).name == name


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "heating",
            'There is no action "heating". There are: spotify, living room light off, living room light on, light off, '
            "garage door",
        ),
        (
            "spotfy",
            'There is no action "spotfy". The nearest is "spotify". There are: spotify, living room light off, living room '
            "light on, light off, garage door",
        ),
        ("light", 'There is no action "light". '),
        ("turn on the light", 'There is no action "turn on the light". '),
        (
            "turn off the light and play music",
            'Several actions fit "turn off the light and play music": spotify, light off',
        ),
        ("", 'There is no action "". '),
        ("…", 'There is no action "…". '),
        ('x" There are: y\n' * 100, "There is no action \"x' There are: y"),
    ],
)
def test_what_names_none_or_several_is_refused_with_the_names(text: str, message: str) -> None:
    with pytest.raises(BadArguments) as caught:
        matching(text, ACTIONS)
    assert caught.value.user_message.startswith(message)
    assert "\n" not in caught.value.user_message


async def test_an_unknown_name_is_a_result_with_the_names_and_runs_nothing() -> None:
    result = await run(made(ACTIONS), "garden")
    assert not result.ok
    assert result.text.startswith('Tool "home_action" failed: There is no action "garden". There are: spotify, ')


# ---------------------------------------------------------------- programs


async def test_a_program_is_run_and_what_it_prints_is_shown() -> None:
    result = await run(python("print('playing'); print('\\x1b[31mred\\x1b[0m\\x07')"), "it")
    assert (result.ok, result.text) == (True, "Done: it\nplaying\nred")


async def test_a_silent_program_is_done() -> None:
    assert (await run(python(""), "it")).text == "Done: it"


async def test_no_shell_reads_the_arguments(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    result = await run(python("import sys; print(sys.argv[1:])", f"; touch {marker}", "$HOME", "*"), "it")
    assert result.text == f"Done: it\n{['; touch ' + str(marker), '$HOME', '*']}"
    assert not marker.exists()


async def test_a_program_gets_no_input() -> None:
    assert (await run(python("import sys; print(repr(sys.stdin.read()))"), "it")).text == "Done: it\n''"


async def test_a_program_gets_no_secret_of_the_bot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TELEGRAM_TOKEN", "123456:hush")
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1")
    result = await run(python("import os; print(sorted(os.environ.values()))"), "it")
    assert "hush" not in result.text
    assert "/run/user/1" in result.text
    kept = program_environment({"PATH": "/bin", "LC_ALL": "C", "CREDENTIALS_DIRECTORY": "/x", "AWS_SECRET": "y"})
    assert kept == {"PATH": "/bin", "LC_ALL": "C"}


async def test_an_exit_code_is_a_failure_that_is_named() -> None:
    result = await run(python("import sys; print('no such light', file=sys.stderr); sys.exit(3)"), "it")
    assert (result.ok, result.text) == (False, 'Tool "home_action" failed: "it" ended with exit code 3: no such light')
    result = await run(python("import os; os.kill(os.getpid(), 15)"), "it")
    assert (result.ok, result.text) == (False, 'Tool "home_action" failed: "it" was ended by signal 15.')


async def test_a_program_that_is_not_there_is_named() -> None:
    result = await run(made([Action(name="it", argv=("/nowhere/lights", "off"))]), "it")
    assert (result.ok, "there is no program '/nowhere/lights'" in result.text) == (False, True)


async def test_a_program_that_cannot_be_run_is_said(tmp_path: Path) -> None:
    (tmp_path / "lights").write_text("no program")
    result = await run(made([Action(name="it", argv=(str(tmp_path / "lights"),))]), "it")
    assert not result.ok
    assert '"it" cannot be run: Permission denied.' in result.text


FAMILY = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(600)
"""


async def child_of(marker: Path) -> psutil.Process:
    async with asyncio.timeout(20):
        while not (marker.exists() and marker.read_text()):
            await asyncio.sleep(0.02)
    return psutil.Process(int(marker.read_text()))


async def gone(process: psutil.Process) -> bool:
    async with asyncio.timeout(20):
        while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
            await asyncio.sleep(0.02)
    return True


async def test_a_program_that_takes_too_long_is_killed_with_its_children(tmp_path: Path) -> None:
    marker = tmp_path / "child"
    running = asyncio.create_task(run(python(FAMILY, str(marker), timeout_s=3.0), "it"))
    child = await child_of(marker)
    result = await running
    assert not result.ok
    assert result.text == 'Tool "home_action" failed: "it" took longer than 3 seconds and was stopped.'
    assert await gone(child)


async def test_a_cancelled_call_kills_the_program_with_its_children(tmp_path: Path) -> None:
    marker = tmp_path / "child"
    running = asyncio.create_task(run(python(FAMILY, str(marker), timeout_s=60.0), "it"))
    child = await child_of(marker)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert await gone(child)


async def test_a_program_that_leaves_a_child_behind_is_done_at_once_and_the_child_goes_on(tmp_path: Path) -> None:
    marker = tmp_path / "child"
    begun = time.monotonic()
    result = await run(python(FAMILY.removesuffix("time.sleep(600)\n") + "print('on')", str(marker)), "it")
    child = await child_of(marker)
    try:
        assert result.text == "Done: it\non"
        assert time.monotonic() - begun < 15
        assert child.is_running()
    finally:
        child.kill()


async def test_a_flood_of_output_is_cut_and_does_not_hold_the_program_up() -> None:
    result = await run(python("print('x' * 5_000_000)"), "it")
    assert result.ok
    assert len(result.text) < 500


@pytest.mark.parametrize(
    ("output", "text"),
    [
        (b"", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (b"a\r\nb\n\n\nc", "a\nb\nc"),
        (b"\x1b]0;title\x07shown\x1b[2J", "shown"),
        ("\u202eevil\u200b".encode(), "evil"),
        (b"x" * 1000, "x" * 399 + "…"),
    ],
)
def test_output_is_cleaned(output: bytes, text: str) -> None:
    assert cleaned(output) == text


# ---------------------------------------------------------------- web hooks


@asynccontextmanager
async def hook(
    status: int = 200, *, delay_s: float = 0.0, location: str = ""
) -> AsyncIterator[tuple[str, list[dict[str, object]]]]:
    """A loopback service that answers every POST alike, and what it was sent."""
    asked: list[dict[str, object]] = []

    async def answer(request: web.Request) -> web.Response:
        body = await request.read()
        asked.append(
            {"path": request.path, "body": body.decode(), **{k.lower(): v for k, v in request.headers.items()}}
        )
        await asyncio.sleep(delay_s)
        return web.Response(
            status=status, text="a body that nobody reads", headers={"Location": location} if location else {}
        )

    application = web.Application()
    application.router.add_post("/{path:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    host, port = runner.addresses[0][:2]
    try:
        yield f"http://{host}:{port}/api/webhook/secret-path", asked
    finally:
        await runner.cleanup()


async def test_a_web_hook_gets_a_post_with_body_and_headers() -> None:
    async with hook() as (url, asked):
        action = Action(
            name="it", webhook=url, body={"on": True}, headers={"X-Source": "jarvisbot", "Authorization": "Bearer hush"}
        )
        result = await run(made([action]), "it")
    assert (result.ok, result.text) == (True, "Done: it")
    (request,) = asked
    assert (request["path"], json.loads(str(request["body"]))) == ("/api/webhook/secret-path", {"on": True})
    assert (request["x-source"], request["authorization"]) == ("jarvisbot", "Bearer hush")
    assert request["content-type"] == "application/json"


async def test_a_web_hook_without_a_body_gets_an_empty_post() -> None:
    async with hook(204) as (url, asked):
        assert (await run(made([Action(name="it", webhook=url)]), "it")).ok
    assert asked[0]["body"] == ""


@pytest.mark.parametrize(
    ("status", "words"),
    [(404, "404 Not Found."), (401, "401 Unauthorized."), (500, "500 Internal Server Error."), (599, "599.")],
)
async def test_an_error_names_host_and_status_and_never_the_path(status: int, words: str) -> None:
    async with hook(status) as (url, _):
        result = await run(made([Action(name="it", webhook=url)]), "it")
    assert not result.ok
    assert result.text.endswith(words)
    assert "127.0.0.1" in result.text
    assert "secret-path" not in result.text


async def test_a_redirect_is_not_followed() -> None:
    async with hook() as (elsewhere, stolen), hook(307, location=elsewhere) as (url, asked):
        result = await run(made([Action(name="it", webhook=url, headers={"Authorization": "Bearer hush"})]), "it")
    assert (len(asked), stolen) == (1, [])
    assert not result.ok
    assert "307 Temporary Redirect, and redirects are not followed" in result.text


async def test_no_proxy_of_the_environment_gets_to_know_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    async with hook() as (url, asked):
        assert (await run(made([Action(name="it", webhook=url)]), "it")).ok
    assert len(asked) == 1


async def test_a_service_that_does_not_answer_leaves_it_open_whether_it_happened() -> None:
    async with hook(delay_s=2.0) as (url, _):
        result = await run(made([Action(name="it", webhook=url, timeout_s=0.3)]), "it")
    assert not result.ok
    assert 'did not answer within 0.3 seconds: whether "it" was run is not known.' in result.text
    assert "secret-path" not in result.text


async def test_a_service_that_is_not_there_was_not_reached() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}/secret-path"
        result = await run(made([Action(name="it", webhook=url)]), "it")
    assert not result.ok
    assert '"it" was not run: 127.0.0.1:' in result.text
    assert "could not be reached" in result.text
    assert "secret-path" not in result.text


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def test_no_descriptor_is_left_open() -> None:
    await run(python(""), "it")
    before = descriptors()
    for _ in range(5):
        await run(python(""), "it")
        await run(made([Action(name="it", argv=("/nowhere/lights",))]), "it")
    await asyncio.sleep(0)
    assert descriptors() <= before
