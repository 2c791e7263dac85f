"""What a server says of itself, where words go, what a config may say of it."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from jarvisbot.config import load
from jarvisbot.errors import ConfigError, ModelError, ModelUnavailable
from jarvisbot.models import openai
from jarvisbot.models.openai import Settings
from jarvisbot.models.openai.place import place
from jarvisbot.types import Assistant, Result, ToolCall, ToolResult, User
from tests.emulators.openai_server import Hold, OpenAIServer, Status, chunk, serving, spoken
from tests.models.test_openai import RunningClock, answered, request, talking, text_of
from tests.program import jarvisbot, start, tell

# ---------------------------------------------------------------- what is loaded


@pytest.mark.parametrize(
    ("server", "context"),
    [
        ({"shape": "llama", "context": 4096}, 4096),
        ({"shape": "vllm", "context": 16384}, 16384),
        ({"shape": "lmstudio", "context": 5000}, 5000),
        ({"shape": "other"}, 8192),
        ({"shape": "other", "more": {"context_length": 32768}}, 32768),
        ({"shape": "other", "more": {"context_length": 262144, "top_provider": {"context_length": 131072}}}, 131072),
        ({"shape": "other", "more": {"context_window": 65536}}, 65536),
        ({"shape": "other", "more": {"max_context_length": 65537}}, 65537),
        ({"shape": "other", "more": {"meta": {"n_ctx": 3000}}}, 3000),
        ({"shape": "other", "more": {"context_length": "many", "max_model_len": True}}, 8192),
        ({"shape": "ollama"}, 4096),
        ({"shape": "ollama", "show": {"model_info": {"qwen3.context_length": 40960}}}, 4096),
        ({"shape": "ollama", "show": {"model_info": {"tiny.context_length": 2048}}}, 2048),
        ({"shape": "ollama", "show": {"parameters": 'stop "x"\nnum_ctx                        16384\n'}}, 16384),
        ({"shape": "ollama", "running": [{"name": "tiny", "context_length": 32768}]}, 32768),
        ({"shape": "ollama", "running": [{"name": "another", "context_length": 32768}]}, 4096),
        ({"shape": "ollama", "show": {"parameters": [1], "model_info": "?"}, "running": [7]}, 4096),
    ],
)
async def test_the_context_is_the_one_that_the_server_works_with(server: dict[str, Any], context: int) -> None:
    async with serving(**server) as running, talking(running) as model:
        assert (await model.info()).context_tokens == context


async def test_the_configs_own_context_wins() -> None:
    async with serving(shape="llama", context=4096) as server, talking(server, context_tokens=2000) as model:
        assert (await model.info()).context_tokens == 2000


@pytest.mark.parametrize(
    ("server", "thinks"),
    [
        ({"shape": "llama"}, True),
        ({"shape": "llama", "template": "{{ messages }}"}, False),
        ({"shape": "ollama", "show": {"capabilities": ["completion", "tools", "thinking"]}}, True),
        ({"shape": "ollama", "show": {"capabilities": ["completion"]}}, False),
        ({"more": {"supported_parameters": ["tools", "reasoning"]}}, True),
        ({}, False),
    ],
)
async def test_whether_a_model_reasons_is_what_the_server_says_unless_the_config_does(
    server: dict[str, Any], thinks: bool
) -> None:
    async with serving(**server) as running:
        for setting, expected in (("auto", thinks), ("on", True), ("off", False)):
            async with talking(running, thinking=setting) as model:
                assert (await model.info()).thinking == expected


async def test_the_only_model_of_a_server_needs_no_name() -> None:
    async with serving(models=["/models/Qwen3-4B-Q4_K_M.gguf"]) as server, talking(server) as model:
        assert (await model.info()).name == "Qwen3-4B-Q4_K_M"
        await answered(model)
        assert server.requests[0]["model"] == "/models/Qwen3-4B-Q4_K_M.gguf"


async def test_one_of_several_models_has_to_be_named() -> None:
    names = [f"m{number}" for number in range(20)]
    async with serving(models=names) as server:
        async with talking(server) as model:
            with pytest.raises(ModelError) as raised:
                await model.info()
            assert "m0, m1, m2" in raised.value.user_message
            assert "and 8 more" in raised.value.user_message
            assert "set `model`" in raised.value.user_message
            assert not isinstance(raised.value, ModelUnavailable)
        async with talking(server, model="m7") as model:
            assert (await model.info()).name == "m7"


@pytest.mark.parametrize("listed", [True, False])
async def test_a_server_without_any_list_needs_the_name(listed: bool) -> None:
    async with serving(models=[], listed=listed) as server:
        async with talking(server) as model:
            with pytest.raises(ModelError, match="lists no model"):
                await model.info()
        async with talking(server, model="mine") as model:
            assert text_of(await answered(model))


@pytest.mark.parametrize(
    ("prefix", "given"), [("/v1", ""), ("/v1", "/v1"), ("/v1", "/v1/"), ("/api/v1", "/api"), ("/openai", "/openai")]
)
async def test_the_address_is_found_with_and_without_its_version(prefix: str, given: str) -> None:
    async with (
        serving(prefix=prefix) as server,
        talking(server, base_url=f"http://127.0.0.1:{server.port}{given}") as model,
    ):
        assert text_of(await answered(model))
        assert ("POST", f"{prefix}/chat/completions") in server.seen


async def test_an_address_with_nothing_of_the_kind_behind_it_is_said() -> None:
    async with (
        serving() as server,
        talking(server, base_url=f"http://127.0.0.1:{server.port}/else", model="x") as model,
    ):
        with pytest.raises(ModelError, match="base_url"):
            await answered(model)


async def test_a_redirect_is_not_followed() -> None:
    away = Status(status=307, body={"error": {"message": "moved"}}, headers={"Location": "http://example.org/v1/chat"})
    async with serving(refuses={"messages": away}) as server, talking(server) as model:
        with pytest.raises(ModelError):
            await answered(model)


async def test_a_server_that_came_back_with_another_window_is_asked_anew() -> None:
    async with serving(shape="llama", context=4096) as server, talking(server, clock=RunningClock()) as model:
        assert (await model.info()).context_tokens == 4096
        await server.stop()
        with pytest.raises(ModelUnavailable):
            await answered(model)
        assert (await model.info()).context_tokens == 4096
        server.context = 1024
        await server.start()
        assert (await model.info()).context_tokens == 1024


@pytest.mark.parametrize("shape", ["other", "ollama"])
async def test_tokens_are_estimated_on_the_safe_side_where_nobody_counts_them(shape: str) -> None:
    async with serving(shape=shape) as server, talking(server) as model:
        for text in ("The quick brown fox jumps over the lazy dog. " * 20, "Fährt der Zug über die Brücke? " * 20):
            words = len(text.split())
            assert 1.2 * words <= await model.count([User(text=text)]) <= 5 * words


# ---------------------------------------------------------------- where words go


@pytest.mark.parametrize(
    ("url", "here", "outside"),
    [
        ("http://localhost:8080/v1", True, False),
        ("http://LOCALHOST/v1", True, False),
        ("http://127.0.0.1:8080", True, False),
        ("http://127.8.9.1", True, False),
        ("http://[::1]:8080", True, False),
        ("http://0.0.0.0:8080", True, False),
        ("http://[::ffff:127.0.0.1]:1", True, False),
        ("http://192.168.1.5:8080", False, False),
        ("http://10.0.0.2", False, False),
        ("http://172.20.0.1", False, False),
        ("http://100.101.102.103:11434", False, False),
        ("http://[fd00::1]", False, False),
        ("http://[fe80::1%25eth0]", False, False),
        ("http://nas:11434", False, False),
        ("http://box.lan", False, False),
        ("http://box.local.", False, False),
        ("http://gpu.home.arpa", False, False),
        ("https://openrouter.ai/api/v1", False, True),
        ("http://8.8.8.8", False, True),
        ("http://172.32.0.1", False, True),
        ("http://[2001:4860:4860::8888]", False, True),
        ("http://localhost.example.org", False, True),
        ("http://127.0.0.1.example.org", False, True),
        ("http://local", False, False),
    ],
)
def test_where_words_go_is_read_off_the_address(url: str, here: bool, outside: bool) -> None:
    found = place(url)
    assert (found.here, found.outside) == (here, outside)


async def test_a_model_says_where_words_go() -> None:
    async with serving() as server, talking(server) as model:
        info = await model.info()
    assert (info.place, info.outside) == ("", False)


# ---------------------------------------------------------------- the config


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://box/v1",
        "http://",
        "http:///v1",
        "http://box:port",
        "http://a b/v1",
        "http://u:p@box",
        "http://b?k=1",
    ],
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ValidationError):
        Settings(base_url=url)


@pytest.mark.parametrize("headers", [{"X Y": "a"}, {"": "a"}, {"X": "ä"}, {"X": "a\nb"}])
def test_a_header_that_no_request_can_carry_is_refused(headers: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        Settings(base_url="http://box", headers=headers)


def test_a_key_that_no_request_can_carry_is_said_without_it() -> None:
    with pytest.raises(ConfigError) as raised:
        openai.create(Settings(base_url="http://box"), models_folder=None, secrets={"api_key": "schlüssel"})
    assert "schl" not in raised.value.user_message


def test_the_key_comes_from_a_file_the_environment_or_systemd(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("from-file\n")
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "fast_api_key").write_text("from-systemd\n")
    for line, environment, expected in (
        ('api_key_file = "key"', {}, "from-file"),
        ('api_key_env = "THE_KEY"', {"THE_KEY": "from-environment"}, "from-environment"),
        ("", {"CREDENTIALS_DIRECTORY": str(tmp_path)}, "from-systemd"),
        ("", {}, None),
    ):
        file = tmp_path / "config.toml"
        file.write_text(f'[models.fast]\nbackend = "openai"\nbase_url = "http://box"\n{line}\n')
        config = load(file, environment=environment)
        _, secrets = config.section("models.fast", Settings, optional_secrets=openai.OPTIONAL_SECRETS, drop={"backend"})
        assert secrets.get("api_key") == expected
        assert config.secret_values() == ({expected} if expected else set())


# ---------------------------------------------------------------- the whole program


async def config_for(folder: Path, server: OpenAIServer, more: str = "") -> Path:
    file = folder / "config.toml"
    file.write_text(f'[model]\nbackend = "openai"\nbase_url = "{server.url}"\n{more}')
    file.chmod(0o600)
    return file


async def test_a_question_is_answered_by_the_server_and_its_key_is_in_no_log(tmp_path: Path) -> None:
    async with serving(key="sk-very-secret-1") as server:
        config = await config_for(tmp_path, server, 'api_key_env = "THE_KEY"\n[bot]\nlog_level = "DEBUG"\n')
        arguments = (
            "--config",
            str(config),
            "--data",
            str(tmp_path / "d"),
            "chat",
            "--verbose",
            "--once",
            "Tell me a joke",
        )
        ended = await jarvisbot(*arguments, home=tmp_path, more={"THE_KEY": "sk-very-secret-1"})
        assert ended.code == 0
        assert "All of these words" in ended.output
        wrong = await jarvisbot(*arguments, home=tmp_path, more={"THE_KEY": "sk-very-secret-2"})
        assert wrong.code == 1
        assert "refuses the api_key" in wrong.errors
    assert "sk-very-secret" not in ended.errors + ended.output + wrong.errors + wrong.output


async def test_a_server_that_is_not_there_is_one_sentence_and_sums_still_work(tmp_path: Path) -> None:
    server = OpenAIServer()
    await server.start()
    await server.stop()
    config = await config_for(tmp_path, server, "connect_s = 0.5\n")
    arguments = ("--config", str(config), "--data", str(tmp_path / "d"), "chat", "--once")
    sums = await jarvisbot(*arguments, "What is 2 * 21?", home=tmp_path)
    assert (sums.code, sums.errors) == (0, "")
    ended = await jarvisbot(*arguments, "Tell me a joke", home=tmp_path)
    assert ended.code == 1
    assert f"127.0.0.1:{server.port} cannot be reached" in ended.errors
    assert len(ended.errors.splitlines()) == 1


async def test_with_a_model_on_a_server_the_local_library_is_never_imported(tmp_path: Path) -> None:
    code = """
import json, sys
from jarvisbot.cli import main
code = main(sys.argv[1:])
print("LOADED", json.dumps([code, sorted({name.split(".")[0] for name in sys.modules})]))
"""
    async with serving(shape="llama") as server:
        config = await config_for(tmp_path, server)
        talk = ["--config", str(config), "--data", str(tmp_path / "d"), "chat", "--once", "Tell me a joke"]
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", code, *talk, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path
        )
        output, errors = await process.communicate()
    ended, loaded = json.loads(output.decode().rpartition("LOADED ")[2])
    assert ended == 0, errors
    assert "All of these words" in output.decode()
    assert "httpx" in loaded
    assert not {"llama_cpp", "numpy", "jinja2", "openai", "telegram"} & set(loaded)


async def test_a_sum_needs_no_line_to_the_server(tmp_path: Path) -> None:
    async with serving() as server:
        config = await config_for(tmp_path, server)
        ended = await jarvisbot(
            "--config", str(config), "--data", str(tmp_path / "d"), "chat", "--once", "What is 2 * 21?", home=tmp_path
        )
        assert "42" in ended.output
        assert server.seen == []


async def test_interrupting_the_program_lets_go_of_the_server(tmp_path: Path) -> None:
    async with serving(replies=[[chunk(content="One"), Hold(until=asyncio.Event())]]) as server:
        config = await config_for(tmp_path, server)
        process = await start(
            "--config", str(config), "--data", str(tmp_path / "d"), "chat", "--once", "Tell me a joke", home=tmp_path
        )
        await server.until(lambda: server.requests)
        tell(process, signal.SIGTERM)
        await process.communicate()
        await server.until(lambda: server.left == 1)


# ---------------------------------------------------------------- a server that is in trouble while it is asked about itself


async def test_trouble_while_the_server_is_asked_about_itself_is_waited_out() -> None:
    clock = RunningClock()
    faults = [Status(status=503, body="busy"), Status(status=200, body="no json")]
    async with serving(list_faults=faults) as server, talking(server, clock=clock, model="tiny") as model:
        assert (await model.info()).name == "tiny"
        assert clock.waits == [1.0]


async def test_a_rate_limit_on_the_servers_list_is_told_where_it_is_too_long() -> None:
    busy = Status(status=429, body={"error": {"message": "slow down"}}, headers={"Retry-After": "600"})
    async with serving(list_faults=[busy]) as server, talking(server) as model:
        with pytest.raises(ModelError, match="asks to wait 10 min"):
            await model.info()


async def test_templates_that_take_users_and_assistants_only_are_told_calls_in_words() -> None:
    order = Status(status=500, body={"error": {"message": "Conversation roles must alternate user/assistant"}})
    items = (
        User(text="Sum?"),
        Assistant(text="", calls=(ToolCall(id="c", name="add", arguments={"a": 1}),)),
        Result(result=ToolResult(call_id="c", text="2")),
        User(text="So?"),
    )
    async with serving(replies=[order, order, spoken("Two.")]) as server, talking(server) as model:
        assert text_of(await answered(model, request(*items))) == "Two."
        last = server.requests[-1]["messages"]
    assert [message["role"] for message in last] == ["user", "assistant", "user"]
    assert "Result of add:\n2\n\nSo?" in last[-1]["content"]
