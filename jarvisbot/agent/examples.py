"""What speaks against a skill's worked examples: tools it does not have, marks that nobody can read back."""

from __future__ import annotations

from collections.abc import Sequence

from jarvisbot.agent.parse import StreamParser
from jarvisbot.skill import Exemplar, Skill
from jarvisbot.types import ToolCall

__all__ = ["objections"]

_UNREADABLE = "it cannot be read back from the markup that models write."


def objections(skill: Skill) -> tuple[str, ...]:
    """What a model would learn wrongly from the examples, a sentence each.

    An example must survive being written in a model's markup and read again, and call none but the skill's own tools.
    """
    return tuple(
        f"exemplars.{number}.{place}"
        for number, exemplar in enumerate(skill.exemplars)
        for place in (*_strange_tools(exemplar, skill.tools), *_faults(exemplar))
    )


def _strange_tools(exemplar: Exemplar, tools: Sequence[str] | None) -> list[str]:
    return [
        f"steps.{number}.tool: {step.tool!r} is none of the skill's tools."
        for number, step in enumerate(exemplar.steps)
        if tools is not None and step.tool not in tools
    ]


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
            faults.append(f"steps.{number}: {_UNREADABLE}")
    parser = StreamParser()
    parser.feed(exemplar.answer)
    if parser.finish().text != exemplar.answer.strip():
        faults.append(f"answer: {_UNREADABLE}")
    return faults
