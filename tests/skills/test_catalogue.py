"""The shipped skills together: their order, their limits, their worked examples in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from jarvisbot.agent.context import EXAMPLES_AND_GUIDANCE_LIMIT, examples
from jarvisbot.agent.parse import StreamParser
from jarvisbot.folders import bundled
from jarvisbot.skill import Skill, load, load_all
from jarvisbot.types import Assistant, ToolCall, User

CATALOGUE = load_all(bundled("skills"), trusted=True)
PRIORITIES = {
    "creative-writing": (40, ()),
    "memory": (35, ("memory",)),
    "home-actions": (34, ("home_action",)),
    "calendar": (32, ("calendar",)),
    "convert-units": (32, ("convert",)),
    "arithmetic": (30, ("calculator",)),
    "weather": (28, ("weather",)),
    "world-clock": (26, ("current_time",)),
    "current-date": (25, ("current_time",)),
    "summarize-url": (20, ("read_page",)),
    "lookup-term": (15, ("web_search", "read_page")),
    "research-question": (10, ("research",)),
    "advice": (8, ()),
    "conversation": (5, ()),
}
each_skill = pytest.mark.parametrize("skill", CATALOGUE, ids=lambda skill: skill.name)


def test_the_order_and_the_tools_are_these() -> None:
    assert {skill.name: (skill.priority, skill.tools) for skill in CATALOGUE} == PRIORITIES
    assert [skill.name for skill in CATALOGUE] == list(PRIORITIES)


@each_skill
def test_patterns_pass_what_those_of_others_have_to_pass(skill: Skill) -> None:
    assert load(bundled("skills") / skill.name).patterns


@each_skill
def test_examples_are_in_both_languages_use_declared_tools_only_and_are_shown_in_each(skill: Skill) -> None:
    assert {exemplar.language for exemplar in skill.exemplars} == {"en", "de"}
    used = {step.tool for exemplar in skill.exemplars for step in exemplar.steps}
    assert used <= set(skill.tools or ())
    assert bool(used) == bool(skill.tools)
    for language in ("en", "de"):
        written = [exemplar.user for exemplar in skill.exemplars if exemplar.language == language]
        shown = [item.text for item in examples(skill, language) if isinstance(item, User)]
        assert shown
        assert shown == written[: len(shown)]
        assert sum(map(len, shown)) + len(skill.guidance) <= EXAMPLES_AND_GUIDANCE_LIMIT


@each_skill
def test_every_example_survives_being_written_and_read(skill: Skill) -> None:
    for exemplar in skill.exemplars:
        for step in exemplar.steps:
            call = step.call("a")
            parameters = "".join(f"<parameter={key}>{value}</parameter>" for key, value in call.arguments.items())
            parser = StreamParser(call_prefix="t")
            parser.feed(f"<tool_call><function={call.name}>{parameters}</function></tool_call>")
            (read,) = parser.finish().calls
            assert isinstance(read, ToolCall)
            assert (read.name, dict(read.arguments)) == (call.name, dict(call.arguments))
        parser = StreamParser(call_prefix="t")
        parser.feed(exemplar.answer)
        assert parser.finish().text == Assistant(text=exemplar.answer).text


@pytest.mark.parametrize(
    "folder", sorted(path.parent for path in bundled("skills").glob("*/SKILL.md")), ids=lambda path: path.name
)
def test_worked_examples_are_left_unread_until_the_skill_answers_and_are_the_same_then(folder: Path) -> None:
    lazy, eager = load(folder, trusted=True), load(folder)
    assert "exemplars" not in vars(lazy)
    assert not lazy.given
    assert lazy.exemplars == eager.exemplars != ()
    assert lazy.exemplars is lazy.exemplars
    assert lazy.model_dump() == eager.model_dump()
