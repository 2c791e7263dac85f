"""Chat templates of the families that people run: what is made of any talk, and what is read from a template."""

from __future__ import annotations

from datetime import datetime

import pytest

from jarvisbot.models.llamacpp.protocol import Call, Role, Tool, Turn
from jarvisbot.models.llamacpp.template import BadTemplate, Template
from tests.emulators.chat_templates import FAMILIES

NOON = datetime(2026, 1, 2, 12, 0)  # noqa: DTZ001  templates print local time


@pytest.fixture(params=FAMILIES)
def template(request: pytest.FixtureRequest) -> Template:
    return family(request.param)


def family(name: str) -> Template:
    return Template(FAMILIES[name], bos="<s>", eos="</s>", now=lambda: NOON)


def turn(role: Role, text: str) -> Turn:
    return Turn(role=role, text=text)


def call(number: str, value: str) -> Call:
    return Call(id=f"any id {number}", name="calculator", arguments={"expression": value})


def result(number: str, text: str) -> Turn:
    return Turn(role="tool", text=text, name="calculator", call_id=f"any id {number}")


CALCULATOR = Tool(
    name="calculator",
    description="Works out sums.",
    parameters={"type": "object", "properties": {"expression": {"type": "string"}}},
)
SAID = {
    "a plain question": [turn("system", "Be brief."), turn("user", "Hello?")],
    "no system": [turn("user", "Hello?"), turn("assistant", "Yes."), turn("user", "Good.")],
    "several systems": [turn("system", "Be brief."), turn("system", "Be kind."), turn("user", "Hello?")],
    "a late system": [
        turn("system", "Be brief."),
        turn("user", "Hello?"),
        turn("assistant", "Yes."),
        turn("system", "Stop."),
    ],
    "no user": [turn("system", "Greet.")],
    "an answer first": [turn("system", "Be brief."), turn("assistant", "Yes."), turn("user", "Good.")],
    "two users": [turn("user", "Hello?"), turn("user", "Is anybody there?")],
    "two answers": [
        turn("user", "Hello?"),
        turn("assistant", "Yes."),
        turn("assistant", "What is it?"),
        turn("user", "So."),
    ],
    "an answer last": [turn("user", "Hello?"), turn("assistant", "Yes.")],
    "a call": [turn("user", "3*7?"), Turn(role="assistant", text="", calls=(call("1", "3*7"),)), result("1", "= 21")],
    "two calls at once": [
        turn("user", "3*7 and 2*5?"),
        Turn(role="assistant", text="", calls=(call("1", "3*7"), call("2", "2*5"))),
        result("1", "= 21"),
        result("2", "= 10"),
        turn("assistant", "21 and 10."),
        turn("user", "Thanks."),
    ],
    "a warning after a result": [
        turn("user", "3*7?"),
        Turn(role="assistant", text="", calls=(call("1", "3*7"),)),
        result("1", "= 21"),
        turn("system", "One round is left."),
    ],
}


@pytest.mark.parametrize("said", SAID.values(), ids=SAID)
@pytest.mark.parametrize("tools", [(), (CALCULATOR,)], ids=["no tools", "tools"])
def test_every_family_takes_every_talk_and_drops_no_word(
    template: Template, said: list[Turn], tools: tuple[Tool, ...]
) -> None:
    text = template.render(said, tools).text
    for each in said:
        assert each.text in text
        for made in each.calls:
            assert made.arguments["expression"] in text
    for tool in tools:
        assert tool.name in text
        assert tool.description in text


@pytest.mark.parametrize("said", [SAID["a plain question"], SAID["two calls at once"]], ids=["plain", "calls"])
def test_a_talk_that_goes_on_begins_as_it_did(template: Template, said: list[Turn]) -> None:
    before = template.render(said, answer=False).text
    after = template.render([*said, turn("assistant", "Well."), turn("user", "More?")], answer=False).text
    shared = next((at for at, (one, two) in enumerate(zip(before, after, strict=False)) if one != two), len(before))
    # Mistral's template puts the system text into the last user message, wherever that is by now.
    assert shared >= len(before) - len("</s>") or "[INST]" in before


def test_capabilities_are_found_out_by_asking() -> None:
    assert family("qwen35").quirks.tools
    assert family("qwen35").quirks.calls
    assert family("qwen35").quirks.many_calls
    assert family("qwen35").thinking
    assert family("llama3").quirks.calls
    assert not family("llama3").quirks.many_calls
    assert not family("gemma2").quirks.system
    assert family("gemma3").quirks.system
    assert not family("gemma3").quirks.repeats
    assert family("mistral").quirks.calls
    assert not family("mistral").quirks.user_after_tool
    assert not family("smollm2").quirks.tools
    assert not family("smollm2").thinking


def test_a_template_does_not_get_to_say_its_own_system_text() -> None:
    assert "SmolLM" not in family("smollm2").render([turn("user", "Hello?")]).text
    assert "system" not in family("chatml").render([turn("user", "Hello?")]).text


def test_system_text_goes_into_the_first_user_message_where_there_is_no_other_place() -> None:
    said = [turn("system", "Be brief."), turn("user", "Hello?")]
    assert family("gemma2").render(said).text == (
        "<s><start_of_turn>user\nBe brief.\n\nHello?<end_of_turn>\n<start_of_turn>model\n"
    )


def test_calls_and_results_become_words_where_the_template_knows_none() -> None:
    text = family("chatml").render(SAID["a call"]).text
    assert '<tool_call>\n{"name": "calculator", "arguments": {"expression": "3*7"}}\n</tool_call>' in text
    assert "<|im_start|>user\nResult of calculator:\n= 21<|im_end|>" in text


def test_a_result_without_its_call_is_words_too() -> None:
    said = [turn("user", "3*7?"), result("1", "= 21"), turn("user", "So?")]
    assert (
        "<start_of_turn>user\n3*7?\n\nResult:\n= 21\n\nSo?<end_of_turn>"
        in family("gemma3").render([said[0], Turn(role="tool", text="= 21"), said[2]]).text
    )
    assert "Result of calculator:\n= 21" in family("chatml").render(said).text


def test_several_calls_stand_one_by_one_with_their_results_where_only_one_is_taken() -> None:
    text = family("llama3").render(SAID["two calls at once"]).text
    order = [text.index(part) for part in ('"3*7"', "= 21", '"2*5"', "= 10")]
    assert order == sorted(order)


def test_thinking_is_asked_for_and_its_opening_is_told() -> None:
    asked = family("qwen35").render([turn("user", "Hello?")], thinking=True)
    assert asked.opened == "<think>\n"
    assert family("qwen35").render([turn("user", "Hello?")]).opened == ""
    assert family("qwen35").think_close == "\n</think>\n\n"
    assert "enable_thinking" not in asked.text


def test_a_user_cannot_open_the_think_block_of_the_answer(template: Template) -> None:
    assert template.render([turn("user", "<think>")]).opened == ""


@pytest.mark.parametrize(
    ("name", "stops"),
    [
        ("chatml", {"<|im_end|>", "<|im_start|>user"}),
        ("qwen35", {"<|im_end|>", "<|im_start|>user"}),
        ("llama3", {"<|eot_id|>", "<|start_header_id|>user<|end_header_id|>"}),
        ("gemma3", {"<end_of_turn>", "<start_of_turn>user"}),
        ("gemma2", {"<end_of_turn>", "<start_of_turn>user"}),
        ("phi", {"<|end|>", "<|user|>"}),
        ("phi4-mini", {"<|end|>", "<|user|>"}),
        ("mistral", {"</s>", "[INST]"}),
        ("gpt-oss", {"<|start|>user<|message|>"}),
        ("plain", {"\nUser:"}),
    ],
)
def test_the_end_of_a_turn_and_the_users_marker_are_read_from_the_template(name: str, stops: set[str]) -> None:
    assert set(family(name).stops) == stops


def test_json_in_templates_is_written_without_ascii_escapes() -> None:
    tool = Tool(name="wörter", description="<Ä> & 'ß'", parameters={"type": "object"})
    assert '"description": "<Ä> & \'ß\'"' in family("qwen3").render([turn("user", "Hallo?")], [tool]).text


def test_the_date_in_a_template_is_the_clocks() -> None:
    assert "Today: 02 Jan 2026" in family("llama3").render([turn("user", "Hello?")]).text


def test_a_template_runs_in_a_sandbox() -> None:
    escaping = Template("{{ messages.__class__.__mro__[1].__subclasses__() }}{{ messages[0].content }}")
    with pytest.raises(BadTemplate):
        escaping.render([turn("user", "Hello?")])
    with pytest.raises(BadTemplate):
        Template("{% for x in range(10000000) %}{% endfor %}").render([turn("user", "Hello?")])


def test_a_template_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadTemplate):
        Template("{% for message in %}")


def test_generation_blocks_are_printed_as_they_are() -> None:
    source = "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% break %}{% endfor %}"
    assert Template(source).render([turn("user", "Hello?"), turn("assistant", "Yes.")]).text == "Hello?"
