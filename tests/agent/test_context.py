"""What a model reads: an opening that stays the same, and as much of the talk as fits."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.agent import context
from jarvisbot.errors import ContextTooLong
from jarvisbot.models.scripted import Scripted
from jarvisbot.skill import Exemplar, Skill, Step
from jarvisbot.types import Assistant, Heading, Item, Result, System, ToolCall, ToolResult, ToolSpec, User

TOOL = ToolSpec(name="look_up", description="Looks something up.", parameters={"type": "object", "properties": {}})


def skill(*exemplars: Exemplar, guidance: str = "Be short.") -> Skill:
    return Skill(name="test", description="A test.", guidance=guidance, exemplars=exemplars)


def example(number: int, *, size: int = 10) -> Exemplar:
    return Exemplar(user=f"question {number}", answer=f"answer {number}".ljust(size))


def exchange(number: int, *, size: int = 0) -> list[Item]:
    call = ToolCall(id=f"c{number}", name="look_up", arguments={})
    return [
        User(text=f"question {number}"),
        Assistant(text="", calls=(call,)),
        Result(result=ToolResult(call_id=call.id, text="found".ljust(size))),
        Assistant(text=f"answer {number}"),
    ]


async def fitted(history: list[Item], *, context_tokens: int, end: list[Item] | None = None) -> tuple[Item, ...]:
    return await context.fitted(
        Scripted([]),
        start=context.opening(None),
        history=history,
        end=end or [User(text="and now?")],
        tools=(TOOL,),
        context_tokens=context_tokens,
        reserve=1024,
    )


# ---------------------------------------------------------------- the opening


def test_two_turns_with_the_same_skill_begin_alike() -> None:
    first, second = context.opening(skill(example(1))), context.opening(skill(example(1)))
    assert first == second
    assert isinstance(first[0], System)
    assert first[0].text.endswith("Be short.")
    assert [type(item) for item in first] == [System, User, Assistant]


def test_there_is_one_system_text_and_it_comes_first() -> None:
    items = context.opening(skill(example(1), example(2)))
    assert [isinstance(item, System) for item in items] == [True, *[False] * (len(items) - 1)]


def test_without_a_skill_there_is_the_prompt_alone() -> None:
    (only,) = context.opening(None)
    assert isinstance(only, System)
    assert "Jarvis" in only.text


def test_an_examples_calls_come_with_their_results() -> None:
    step = Step(tool="look_up", arguments={"what": "rain"}, result="wet")
    _, user, call, result, answer = context.opening(skill(Exemplar(user="Rain?", steps=(step,), answer="Wet.")))
    assert isinstance(call, Assistant)
    assert isinstance(result, Result)
    assert (user, answer) == (User(text="Rain?"), Assistant(text="Wet."))
    assert call.calls[0].arguments == {"what": "rain"}
    assert result.result.call_id == call.calls[0].id
    assert result.result.text == "wet"


def questions(made: Skill) -> list[str]:
    return [item.text for item in context.examples(made) if isinstance(item, User)]


def test_the_first_example_stands_whatever_its_size() -> None:
    assert questions(skill(example(1, size=9_000))) == ["question 1"]


def test_examples_end_at_the_first_that_does_not_fit_though_a_later_one_would() -> None:
    made = skill(example(1), example(2), example(3, size=1_600), example(4))
    assert questions(made) == ["question 1", "question 2"]


@pytest.mark.parametrize("guidance", [0, 100, 600])
def test_guidance_and_examples_share_one_budget(guidance: int) -> None:
    made = skill(*(example(number, size=90) for number in range(1, 40)), guidance="g" * guidance)
    size = guidance + sum(
        len(exemplar.user) + len(exemplar.answer) for exemplar in made.exemplars[: len(questions(made))]
    )
    assert 1_600 - 101 < size <= 1_600


# ---------------------------------------------------------------- the budget


async def test_a_talk_that_fits_is_whole() -> None:
    history = [item for number in range(3) for item in exchange(number)]
    assert await fitted(history, context_tokens=8192) == (*context.opening(None), *history, User(text="and now?"))


@given(st.integers(200, 4_000), st.integers(0, 30), st.integers(0, 400))
async def test_what_is_left_out_is_whole_exchanges_from_the_oldest_on(tokens: int, exchanges: int, size: int) -> None:
    history = [item for number in range(exchanges) for item in exchange(number, size=size)]
    items = await fitted(history, context_tokens=tokens)
    kept = items[1:-1]
    assert tuple(history[len(history) - len(kept) :]) == kept
    assert not kept or isinstance(kept[0], User)
    assert await Scripted([]).count(items, (TOOL,)) <= tokens - min(1024, tokens // 4)


async def test_as_much_of_the_talk_as_fits_is_kept() -> None:
    history = [item for number in range(30) for item in exchange(number, size=100)]
    kept = (await fitted(history, context_tokens=1_000))[1:-1]
    model = Scripted([])
    one_more = [*context.opening(None), *history[len(history) - len(kept) - 8 :], User(text="and now?")]
    assert kept
    assert await model.count(one_more, (TOOL,)) > 750


async def test_an_exchange_that_began_with_the_bot_is_left_out_with_the_rest() -> None:
    history: list[Item] = [Assistant(text="x" * 4_000), User(text="q"), Assistant(text="a")]
    assert (await fitted(history, context_tokens=400))[1:-1] == ()


async def test_a_question_that_cannot_fit_is_said_with_its_numbers() -> None:
    with pytest.raises(ContextTooLong) as raised:
        await fitted(exchange(1), context_tokens=1_000, end=[User(text="x" * 8_000)])
    assert raised.value.available == 750
    assert raised.value.needed > 2_000
    assert str(raised.value.needed) in raised.value.user_message
    assert "750" in raised.value.user_message


class Bytes(Scripted):
    """A model whose tokens are bytes."""

    async def count(self, items: object, tools: object = ()) -> int:
        return sum(len(item.text.encode()) for item in items if isinstance(item, User))  # type: ignore[attr-defined]


async def test_text_of_many_tokens_a_character_is_counted_and_not_guessed() -> None:
    with pytest.raises(ContextTooLong):
        await context.fitted(
            Bytes([]),
            start=(),
            history=(),
            end=[User(text="🦆" * 700)],
            tools=(),
            context_tokens=1_000,
            reserve=250,
        )


def test_examples_are_shown_in_the_replys_language_where_there_are_any() -> None:
    german = Exemplar(user="Frage", answer="Antwort", language="de")
    both = skill(example(1), german, example(2))
    assert [item.text for item in context.examples(both, "de") if isinstance(item, User)] == ["Frage"]
    assert [item.text for item in context.examples(both, "en") if isinstance(item, User)] == [
        "question 1",
        "question 2",
    ]
    assert [item.text for item in context.examples(skill(german), "en") if isinstance(item, User)] == ["Frage"]


async def test_a_long_talk_is_read_again_up_to_a_limit_whatever_the_context_holds() -> None:
    talk = [item for number in range(200) for item in exchange(number, size=200)]
    items = await fitted(talk, context_tokens=100_000)
    kept = items[len(context.opening(None)) : -1]
    assert await Scripted([]).count(kept) <= context.HISTORY_TOKENS
    assert kept[-1] == talk[-1]
    assert isinstance(kept[0], User)


@pytest.mark.parametrize("place", [0, 2, 3])
async def test_a_long_text_of_the_talk_loses_its_middle_and_the_question_keeps_all(place: int) -> None:
    long = "begin " + "9" * 5_000 + " end"
    talk: list[Item] = [
        User(text="q"),
        Assistant(text="", calls=(ToolCall(id="c", name="look_up", arguments={}),)),
        Result(result=ToolResult(call_id="c", text="r")),
        Assistant(text="a"),
    ]
    talk[place] = {
        0: User(text=long),
        2: Result(result=ToolResult(call_id="c", text=long)),
        3: Assistant(text=long),
    }[place]
    items = await fitted(talk, context_tokens=100_000, end=[User(text=long)])
    item = items[len(context.opening(None)) + place]
    text = item.result.text if isinstance(item, Result) else item.text
    assert text.startswith("begin 9")
    assert text.endswith("9 end")
    assert len(text) < 1_100
    assert items[-1] == User(text=long)


# ---------------------------------------------------------------- headings


def read(number: int, base: str, *, speaker: str = "") -> list[Item]:
    lines = Heading(text=f"at {number}", speaker=speaker, base=base)
    return [User(text=f"q{number}", heading=lines), Assistant(text=f"a{number}")]


async def asked(history: list[Item], under: str) -> list[str]:
    items = await context.fitted(
        Scripted([]),
        start=(),
        history=history,
        end=[User(text="new", heading=Heading(text="now", base=under))],
        tools=(),
        context_tokens=8192,
        reserve=512,
        under=under,
    )
    return [item.text for item in items if isinstance(item, User)]


async def test_messages_are_read_again_as_they_were_read() -> None:
    history = [*read(1, "s/en"), *read(2, "s/en")]
    assert await asked(history, "s/en") == ["at 1\nq1", "at 2\nq2", "now\nnew"]


async def test_another_skill_reads_them_without_their_lines_and_so_does_the_first_one_afterwards() -> None:
    history = [*read(1, "s/en"), *read(2, "other/en"), *read(3, "s/en")]
    assert await asked(history[:4], "other/en") == ["q1", "at 2\nq2", "now\nnew"]
    assert await asked(history, "s/en") == ["q1", "q2", "at 3\nq3", "now\nnew"]


async def test_a_turn_that_code_answered_breaks_no_run() -> None:
    history = [*read(1, "s/en"), User(text="2+2"), Assistant(text="4"), *read(3, "s/en")]
    assert await asked(history, "s/en") == ["at 1\nq1", "2+2", "at 3\nq3", "now\nnew"]


async def test_who_spoke_in_a_group_is_read_under_every_skill() -> None:
    history = [*read(1, "s/en", speaker="Ada"), *read(2, "other/en", speaker="Bob")]
    assert await asked(history, "third/en") == ["Ada:\nq1", "Bob:\nq2", "now\nnew"]


@pytest.mark.parametrize("chosen", [False, True])
def test_a_chosen_language_is_the_only_rule_on_language(chosen: bool) -> None:
    (system,) = context.opening(None, "de", chosen=chosen)
    assert isinstance(system, System)
    assert ("in the language of the question" in system.text) is not chosen
    assert "{" not in system.text
    assert "Answer in a few short sentences." in system.text or not chosen


def test_an_opening_has_a_name_of_its_own() -> None:
    one, other = skill(example(1)), Skill(name="other", description="d", guidance="g")
    names = [
        context.base(made, language, chosen=chosen)
        for made in (None, one, other)
        for language in ("en", "de")
        for chosen in (False, True)
    ]
    assert len(set(names)) == len(names)


async def test_the_beginning_of_a_long_talk_goes_seldom_and_much_at_a_time() -> None:
    talk = [item for number in range(60) for item in exchange(number, size=150)]
    firsts = []
    for turns in range(1, 61):
        items = await fitted(talk[: turns * 4], context_tokens=100_000)
        kept = items[1:-1]
        assert kept[-1] == talk[turns * 4 - 1]
        firsts.append(kept[0])
    changes = sum(one != other for one, other in itertools.pairwise(firsts))
    assert 1 <= changes <= 12
