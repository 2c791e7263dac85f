"""Whether a skill's worked examples can be read back as they are shown to a model."""

from __future__ import annotations

from jarvisbot.agent.parse import StreamParser
from jarvisbot.skill import Exemplar, Skill
from jarvisbot.types import ToolCall

__all__ = ["unreadable"]


def unreadable(skill: Skill) -> tuple[str, ...]:
    """What of the examples would not survive being written in a model's markup and read again: a sentence each.

    An example with the markup's own marks in it would teach a model to write what nobody can read.
    """
    return tuple(
        f"exemplars.{number}.{place}: it cannot be read back from the markup that models write."
        for number, exemplar in enumerate(skill.exemplars)
        for place in _faults(exemplar)
    )


def _faults(exemplar: Exemplar) -> list[str]:
    faults = []
    for number, step in enumerate(exemplar.steps):
        call, given = step.call("example"), step.arguments.items()
        parameters = "".join(f"<parameter={key}>{value}</parameter>" for key, value in given)
        parser = StreamParser()
        parser.feed(f"<tool_call><function={call.name}>{parameters}</function></tool_call>")
        read = parser.finish().calls
        if (
            len(read) != 1
            or not isinstance(read[0], ToolCall)
            or (read[0].name, dict(read[0].arguments)) != (call.name, {key: value.strip() for key, value in given})
        ):
            faults.append(f"steps.{number}")
    parser = StreamParser()
    parser.feed(exemplar.answer)
    if parser.finish().text != exemplar.answer.strip():
        faults.append("answer")
    return faults
