"""Several models of which one answers, and what people are told of it."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest

from jarvisbot import app
from jarvisbot.chosen import ChosenModel
from jarvisbot.config import load
from jarvisbot.errors import ConfigError, MissingPart, ModelUnavailable
from jarvisbot.gateway.model_choice import chosen, told, where
from jarvisbot.late import LateModel
from jarvisbot.model import ModelInfo, ModelRequest, TextPiece
from jarvisbot.models.scripted import Scripted, Until
from jarvisbot.types import User
from tests.emulators.openai_server import serving
from tests.fakes import said
from tests.gateway.conftest import running

HERE = ModelInfo(name="tiny-4b", context_tokens=4096, tools=True, thinking=False)
NEAR = ModelInfo(name="box-9b", context_tokens=16384, tools=True, thinking=True, place="http://192.168.1.5:8080")
FAR = ModelInfo(
    name="far-70b", context_tokens=131072, tools=False, thinking=True, place="https://openrouter.ai", outside=True
)


class Closed(Scripted):
    """A model that counts how often it was closed."""

    closings = 0

    async def close(self) -> None:
        self.closings += 1
        await super().close()


def three() -> ChosenModel:
    return ChosenModel(
        {
            "default": Closed(["here"], info=HERE, cycle=True),
            "fast": Closed(["near"], info=NEAR, cycle=True),
            "big": Closed(["far"], info=FAR, cycle=True),
        }
    )


async def words(model: ChosenModel) -> str:
    request = ModelRequest(items=(User(text="?"),))
    return "".join([event.text async for event in model.stream(request) if isinstance(event, TextPiece)])


# ---------------------------------------------------------------- choosing


async def test_a_model_that_has_said_nothing_of_itself_is_called_as_in_the_config() -> None:
    model = ChosenModel({"default": LateModel(Scripted, name="llamacpp"), "far": LateModel(Scripted, name="openai")})
    assert str(model) == "llamacpp"
    await model.choose("far")
    assert str(model) == "far"


async def test_the_first_model_answers_until_another_is_chosen() -> None:
    model = three()
    assert (model.name, model.names) == ("default", ("default", "fast", "big"))
    assert await words(model) == "here"
    await model.choose("fast")
    assert (await words(model), (await model.info()).name) == ("near", "box-9b")
    await model.choose("default")
    assert await words(model) == "here"


async def test_a_model_that_is_not_there_cannot_be_chosen() -> None:
    model = three()
    with pytest.raises(KeyError):
        await model.choose("other")
    assert model.name == "default"


async def test_a_model_that_is_not_asked_any_more_gives_its_memory_back_when_it_has_answered() -> None:
    go = asyncio.Event()
    first, second = Closed([["one ", Until(event=go), "two"]], piece_characters=9), Closed(["other"])
    model = ChosenModel({"a": first, "b": second})
    async with aclosing(model.stream(ModelRequest(items=(User(text="?"),)))) as events:
        async for event in events:
            if isinstance(event, TextPiece) and event.text.startswith("one"):
                await model.choose("b")
                assert first.closings == 0
                go.set()
    assert (first.closings, second.closings) == (1, 0)
    assert await words(model) == "other"


async def test_choosing_the_model_that_answers_closes_nothing() -> None:
    first = Closed(["a"])
    model = ChosenModel({"a": first})
    await model.choose("a")
    assert first.closings == 0


async def test_a_model_that_fails_is_not_replaced_by_another() -> None:
    model = ChosenModel({"gone": Scripted([]), "far": Scripted(["never"])})
    with pytest.raises(ModelUnavailable):
        await words(model)
    assert model.name == "gone"


async def test_closing_closes_every_model() -> None:
    models = {"a": Closed(["a"]), "b": Closed(["b"])}
    await ChosenModel(models).close()
    assert [model.closings for model in models.values()] == [1, 1]


# ---------------------------------------------------------------- what people are told


@pytest.mark.parametrize(
    ("name", "language", "lines"),
    [
        ("default", "en", ["Model: tiny-4b", "stays on this machine", "4096 tokens", "Tools: yes; reasons first: no"]),
        ("default", "de", ["Modell: tiny-4b", "bleibt auf diesem Rechner", "4096 Token", "Werkzeuge: ja"]),
        ("fast", "en", ["Model: box-9b", "goes to http://192.168.1.5:8080, in your network", "reasons first: yes"]),
        ("fast", "de", ["geht an http://192.168.1.5:8080, in deinem Netz"]),
        ("big", "en", ["goes to https://openrouter.ai, **outside your network**", "Tools: no"]),
        ("big", "de", ["geht an https://openrouter.ai, **außerhalb deines Netzes**"]),
    ],
)
async def test_it_is_told_where_words_go_and_what_the_model_can_do(name: str, language: str, lines: list[str]) -> None:
    text = await chosen(three(), name.upper(), language)
    assert all(line in text for line in lines), text
    assert f"`/model {name}`" not in text
    assert text.count("`/model ") == 2


async def test_a_name_that_no_model_has_is_said_with_those_that_there_are() -> None:
    model = three()
    assert "default, fast, big" in await chosen(model, "nope` <@everyone>", "en")
    assert "everyone" not in await chosen(model, "nope` <@everyone>", "de")
    assert model.name == "default"


async def test_what_keeps_a_model_from_answering_is_told_and_the_others_are_named() -> None:
    def missing() -> Scripted:
        raise MissingPart("There is no model file.")

    model = ChosenModel({"default": LateModel(missing, name="llamacpp"), "fast": Scripted([])})
    text = await told(model, "en")
    assert "Not there now: There is no model file." in text
    assert "`/model fast`" in text


def test_a_model_of_which_nothing_is_known_yet_is_nowhere() -> None:
    assert where(None, "en") == ""


async def test_owners_switch_the_model_and_everybody_sees_where_words_go(tmp_path: Path) -> None:
    models = three()
    async with running(tmp_path / "data", model=models) as bot:  # type: ignore[arg-type]
        for text, expected in (
            ("Why is the sea salt?", "here"),
            ("/model big", "outside your network"),
            ("Why is it so loud?", "far"),
            ("/status", "far-70b, https://openrouter.ai, outside your network"),
            ("/model default", "this machine"),
        ):
            await bot.hears(said(text, sent=bot.clock.now()))
            await bot.settles()
            assert any(expected in shown for shown in bot.connector.shown), text
            bot.connector.screen.clear()


async def test_members_see_the_model_and_cannot_change_it(tmp_path: Path) -> None:
    settings = {"access.members": '["fake:9"]'}
    models = three()
    async with running(tmp_path / "data", model=models, settings=settings) as bot:  # type: ignore[arg-type]
        await bot.hears(said("/model", user="9"), said("/model big", user="9"))
        await bot.settles()
        assert any("stays on this machine" in text for text in bot.connector.shown)
        assert any("Only owners" in text for text in bot.connector.shown)
    assert models.name == "default"


# ---------------------------------------------------------------- the config


async def test_models_of_the_config_are_made_when_they_are_asked(tmp_path: Path) -> None:
    async with serving(models=["qwen"]) as server:
        file = tmp_path / "config.toml"
        file.write_text(
            '[model]\nbackend = "scripted"\nreplies = ["one"]\n'
            f'[models.box]\nbackend = "openai"\nbase_url = "{server.url}"\n[models.other]\nbackend = "scripted"\n'
        )
        model = app.model(load(file, environment={}))
        assert isinstance(model, ChosenModel)
        assert model.names == ("default", "box", "other")
        assert await words(model) == "one"
        assert server.seen == []
        await model.choose("box")
        assert "All of these words" in await words(model)
        await model.close()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[models.default]\nbackend = "scripted"\n', "models.default is what the model of [model] is called"),
        ('[models.box]\nbackend = "openais"\n', "models.box.backend names no backend"),
        ('[models.box]\nbackend = "openai"\n', "models.box.base_url is missing"),
        (
            '[models.box]\nbackend = "openai"\nbase_url = "http://b"\nmodle = "x"\n',
            "nearest valid name is models.box.model",
        ),
        ("[models]\nbox = 3\n", "models.box must be a table"),
        ('[models.Box]\nbackend = "scripted"\n', "models.Box"),
        ('[models.box]\nbackend = "openai"\nbase_url = "box:8080"\n', "must be a web address"),
        ('[models.box]\nbackend = "openai"\nbase_url = "http://b"\ntools = "maybe"\n', "models.box.tools"),
    ],
)
def test_a_mistake_in_a_models_section_is_named(tmp_path: Path, text: str, what: str) -> None:
    file = tmp_path / "config.toml"
    file.write_text(text)
    with pytest.raises(ConfigError) as raised:
        app.model(load(file, environment={}))
    assert what in raised.value.user_message
    assert f"{file}:" in raised.value.user_message


def test_the_environment_sets_a_models_keys() -> None:
    environment = {"JARVISBOT_MODELS__BOX__BACKEND": "openai", "JARVISBOT_MODELS__BOX__BASE_URL": "http://b:1"}
    assert load(None, environment=environment).models == {"box": "openai"}
    with pytest.raises(ConfigError):
        load(None, environment={"JARVISBOT_MODELS__BOX": "openai"})
