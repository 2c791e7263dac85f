"""What comes in: stored first, once, in order, by those who may."""

import asyncio
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest

from jarvisbot.errors import StoreFull
from jarvisbot.models.scripted import Until
from jarvisbot.store import inbox
from jarvisbot.store.database import Store
from jarvisbot.types import Address, Answered, Author, Deleted, Edited, Moved
from tests.fakes import START, FakeClock, FakeConnector, said
from tests.gateway.conftest import running


async def test_a_message_is_a_row_with_the_resume_token_when_put_returns(folder: Path) -> None:
    async with running(folder, [["x", Until(event=asyncio.Event())]]) as bot:
        await bot.hears(said("hm"), checkpoint="token 7")
        assert len(await bot.states()) == 1
        assert bot.connector.inbox is not None
        assert await bot.connector.inbox.checkpoint() == "token 7"


async def test_the_same_message_twice_is_answered_once(folder: Path) -> None:
    async with running(folder, ["one", "two"]) as bot:
        await bot.hears(said("what?", id="a"), said("what?", id="a"))
        await bot.settled()
        await bot.hears(said("what?", id="a"))
        await bot.settled()
        assert bot.connector.shown == ["one"]
    async with running(folder, ["two"], connector=bot.connector) as again:
        await again.hears(said("what?", id="a"))
        await again.settled()
        assert again.connector.shown == ["one"]


async def test_messages_of_a_room_are_answered_in_order_one_at_a_time(folder: Path) -> None:
    async with running(folder, ["first", "second", "third"]) as bot:
        await bot.hears(said("a?"), said("b?"), said("c?"))
        await bot.settled()
        assert bot.connector.shown == ["first", "second", "third"]
        assert bot.asked == ["a?", "b?", "c?"]


async def test_one_room_does_not_wait_for_another(folder: Path) -> None:
    async with running(folder, settings={"limits.parallel_conversations": "2"}) as bot:
        bot.connector.gate = asyncio.Event()
        await bot.hears(said("hello", room="1"))
        await bot.connector.until(lambda: len(bot.connector.log) == 1)
        await bot.hears(said("thanks", room="2", user="2"))
        await bot.connector.until(lambda: len(bot.connector.log) == 2)
        assert {sent.to.room for _, sent in bot.connector.log} == {"1", "2"}
        bot.connector.gate.set()
        await bot.settled()


async def test_strangers_and_bots_meet_silence_and_are_not_stored(folder: Path) -> None:
    async with running(folder, ["never"]) as bot:
        robot = msgspec.structs.replace(said("I am an owner"), author=Author(id="1", name="robot", is_bot=True))
        await bot.hears(said("let me in", user="666", direct=False), robot, checkpoint="9")
        await bot.settled()
        assert bot.connector.log == []
        assert await bot.states() == []
        assert await bot.connector.inbox.checkpoint() == "9"  # type: ignore[union-attr]


async def test_a_message_from_before_the_first_start_ever_is_nobodys_business(folder: Path) -> None:
    async with running(folder, ["never"]) as bot:
        await bot.hears(said("old", sent=START - timedelta(seconds=2)))
        await bot.settled()
        assert bot.connector.log == []


async def test_a_first_start_with_a_clock_that_was_ahead_does_not_silence_the_bot(folder: Path) -> None:
    ahead = FakeClock()
    await ahead.advance(365 * 24 * 3600)
    async with running(folder, clock=ahead):
        pass
    async with running(folder, ["answered"]) as bot:
        await bot.hears(said("what?"))
        await bot.settled()
        assert bot.connector.shown == ["answered"]


async def test_what_was_written_while_the_bot_was_down_is_answered_and_what_is_too_old_gets_one_line(
    folder: Path,
) -> None:
    clock = FakeClock()
    async with running(folder, clock=clock) as bot:
        pass
    await clock.advance(3 * 3600)
    hour_ago, minutes_ago = START + timedelta(hours=1), clock.now() - timedelta(minutes=2)
    async with running(folder, ["one", "two", "three"], clock=clock, connector=bot.connector) as bot:
        await bot.hears(
            said("ancient?", sent=hour_ago),
            said("ancient too?", sent=hour_ago),
            *(said(f"{n}?", sent=minutes_ago) for n in range(3)),
        )
        await bot.settled()
        skipped, *answers = bot.connector.shown
        assert "skipped 2 message(s) older than 60 minutes" in skipped
        assert answers == ["one", "two", "three"]
        assert await bot.states() == ["skipped", "skipped", "answered", "answered", "answered"]


async def test_a_full_queue_refuses_once_and_politely(folder: Path) -> None:
    go_on = asyncio.Event()
    async with running(folder, [[Until(event=go_on), "one"], *"23456"]) as bot:
        await bot.hears(said("start?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.hears(*(said(f"{n}?") for n in range(8)))
        states = await bot.states()
        assert states.count("waiting") == 5
        assert states.count("refused") == 3
        go_on.set()
        await bot.settled()
        assert sum("Too many messages" in text for text in bot.connector.shown) == 1
        assert len(bot.connector.shown) == 7


async def test_stop_ends_the_running_answer_and_drops_what_waits(folder: Path) -> None:
    async with running(folder, [["Once upon a time ", Until(event=asyncio.Event())], "never"]) as bot:
        await bot.hears(said("a story?"), said("and more?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.passes(lambda: any("Once upon" in text for text in bot.connector.shown))
        await bot.hears(said("/stop"))
        await bot.settled()
        story, reply = bot.connector.shown
        assert story.startswith("Once upon a time")
        assert story.endswith("(stopped)")
        assert reply == "Stopped (2)."
        assert await bot.states() == ["stopped", "stopped", "answered"]
        assert len(bot.model.requests) == 1


async def test_a_stop_that_a_crash_cut_off_stops_what_came_before_it_and_nothing_later(folder: Path) -> None:
    async with running(folder, [[Until(event=asyncio.Event())]]) as bot:
        await bot.hears(said("first?"))
        await bot.connector.until(lambda: bot.model.requests)
        store, now = bot.app.store, bot.clock.now()
        for text in ("second?", "/stop", "third?"):
            question = said(text)
            await store.write(lambda connection, question=question: inbox.add(connection, question, now))
        await store.write(lambda c: c.execute("UPDATE inbox SET state = 'running' WHERE text = '/stop'"))
    async with running(folder, ["3"], connector=bot.connector) as again:
        await again.settled()
        assert sorted(again.connector.shown) == ["3", "Stopped (2)."]
        assert await again.states() == ["stopped", "stopped", "answered", "answered"]


async def test_a_stop_before_anything_was_shown_leaves_no_message_but_its_own(folder: Path) -> None:
    async with running(folder, [[Until(event=asyncio.Event())]]) as bot:
        await bot.hears(said("a story?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.hears(said("/stop"))
        await bot.settled()
        assert bot.connector.shown == ["Stopped (1)."]


async def test_an_edit_changes_a_waiting_question(folder: Path) -> None:
    go_on = asyncio.Event()
    async with running(folder, [[Until(event=go_on), "one"], "two"]) as bot:
        await bot.hears(said("first?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.hears(said("secnd?", id="s"))
        await bot.hears(said("second?", about=Edited(id="s")))
        go_on.set()
        await bot.settled()
        assert bot.asked[1] == "second?"
        assert bot.connector.shown == ["one", "two"]


async def test_an_edit_of_the_running_question_restarts_into_the_same_message(folder: Path) -> None:
    async with running(folder, [["wrong answer ", Until(event=asyncio.Event())], "right answer"]) as bot:
        await bot.hears(said("teh?", id="s"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.passes(lambda: bot.connector.shown == ["wrong answer"])
        await bot.hears(said("the?", about=Edited(id="s")))
        await bot.settled()
        assert bot.asked[1] == "the?"
        assert bot.connector.shown == ["right answer"]


async def test_deleting_a_question_takes_it_out_whether_it_waits_or_runs(folder: Path) -> None:
    async with running(folder, [[Until(event=asyncio.Event())], "never", "third"]) as bot:
        await bot.hears(said("first?", id="f"), said("second?", id="s"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.hears(said("", about=Deleted(id="s")), said("", about=Deleted(id="f")))
        await bot.settled()
        assert await bot.states() == ["stopped", "stopped"]
        assert bot.connector.shown == []


async def test_a_stop_after_a_crash_takes_back_what_was_shown_of_the_answer(folder: Path) -> None:
    connector = FakeConnector()
    question = said("a story?")
    async with running(folder, [["Once upon a time ", Until(event=asyncio.Event())]], connector=connector) as bot:
        await bot.hears(question)
        await bot.passes(lambda: connector.shown == ["Once upon a time"])
    store = await Store.open(folder)
    await store.write(inbox.put_back)
    assert await store.write(lambda connection: inbox.stop_waiting(connection, question.at.key)) == 1
    await store.close()
    async with running(folder, connector=connector) as bot:
        await bot.settled()
        assert connector.shown == []


async def test_what_waits_for_another_room_may_still_be_edited_deleted_and_stopped(folder: Path) -> None:
    go_on = asyncio.Event()
    one_at_a_time = {"limits.parallel_conversations": "1"}
    async with running(folder, [[Until(event=go_on), "one"], "two", "never"], settings=one_at_a_time) as bot:
        await bot.hears(said("first?", room="1"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.hears(*(said(text, room=text, user="2", id=text) for text in ("secnd?", "deleted?", "stopped?")))
        await bot.clock.advance(1)
        await bot.hears(
            said("second?", room="secnd?", user="2", about=Edited(id="secnd?")),
            said("", room="deleted?", user="2", about=Deleted(id="deleted?")),
            said("/stop", room="stopped?", user="2"),
        )
        await bot.connector.until(lambda: bot.connector.shown)
        go_on.set()
        await bot.settled()
        assert bot.asked == ["first?", "second?"]
        assert sorted(bot.connector.shown) == ["Stopped (1).", "one", "two"]


async def test_an_edit_of_the_running_question_is_stored_when_put_returns(folder: Path) -> None:
    async with running(folder, [["wrong", Until(event=asyncio.Event())], "right"]) as bot:
        await bot.hears(said("teh?", id="s"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.hears(said("the?", about=Edited(id="s")))
        rows = await bot.app.store.rows("SELECT text FROM inbox")
        assert [row["text"] for row in rows] == ["the?"]
        await bot.settled()


async def test_a_question_that_waits_to_be_asked_again_can_be_edited(folder: Path) -> None:
    go_on = asyncio.Event()
    async with running(folder, ["one", [Until(event=go_on), "two"], "three"]) as bot:
        await bot.hears(said("waht?", id="w"))
        await bot.settled()
        await bot.hears(said("/retry"), said("/retry"))
        await bot.connector.until(lambda: len(bot.model.requests) == 2)
        await bot.hears(said("what?", about=Edited(id="w")))
        go_on.set()
        await bot.settles()
        asked = bot.asked
        assert asked[0] == "waht?"
        assert asked[-1] == "what?"


async def test_retry_asks_the_last_question_again_and_replies_to_it(folder: Path) -> None:
    async with running(folder, ["one", "two"]) as bot:
        await bot.hears(said("what?", id="w"))
        await bot.settled()
        await bot.hears(said("/retry"))
        await bot.settled()
        assert bot.connector.shown == ["one", "two"]
        assert bot.connector.log[-2][1].reply_to == "w"


async def test_retry_asks_a_question_again_that_begins_like_a_command(folder: Path) -> None:
    async with running(folder, ["one", "two", "three"]) as bot:
        for text in ("what?", "/etc/passwd is what?", "/retry"):
            await bot.hears(said(text))
            await bot.settled()
        assert bot.asked[2] == "/etc/passwd is what?"


async def test_retry_without_a_question_says_so(folder: Path) -> None:
    async with running(folder) as bot:
        await bot.hears(said("/retry"))
        await bot.settled()
        assert bot.connector.shown == ["There is no question here yet."]


async def test_new_begins_a_talk_that_knows_nothing_of_the_former(folder: Path) -> None:
    async with running(folder, ["I see.", "Hm.", "Who?"]) as bot:
        for text in ("my cat is Tom", "and?", "/new", "who is my cat?"):
            await bot.hears(said(text))
            await bot.settled()
        assert "Tom" in str(bot.model.requests[1].items)
        assert "Tom" not in str(bot.model.requests[2].items)


async def test_a_follow_up_stays_with_its_skill_twice_and_not_beyond_new(folder: Path) -> None:
    async with running(folder, ["Sleep.", "A book.", "Tea.", "Cats.", "Read.", "Dogs."]) as bot:
        for text in (
            "Tips for the winter?",
            "and for kids?",
            "and at sea?",
            "and on Mars",
            "Any advice?",
            "/new",
            "and for me",
        ):
            await bot.hears(said(text))
            await bot.settled()
        found = [(end.route.skill, end.route.stage.value) for end in bot.ends if isinstance(end, Answered)]
        advice, carried, none = ("advice", "trigger"), ("advice", "carry-over"), (None, "none")
        assert found == [advice, carried, carried, none, advice, none]


async def test_a_command_is_answered_in_the_language_of_the_talk(folder: Path) -> None:
    async with running(folder, ["Gern."]) as bot:
        await bot.hears(said("Erzähl mir bitte etwas"))
        await bot.settled()
        await bot.hears(said("/nope"))
        await bot.settled()
        assert bot.connector.shown == ["Gern.", "Den Befehl /nope gibt es nicht. /help zeigt alle."]


async def test_unknown_commands_and_paths_are_told_apart(folder: Path) -> None:
    async with running(folder, ["a file"]) as bot:
        await bot.hears(said("/nope"), said("/etc/passwd is what?"))
        await bot.settled()
        assert sorted(bot.connector.shown) == ["There is no command /nope. /help lists them.", "a file"]


async def test_a_message_that_cannot_be_stored_is_not_taken_and_the_room_is_told_once(folder: Path) -> None:
    async with running(folder, ["at last"]) as bot:
        store = bot.app.store
        limit = await store.write(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
        await store.write(lambda c: c.execute(f"PRAGMA max_page_count={limit}"))
        question = said("?" + "x" * 9000)
        for _ in range(2):
            with pytest.raises(StoreFull):
                await bot.hears(question, checkpoint="5")
        assert await bot.connector.inbox.checkpoint() is None  # type: ignore[union-attr]
        (told,) = bot.connector.shown
        assert "disk is full" in told
        await store.write(lambda c: c.execute("PRAGMA max_page_count=100000"))
        await bot.hears(question, checkpoint="5")
        await bot.settled()
        assert bot.connector.shown[1:] == ["at last"]


async def test_an_answer_waits_in_memory_until_the_disk_has_room(folder: Path) -> None:
    go_on = asyncio.Event()
    async with running(folder, [[Until(event=go_on), "y" * 9000]], settings={"limits.answer_tokens": "9000"}) as bot:
        await bot.hears(said("long?"))
        await bot.connector.until(lambda: bot.model.requests)
        store = bot.app.store
        limit = await store.write(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
        await store.write(lambda c: c.execute(f"PRAGMA max_page_count={limit}"))
        go_on.set()
        await bot.passes(lambda: any("free some space" in text for text in bot.connector.shown))
        assert not any("yyy" in text for text in bot.connector.shown)
        await store.write(lambda c: c.execute("PRAGMA max_page_count=100000"))
        await bot.settles()
        assert sum(text.count("y") for text in bot.connector.shown if "yyy" in text) == 9000


async def test_what_a_killed_process_left_running_is_answered_by_the_next(folder: Path) -> None:
    connector = FakeConnector()
    async with running(folder, [["par", Until(event=asyncio.Event())]], connector=connector) as bot:
        await bot.hears(said("what?"))
        await bot.connector.until(lambda: bot.model.requests)
        assert await bot.states() == ["running"]
    async with running(folder, ["the answer"], connector=connector) as bot:
        await bot.settled()
        assert connector.shown == ["the answer"]
        assert await bot.states() == ["answered"]


async def test_a_command_whose_reply_cannot_be_stored_is_replied_to_when_it_can(folder: Path) -> None:
    async with running(folder) as bot:
        full = "CREATE TRIGGER full BEFORE INSERT ON outbox BEGIN SELECT RAISE(ABORT, 'no room'); END"
        await bot.app.store.write(lambda c: c.execute(full))
        await bot.hears(said("/start"))
        for _ in range(8):
            await bot.clock.advance(0.25)
        assert bot.connector.shown == []
        await bot.app.store.write(lambda c: c.execute("DROP TRIGGER full"))
        await bot.settles()
        assert [text.startswith("Hello!") for text in bot.connector.shown] == [True]
        assert await bot.states() == ["answered"]


@pytest.mark.parametrize("text", ["and then?", "/help"])
async def test_a_bug_met_by_one_message_ends_that_message_and_is_told(folder: Path, text: str) -> None:
    async with running(folder, ["one", "two"]) as bot:
        await bot.hears(said("what?", room="1"))
        await bot.settled()
        await bot.app.store.write(lambda c: c.execute("UPDATE items SET kind = 'user', body = '{}'"))
        await bot.hears(said(text, room="1"))
        await bot.settled()
        assert "Something went wrong" in bot.connector.shown[1]
        await bot.hears(said("and here?", room="2", user="2"))
        await bot.settled()
        assert bot.connector.shown[2] == "two"
        assert await bot.states() == ["answered", "failed", "answered"]


async def test_a_host_clock_that_is_minutes_ahead_skips_nobody(folder: Path) -> None:
    ahead = FakeClock()
    await ahead.advance(600)
    async with running(folder, clock=FakeClock()):
        pass
    async with running(folder, ["answered"], clock=ahead) as bot:
        await bot.hears(said("what?", sent=START))
        await bot.settles()
        assert bot.connector.shown == ["answered"]


async def test_a_clock_set_right_after_the_start_is_logged_and_costs_nothing(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    clock.set_by(-START.timestamp())
    async with running(folder, ["one", "two"], clock=clock) as bot:
        await bot.hears(said("what?", sent=START))
        await bot.settles()
        await clock.advance(40)
        clock.set_by(START.timestamp())
        await clock.advance(60)
        await bot.hears(said("and now?", sent=START + timedelta(seconds=100)))
        await bot.settles()
        assert bot.connector.shown == ["one", "two"]
    (jumped,) = [record for record in caplog.records if record.getMessage() == "clock_jumped"]
    assert jumped.levelname == "WARNING"


async def test_an_answer_that_takes_too_long_is_given_up_and_said(folder: Path) -> None:
    settings = {"limits.turn_minutes": "2"}
    async with running(folder, [["Once upon ", Until(event=asyncio.Event())], "two"], settings=settings) as bot:
        await bot.hears(said("why?"), said("and then?"))
        await bot.connector.until(lambda: bot.model.requests)
        await bot.clock.advance(119)
        assert not bot.ends
        await bot.clock.advance(2)
        await bot.settles()
        late, second = bot.connector.shown
        assert late == "That took longer than 2 minutes, so I stopped. /retry asks again."
        assert second == "two"
        assert await bot.states() == ["failed", "answered"]


async def test_a_room_that_moves_takes_its_talk_and_what_waits_along(folder: Path) -> None:
    go_on = asyncio.Event()
    new = Address(connector="fake", room="-1001")
    async with running(folder, ["My name is J.", [Until(event=go_on), "two"], "three", "four"]) as bot:
        await bot.hears(said("my cat is Tom", room="-1", direct=False))
        await bot.settled()
        await bot.hears(said("and you?", room="-1", direct=False), said("and then?", room="-1", direct=False))
        await bot.connector.until(lambda: len(bot.model.requests) == 2)
        nobody = Author(id="0", name="", is_bot=True)
        moved = said("", room="-1", direct=False, about=Moved(to=new))
        await bot.hears(msgspec.structs.replace(moved, author=nobody))
        go_on.set()
        await bot.settles()
        assert bot.connector.shown == ["My name is J.", "two", "three"]
        assert {sent.to.room for _, sent in bot.connector.log[2:] if sent.final} == {"-1001"}
        await bot.hears(said("who is my cat?", room="-1001", direct=False))
        await bot.settles()
        assert "Tom" in str(bot.model.requests[-1].items)
        rows = await bot.app.store.rows(
            "SELECT DISTINCT c.room FROM inbox i JOIN conversations c ON c.key = i.conversation"
        )
        assert [row["room"] for row in rows] == ["-1001"]


async def test_an_edit_of_the_last_question_is_answered_into_the_same_message(folder: Path) -> None:
    long = {"limits.answer_tokens": "9000"}
    async with running(folder, ["wrong " * 1500, "right", "third"], settings=long) as bot:
        await bot.hears(said("teh?", id="s"))
        await bot.settled()
        assert len(bot.connector.shown) > 1
        for _ in range(2):
            await bot.hears(said("the?", about=Edited(id="s")))
            await bot.settled()
        assert bot.connector.shown == ["right"]
        assert bot.asked == ["teh?", "the?"]
        await bot.hears(said("and then?"))
        await bot.settled()
        assert "wrong" not in str(bot.model.requests[-1].items)
        assert "teh?" not in str(bot.model.requests[-1].items)


@pytest.mark.parametrize("between", ["another?", "/new", "an hour"])
async def test_an_edit_of_an_earlier_or_old_question_changes_nothing(folder: Path, between: str) -> None:
    async with running(folder, ["one", "two", "never"]) as bot:
        await bot.hears(said("teh?", id="s"))
        await bot.settled()
        if between == "an hour":
            await bot.clock.advance(3601)
        else:
            await bot.hears(said(between))
            await bot.settled()
        shown = list(bot.connector.shown)
        await bot.hears(said("the?", about=Edited(id="s")))
        await bot.settled()
        assert bot.connector.shown == shown
        assert "never" not in shown


async def test_an_edit_that_changes_nothing_or_makes_a_command_is_passed_over(folder: Path) -> None:
    async with running(folder, ["one", "never"]) as bot:
        await bot.hears(said("what?", id="s"))
        await bot.settled()
        for text in ("what?", "/stop"):
            await bot.hears(said(text, about=Edited(id="s")))
            await bot.settled()
        assert bot.connector.shown == ["one"]


async def test_an_edit_that_a_crash_cut_off_is_answered_by_the_next_process(folder: Path) -> None:
    connector = FakeConnector()
    async with running(folder, ["wrong", [Until(event=asyncio.Event())]], connector=connector) as bot:
        await bot.hears(said("teh?", id="s"))
        await bot.settled()
        await bot.hears(said("the?", about=Edited(id="s")))
        await bot.connector.until(lambda: len(bot.model.requests) == 2)
    async with running(folder, ["right"], connector=connector) as bot:
        await bot.settled()
        assert connector.shown == ["right"]
