"""How an answer came about, in a few words."""

from __future__ import annotations

from pathlib import Path

import pytest

from jarvisbot.connector import Capabilities, Markup, Once, Unit
from jarvisbot.gateway.labels import labels
from jarvisbot.types import Answered, Failed, Review, Route, RowState, Stage, ToolRow
from tests.fakes import FakeConnector, said
from tests.gateway.conftest import running

ROUTE = Route(skill="arithmetic", stage=Stage.TRIGGER)
ROWS = (
    ToolRow(label="Calculated", detail="1", tool="calculator"),
    ToolRow(label="Calculated", detail="2", tool="calculator", state=RowState.FAILED),
)


@pytest.mark.parametrize(
    ("answer", "language", "shown"),
    [
        (Answered(text="a"), "en", ()),
        (Answered(text="a", route=ROUTE), "en", ("arithmetic (trigger)",)),
        (Answered(text="a", review=Review(thought_s=2.6)), "en", ("thought for 2.6 s",)),
        (Answered(text="a", review=Review(thought_s=3.24)), "de", ("3,2 s nachgedacht",)),
        (Answered(text="a", review=Review(thought_s=92.4)), "en", ("thought for 92 s",)),
        (Answered(text="a", review=Review(thought_s=0.4)), "en", ()),
        (Answered(text="a", review=Review(corrected=True)), "de", ("korrigiert",)),
        (
            Answered(text="a", review=Review(findings=("x",), wound_down=True)),
            "fr",
            ("please check", "tool rounds used up"),
        ),
        (Failed(message="no"), "en", ()),
        (None, "en", ()),
    ],
)
def test_labels_say_what_happened(answer: Answered | Failed | None, language: str, shown: tuple[str, ...]) -> None:
    assert labels(answer, (), language) == shown


def test_the_skill_can_be_left_out() -> None:
    answer = Answered(text="a", route=ROUTE, review=Review(thought_s=2))
    assert labels(answer, (), "en", routed=False) == ("thought for 2.0 s",)


def test_failed_calls_are_counted() -> None:
    assert labels(Answered(text="a"), ROWS, "en") == ("1 of 2 calls failed",)
    assert labels(Answered(text="a"), ROWS, "de") == ("1 von 2 Aufrufen fehlgeschlagen",)


def test_what_a_note_says_already_is_left_out() -> None:
    answer = Answered(text="a", review=Review(findings=("x",), wound_down=True))
    assert labels(answer, (), "de", flagged=False) == ("Werkzeug-Runden aufgebraucht",)


class Native(FakeConnector):
    """A platform with places of its own for rows and labels."""

    @property
    def capabilities(self) -> Capabilities:
        return Capabilities(
            text_limit=30, unit=Unit.UTF16, markup=Markup.ENTITIES, once=Once.PLACEHOLDER, edits=True, native_rows=True
        )


async def test_labels_come_with_the_last_part_where_the_platform_shows_them(folder: Path) -> None:
    connector = Native()
    async with running(folder, ["One sentence of words. Another sentence of words."], connector=connector) as bot:
        await bot.hears(said("Any tips?"))
        await bot.settles()
    last = {outbound.replaces: outbound.labels for _, outbound in connector.log if outbound.final}
    assert list(last.values()) == [(), ("advice (trigger)",)]
