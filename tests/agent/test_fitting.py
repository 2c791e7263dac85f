"""Prompts that fit: a window that turns out smaller, a message that is too long, and what people are told of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from pathlib import Path

import pytest

from jarvisbot.agent.fitting import CUT_UP_TO, Fitting
from jarvisbot.errors import ContextTooLong
from jarvisbot.model import ModelEvent, ModelInfo, ModelRequest
from jarvisbot.models.scripted import Scripted
from jarvisbot.types import Answered, Assistant, Failed, Heading, Item, Result, System, ToolCall, ToolResult, User
from tests.agent.test_turn import World
from tests.fakes import said
from tests.gateway.conftest import running

WINDOW = 1000
ROOM = 750


class Smaller(Scripted):
    """A model that reads less than it says, in tokens of its own measure."""

    def __init__(self, replies: Sequence[str], *, window: int, measure: float = 1.0, said: int = 8192) -> None:
        super().__init__(replies, info=ModelInfo(name="small", context_tokens=said, tools=True, thinking=False))
        self._window = window
        self._measure = measure
        self.refused: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        needed = int(await self.count(request.items, request.tools) * self._measure)
        if needed >= self._window:
            self.refused.append(request)
            message = f"The prompt has {needed} tokens and {self._window - 1} fit."
            raise ContextTooLong(message, needed=needed, available=self._window - 1)
        async for event in super().stream(request):
            yield event


def talk(exchanges: int, *, size: int = 300) -> list[Item]:
    items: list[Item] = []
    for number in range(exchanges):
        items += [User(text=f"q{number} ".ljust(size, "x")), Assistant(text=f"a{number} ".ljust(size, "y"))]
    return items


# ---------------------------------------------------------------- a smaller window


@pytest.mark.parametrize("measure", [1.0, 1.4, 2.0])
async def test_a_window_that_turns_out_smaller_costs_old_exchanges_and_one_more_try(measure: float) -> None:
    model = Smaller(["It is so."], window=700, measure=measure)
    world = World(model=model)
    await world.hears("And why is the sea salt?", talk(8))
    assert world.text == "It is so."
    assert len(model.refused) == 1
    (asked,) = model.requests
    assert len(asked.items) < len(model.refused[0].items)
    assert isinstance(asked.items[-1], User)
    assert asked.items[-1].text.endswith("And why is the sea salt?")
    assert model.refused[0].items[1:2] != asked.items[1:2]


async def test_a_talk_goes_on_after_its_window_was_found_to_be_smaller() -> None:
    model = Smaller(["One.", "Two."], window=700)
    for answer in ("One.", "Two."):
        world = World(model=model)
        await world.hears("And why is the sea salt?", talk(8))
        assert world.text == answer


async def test_a_message_that_does_not_fit_the_smaller_window_is_cut() -> None:
    model = Smaller(["It is long."], window=1200)
    world = World(model=model)
    await world.hears("begin " + "word " * 1500 + "end")
    assert world.text == "It is long."
    assert isinstance(world.end, Answered)
    assert world.end.review.shortened
    text = getattr(model.requests[0].items[-1], "text", "")
    assert "begin word" in text
    assert text.endswith("word end")


async def test_a_model_that_refuses_whatever_it_is_given_ends_the_turn_with_its_numbers() -> None:
    class Never(Smaller):
        async def count(self, items: object, tools: object = ()) -> int:
            return 2000

    world = World(model=Never(["never"], window=10))
    await world.hears("why?")
    assert isinstance(world.end, Failed)
    assert "fit" in world.end.message


# ---------------------------------------------------------------- a message that is too long


async def fitted(
    end: list[Item], *, history: Sequence[Item] = (), start: Sequence[Item] = ()
) -> tuple[Fitting, tuple[Item, ...]]:
    fitting = Fitting(model=Scripted([]), context_tokens=WINDOW)
    items = await fitting.items(
        start=start or (System(text="Be brief."),), history=history, end=end, tools=(), reserve=512, under="s/en"
    )
    return fitting, items


@pytest.mark.parametrize("times", [1.05, 1.5, 2.0, 2.9])
@pytest.mark.parametrize("word", ["word ", "Wörter, ", "日本語", "🦆"])
async def test_a_message_up_to_three_times_too_long_is_read_from_both_ends(times: float, word: str) -> None:
    count = int(ROOM * 4 * times) // len(word)
    text = f"BEGIN {word * count} END"
    fitting, items = await fitted([User(text=text)], history=talk(3))
    shown = items[-1]
    assert isinstance(shown, User)
    assert fitting.shortened
    assert shown.text.startswith("BEGIN")
    assert shown.text.endswith("END")
    assert "characters are left out here" in shown.text
    tokens = await Scripted([]).count(items)
    assert ROOM * 0.8 < tokens <= ROOM


async def test_what_is_left_out_is_counted() -> None:
    text = "x" * 4000
    _, items = await fitted([User(text=text)])
    shown = getattr(items[-1], "text", "")
    left_out = int(shown.partition("[")[2].partition(" ")[0])
    assert shown.count("x") - "characters".count("x") == 4000 - left_out


async def test_a_message_that_is_longer_than_that_is_not_read_in_part() -> None:
    with pytest.raises(ContextTooLong):
        await fitted([User(text="x" * ROOM * 4 * (CUT_UP_TO + 1))])


async def test_an_opening_that_does_not_fit_by_itself_is_said() -> None:
    with pytest.raises(ContextTooLong):
        await fitted([User(text="why? " * 100)], start=(System(text="x" * 4 * WINDOW),))


async def test_long_results_give_way_before_the_question_does() -> None:
    call = ToolCall(id="c", name="look_up", arguments={})
    end: list[Item] = [
        User(text="why? " * 20),
        Assistant(text="", calls=(call,)),
        Result(result=ToolResult(call_id="c", text="found " * 900)),
        User(text="This is the last round."),
    ]
    fitting, items = await fitted(end)
    assert not fitting.shortened
    assert items[1] == end[0]
    assert items[-1] == end[-1]
    result = items[3]
    assert isinstance(result, Result)
    assert result.result.text.startswith("found found")
    assert result.result.call_id == "c"


async def test_several_long_texts_are_all_cut_where_one_is_not_enough() -> None:
    end: list[Item] = [User(text="why? " * 700)]
    for number in range(2):
        call = ToolCall(id=f"c{number}", name="look_up", arguments={})
        end += [Assistant(text="", calls=(call,)), Result(result=ToolResult(call_id=call.id, text="found " * 600))]
    fitting, items = await fitted(end)
    assert fitting.shortened
    assert await Scripted([]).count(items) <= ROOM
    assert len(items) == 1 + len(end)


async def test_a_cut_message_keeps_the_lines_in_front_of_it() -> None:
    heading = Heading(text="It is noon.", speaker="Ada", base="s/en")
    _, items = await fitted([User(text="x" * 4000, heading=heading)])
    assert getattr(items[-1], "text", "").startswith("It is noon.\nAda:\nxxx")


# ---------------------------------------------------------------- what people see


@pytest.mark.parametrize(
    ("text", "notice"),
    [
        ("Please tell me about this. ", "I read its beginning and its end"),
        ("Bitte sag mir etwas dazu. ", "Anfang und Ende"),
    ],
)
async def test_people_are_told_that_their_message_was_cut(tmp_path: Path, text: str, notice: str) -> None:
    async with running(tmp_path / "data", ["It is so.", "And so on."]) as bot:
        await bot.hears(said(text * (36_000 // len(text))))
        await bot.settles()
        (answer,) = bot.connector.shown
        assert "It is so." in answer
        assert notice in answer
        await bot.hears(said("Thanks. And then?"))
        await bot.settles()
        assert notice not in bot.connector.shown[-1]
