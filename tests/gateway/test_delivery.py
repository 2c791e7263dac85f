"""What goes out: once, in order, whatever the platform does."""

import asyncio
import itertools
from dataclasses import dataclass
from pathlib import Path

import pytest

from jarvisbot.connector import Capabilities, Markup, Once, Unit
from jarvisbot.errors import Disconnected, JarvisError, MessageGone, OutcomeUnknown, RateLimited, Rejected
from jarvisbot.models.scripted import Pause, Until
from tests.fakes import FakeConnector, said
from tests.gateway.conftest import running


@dataclass
class AppendOnly(FakeConnector):
    """A platform like a terminal."""

    once: Once = Once.MARK

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            text_limit=None,
            unit=Unit.CODE_POINTS,
            markup=Markup.MARKDOWN,
            once=Once.MARK,
            edits=True,
            append_only=True,
            draft_interval_s=0.05,
            native_rows=True,
        )


@pytest.mark.parametrize("once", list(Once))
async def test_an_answer_is_one_message_that_replies_to_its_question(folder: Path, once: Once) -> None:
    async with running(folder, ["forty-two"], connector=FakeConnector(once=once)) as bot:
        await bot.hears(said("what?", id="q"))
        await bot.settled()
        assert bot.connector.shown == ["forty-two"]
        assert bot.connector.log[0][1].reply_to == "q"


async def test_the_id_of_a_placeholder_is_committed_before_its_text_is_put_in(folder: Path) -> None:
    async with running(folder, ["forty-two"]) as bot:
        bot.connector.gate = asyncio.Event()
        await bot.hears(said("what?"))
        await bot.connector.until(lambda: len(bot.connector.log) == 1)
        assert bot.connector.log[0][1].body.text == "…"
        assert await bot.app.store.rows("SELECT * FROM receipts") == []
        bot.connector.gate.set()
        await bot.settled()
        assert bot.connector.log[1][1].replaces == "m1"
        assert [row["message"] for row in await bot.app.store.rows("SELECT * FROM receipts")] == ["m1"]


async def test_a_placeholder_whose_id_cannot_be_stored_is_not_posted_again(folder: Path) -> None:
    async with running(folder, ["forty-two"]) as bot:
        store = bot.app.store
        full = "CREATE TRIGGER full BEFORE INSERT ON receipts BEGIN SELECT RAISE(ABORT, 'no room'); END"
        await store.write(lambda c: c.execute(full))
        await bot.hears(said("what?"))
        await bot.connector.until(lambda: bot.connector.shown)
        for _ in range(40):
            await bot.clock.advance(0.25)
        assert bot.connector.shown == ["…"]
        await store.write(lambda c: c.execute("DROP TRIGGER full"))
        await bot.settles()
        assert bot.connector.shown == ["forty-two"]


async def test_a_draft_whose_id_cannot_be_stored_is_not_posted_again(folder: Path) -> None:
    words = [step for n in range(12) for step in (f"word{n} ", Pause(seconds=0.5))]
    async with running(folder, [[*words, "end"]]) as bot:
        bot.model._clock = bot.clock
        full = "CREATE TRIGGER full BEFORE INSERT ON receipts BEGIN SELECT RAISE(ABORT, 'no room'); END"
        await bot.app.store.write(lambda c: c.execute(full))
        await bot.hears(said("tell?"))
        await bot.passes(lambda: bot.connector.shown)
        for _ in range(12):
            await bot.clock.advance(0.25)
        assert bot.connector.shown == ["…"]
        await bot.app.store.write(lambda c: c.execute("DROP TRIGGER full"))
        await bot.passes(lambda: bot.connector.shown[0].startswith("word0"))
        await bot.settles()
        assert len(bot.connector.shown) == 1
        assert bot.connector.shown[0].endswith("end")


async def test_a_rate_limit_is_waited_for_exactly_and_the_answer_comes_once(folder: Path) -> None:
    async with running(folder, ["forty-two"]) as bot:
        bot.connector.faults = [None, RateLimited("slow down", retry_after_s=30)]
        await bot.hears(said("what?"))
        await bot.connector.until(lambda: len(bot.connector.log) == 2)
        await bot.clock.advance(29.9)
        assert len(bot.connector.log) == 2
        await bot.settles()
        (again,) = [at for at, _ in bot.connector.log[2:]]
        assert 30 <= again < 32
        assert bot.connector.shown == ["forty-two"]


async def test_a_rate_limit_of_no_seconds_is_not_answered_at_once(folder: Path) -> None:
    async with running(folder, ["forty-two"]) as bot:
        bot.connector.faults = [RateLimited("slow down", retry_after_s=0)] * 3
        await bot.hears(said("what?"))
        await bot.settles()
        times = [at for at, _ in bot.connector.log][:4]
        assert all(later - earlier >= 1 for earlier, later in itertools.pairwise(times))
        assert bot.connector.shown == ["forty-two"]


async def test_one_rooms_rate_limit_does_not_delay_another(folder: Path) -> None:
    async with running(folder) as bot:
        bot.connector.faults = [RateLimited("slow down", retry_after_s=30)]
        await bot.hears(said("hello", room="1"))
        await bot.connector.until(lambda: len(bot.connector.log) == 1)
        await bot.hears(said("thanks", room="2", user="2"))
        await bot.connector.until(lambda: bot.connector.shown == ["You're welcome!"])
        await bot.settles()
        assert bot.connector.shown == ["You're welcome!", "Hello! What can I do for you?"]


@pytest.mark.parametrize(
    ("once", "request_number"), [(Once.PLACEHOLDER, 0), (Once.PLACEHOLDER, 1), (Once.KEY, 0), (Once.MARK, 0)]
)
@pytest.mark.parametrize(
    ("fault", "late"),
    [(OutcomeUnknown("no word"), True), (OutcomeUnknown("no word"), False), (Disconnected("no line"), False)],
)
async def test_a_failed_send_never_leaves_a_second_final_text(
    folder: Path, once: Once, request_number: int, fault: JarvisError, late: bool
) -> None:
    """`late`: the request took effect all the same. Only where nobody can look may a text of unknown fate be missing."""
    async with running(folder, ["forty-two"], connector=FakeConnector(once=once)) as bot:
        bot.connector.faults = [None] * request_number + [fault]
        bot.connector.late = [late]
        await bot.hears(said("what?"))
        await bot.settles()
        lost = once is Once.MARK and isinstance(fault, OutcomeUnknown) and not late
        orphan = once is Once.PLACEHOLDER and request_number == 0 and late
        assert sorted(bot.connector.shown) == sorted(["forty-two"] * (not lost) + ["…"] * orphan)


async def test_a_refused_formatting_is_sent_once_more_as_plain_text(folder: Path) -> None:
    async with running(folder, ["**bold** move"]) as bot:
        bot.connector.faults = [None, Rejected("can't parse")]
        await bot.hears(said("what?"))
        await bot.settled()
        assert bot.connector.shown == ["bold move"]
        assert bot.connector.log[1][1].body.spans
        assert not bot.connector.log[2][1].body.spans


async def test_a_text_refused_twice_is_given_up_and_the_next_answer_comes(folder: Path) -> None:
    async with running(folder, ["bad", "good"]) as bot:
        bot.connector.faults = [None, Rejected("no"), Rejected("no")]
        await bot.hears(said("a?"), said("b?"))
        await bot.settled()
        assert bot.connector.shown == ["…", "good"]
        states = [row["state"] for row in await bot.app.store.rows("SELECT state FROM outbox ORDER BY id")]
        assert states == ["failed", "sent"]


async def test_a_room_that_is_closed_to_us_drops_its_answer(folder: Path) -> None:
    async with running(folder, ["to nobody", "good"]) as bot:
        bot.connector.faults = [MessageGone("blocked")]
        await bot.hears(said("a?"), said("b?"))
        await bot.settled()
        assert bot.connector.shown == ["good"]


async def test_a_long_answer_comes_in_parts_in_order_and_only_the_first_replies(folder: Path) -> None:
    text = "\n\n".join(f"Paragraph {n}: " + "word " * 150 for n in range(20)).strip()
    async with running(folder, [text], settings={"limits.answer_tokens": "9000"}) as bot:
        await bot.hears(said("long?", id="q"))
        await bot.settles()
        shown = bot.connector.shown
        assert len(shown) > 3
        assert all(len(part.strip()) > 0 and len(part) <= 4096 for part in shown)
        assert "".join("".join(shown).split()) == "".join(text.split())
        placed = [sent for _, sent in bot.connector.log if sent.replaces is None]
        assert [sent.reply_to for sent in placed] == ["q"] + [None] * (len(shown) - 1)


async def test_parts_that_waited_at_a_crash_are_sent_by_the_next_process(folder: Path) -> None:
    connector = FakeConnector()
    async with running(folder, ["forty-two"], connector=connector) as bot:
        connector.faults = [Disconnected("no line")] * 5
        await bot.hears(said("what?"))
        await bot.connector.until(lambda: len(connector.log) == 1)
    connector.faults = []
    async with running(folder, connector=connector) as bot:
        await bot.settled()
        assert connector.shown == ["forty-two"]


async def test_a_part_handed_to_a_platform_that_cannot_be_asked_is_not_handed_over_again(folder: Path) -> None:
    connector = FakeConnector(once=Once.MARK)
    async with running(folder, ["forty-two"], connector=connector) as bot:
        await bot.hears(said("what?"))
        await bot.settled()
        await bot.app.store.write(lambda c: c.execute("UPDATE outbox SET state = 'handed'"))
    async with running(folder, connector=connector) as bot:
        await bot.settled()
        assert len(connector.log) == 1


# ---------------------------------------------------------------- drafts


async def test_a_stream_is_shown_by_edits_at_the_platforms_pace_and_ends_once(folder: Path) -> None:
    goes_on = [asyncio.Event() for _ in range(6)]
    words = [step for number, event in enumerate(goes_on) for step in (f"word{number} ", Until(event=event))]
    async with running(folder, [words]) as bot:
        await bot.hears(said("tell?"))
        for number, event in enumerate(goes_on):
            await bot.passes(lambda number=number: any(text.endswith(f"word{number}") for text in bot.connector.shown))
            event.set()
        await bot.settles()
        edits = [(at, sent.body.text) for at, sent in bot.connector.log if sent.replaces is not None]
        assert [text for _, text in edits] == [
            " ".join(f"word{number}" for number in range(last + 1)) for last in range(6)
        ]
        assert all(later - earlier > 1.499 for (earlier, _), (later, _) in itertools.pairwise(edits))
        assert bot.connector.shown == [edits[-1][1]]


async def test_a_model_that_shows_nothing_for_two_seconds_is_said_to_think(folder: Path) -> None:
    go_on = asyncio.Event()
    async with running(folder, [[Until(event=go_on), "done"]]) as bot:
        await bot.hears(said("what is the meaning of life?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.clock.advance(1.9)
        assert bot.connector.shown == []
        await bot.passes(lambda: any("Thinking…" in text for text in bot.connector.shown))
        go_on.set()
        await bot.settled()
        assert bot.connector.shown == ["done"]
        assert bot.connector.typed > 0


async def test_where_text_can_only_grow_a_wait_is_told_beside_the_text(folder: Path) -> None:
    go_on = asyncio.Event()
    async with running(folder, [[Until(event=go_on), "fertig"]], connector=AppendOnly()) as bot:
        await bot.hears(said("Was ist der Sinn des Lebens?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.passes(lambda: any(round(sent.thinking_s) == 3 for _, sent in bot.connector.log))
        drafts = [sent for _, sent in bot.connector.log]
        assert {sent.body.text for sent in drafts} == {""}
        assert [sent.labels for sent in drafts] == [("Denkt nach… 2 s",), ("Denkt nach… 3 s",)]
        assert not [sent for sent in drafts if sent.final]
        go_on.set()
        await bot.settles()
        _, last = bot.connector.log[-1]
        assert (last.body.text, last.final, last.thinking_s) == ("fertig", True, 0.0)


async def test_a_tools_row_is_shown_before_there_is_text_where_text_can_only_grow(folder: Path) -> None:
    go_on = asyncio.Event()
    call = '<tool_call>\n{"name": "calculator", "arguments": {"expression": "6*7"}}\n</tool_call>'
    async with running(folder, [call, [Until(event=go_on), "It is 42."]], connector=AppendOnly()) as bot:
        await bot.hears(said("Which is the arithmetic expression for two times twenty-one?"))
        await bot.passes(lambda: any(sent.rows for _, sent in bot.connector.log))
        assert not any(sent.body.text for _, sent in bot.connector.log)
        go_on.set()
        await bot.settles()


async def test_a_draft_past_the_limit_goes_on_in_a_second_message_and_the_first_is_left_alone(folder: Path) -> None:
    go_on = asyncio.Event()
    steps = [step for n in range(40) for step in ("paragraph " * 25 + f"{n}\n\n", Pause(seconds=0.5))]
    settings = {"limits.answer_tokens": "60000"}
    async with running(folder, [[*steps, Until(event=go_on)]], settings=settings) as bot:
        bot.model._clock = bot.clock
        await bot.hears(said("tell?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.passes(lambda: len(bot.connector.shown) == 3)
        second = next(n for n, (_, sent) in enumerate(bot.connector.log) if sent.replaces == "m2")
        to_first = [sent for _, sent in bot.connector.log[second + 1 :] if sent.replaces == "m1"]
        go_on.set()
        await bot.settles()
        assert len(to_first) <= 1
        assert all(len(text) <= 4096 for text in bot.connector.shown)


async def test_a_rate_limit_on_a_draft_holds_the_final_back_too(folder: Path) -> None:
    go_on = asyncio.Event()
    async with running(folder, [["Hello ", Until(event=go_on), "world"]]) as bot:
        bot.connector.faults = [None, RateLimited("slow down", retry_after_s=30)]
        await bot.hears(said("what?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.passes(lambda: len(bot.connector.log) == 2)
        limited = bot.connector.log[-1][0]
        go_on.set()
        await bot.settles()
        assert len(later := [at - limited for at, _ in bot.connector.log[2:]]) == 1
        assert 30 <= later[0] < 32
        assert bot.connector.shown == ["Hello world"]


async def test_deleting_the_draft_stops_the_turn(folder: Path) -> None:
    async with running(folder, [["Once upon ", "a ", "time ", Until(event=asyncio.Event())], "next"]) as bot:
        await bot.hears(said("a story?"))
        await bot.connector.until(lambda: bot.model.requests)
        bot.connector.faults = [None, MessageGone("deleted")]
        await bot.settles()
        assert await bot.states() == ["stopped"]
        bot.connector.screen.clear()
        await bot.hears(said("and now?"))
        await bot.settled()
        assert bot.connector.shown == ["next"]


async def test_a_draft_of_a_killed_process_becomes_the_answer_of_the_next(folder: Path) -> None:
    connector = FakeConnector()
    async with running(folder, [["Half an ", Until(event=asyncio.Event())]], connector=connector) as bot:
        await bot.hears(said("what?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.passes(lambda: connector.shown == ["Half an"])
    async with running(folder, ["The whole answer"], connector=connector) as bot:
        await bot.settled()
        assert connector.shown == ["The whole answer"]


# ---------------------------------------------------------------- an answer that the check still objects to


FLAGGED = "Please check: The answer sounds as if something was saved; that has not happened."


async def test_a_flagged_answer_has_one_plain_line_under_it_that_no_model_ever_reads(folder: Path) -> None:
    async with running(folder, ["I've saved *that*.", "I've saved it.", "Nothing more."]) as bot:
        await bot.hears(said("Remember that I live in Ghent, will you?"))
        await bot.settles()
        assert bot.connector.shown == [f"I've saved that.\n\n{FLAGGED}"]
        await bot.hears(said("And what else could you tell me?"))
        await bot.settles()
        read = str(bot.model.requests[-1].items)
        assert "I've saved *that*." in read
        assert "Please check" not in read


async def test_a_flagged_german_answer_says_so_in_german(folder: Path) -> None:
    async with running(folder, ["Ist gespeichert. Gespeichert!", ""]) as bot:
        await bot.hears(said("Wäre es schlimm, wenn ich dir sage, dass ich in Gent wohne?"))
        await bot.settles()
        (shown,) = bot.connector.shown
        assert shown.endswith(
            "\n\nBitte prüfen: Die Antwort klingt, als ob etwas gespeichert wurde; das ist nicht geschehen."
        )


async def test_a_corrected_answer_replaces_its_draft_and_says_so(folder: Path) -> None:
    async with running(folder, ["I've saved that.", "I cannot save that."]) as bot:
        await bot.hears(said("Remember that I live in Ghent, will you?"))
        await bot.settles()
        assert bot.connector.shown == ["I cannot save that.\n\ncorrected"]
