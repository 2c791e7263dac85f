"""How often the demo model is right, with and without what the code around it does; run by hand.

`python benchmarks/usefulness.py` asks 20 sums and 20 questions about clocks, half of each in German, once for each arm:

- `all`: as shipped
- `no code answers`: the tool is called in code, the model writes the answer, which is checked
- `no check`: the same, and nobody reads the answer back
- `no skills`: the model gets the question and the tools it may call, no more

An answer is right if it holds the value, or the local time, that was asked for and no other one of its kind.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from jarvisbot import discovery
from jarvisbot.agent.route import Router
from jarvisbot.agent.turn import Agent, TurnInput, TurnLimits
from jarvisbot.clock import SystemClock
from jarvisbot.folders import bundled
from jarvisbot.model import Model
from jarvisbot.models.llamacpp import Settings, create
from jarvisbot.models.llamacpp.location import demo_model
from jarvisbot.skill import Skill, SkillCode, load_all
from jarvisbot.tool import Tool, Toolbox, ToolContext
from jarvisbot.types import Address, Allow, Answered, Author, Decision, Inbound, Principal, Role, ToolCall, TurnEvent

NOW = datetime(2026, 7, 14, 9, 26, tzinfo=UTC)

SUMS: Sequence[tuple[str, str]] = (
    ("What is 98765 * 4321?", "426763565"),
    ("What is 347 + 589?", "936"),
    ("What is 12% of 250?", "30"),
    ("Calculate 1024 / 32", "32"),
    ("What is 17 squared?", "289"),
    ("7 times 83", "581"),
    ("What is the square root of 1764?", "42"),
    ("9001 - 457", "8544"),
    ("What is 15 percent off 80?", "68"),
    ("(18 + 24) * 3", "126"),
    ("Was ist 4417 mal 83?", "366611"),
    ("Wie viel ist 125 plus 378?", "503"),
    ("Was sind 19 Prozent von 830?", "157.7"),
    ("Berechne 3600 geteilt durch 48", "75"),
    ("Was ist 2 hoch 16?", "65536"),
    ("Wurzel aus 529", "23"),
    ("Rechne 1000 - 387", "613"),
    ("Was ist 0,1 + 0,2?", "0.3"),
    ("Was ergibt 64 * 64?", "4096"),
    ("Addiere 31 und 68", "99"),
)
"""Questions with the value, in plain digits."""
CLOCKS: Sequence[tuple[str, str]] = (
    ("What time is it in Tokyo?", "Asia/Tokyo"),
    ("What time is it in New York?", "America/New_York"),
    ("What's the time in Kathmandu?", "Asia/Kathmandu"),
    ("What time is it in Sydney right now?", "Australia/Sydney"),
    ("Current time in Reykjavik", "Atlantic/Reykjavik"),
    ("What time is it in Cape Town?", "Africa/Johannesburg"),
    ("What's the local time in Lima?", "America/Lima"),
    ("What time is it in Mumbai?", "Asia/Kolkata"),
    ("What time is it in Helsinki?", "Europe/Helsinki"),
    ("What time is it in Honolulu?", "Pacific/Honolulu"),
    ("Wie spät ist es in Wien?", "Europe/Vienna"),
    ("Wie spät ist es in Peking?", "Asia/Shanghai"),
    ("Wie viel Uhr ist es in Moskau?", "Europe/Moscow"),
    ("Wie spät ist es in Kairo?", "Africa/Cairo"),
    ("Uhrzeit in Neu-Delhi", "Asia/Kolkata"),
    ("Wie spät ist es gerade in Lissabon?", "Europe/Lisbon"),
    ("Wie spät ist es in Mexiko-Stadt?", "America/Mexico_City"),
    ("Wie spät ist es in Singapur?", "Asia/Singapore"),
    ("Wie viel Uhr ist es in Toronto?", "America/Toronto"),
    ("Wie spät ist es in Auckland?", "Pacific/Auckland"),
)
"""Questions with the zone whose time is asked for."""
ARMS = ("all", "no code answers", "no check", "no skills")


class FixedClock(SystemClock):
    """It is always the same moment, so that a time has one right answer."""

    def now(self) -> datetime:
        """See NOW."""
        return NOW


class _Open:
    """A policy that allows everything: the tools here only read."""

    def decide(self, *, tool: Tool, call: ToolCall, context: ToolContext, tainted: bool) -> Decision:
        """See `tool.Gate`."""
        return Allow()


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One arm's right answers, and the seconds a question took on average."""

    arm: str
    sums: int
    clocks: int
    asked: int
    seconds: float


def _tools() -> list[Tool]:
    modules = [discovery.load("tools", name) for name in discovery.names("tools")]
    return [value for module in modules for value in vars(module).values() if isinstance(value, Tool)]


def _code(skills: Sequence[Skill], *, answers: bool) -> Mapping[str, SkillCode]:
    modules = set(discovery.names("skills"))
    found = {}
    for skill in skills:
        if (name := skill.name.replace("-", "_")) in modules:
            module = discovery.load("skills", name)
            answer = module.answer if answers else lambda message, result, language: None
            found[skill.name] = SkillCode(seed=module.seed, answer=answer)
    return found


def agent(arm: str, model: Model) -> Agent:
    """The agent of one arm."""
    skills = () if arm == "no skills" else load_all(bundled("skills"), trusted=True)
    return Agent(
        model=model,
        toolbox=Toolbox(_tools(), _Open()),
        router=Router(skills),
        code=_code(skills, answers=arm == "all"),
        limits=TurnLimits(),
        clock=FixedClock(),
        checks=arm != "no check",
    )


async def ask(asked: Agent, question: str, number: int) -> str:
    """The text of the answer; empty where the turn failed."""
    author = Author(id="1", name="Ada")
    message = Inbound(
        id=str(number), at=Address(connector="console", room="local"), author=author, text=question, sent=NOW
    )
    principal = Principal(user="console:1", role=Role.OWNER, author=author)
    events: list[TurnEvent] = []
    await asked.answer(TurnInput(turn=number, message=message, principal=principal, history=()), events.append)
    return events[-1].text if isinstance(events[-1], Answered) else ""


def has_value(text: str, value: str) -> bool:
    """Whether the text holds the value, whatever groups its digits and parts its decimals."""
    numbers = re.findall(r"\d(?:[\d.,\s'’_]*\d)?", text)
    spellings = {value, value.replace(".", ",")}
    return any(re.sub(r"[\s'’_]", "", number) in spellings or _plain(number) == value for number in numbers)


def _plain(number: str) -> str:
    """The digits without the marks between groups of three."""
    return re.sub(r"[.,\s'’_](?=\d{3}(?:\D|$))", "", number).replace(",", ".")


def has_time(text: str, zone: str) -> bool:
    """Whether the text gives the zone's local time, in 24 or 12 hours, and no other time."""
    local = NOW.astimezone(ZoneInfo(zone))
    right = {(local.hour, local.minute)}
    told = {
        (int(hour) % 12 + (12 if half[:1].lower() == "p" else 0) if half else int(hour), int(minute))
        for hour, minute, half in re.findall(
            r"(?<![\d:+-])(\d{1,2})[:.](\d\d)(?!\d)(?:\s*([ap]\.?m))?", text, re.IGNORECASE
        )
    }
    return told == right


async def run(arm: str, model: Model) -> Score:
    """Asks everything once."""
    asked = agent(arm, model)
    begun = time.monotonic()
    questions = [*SUMS, *CLOCKS]
    texts = [await ask(asked, question, number) for number, (question, _) in enumerate(questions, 1)]
    return Score(
        arm=arm,
        sums=sum(has_value(text, value) for text, (_, value) in zip(texts, SUMS, strict=False)),
        clocks=sum(has_time(text, zone) for text, (_, zone) in zip(texts[len(SUMS) :], CLOCKS, strict=True)),
        asked=len(questions),
        seconds=(time.monotonic() - begun) / len(questions),
    )


def table(scores: Sequence[Score]) -> str:
    """One line an arm."""
    lines = [f"{'arm':<18}{'sums':>8}{'clocks':>8}{'right':>8}{'s a question':>14}"]
    lines += [
        f"{score.arm:<18}{score.sums:>5}/{len(SUMS)}{score.clocks:>5}/{len(CLOCKS)}"
        f"{score.sums + score.clocks:>5}/{score.asked}{score.seconds:>14.2f}"
        for score in scores
    ]
    return "\n".join(lines)


async def main(arms: Sequence[str]) -> None:
    """Prints the table."""
    model = create(Settings.model_validate({"path": demo_model()}), models_folder=None)
    try:
        scores = []
        for arm in arms:
            scores.append(await run(arm, model))
            print(f"{arm}: done", flush=True)
        print(table(scores))
    finally:
        await model.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arm", action="append", choices=ARMS, help="only this arm; may be given more than once")
    asyncio.run(main(parser.parse_args().arm or ARMS))
