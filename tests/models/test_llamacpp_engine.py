"""What the worker does between commands and events, step by step, in this process."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from jarvisbot.model import Sampling
from jarvisbot.models.llamacpp.engine import Engine
from jarvisbot.models.llamacpp.loading import LibraryLog, load_model
from jarvisbot.models.llamacpp.protocol import (
    Cancel,
    Command,
    Count,
    Counted,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    Loaded,
    Loading,
    Piece,
    Progress,
    Quit,
    SlotRule,
    TooLong,
    Turn,
)
from jarvisbot.models.llamacpp.serving import Ended, serve
from tests.emulators.tiny_gguf import write_gguf

GREEDY = Sampling(temperature=0)
SLICE = 64


def load(path: Path) -> Load:
    return Load(path=str(path), threads=1, context_tokens=None)


def job(number: int = 1, text: str = "Hello?", **more: object) -> Generate:
    turns = (Turn(role="system", text="Be brief."), Turn(role="user", text=text))
    wanted = {"id": number, "turns": turns, "sampling": GREEDY, "max_tokens": 20, **more}
    return Generate(**wanted)  # type: ignore[arg-type]


class Script:
    """A line whose commands come by a script: an entry for each time the worker looks, and Quit after the last."""

    def __init__(self, *looks: Iterable[Command]) -> None:
        self._looks = iter(looks)
        self.events: list[Event] = []
        self.sent_before_look: list[int] = []

    def send(self, event: Event) -> None:
        if not isinstance(event, Loading | Loaded):
            self.events.append(event)

    def receive(self, *, wait: bool) -> Iterable[Command]:
        self.sent_before_look.append(len(self.events))
        return next(self._looks, [Quit()])

    def play(self) -> list[Event]:
        with suppress(Ended):
            serve(self)
        return self.events


class Ticking:
    """A clock that moves on by a second whenever it is read."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        self.seconds += 1
        return self.seconds


@pytest.fixture
def make_engine() -> Iterator[Callable[..., Engine]]:
    with ExitStack() as stack:
        log = stack.enter_context(LibraryLog())

        def make(path: Path, clock: Callable[[], float] = time.monotonic) -> Engine:
            handles = load_model(load(path), lambda share: None, log)
            stack.callback(handles.free)
            return Engine(handles, clock=clock)

        yield make


def run(engine: Engine, wanted: Generate) -> list[Event]:
    return [event for event in engine.generate(wanted) if event is not None]


def text_of(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Piece))


def end_of(events: list[Event]) -> Finished:
    assert [type(event) for event in events].count(Finished) == 1
    assert isinstance(events[-1], Finished)
    return events[-1]


# ---------------------------------------------------------------- cancelling


def test_a_generation_ends_within_the_token_that_it_is_cancelled_at(tiny_llama: Path) -> None:
    looks: list[list[Command]] = [[load(tiny_llama)], [job(max_tokens=500)], *[[] for _ in range(12)]]
    script = Script(*looks, [Cancel(id=1)], [], [])
    events = script.play()
    assert not [event for event in events if isinstance(event, Finished)]
    assert sum(isinstance(event, Piece) for event in events) >= 5
    assert len(events) == script.sent_before_look[len(looks)]  # nothing more after it was told


def test_a_prefill_ends_within_the_slice_that_it_is_cancelled_at(tiny_llama: Path) -> None:
    long = job(text="word " * 200)
    again = job(2, text="word " * 200)
    script = Script([load(tiny_llama)], [long], [], [], [Cancel(id=1)], [again], *[[] for _ in range(60)])
    events = script.play()
    first = [event.done for event in events if isinstance(event, Progress) and event.id == 1]
    second = [event.done for event in events if isinstance(event, Progress) and event.id == 2]
    assert first == [0, SLICE, 2 * SLICE]
    assert second[:2] == [2 * SLICE, 3 * SLICE]  # what was evaluated is used again, and it is no more than that


def test_a_generation_that_waits_is_cancelled_without_having_begun(tiny_llama: Path) -> None:
    commands: list[Command] = [job(1), job(2), job(3), Cancel(id=2)]
    events = Script([load(tiny_llama)], commands, *[[] for _ in range(100)]).play()
    assert [event.id for event in events if isinstance(event, Finished)] == [1, 3]
    assert not [event for event in events if isinstance(event, Progress | Piece) and event.id == 2]


def test_a_count_is_answered_in_the_middle_of_a_generation(tiny_llama: Path) -> None:
    count = Count(id=7, turns=job().turns)
    events = Script([load(tiny_llama)], [job()], [], [count], *[[] for _ in range(60)]).play()
    kinds = [type(event) for event in events]
    assert kinds.index(Counted) < kinds.index(Finished)
    counted = next(event for event in events if isinstance(event, Counted))
    assert counted == Counted(id=7, tokens=end_of([e for e in events if e.id == 1]).usage.prompt_tokens)


def test_cancelling_what_nobody_knows_changes_nothing(tiny_llama: Path) -> None:
    events = Script([load(tiny_llama)], [Cancel(id=9), job()], [Cancel(id=9)], *[[] for _ in range(60)]).play()
    assert end_of(events).reason == "length"


# ---------------------------------------------------------------- reuse


@pytest.mark.parametrize("architecture", ["llama", "qwen35"])
def test_a_talk_that_goes_on_is_not_evaluated_again(
    architecture: str, request: pytest.FixtureRequest, make_engine: Callable[..., Engine]
) -> None:
    engine = make_engine(request.getfixturevalue(f"tiny_{architecture}"))
    first = run(engine, job(text="word " * 60))
    before = end_of(first).usage
    assert before.cached_tokens == 0
    turns = (
        *job(text="word " * 60).turns,
        Turn(role="assistant", text=text_of(first)),
        Turn(role="user", text="More."),
    )
    after = end_of(run(engine, job(turns=turns))).usage
    generation_prompt = len(engine.vocabulary.tokens("<|im_start|>assistant\n<think>\n\n</think>\n\n"))
    assert after.prompt_tokens > before.prompt_tokens
    assert after.cached_tokens >= before.prompt_tokens - generation_prompt


@pytest.mark.parametrize("architecture", ["llama", "qwen35"])
def test_pure_appends_use_all_that_was_evaluated(
    architecture: str, tmp_path: Path, make_engine: Callable[..., Engine]
) -> None:
    plain = "{% for m in messages %}{{ m.content }}{% endfor %}"
    engine = make_engine(write_gguf(tmp_path / "plain.gguf", architecture, template=plain))  # type: ignore[arg-type]
    first = run(engine, job(text="word " * 60))
    before = end_of(first).usage
    turns = (
        *job(text="word " * 60).turns,
        Turn(role="assistant", text=text_of(first)),
        Turn(role="user", text="More."),
    )
    after = end_of(run(engine, job(turns=turns))).usage
    assert after.cached_tokens == before.prompt_tokens + before.completion_tokens - 1  # the last token was only chosen


def test_another_talk_uses_the_common_beginning_where_the_model_can_go_back(
    tiny_llama: Path, tiny_qwen35: Path, make_engine: Callable[..., Engine]
) -> None:
    for path, goes_back in ((tiny_llama, True), (tiny_qwen35, False)):
        engine = make_engine(path)
        run(engine, job(text="word " * 60))
        usage = end_of(run(engine, job(text="word " * 50 + "other"))).usage
        common = len(
            engine.vocabulary.tokens("<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n" + "word " * 50)
        )
        assert usage.cached_tokens == (common if goes_back else 0)


@pytest.mark.parametrize("architecture", ["llama", "qwen35"])
def test_what_is_kept_of_one_talk_takes_no_room_from_the_next(
    architecture: str, tmp_path: Path, make_engine: Callable[..., Engine]
) -> None:
    engine = make_engine(write_gguf(tmp_path / "small.gguf", architecture, context_tokens=256))  # type: ignore[arg-type]
    for letter in "abcab":
        end = end_of(run(engine, job(text=letter * 150, max_tokens=200)))
        assert end.reason == "length"
        assert end.usage.prompt_tokens + end.usage.completion_tokens == 256


# ---------------------------------------------------------------- limits


def test_a_prompt_that_does_not_fit_says_by_how_much_before_anything_else(tiny_llama: Path) -> None:
    events = Script([load(tiny_llama)], [job(text="word " * 1000)], [], []).play()
    (only,) = events
    assert isinstance(only, TooLong)
    assert only.needed > only.available == 4095


def test_a_reply_is_cut_to_what_fits(tmp_path: Path, make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(write_gguf(tmp_path / "small.gguf", context_tokens=256))
    prompt = end_of(run(engine, job(max_tokens=1))).usage.prompt_tokens
    end = end_of(run(engine, job(max_tokens=10_000)))
    assert end.reason == "length"
    assert end.usage.completion_tokens == 256 - prompt


def test_the_longest_prompt_leaves_room_for_one_token(tmp_path: Path, make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(write_gguf(tmp_path / "small.gguf", context_tokens=256))
    empty = end_of(run(engine, job(text="", max_tokens=1))).usage.prompt_tokens
    assert end_of(run(engine, job(text="x" * (255 - empty)))).usage.completion_tokens == 1
    assert run(engine, job(text="x" * (256 - empty))) == [TooLong(id=1, needed=256, available=255)]


def test_no_tokens_are_made_where_none_are_wanted(tiny_llama: Path, make_engine: Callable[..., Engine]) -> None:
    end = end_of(run(make_engine(tiny_llama), job(max_tokens=0)))
    assert (end.reason, end.usage.completion_tokens) == ("length", 0)


def test_time_that_is_up_ends_a_reply(tiny_llama: Path, make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(tiny_llama, Ticking())
    end = end_of(run(engine, job(max_tokens=100, wall_s=10.0)))
    assert end.reason == "time"
    assert 0 < end.usage.completion_tokens < 10


def test_time_that_is_up_ends_a_prefill(tiny_llama: Path, make_engine: Callable[..., Engine]) -> None:
    events = run(make_engine(tiny_llama, Ticking()), job(text="word " * 200, wall_s=3.0))
    assert end_of(events).reason == "time"
    assert end_of(events).usage.completion_tokens == 0
    assert 0 < max(event.done for event in events if isinstance(event, Progress)) < end_of(events).usage.prompt_tokens


# ---------------------------------------------------------------- thinking


def test_a_think_block_is_closed_after_its_tokens(tiny_llama: Path, make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(tiny_llama)
    events = run(engine, job(thinking=True, think_tokens=7, max_tokens=20))
    thoughts, closed, answer = text_of(events).partition("\n</think>\n\n")
    assert closed
    assert len(thoughts.removeprefix("<think>\n")) == 7
    assert len(answer) == 13
    assert end_of(events).usage.completion_tokens == 20


def test_a_think_budget_of_nothing_closes_the_block_at_once(
    tiny_llama: Path, make_engine: Callable[..., Engine]
) -> None:
    assert text_of(run(make_engine(tiny_llama), job(thinking=True, think_tokens=0))).startswith(
        "<think>\n\n</think>\n\n"
    )


def test_thinking_that_is_not_wanted_leaves_no_tags(tiny_llama: Path, make_engine: Callable[..., Engine]) -> None:
    assert "think>" not in text_of(run(make_engine(tiny_llama), job(think_tokens=3)))


def test_reasoning_begins_with_the_words_that_are_put_there(
    tiny_llama: Path, make_engine: Callable[..., Engine]
) -> None:
    engine = make_engine(tiny_llama)
    events = run(engine, job(thinking=True, think_tokens=7, think_prefix="A tool:", max_tokens=20))
    thoughts, closed, _ = text_of(events).partition("\n</think>\n\n")
    assert closed
    assert thoughts.startswith("<think>\nA tool:")
    assert len(thoughts.removeprefix("<think>\nA tool:")) == 7
    without = end_of(run(engine, job(thinking=True, max_tokens=1))).usage.prompt_tokens
    assert end_of(events).usage.prompt_tokens == without + len(engine.vocabulary.tokens("A tool:"))


@pytest.mark.parametrize(
    "wanted", [{"thinking": False}, {"slot": SlotRule(prefix="x", stop="y", characters=None), "thinking": True}]
)
def test_words_for_reasoning_are_left_out_where_there_is_none(
    tiny_llama: Path, make_engine: Callable[..., Engine], wanted: dict[str, object]
) -> None:
    assert "A tool:" not in text_of(run(make_engine(tiny_llama), job(think_prefix="A tool:", max_tokens=3, **wanted)))


def test_a_think_block_that_no_longer_fits_is_left_open(tmp_path: Path, make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(write_gguf(tmp_path / "small.gguf", context_tokens=256))
    prompt = end_of(run(engine, job(max_tokens=1, thinking=True))).usage.prompt_tokens
    room = 256 - prompt
    events = run(engine, job(thinking=True, think_tokens=room - 2, max_tokens=500))
    assert end_of(events).reason == "length"
    assert "</think>" not in text_of(events)


# ---------------------------------------------------------------- rules


def test_a_slot_begins_with_its_prefix_and_ends_before_its_stop(
    tiny_llama: Path, make_engine: Callable[..., Engine]
) -> None:
    prefix = '<tool_call>\n{"value": "'
    endless = SlotRule(prefix=prefix, stop="\n", characters="0-9")
    unstopped = text_of(run(make_engine(tiny_llama), job(slot=endless, max_tokens=40)))
    digits = unstopped.removeprefix(prefix)
    assert unstopped.startswith(prefix)
    assert digits.isdigit()
    stop = digits[10:13]
    events = run(make_engine(tiny_llama), job(slot=SlotRule(prefix=prefix, stop=stop, characters="0-9"), max_tokens=40))
    assert text_of(events) == prefix + digits.partition(stop)[0]
    assert end_of(events).reason == "stop"


@pytest.mark.parametrize("temperature", [0.0, 2.0])
def test_a_slots_characters_are_all_that_is_written(
    temperature: float, tiny_llama: Path, make_engine: Callable[..., Engine]
) -> None:
    slot = SlotRule(prefix="", stop='"', characters="a-z ä-ü")
    sampling = Sampling(temperature=temperature, top_k=0, top_p=1.0, seed=3)
    events = run(make_engine(tiny_llama), job(slot=slot, max_tokens=300, sampling=sampling))
    assert set(text_of(events)) <= {*map(chr, range(97, 123)), " ", *map(chr, range(0xE4, 0xFD))}
    assert len(text_of(events)) > 10


def test_a_slot_closes_the_think_block_that_the_prompt_opened(
    tiny_llama: Path, make_engine: Callable[..., Engine]
) -> None:
    slot = SlotRule(prefix="x = ", stop="\n", characters="0-9")
    events = run(make_engine(tiny_llama), job(slot=slot, thinking=True, max_tokens=3))
    assert text_of(events).startswith("x = ")


def test_a_grammar_is_followed_to_its_end(tiny_llama: Path, make_engine: Callable[..., Engine]) -> None:
    events = run(make_engine(tiny_llama), job(grammar='root ::= "grüße 😀 " [0-9] [0-9]', max_tokens=100))
    assert text_of(events)[:-2] == "grüße 😀 "
    assert text_of(events)[-2:].isdigit()
    assert end_of(events).reason == "end"
    assert "\ufffd" not in "".join(event.text for event in events if isinstance(event, Piece))


def test_a_grammar_asked_token_by_token_chooses_what_a_full_mask_chooses(
    tiny_llama: Path, make_engine: Callable[..., Engine]
) -> None:
    engine = make_engine(tiny_llama)
    free = text_of(run(engine, job(max_tokens=30)))
    assert text_of(run(engine, job(max_tokens=30, grammar="root ::= [ -~]*"))) == free


def test_a_grammar_that_cannot_be_read_is_refused_and_harms_nobody_else(
    tiny_llama: Path, make_engine: Callable[..., Engine]
) -> None:
    engine = make_engine(tiny_llama)
    (only,) = run(engine, job(grammar="root ::= ("))
    assert isinstance(only, Failed)
    assert end_of(run(engine, job())).reason == "length"


def test_the_users_next_turn_is_not_shown(tiny_llama: Path, make_engine: Callable[..., Engine]) -> None:
    grammar = 'root ::= "Yes.<|im_start|>user" "\\n" "And now?" [a-z]*'
    events = run(make_engine(tiny_llama), job(grammar=grammar, max_tokens=100))
    assert text_of(events) == "Yes."
    assert end_of(events).reason in ("stop", "end")  # written as text, or as the control token


def test_a_plain_templates_marker_of_the_user_is_not_shown_either(
    tmp_path: Path, make_engine: Callable[..., Engine]
) -> None:
    plain = "{% for m in messages %}{{ '\\n' + m.role | capitalize + ': ' + m.content }}{% endfor %}"
    engine = make_engine(write_gguf(tmp_path / "plain.gguf", template=plain))
    events = run(engine, job(grammar='root ::= "Yes.\\n" "User: and now?"', max_tokens=100))
    assert text_of(events) == "Yes."
    assert end_of(events).reason == "stop"


def test_text_is_whole_characters_whatever_bytes_are_chosen(tmp_path: Path, make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(write_gguf(tmp_path / "bytes.gguf", likes_bytes=True))
    wild = Sampling(temperature=5.0, top_k=0, top_p=1.0, repetition=1.0, seed=1)
    pieces = [event.text for event in run(engine, job(sampling=wild, max_tokens=300)) if isinstance(event, Piece)]
    assert "\ufffd" in "".join(pieces)
    assert not [piece for piece in pieces if piece.encode("utf-8", "replace").decode() != piece]


def test_the_same_seed_says_the_same_and_another_one_does_not(
    tiny_llama: Path, make_engine: Callable[..., Engine]
) -> None:
    engine = make_engine(tiny_llama)
    wild = {seed: Sampling(temperature=3.0, top_k=0, top_p=1.0, seed=seed) for seed in (1, 2)}
    texts = [text_of(run(engine, job(sampling=wild[seed], max_tokens=40))) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]


def test_a_talk_that_the_template_refuses_is_told_and_harms_nobody_else(
    tmp_path: Path, make_engine: Callable[..., Engine]
) -> None:
    picky = "{% for m in messages %}{{ raise_exception('I say no') if 'bad' in m.content else m.content }}{% endfor %}"
    engine = make_engine(write_gguf(tmp_path / "picky.gguf", template=picky))
    (refused,) = run(engine, job(text="bad"))
    assert isinstance(refused, Failed)
    assert "I say no" in refused.message
    assert isinstance(engine.count(Count(id=1, turns=job(text="bad").turns)), Failed)
    assert end_of(run(engine, job())).reason == "length"


def test_a_slot_without_any_allowed_character_is_empty(tiny_llama: Path, make_engine: Callable[..., Engine]) -> None:
    events = run(make_engine(tiny_llama), job(slot=SlotRule(prefix="x", stop="\n", characters=r"^\s\S")))
    assert text_of(events) in ("x", "x\n")
    assert end_of(events).usage.completion_tokens <= 1


def test_a_model_without_a_template_is_talked_to_in_chatml(tmp_path: Path, make_engine: Callable[..., Engine]) -> None:
    engine = make_engine(write_gguf(tmp_path / "plain.gguf", template=None))
    text = engine.template.render(job().turns).text
    assert (
        text == "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHello?<|im_end|>\n<|im_start|>assistant\n"
    )


def test_a_context_is_no_longer_than_the_model_was_made_for(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "small.gguf", context_tokens=512)
    with LibraryLog() as log:
        for wanted, given in ((None, 512), (300, 300), (100_000, 512)):
            handles = load_model(Load(path=str(path), threads=1, context_tokens=wanted), lambda share: None, log)
            assert handles.context_tokens == given
            handles.free()


def test_the_engines_prompts_hold_no_special_token_of_a_users(
    tiny_llama: Path, demo: Path, make_engine: Callable[..., Engine]
) -> None:
    for path in (tiny_llama, demo):
        engine = make_engine(path)
        found = []
        for words in ("hello", "".join(sorted(engine.vocabulary.specials.texts))):
            tokens = engine.vocabulary.prompt(engine.template.render(job(text=words).turns).text)
            found.append([token for token in tokens if token in engine.vocabulary.special_tokens])
        assert found[0] == found[1] != []
