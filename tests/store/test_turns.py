"""Which skill a conversation is with, read off its stored turns."""

from __future__ import annotations

from pathlib import Path

import pytest

from jarvisbot.store import inbox, turns
from jarvisbot.store.database import Store
from jarvisbot.store.turns import TurnRecord
from jarvisbot.types import Resident, Route, Stage
from tests.fakes import START, said


async def resident_after(
    folder: Path, *found: tuple[str | None, Stage, str], anew_after: int | None = None
) -> Resident | None:
    """The resident skill after turns with these routes and ends."""
    store = await Store.open(folder)
    try:
        key = said("x").at.key
        for number, (skill, stage, state) in enumerate(found, 1):
            message = said(f"message {number}", id=f"m{number}")
            await store.write(lambda c, m=message: inbox.add(c, m, START))
            (row,) = await store.rows("SELECT MAX(seq) AS seq FROM inbox")
            begun = await store.write(lambda c, seq=row["seq"]: inbox.begin(c, seq, START))
            assert begun is not None
            turn, _ = begun
            record = TurnRecord(state=state, route=Route(skill=skill, stage=stage))
            if state != "running":
                await store.write(lambda c, t=turn, r=record: turns.finish(c, t, r, START))
            if anew_after == number:
                await store.write(lambda c: turns.begin_anew(c, key))
        return await turns.resident(store, key)
    finally:
        await store.close()


WEATHER, CARRIED = ("weather", Stage.TRIGGER, "answered"), ("weather", Stage.CARRY_OVER, "answered")


@pytest.mark.parametrize(
    ("found", "resident"),
    [
        ([], None),
        ([WEATHER], Resident(skill="weather")),
        ([WEATHER, CARRIED], Resident(skill="weather", carried=1)),
        ([WEATHER, CARRIED, CARRIED], Resident(skill="weather", carried=2)),
        ([WEATHER, CARRIED, WEATHER], Resident(skill="weather")),
        ([WEATHER, (None, Stage.NONE, "answered")], None),
        ([WEATHER, ("advice", Stage.SEARCH, "answered")], Resident(skill="advice")),
        ([("weather", Stage.TRIGGER, "failed")], Resident(skill="weather")),
        ([WEATHER, ("advice", Stage.TRIGGER, "stopped")], Resident(skill="weather")),
        ([WEATHER, ("advice", Stage.TRIGGER, "running")], Resident(skill="weather")),
    ],
)
async def test_the_resident_skill_is_the_last_finished_turns(
    tmp_path: Path, found: list[tuple[str | None, Stage, str]], resident: Resident | None
) -> None:
    assert await resident_after(tmp_path, *found) == resident


async def test_a_talk_that_began_anew_has_no_resident_skill(tmp_path: Path) -> None:
    assert await resident_after(tmp_path, WEATHER, anew_after=1) is None
    assert await resident_after(tmp_path / "b", WEATHER, CARRIED, anew_after=1) == Resident(skill="weather", carried=1)
