"""One turn: a skill's own answer, or the model with its tools, and always one end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
import pytest

from jarvisbot.agent.route import Router
from jarvisbot.agent.turn import Agent, TurnInput, TurnLimits
from jarvisbot.errors import ContextTooLong, JarvisError, MissingPart, ModelUnavailable
from jarvisbot.gateway.events import Snapshot, fold
from jarvisbot.late import LateModel
from jarvisbot.model import Model, ModelInfo, ThinkPiece
from jarvisbot.models.scripted import Fault, Pause, Reply, Scripted, Step, Until
from jarvisbot.skill import Skill, SkillCode, WithoutTools
from jarvisbot.store.turns import TurnRecord
from jarvisbot.tool import Output, Risk, Tool, Toolbox, ToolContext, tool
from jarvisbot.types import (
    Allow,
    Answered,
    Ask,
    Assistant,
    Decision,
    Deny,
    Failed,
    Heading,
    Item,
    Principal,
    Redrafted,
    Result,
    Review,
    Role,
    Route,
    SeedContext,
    Source,
    System,
    TextDelta,
    Thinking,
    ToolCall,
    ToolFinished,
    ToolStarted,
    TurnEvent,
    User,
)
from tests.fakes import START, FakeClock, said, settle


def call(name: str, **arguments: object) -> str:
    parameters = "".join(f"<parameter={key}>{value}</parameter>" for key, value in arguments.items())
    return f"<tool_call><function={name}>{parameters}</function></tool_call>"


@dataclass
class World:
    """An agent, its tools and what it said."""

    replies: Sequence[Reply] = ()
    clock: FakeClock = field(default_factory=FakeClock)
    model: Model | None = None
    decision: Decision = field(default_factory=Allow)
    skills: Sequence[Skill] = ()
    code: dict[str, SkillCode] = field(default_factory=dict)
    limits: TurnLimits = field(default_factory=TurnLimits)
    events: list[TurnEvent] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    asked: list[bool] = field(default_factory=list)
    language: str | None = None

    def __post_init__(self) -> None:
        self.script = Scripted(self.replies, piece_characters=3, clock=self.clock)

    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        self.asked.append(tainted)
        return self.decision

    def tools(self) -> list[Tool]:
        @tool(risk=Risk.READ, label="Added")
        async def add(a: int, b: int) -> str:
            """Adds."""
            self.ran.append(f"{a}+{b}")
            return f"{a} + {b} = {a + b}"

        @tool(risk=Risk.READ, label="Looked up", taints=True)
        async def look_up(what: str) -> Output:
            """Looks up."""
            self.ran.append(what)
            sources = tuple(Source(title=str(n), url=f"https://example.org/{what}/{n}") for n in range(2))
            return Output(text=f"about {what}", sources=sources)

        @tool(risk=Risk.READ, label="Looked at the clock", changes=True)
        async def clock() -> str:
            """Tells the time."""
            self.ran.append("clock")
            return f"tick {len(self.ran)}"

        return [add, look_up, clock]

    async def hears(self, text: str, history: Sequence[Item] = ()) -> TurnRecord:
        agent = Agent(
            model=self.model or self.script,
            toolbox=Toolbox(self.tools(), self, clock=self.clock.monotonic),
            router=Router(self.skills),
            code=self.code,
            limits=self.limits,
            clock=self.clock,
            chosen_language=self.language,
        )
        message = said(text)
        principal = Principal(user="fake:1", role=Role.OWNER, author=message.author)
        question = TurnInput(turn=7, message=message, principal=principal, history=tuple(history))
        return await agent.answer(question, self.events.append)

    @property
    def end(self) -> Answered | Failed:
        """The last event, which has to be the only end."""
        ends = [event for event in self.events if isinstance(event, Answered | Failed)]
        assert ends == self.events[-1:]
        return ends[0]

    @property
    def text(self) -> str:
        assert isinstance(self.end, Answered)
        return self.end.text

    def drafts(self) -> list[str]:
        """What a subscriber saw as the visible text after each event before the end."""
        snapshot, views = Snapshot(), []
        for event in self.events[:-1]:
            snapshot = fold(snapshot, event)
            views.append(snapshot.text)
        return views

    def results(self, request: int) -> list[str]:
        """The tool results that a request showed the model."""
        return [item.result.text for item in self.script.requests[request].items if isinstance(item, Result)]


def skill(name: str, *triggers: str, tools: tuple[str, ...] | None = None) -> Skill:
    return Skill(name=name, description="x", guidance="Be short.", tools=tools, triggers=triggers)


# ---------------------------------------------------------------- answers in code


def adding(answer: str | None) -> dict[str, SkillCode]:
    def seed(message: str, context: SeedContext) -> ToolCall | None:
        assert context.now == START
        return ToolCall(id="seed", name="add", arguments={"a": 1, "b": 2})

    return {"adding": SkillCode(seed=seed, answer=lambda message, result, language: answer and f"{answer} {language}")}


async def test_a_covered_message_is_answered_by_code_and_the_model_is_not_asked() -> None:
    world = World(skills=[skill("adding", "plus")], code=adding("three"))
    record = await world.hears("was ist 1 plus 2")
    assert (world.text, world.script.requests) == ("three de", [])
    assert [type(event) for event in world.events] == [ToolStarted, ToolFinished, Answered]
    assert record.route.skill == "adding"
    assert [type(item) for item in record.items] == [User, Assistant, Result, Assistant]


async def test_a_message_that_code_does_not_cover_goes_to_the_model_with_the_seeded_result() -> None:
    world = World(["Three, and Ada."], skills=[skill("adding", "plus")], code=adding(None))
    await world.hears("1 plus 2, and who wrote the first program?")
    assert world.text == "Three, and Ada."
    assert world.results(0) == ["1 + 2 = 3"]
    (request,) = world.script.requests
    seeded = request.items[-2]
    assert isinstance(seeded, Assistant)
    assert isinstance(request.items[-1], Result)
    assert request.items[-1].result.call_id == seeded.calls[0].id


async def test_small_talk_needs_neither_tool_nor_model() -> None:
    code = {"hello": SkillCode(seed=lambda message, context: None, answer=lambda message, result, language: "Hi!")}
    world = World(skills=[skill("hello", "^hello$")], code=code)
    await world.hears("hello")
    assert (world.text, world.events) == ("Hi!", [world.end])


async def test_code_of_a_skill_that_breaks_costs_its_answer_and_not_the_turn() -> None:
    def broken(message: str, context: SeedContext) -> ToolCall | None:
        raise ValueError("a bug")

    code = {"adding": SkillCode(seed=broken, answer=lambda message, result, language: "never")}
    world = World(["The model."], skills=[skill("adding", "plus")], code=code)
    await world.hears("1 plus 2")
    assert world.text == "The model."


async def test_a_seeds_call_is_one_of_the_rounds() -> None:
    world = World([call("add", a=1, b=5), "done"], skills=[skill("adding", "plus")], code=adding(None))
    world.limits = TurnLimits(rounds=2)
    await world.hears("1 plus 2 and what else?")
    assert [bool(request.tools) for request in world.script.requests] == [True, False]


async def test_what_cannot_be_done_is_said_and_the_model_is_not_asked() -> None:
    plain = WithoutTools(en="I can't look up the weather.", de="Das Wetter kann ich nicht nachsehen.")
    weather = skill("weather", "wetter|weather", tools=("weather",)).model_copy(update={"without_tools": plain})
    world = World(skills=[weather])
    record = await world.hears("Wie wird das Wetter morgen?")
    assert (world.text, world.events) == ("Das Wetter kann ich nicht nachsehen.", [world.end])
    assert (world.script.requests, record.route, record.language) == ([], Route(), "de")


async def test_a_skill_without_tools_that_has_no_sentence_leaves_its_message_to_the_model() -> None:
    world = World(["The model."], skills=[skill("weather", "weather", tools=("weather",))])
    await world.hears("How is the weather?")
    assert world.text == "The model."


# ---------------------------------------------------------------- reasoning and what is shown


async def test_an_unclosed_block_is_hidden_and_the_reply_is_asked_for_again_without_thinking() -> None:
    world = World(["<think>Hi there, good to see you!", "Hello!"])
    await world.hears("greet me")
    assert world.text == "Hello!"
    assert [request.thinking for request in world.script.requests][1:] == [False]
    assert not any("good to see" in draft for draft in world.drafts())


async def test_reasoning_is_the_answer_where_a_second_try_brings_no_text_either() -> None:
    world = World(["<think>Hi there, good to see you!", "<think>Hi again!"])
    await world.hears("greet me")
    assert world.text == "Hi again!"


async def test_reasoning_is_the_answer_where_a_second_try_fails() -> None:
    world = World(["<think>Hi there!"])
    await world.hears("greet me")
    assert world.text == "Hi there!"


async def test_reasoning_that_the_backend_keeps_apart_is_promoted_too() -> None:
    world = World([[ThinkPiece(text="Norway, "), ThinkPiece(text="so Oslo.")], "  "])
    await world.hears("capital?")
    assert world.text == "Norway, so Oslo."


@pytest.mark.parametrize("size", range(1, 6))
async def test_only_the_final_block_is_ever_shown(size: int) -> None:
    world = World()
    text = "<think>They ask for a capital; Norway, so <final>It is Oslo.</final>"
    world.script = Scripted([text], piece_characters=size)
    await world.hears("capital of Norway?")
    assert world.text == "It is Oslo."
    assert len(world.script.requests) == 1
    assert all("It is Oslo.".startswith(draft) for draft in world.drafts())


@pytest.mark.parametrize(
    "reply",
    [
        "reasoning...</think>Answer",
        "<think>a</think>draft</think>Answer",
        "<think><think>a</think>b</think>Answer",
    ],
)
async def test_stray_and_nested_marks_leave_the_answer_alone(reply: str) -> None:
    world = World([reply])
    await world.hears("what?")
    assert world.text == "Answer"
    assert world.drafts()[-1] == "Answer"


async def test_an_open_block_of_one_round_is_over_in_the_next() -> None:
    world = World(["<think>I need to add " + call("add", a=1, b=2), "It is 3."])
    await world.hears("add these")
    assert world.text == "It is 3."
    assert not any("need" in draft for draft in world.drafts())


async def test_a_question_about_a_tag_gets_the_tag_in_code() -> None:
    world = World(["<think>what is `<think>`?</think>The `<think>` tag opens reasoning."])
    await world.hears("what does the `<think>` tag do?")
    assert world.text == "The `<think>` tag opens reasoning."


async def test_an_empty_reply_is_asked_for_again_and_in_the_end_said() -> None:
    world = World(["", "Second."])
    await world.hears("why?")
    assert world.text == "Second."
    world = World(["", "  "])
    await world.hears("why?")
    assert world.text == "I could not come up with an answer to that."
    world = World(["", ""])
    await world.hears("warum ist das so?")
    assert world.text == "Dazu ist mir keine Antwort gelungen."


async def test_what_a_turn_keeps_for_later_holds_no_reasoning_and_no_empty_reply() -> None:
    world = World(["<think>secret</think>Open."])
    record = await world.hears("why?")
    question, answer = record.items
    assert isinstance(question, User)
    assert (question.text, question.author) == ("why?", said("x").author)
    assert answer == Assistant(text="Open.")


# ---------------------------------------------------------------- tools


async def test_a_tools_result_is_in_the_next_request_and_its_text_was_not_left_on_screen() -> None:
    world = World(["Let me see. " + call("add", a=1, b=2), "It is 3."])
    record = await world.hears("add one and two")
    assert world.text == "It is 3."
    assert world.ran == ["1+2"]
    first, second = world.script.requests
    assert [spec.name for spec in first.tools] == ["add", "clock", "look_up"]
    assert second.items[: len(first.items)] == first.items
    assert world.results(1) == ["1 + 2 = 3"]
    assert Redrafted(text="") in world.events
    assert [type(item) for item in record.items] == [User, Assistant, Result, Assistant]
    assert [made.result.text for made in record.calls] == ["1 + 2 = 3"]


async def test_two_calls_of_one_reply_both_run_in_order_under_ids_of_their_own() -> None:
    world = World([call("add", a=1, b=2) + call("add", a=3, b=4), "3 and 7."])
    record = await world.hears("add these")
    assert world.ran == ["1+2", "3+4"]
    assert world.results(1) == ["1 + 2 = 3", "3 + 4 = 7"]
    assert len({made.call.id for made in record.calls}) == 2
    assert [type(event) for event in world.events if isinstance(event, ToolStarted | ToolFinished)] == [
        ToolStarted,
        ToolFinished,
    ] * 2


async def test_a_call_written_without_its_block_is_run_and_not_left_on_screen() -> None:
    world = World(['```json\n{"name": "add", "arguments": {"a": 1, "b": 2}}\n```', "It is 3."])
    await world.hears("add these")
    assert (world.ran, world.text) == (["1+2"], "It is 3.")
    assert world.drafts()[-1] == "It is 3."


async def test_a_skill_narrows_the_tools_that_are_offered() -> None:
    world = World(["x"], skills=[skill("adding", "plus", tools=("add", "gone"))])
    await world.hears("1 plus 2")
    assert [spec.name for spec in world.script.requests[0].tools] == ["add"]
    world = World(["x"], skills=[skill("poem", "poem", tools=())])
    await world.hears("a poem")
    assert world.script.requests[0].tools == ()
    assert isinstance(world.end, Answered)
    assert not world.end.review.wound_down


async def test_a_model_that_knows_no_tools_is_offered_none_and_its_calls_are_dropped() -> None:
    world = World()
    info = ModelInfo(name="small", context_tokens=8192, tools=False, thinking=False)
    world.script = Scripted([f"Three. {call('add', a=1, b=2)}"], info=info)
    await world.hears("add these")
    assert (world.text, world.ran) == ("Three.", [])


async def test_after_the_last_round_no_tool_is_offered_and_the_answer_says_it_was_cut_short() -> None:
    replies = [call("add", a=1, b=n) for n in range(4)]
    world = World([*replies, "What I have " + call("add", a=9, b=9)])
    await world.hears("add and add")
    assert [bool(request.tools) for request in world.script.requests] == [True, True, True, True, False]
    assert world.ran == ["1+0", "1+1", "1+2", "1+3"]
    assert world.text == "What I have"
    assert isinstance(world.end, Answered)
    assert world.end.review.wound_down


async def test_the_model_is_told_of_the_last_round_and_of_its_end_and_this_is_not_kept() -> None:
    world = World([*(call("add", a=1, b=n) for n in range(4)), "Done."])
    record = await world.hears("add and add")
    last = [request.items[-1] for request in world.script.requests]
    assert [isinstance(item, User) for item in last] == [True, False, False, True, True]
    assert all(isinstance(request.items[-2], Result) for request in world.script.requests[3:])
    assert sum(isinstance(item, User) for item in record.items) == 1
    assert sum(isinstance(item, System) for item in world.script.requests[-1].items) == 1


async def test_rounds_that_end_in_nothing_are_said_with_the_pages_that_were_found() -> None:
    world = World([*(call("look_up", what=what) for what in "abcd"), "", ""])
    await world.hears("look these up")
    assert world.text.startswith("I could not settle this within 4 rounds of tools. Sources: https://example.org/a/0 ")
    assert world.text.count("https://") == 3
    world = World([*(call("add", a=0, b=n) for n in range(4)), "", ""])
    await world.hears("rechne das bitte")
    assert world.text == "Das habe ich in 4 Runden mit Werkzeugen nicht geklärt. Frag bitte enger gefasst."


async def test_sources_of_the_results_come_with_the_answer_each_once() -> None:
    world = World([call("look_up", what="a"), call("look_up", what="b") + call("look_up", what="a"), "x"])
    await world.hears("look these up")
    assert isinstance(world.end, Answered)
    assert [source.url.removeprefix("https://example.org/") for source in world.end.sources] == [
        "a/0",
        "a/1",
        "b/0",
        "b/1",
    ]


async def test_the_same_call_again_is_not_run_and_the_third_ends_the_rounds() -> None:
    world = World([call("look_up", what="X "), call("look_up", what="x"), call("look_up", what=" x"), "Found it."])
    await world.hears("look it up")
    assert world.ran == ["X"]
    assert world.results(2)[1].startswith("about X\n(")
    assert [bool(request.tools) for request in world.script.requests] == [True, True, True, False]
    assert world.text == "Found it."
    assert isinstance(world.end, Answered)
    assert world.end.review.wound_down
    assert sum(isinstance(event, ToolFinished) for event in world.events) == 1


async def test_a_tool_whose_results_change_is_run_again() -> None:
    world = World([call("clock"), call("clock"), call("clock"), "Late."])
    await world.hears("and now?")
    assert world.results(3) == ["tick 1", "tick 2", "tick 3"]


async def test_calls_above_the_limit_are_not_run_and_the_model_is_told() -> None:
    world = World(["".join(call("add", a=1, b=n) for n in range(4)), "x"], limits=TurnLimits(tool_calls=2))
    await world.hears("add these")
    assert world.ran == ["1+0", "1+1"]
    assert all("used up" in text for text in world.results(1)[2:])


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (call("fly", to="Oslo"), "There is no tool 'fly'. Tools: add, clock, look_up."),
        (call("add", a="one", b=2), 'Tool "add" failed: bad arguments (a:'),
        (call("add", a=1, b=2, c=3), 'Tool "add" failed: bad arguments (c:'),
        ('<tool_call>{"name": "add", "arguments": {"a": 1', "could not be read: the call was cut off before its end"),
        ("<tool_call>add one and two</tool_call>", "The tool call could not be read"),
    ],
)
async def test_a_call_that_cannot_be_run_is_a_result_that_the_model_reads(written: str, told: str) -> None:
    world = World([written, "Sorry."])
    await world.hears("do it")
    assert (world.text, world.ran) == ("Sorry.", [])
    assert told in world.results(1)[0]
    assert not any(isinstance(event, ToolStarted) and event.call.name == "fly" for event in world.events)


async def test_every_call_has_one_result_under_its_id_also_the_unreadable_ones() -> None:
    world = World(["<tool_call>a</tool_call>" + call("add", a=1, b=2), "<tool_call>b</tool_call>", "Done."])
    await world.hears("do it")
    items = world.script.requests[-1].items
    called = [each.id for item in items if isinstance(item, Assistant) for each in item.calls]
    assert called == [item.result.call_id for item in items if isinstance(item, Result)]
    assert len(set(called)) == 3


@pytest.mark.parametrize(
    "decision", [Deny(reason="Not here."), Ask(summary="Not here.", expires=START + timedelta(minutes=5))]
)
async def test_a_denied_call_reaches_the_model_as_a_result_and_never_starts(decision: Decision) -> None:
    world = World([call("add", a=1, b=2), "I may not."], decision=decision)
    await world.hears("add these")
    assert (world.text, world.ran) == ("I may not.", [])
    assert "Not here." in world.results(1)[0]
    finished = [event for event in world.events if isinstance(event, ToolFinished)]
    assert [event.result.ok for event in finished] == [False]
    assert not any(isinstance(event, ToolStarted) for event in world.events)


async def test_a_call_behind_strangers_text_is_decided_as_tainted() -> None:
    calls = [call("add", a=1, b=2), call("look_up", what="a"), call("add", a=1, b=3) + call("add", a=1, b=4)]
    world = World([*calls, "x"])
    await world.hears("do these")
    assert world.asked == [False] * 4 + [True] * 4


# ---------------------------------------------------------------- failures


DOWN = Fault(error=ModelUnavailable("The model is gone."))


@pytest.mark.parametrize("shown", ["", "Half an ans"])
async def test_a_stream_that_breaks_is_begun_again_and_what_was_shown_is_taken_back(shown: str) -> None:
    broken: list[Step] = [*([shown] if shown else []), DOWN]
    world = World([broken, broken, "Whole."])
    await world.hears("why?")
    assert world.text == "Whole."
    first, second, third = world.script.requests
    assert first == second == third
    assert world.events.count(Redrafted(text="")) == (2 if shown else 0)
    assert world.drafts()[-1] == "Whole."


async def test_a_call_half_made_when_the_stream_breaks_is_not_run() -> None:
    world = World([[call("add", a=1, b=2), '<tool_call>{"name": "add", "argu', DOWN], "Fine."])
    await world.hears("why?")
    assert (world.text, world.ran) == ("Fine.", [])


async def test_a_stream_that_keeps_breaking_fails_with_its_reason() -> None:
    world = World([["Half", DOWN]] * 9)
    record = await world.hears("why?")
    assert world.end == Failed(message="The model is gone.")
    assert len(world.script.requests) == 3
    assert world.drafts()[-1] == "Half"
    assert (record.state, record.items) == ("failed", ())


@pytest.mark.parametrize(
    ("error", "missing"),
    [(MissingPart("No model is installed: jarvisbot model."), True), (ModelUnavailable("It is not running."), False)],
)
async def test_without_a_model_the_reason_is_said_and_whether_something_is_missing(
    error: JarvisError, missing: bool
) -> None:
    def make() -> Model:
        raise error

    world = World(model=LateModel(make))
    record = await world.hears("why?")
    assert world.end == Failed(message=error.user_message, missing=missing)
    assert record.state == "failed"


async def test_a_question_longer_than_the_model_can_read_fails_with_the_numbers() -> None:
    world = World(["never"])
    await world.hears("word " * 20_000)
    assert isinstance(world.end, Failed)
    assert "7648" in world.end.message
    assert world.script.requests == []


async def test_what_a_failed_turn_called_is_kept() -> None:
    world = World([call("add", a=1, b=2), [DOWN], [DOWN], [DOWN]])
    record = await world.hears("why?")
    assert isinstance(world.end, Failed)
    assert [made.result.ok for made in record.calls] == [True]


async def test_cancelling_a_turn_closes_the_stream_and_ends_without_an_event() -> None:
    world = World([["Half", Until(event=asyncio.Event())], "Next."])
    turn = asyncio.create_task(world.hears("why?"))
    while not any(isinstance(event, TextDelta) for event in world.events):
        await asyncio.sleep(0)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert not any(isinstance(event, Answered | Failed) for event in world.events)
    async with asyncio.timeout(5):  # the model is free again: its stream was closed
        events = [event async for event in world.script.stream(world.script.requests[0])]
    assert events


# ---------------------------------------------------------------- waiting


async def test_seconds_of_thinking_are_told_from_the_second_second_on_until_there_is_text() -> None:
    world = World()
    world.script = Scripted(
        [["<think>", Pause(seconds=4.5), "</think>Answer", Pause(seconds=5)]], piece_characters=20, clock=world.clock
    )
    turn = asyncio.create_task(world.hears("why?"))
    await settle()
    await world.clock.advance(1.9)
    assert world.events == []
    await world.clock.advance(8)
    await turn
    assert world.events == [
        Thinking(seconds=2.0),
        Thinking(seconds=3.0),
        Thinking(seconds=4.0),
        TextDelta(text="Answer"),
        world.end,
    ]


async def test_time_that_a_tool_takes_is_in_its_event() -> None:
    world = World()
    agent_clock = world.clock

    @tool(risk=Risk.READ, label="Waited")
    async def wait() -> str:
        """Waits."""
        await agent_clock.sleep(3)
        return "done"

    world.tools = lambda: [wait]  # type: ignore[method-assign]
    world.script = Scripted([call("wait"), "ok"])
    turn = asyncio.create_task(world.hears("wait"))
    await settle()
    await world.clock.advance(3)
    record = await turn
    assert [event.seconds for event in world.events if isinstance(event, ToolFinished)] == [3.0]
    assert [made.seconds for made in record.calls] == [3.0]


async def test_white_space_alone_is_not_shown() -> None:
    world = World(["\n\n  Answer"])
    await world.hears("why?")
    assert "".join(event.text for event in world.events if isinstance(event, TextDelta)) == "Answer"


async def test_a_chosen_language_reaches_the_code_that_answers() -> None:
    world = World(skills=[skill("adding", "plus")], code=adding("three"), language="fr")
    await world.hears("was ist 1 plus 2")
    assert world.text == "three fr"


async def test_the_request_holds_the_talk_so_far() -> None:
    history = [User(text="I am Ada."), Assistant(text="Hello Ada.", thinking="a name")]
    world = World(["Ada."])
    await world.hears("who am I?", history)
    assert list(world.script.requests[0].items[1:3]) == history
    assert isinstance(world.script.requests[0].items[0], System)


async def test_the_model_is_asked_as_the_skill_says_and_the_answer_tells_how() -> None:
    way = skill("careful", "careful").model_copy(update={"strategy": "verbose"})
    world = World([[ThinkPiece(text="so"), Pause(seconds=3), "Done."]], skills=[way])
    asked = asyncio.create_task(world.hears("careful now"))
    await settle()
    await world.clock.advance(3)
    record = await asked
    (request,) = world.script.requests
    assert (request.thinking, request.think_tokens, request.max_tokens) == (True, 256, 768)
    assert (record.review.strategy, record.review.thought_s) == ("verbose", 3.0)


async def test_a_push_towards_tools_is_given_only_where_there_are_tools() -> None:
    world = World([call("add", a=1, b=2), "3."], limits=TurnLimits(strategy="routed", rounds=1))
    await world.hears("add one and two")
    assert [request.think_prefix for request in world.script.requests] == ["A tool is needed here.", ""]


async def test_a_model_that_cannot_reason_is_not_asked_to() -> None:
    info = ModelInfo(name="plain", context_tokens=4096, tools=True, thinking=False)
    world = World(["Hello."], model=Scripted(["Hello."], info=info))
    await world.hears("why?")
    assert isinstance(world.model, Scripted)
    (request,) = world.model.requests
    assert (request.thinking, request.think_tokens, request.max_tokens) == (False, None, 512)


async def test_corrections_and_second_tries_are_made_without_reasoning() -> None:
    world = World([LOOK, WRONG, RIGHT])
    await world.hears("look a up")
    assert [request.thinking for request in world.script.requests] == [True, True, False]
    world = World(["<think>only thoughts</think>", "Here."])
    await world.hears("why?")
    assert [(request.thinking, request.max_tokens) for request in world.script.requests] == [(True, 544), (False, 512)]


async def test_a_reply_that_begins_in_another_script_is_begun_again_once_and_never_shown() -> None:
    world = World(["Привет, как дела? Всё хорошо.", "I am well."])
    await world.hears("how is it going?")
    assert world.text == "I am well."
    assert not [text for text in world.drafts() if "П" in text]
    second = world.script.requests[1].items
    assert second[:-1] == world.script.requests[0].items
    assert second[-1] == User(text="Answer only in English.")
    world = World(["Привет, как дела?", "Привет опять, друг мой!"])
    await world.hears("wie läuft es?")
    assert world.text == "Привет опять, друг мой!"
    assert world.script.requests[1].items[-1] == User(text="Antworte nur auf Deutsch.")


async def test_a_reply_in_a_script_that_was_asked_for_stands() -> None:
    world = World(["Привет, как дела? Всё хорошо."])
    await world.hears("how do I say that in Russian?")
    assert world.text.startswith("Привет")


async def test_a_chosen_language_is_named_and_brings_its_own_script() -> None:
    world = World(["Всё хорошо, спасибо большое."], language="ru")
    await world.hears("how is it going?")
    (request,) = world.script.requests
    assert isinstance(request.items[-1], User)
    assert request.items[-1].text == "Answer only in Russian.\nhow is it going?"
    assert world.text.startswith("Всё")


async def test_the_question_is_headed_by_the_time_and_kept_so() -> None:
    world = World(["Well."])
    record = await world.hears("why today?")
    assert world.script.requests[0].items[-1] == User(
        text="[Monday, 30 November 2026, 12:00]\nwhy today?", author=said("x").author
    )
    (question, _) = record.items
    assert isinstance(question, User)
    assert (question.text, question.heading.text) == ("why today?", "[Monday, 30 November 2026, 12:00]")


async def test_what_code_answers_is_kept_without_lines_that_no_model_read() -> None:
    world = World(skills=[skill("adding", "add")], code=adding("It is 3."))
    record = await world.hears("add one and two")
    assert isinstance(record.items[0], User)
    assert record.items[0].heading == Heading()


# ---------------------------------------------------------------- the check of the answer


FROM = "https://example.org/a/0"
WRONG = f"It says so. Source: {FROM}/../../made-up"
RIGHT = f"It says so. Source: {FROM}"
LOOK = call("look_up", what="a")


def review_of(world: World) -> Review:
    """What the check made of the answer."""
    assert isinstance(world.end, Answered)
    return checked(world.end.review)


def checked(review: Review) -> Review:
    return msgspec.structs.replace(review, strategy="", thought_s=0.0)


async def test_a_draft_that_is_right_is_not_asked_for_again() -> None:
    world = World([LOOK, RIGHT])
    await world.hears("look a up")
    assert (world.text, review_of(world)) == (RIGHT, Review())
    assert len(world.script.requests) == 2


async def test_a_correction_that_is_right_takes_the_drafts_place_and_is_said() -> None:
    world = World([LOOK, f"<think>hm</think>{WRONG}", RIGHT])
    record = await world.hears("look a up")
    assert (world.text, review_of(world)) == (RIGHT, Review(corrected=True))
    assert checked(record.review) == Review(corrected=True)
    assert record.items[-1] == Assistant(text=RIGHT)
    assert sum(isinstance(item, User) for item in record.items) == 1
    asked = world.script.requests[-1]
    assert asked.tools == ()
    draft, fix = asked.items[-2:]
    assert draft == Assistant(text=WRONG)
    assert isinstance(fix, User)
    assert f"{FROM}/../../made-up was in none of the results" in fix.text
    assert fix.text.endswith("Give the corrected answer only.")


async def test_the_draft_stays_on_screen_until_the_correction_takes_its_place() -> None:
    world = World([LOOK, WRONG, RIGHT])
    await world.hears("look a up")
    at = world.drafts().index(WRONG)
    assert world.drafts()[at:] == [WRONG, RIGHT]
    assert world.events[-2:] == [Redrafted(text=RIGHT), world.end]


@pytest.mark.parametrize(
    "correction", ["", "  ", "<think>no</think>", WRONG, f"{WRONG} I've saved it.", call("add", a=1, b=2)]
)
async def test_a_correction_that_is_no_better_is_dropped_and_the_draft_is_flagged(correction: str) -> None:
    world = World([LOOK, WRONG, correction])
    record = await world.hears("look a up")
    assert world.text == WRONG
    (finding,) = review_of(world).findings
    assert "was in none of the sources" in finding
    assert not review_of(world).corrected
    assert record.items[-1] == Assistant(text=WRONG)
    assert world.drafts()[-1] == WRONG
    assert len(world.script.requests) == 3
    assert world.ran == ["a"]


async def test_a_call_in_place_of_a_correction_is_neither_run_nor_shown() -> None:
    world = World([LOOK, WRONG, '{"name": "add", "arguments": {"a": 1, "b": 2}}'])
    await world.hears("look a up")
    assert (world.text, world.ran) == (WRONG, ["a"])


async def test_a_correction_with_fewer_faults_is_kept_and_flagged_for_the_rest() -> None:
    world = World([LOOK, f"{WRONG}\n\nI've saved it.", WRONG])
    await world.hears("look a up")
    assert world.text == WRONG
    assert len(review_of(world).findings) == 1
    assert not review_of(world).corrected


@pytest.mark.parametrize("failure", [ModelUnavailable("Gone."), ContextTooLong("Long.", needed=2, available=1)])
async def test_a_correction_that_fails_costs_the_correction_and_not_the_answer(failure: JarvisError) -> None:
    world = World([LOOK, WRONG, *[[Fault(error=failure)]] * 3])
    await world.hears("look a up")
    assert world.text == WRONG
    assert len(review_of(world).findings) == 1


async def test_a_german_talk_is_corrected_and_flagged_in_german() -> None:
    world = World(["Ich habe das gespeichert.", "Gespeichert!"])
    await world.hears("Merk dir bitte, dass ich in Gent wohne")
    (fix,) = [item.text for item in world.script.requests[1].items[-1:] if isinstance(item, User)]
    assert fix.endswith("Gib nur die verbesserte Antwort.")
    assert review_of(world).findings == (
        "Die Antwort klingt, als ob etwas gespeichert wurde; das ist nicht geschehen.",
    )


async def test_addresses_of_the_talk_are_known_to_the_check() -> None:
    history = [User(text="see https://one.example/a"), Assistant(text="Or https://two.example/b.")]
    for url in ("https://one.example/a", "https://two.example", "https://three.example/c"):
        world = World([LOOK, f"There: {url}"])
        await world.hears("and https://three.example/c?", history=history)
        assert review_of(world) == Review()


async def test_a_repeated_paragraph_is_left_out_before_the_check() -> None:
    world = World(["It is Oslo.\n\nIt is Oslo."])
    record = await world.hears("capital of Norway?")
    assert world.text == "It is Oslo."
    assert record.items[-1] == Assistant(text="It is Oslo.")


async def test_what_code_answers_is_not_checked() -> None:
    answers = {"hello": SkillCode(seed=lambda message, context: None, answer=lambda *asked: "I've saved it.")}
    world = World(skills=[skill("hello", "^hello$")], code=answers)
    await world.hears("hello")
    assert (world.text, review_of(world)) == ("I've saved it.", Review())
