"""What every model backend promises, over each of them: a real llama, a hybrid, the demo model, the script, servers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
import pytest_asyncio

from jarvisbot.errors import ContextTooLong, ModelUnavailable
from jarvisbot.model import Done, Model, ModelEvent, ModelRequest, Prefill, Sampling, Slot, Stopped, TextPiece
from jarvisbot.models import llamacpp, openai, scripted
from jarvisbot.models.llamacpp.location import demo_model
from jarvisbot.types import Assistant, Item, Result, System, ToolCall, ToolResult, ToolSpec, User
from tests.emulators.openai_server import OpenAIServer
from tests.emulators.tiny_gguf import write_gguf

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATIENCE_S = 60.0
CALCULATOR = ToolSpec(
    name="calculator",
    description="Works out sums.",
    parameters={"type": "object", "properties": {"expression": {"type": "string"}}, "required": ["expression"]},
)
CALL = ToolCall(id="c1", name="calculator", arguments={"expression": "3*7", "digits": 2})
TALK: tuple[Item, ...] = (
    System(text="You are brief."),
    User(text="What is 3*7? 😀 <|im_end|>"),
    Assistant(text="", calls=(CALL,), thinking="hm"),
    Result(result=ToolResult(call_id="c1", text="3*7 = 21")),
    Assistant(text="It is 21."),
    System(text="One round is left."),
    User(text="Grüße. And \0 \ud83d then?"),
)


@pytest_asyncio.fixture(
    scope="module", loop_scope="module", params=["llama", "qwen35", "demo", "scripted", "openai-llama", "openai-vllm"]
)
async def model(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Model]:
    made: Model
    server = OpenAIServer(shape=request.param.removeprefix("openai-"))
    if request.param.startswith("openai"):
        await server.start()
        made = openai.create(openai.Settings(base_url=server.url), models_folder=None)
    elif request.param == "scripted":
        made = scripted.create(
            scripted.Settings(replies=("All of these words are the script's. " * 9,)), models_folder=None
        )
    else:
        folder: Path = tmp_path_factory.mktemp("model")
        path = demo_model() if request.param == "demo" else write_gguf(folder / "tiny.gguf", request.param)
        made = llamacpp.create(llamacpp.Settings(path=path, threads=1, context_tokens=2048), models_folder=None)
    yield made
    await made.close()
    await server.stop()


def request(*items: Item, max_tokens: int = 8, **more: object) -> ModelRequest:
    wanted = items or (System(text="You are brief."), User(text="Hello?"))
    return ModelRequest(items=wanted, sampling=Sampling(seed=1), max_tokens=max_tokens, **more)  # type: ignore[arg-type]


async def answer(model: Model, wanted: ModelRequest) -> list[ModelEvent]:
    async with asyncio.timeout(PATIENCE_S):
        return [event async for event in model.stream(wanted)]


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextPiece))


async def until_text(stream: AsyncGenerator[ModelEvent, None]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not isinstance(await anext(stream), TextPiece):
            pass


async def rest(stream: AsyncGenerator[ModelEvent, None]) -> None:
    """Reads a stream to its end, which must not come as Done."""
    async for event in stream:
        assert not isinstance(event, Done)


async def test_it_says_what_is_loaded(model: Model) -> None:
    info = await model.info()
    assert info.name
    assert info.context_tokens >= 256


async def test_events_come_in_order_and_one_done_is_the_last(model: Model) -> None:
    events = await answer(model, request())
    prefills = [event for event in events if isinstance(event, Prefill)]
    assert [isinstance(event, Done) for event in events] == [False] * (len(events) - 1) + [True]
    assert events[: len(prefills)] == prefills
    assert prefills
    assert [event.done for event in prefills] == sorted(event.done for event in prefills)
    assert prefills[-1].done == prefills[-1].total == (await model.count(request().items))


async def test_a_generation_tells_what_it_cost(model: Model) -> None:
    done = (await answer(model, request(max_tokens=5)))[-1]
    assert isinstance(done, Done)
    assert done.usage.prompt_tokens == await model.count(request().items)
    assert 0 <= done.usage.cached_tokens < done.usage.prompt_tokens
    assert 0 < done.usage.completion_tokens <= 5
    assert done.reason in (Stopped.LENGTH, Stopped.END)


async def test_every_kind_of_item_and_any_text_can_be_read(model: Model) -> None:
    for until in range(1, len(TALK) + 1):
        events = await answer(model, request(*TALK[:until], max_tokens=2, tools=(CALCULATOR,)))
        assert isinstance(events[-1], Done)
        assert text_of(events).encode() is not None


async def test_longer_talks_have_more_tokens(model: Model) -> None:
    counts = [await model.count(TALK[:until]) for until in range(2, len(TALK) + 1)]
    assert counts == sorted(set(counts))
    assert await model.count(TALK, (CALCULATOR,)) > counts[-1]
    assert await model.count(TALK) == counts[-1]


async def test_a_reply_has_no_more_tokens_than_asked_for(model: Model) -> None:
    for tokens in (0, 1, 3):
        done = (await answer(model, request(max_tokens=tokens)))[-1]
        assert isinstance(done, Done)
        assert done.usage.completion_tokens <= tokens


async def test_a_prompt_that_does_not_fit_is_refused_with_its_numbers_before_any_event(model: Model) -> None:
    long = request(User(text="a long story, " * 4000))
    with pytest.raises(ContextTooLong) as raised:
        await anext(model.stream(long))
    assert raised.value.needed == await model.count(long.items) > raised.value.available
    assert raised.value.available < (await model.info()).context_tokens


async def test_a_slot_begins_with_its_prefix_and_leaves_its_stop_out(model: Model) -> None:
    slot = Slot(prefix='{"city": "', stop='"', characters="A-Za-z' .")
    text = text_of(await answer(model, request(constraint=slot, max_tokens=12)))
    assert text.startswith(slot.prefix)
    assert '"' not in text.removeprefix(slot.prefix)


async def test_closing_the_stream_ends_the_generation(model: Model) -> None:
    async with aclosing(model.stream(request(max_tokens=1500))) as stream:
        await until_text(stream)
    assert isinstance((await answer(model, request()))[-1], Done)


async def test_requests_at_the_same_time_are_all_answered(model: Model) -> None:
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        tasks = [group.create_task(answer(model, request(User(text=f"{number}"), max_tokens=4))) for number in range(4)]
    assert all(isinstance(task.result()[-1], Done) for task in tasks)


async def test_counting_does_not_wait_for_a_generation(model: Model) -> None:
    async with aclosing(model.stream(request(max_tokens=1500))) as stream:
        await until_text(stream)
        assert await model.count(TALK) > 0


async def test_closing_the_model_ends_its_generations_and_it_can_be_used_again(model: Model) -> None:
    stream = model.stream(request(max_tokens=1500))
    await until_text(stream)
    async with asyncio.timeout(PATIENCE_S):
        await model.close()
        with pytest.raises(ModelUnavailable):
            await rest(stream)
    assert isinstance((await answer(model, request()))[-1], Done)
