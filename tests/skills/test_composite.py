"""Questions that ask for more than code can answer: the tool's result goes to the model, and nothing is left unanswered."""

from __future__ import annotations

from pathlib import Path

import pytest

from jarvisbot.models.scripted import Scripted
from jarvisbot.types import Result
from tests.fakes import said
from tests.gateway.conftest import running

COMPOSITE = [
    ("3 boxes with 12*4 eggs, how many, and who invented the egg box?", "12*4 = 48"),
    ("What is 17 * 23, and why is 17 called a prime?", "= 391"),
    ("Was ist 15% von 240 und wie viel Trinkgeld gibt man in Japan?", "= 36"),
    ("12*12 please, then tell me who Fibonacci was", "= 144"),
    ("Was ist 7 mal 8? Und was reimt sich auf Haus?", "= 56"),
    ("How much is 15 * 8, and is that more than a gross?", "= 120"),
    ("Wie spät ist es in Kapstadt und was isst man da gern?", "Africa/Johannesburg"),
    ("sqrt(81) and what does a square root mean?", "= 9"),
    ("What time is it in Tokyo and is it warm there in winter?", "Asia/Tokyo"),
    ("Wie spät ist es in Lima und welche Sprache spricht man dort?", "America/Lima"),
    ("What day of the week is it and why is it called that?", "30 Nov 2026"),
    ("Ist heute Montag und wer hat die Wochentage erfunden?", "30 Nov 2026"),
    ("How many feet are in a mile and who decided that?", "5280"),
    ("How many grams are in an ounce, and why is that written oz?", "28.349"),
    ("Wie viele Meter sind 3 Meilen, und wer benutzt die noch?", "4828"),
    ("Convert 3 ft to cm. How tall is a giraffe?", "91.44"),
]


@pytest.mark.parametrize(("question", "holds"), COMPOSITE)
async def test_a_question_that_asks_for_more_goes_to_the_model_with_the_result(
    tmp_path: Path, question: str, holds: str
) -> None:
    model = Scripted(["The model's own words."], cycle=True)
    async with running(tmp_path / "data", model=model, settings={"bot.timezone": "UTC"}) as bot:
        await bot.hears(said(question))
        await bot.settles()
        (result,) = [item.result for item in model.requests[0].items[-1:] if isinstance(item, Result)]
    assert result.ok
    assert holds in result.text
    assert "The model's own words." in bot.connector.shown[-1]


@pytest.mark.parametrize(
    "question",
    [
        "What is 17 * 23?",
        "Was ist 15% von 240, bitte?",
        "Hey Jarvis, what time is it in Tokyo right now?",
        "Sag mal, wie spät ist es in Lima?",
        "What's the date today, please?",
        "How many feet are in a mile?",
        "Kannst du mir bitte 5 Meilen in Kilometer umrechnen?",
    ],
)
async def test_a_question_that_asks_for_nothing_else_needs_no_model(tmp_path: Path, question: str) -> None:
    async with running(tmp_path / "data", [], settings={"bot.timezone": "UTC"}) as bot:
        await bot.hears(said(question))
        await bot.settles()
        assert bot.model.requests == []
        assert len(bot.connector.shown) == 1
