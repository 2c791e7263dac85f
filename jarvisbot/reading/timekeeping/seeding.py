"""The clock's call that a message plainly needs, and the reply to it."""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot.reading.moments import written_moment
from jarvisbot.reading.places import last_place
from jarvisbot.reading.timekeeping.languages import wording
from jarvisbot.reading.timekeeping.questions import HERE, ClockQuestion, Wanted, clock_question
from jarvisbot.reading.timekeeping.replies import reply
from jarvisbot.reading.wording import CONNECTOR
from jarvisbot.types import Arguments, Assistant, Item, SeedContext, ToolCall, ToolResult

__all__ = ["answered", "call_for", "place_wanted"]

TOOL = "current_time"
PLACES = 8
UTC_NAMES = frozenset(
    {"UTC", "Etc/UTC", "Etc/UCT", "UCT", "Zulu", "Universal", "Etc/Universal", "Etc/Zulu", "GMT", "Etc/GMT"}
)


def call_for(message: str, context: SeedContext, *, elsewhere: bool = False) -> ToolCall | None:
    """The call for the message, or None where it is no question to the clock; `elsewhere` needs a place besides.

    The person's own clock is asked by the name of its zone where they chose it or the machine has none but UTC, so that
    the answer names the zone.
    """
    question = clock_question(message)
    arguments = _arguments(question, message, context)
    if arguments is None or (elsewhere and not arguments and not question.here):
        return None
    if not arguments.get("place") and not arguments.get("at") and (context.zone_chosen or context.zone in UTC_NAMES):
        arguments = {**arguments, "place": context.zone}
    return ToolCall(id="seed", name=TOOL, arguments=arguments)


def answered(message: str, result: ToolResult | None, language: str) -> str | None:
    """The reply to the message from the clock's result; None where the message asks for more than that."""
    question = clock_question(message)
    if result is None or not question.covered or len(question.places) > PLACES:
        return None
    return reply(question, result.text, ok=result.ok, language=language)


def place_wanted(message: str, language: str) -> str | None:
    """The question for the place, to a message that asks for a clock elsewhere and names none."""
    question, words = clock_question(message), wording(language)
    if words is None or not question.covered or not (question.wanted or question.there) or question.places:
        return None
    return words.which_place()


def _arguments(question: ClockQuestion, message: str, context: SeedContext) -> Arguments | None:
    asks = question.covered or (bool(question.wanted) and bool(question.places))
    if question.has_time and (question.source or question.target) and asks:
        source = "" if question.source == HERE else question.source
        return {key: value for key, value in (("place", source), ("at", question.at), ("to", question.target)) if value}
    if question.at and not question.has_time and question.wanted == (Wanted.TIME,):
        return None
    if question.at and not question.has_time:
        return _of_a_day(question, message, context.history)
    names = [place.query for place in question.places][:PLACES]
    if Wanted.DIFFERENCE in question.wanted and names:
        return {"place": names[0], "to": names[1]} if len(names) > 1 else {"to": names[0]}
    if names:
        explicit = question.wanted or question.check or question.follows_up
        return {"place": " and ".join(names)} if explicit or question.has_time else None
    if question.there and (question.wanted or question.check or question.follows_up):
        place = last_place(context.history)
        return {"place": place.query} if place else {}
    goes_on = CONNECTOR.match(message) is not None
    if not question.wanted and not question.check:
        return {} if goes_on and question.here and question.covered and _last_call(context.history) else None
    if goes_on and not question.here and (before := _last_call(context.history).get("place")):
        return {"place": before}
    return {}


def _of_a_day(question: ClockQuestion, message: str, history: Sequence[Item]) -> Arguments:
    """A day that is asked about; after a time that was turned into another zone's, the same time on that day."""
    if question.places:
        return {"place": question.places[0].query, "at": question.at}
    before = _last_call(history)
    _, time, _ = written_moment(str(before.get("at", "")))
    if time and not question.wanted:
        return {**before, "at": f"{question.at} {time}"}
    return {"at": question.at}


def _last_call(history: Sequence[Item]) -> Arguments:
    """The arguments of the clock's latest call; none where the latest exchange made no such call."""
    for item in reversed(history):
        if isinstance(item, Assistant) and item.calls:
            return next((call.arguments for call in reversed(item.calls) if call.name == TOOL), {})
    return {}
