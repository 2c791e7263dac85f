"""Made-up answers through the real Telegram SDK and a socket, with what stands around them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import pytest
from jarvisbot.connectors.telegram import Settings, Telegram

from jarvisbot.gateway.parts import Frame, outbound
from jarvisbot.types import Address, Source, ToolRow
from tests.connectors.test_telegram import MemoryInbox, Pauses, running
from tests.emulators.telegram import TOKEN, TelegramEmulator
from tests.gateway.render.answers import answers

PEOPLE = range(1001, 1081)
"""So many that nobody is written to faster than Telegram allows."""
FRAME = Frame(
    rows=(ToolRow(label="Searched the web", detail="news & <b>", tool="web_search", seconds=1.2),),
    sources=(Source(title="Page", url="https://e.org/a_b"),),
    labels=("thought for 3.2 s",),
)


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramEmulator]:
    async with TelegramEmulator() as emulator:
        for person in PEOPLE:
            emulator.person(person, f"Person {person}")
        yield emulator


async def test_three_hundred_answers_are_taken_at_the_first_try_as_they_were_rendered(
    telegram: TelegramEmulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PTB_TIMEDELTA", "1")
    settings = Settings(api_url=telegram.api_url, file_url=telegram.file_url, poll_timeout_s=50)
    connector = Telegram("telegram", settings, TOKEN, pause=Pauses(), now=lambda: datetime(2027, 1, 15, tzinfo=UTC))
    sent = 0
    async with running(telegram, connector, MemoryInbox(telegram)):
        for number, text in enumerate(answers(310, seed=11)):
            if not text.strip():
                continue
            person = PEOPLE[number % len(PEOPLE)]
            at = Address(connector="telegram", room=str(person))
            message = outbound(number, at, text, connector.capabilities, FRAME if number % 2 else Frame())
            receipt = await connector.send(message)
            kept = telegram.message(person, int(receipt.message.partition(":")[2]))
            assert kept.text == message.body.text
            assert [(each["offset"], each["length"]) for each in kept.entities] == [
                (span.start, span.length) for span in message.body.spans[:100]
            ]
            sent += 1
    assert sent >= 300
    assert len(telegram.called("sendMessage")) == sent
    assert not [call for call in telegram.called("sendMessage") if "parse_mode" in call.parameters]
