"""The quirks of template families: what a template by itself refuses or drops, and how it is told all the same."""

from __future__ import annotations

from collections.abc import Callable

import jinja2
import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment
from llama_cpp import llama_chat_format as published

from jarvisbot.models.llamacpp.protocol import Call, Role, Tool, Turn
from jarvisbot.models.llamacpp.specials import BREAK, Specials
from jarvisbot.models.llamacpp.template import Template
from tests.emulators.chat_templates import FAMILIES

TEMPLATES = FAMILIES | {
    "mistral-7b": published.MISTRAL_INSTRUCT_CHAT_TEMPLATE,
    "mixtral": published.MIXTRAL_INSTRUCT_CHAT_TEMPLATE,
    "llama3-plain": published.LLAMA3_INSTRUCT_CHAT_TEMPLATE,
}
"""Ours, and those that llama-cpp-python carries word for word from the vendors."""
LOOKUP = Tool(
    name="lookup",
    description="Looks a word up.",
    parameters={"type": "object", "properties": {"word": {"type": "string"}}},
)


def family(name: str, guard: Callable[[str], str] = str) -> Template:
    return Template(TEMPLATES[name], bos="<s>", eos="</s>", guard=guard)


def turn(role: Role, text: str) -> Turn:
    return Turn(role=role, text=text)


def calling(number: str, word: str) -> Turn:
    return Turn(role="assistant", text="", calls=(Call(id=number, name="lookup", arguments={"word": word}),))


def result(number: str, text: str) -> Turn:
    return Turn(role="tool", text=text, name="lookup", call_id=number)


def alone(name: str, *said: tuple[str, str]) -> str | None:
    """What the template by itself makes of plain messages; None where it refuses them."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )

    def refuse(message: str) -> None:
        raise jinja2.TemplateError(message)

    environment.globals |= {"raise_exception": refuse, "strftime_now": lambda form: form}
    messages = [{"role": role, "content": text} for role, text in said]
    try:
        return environment.from_string(TEMPLATES[name]).render(
            messages=messages, bos_token="<s>", eos_token="</s>", add_generation_prompt=True
        )
    except jinja2.TemplateError:
        return None


SYSTEM, USER, ANSWER = ("system", "Be brief."), ("user", "Hello?"), ("assistant", "Yes.")
LATE = ("system", "One round is left.")


@pytest.mark.parametrize("name", ["qwen35", "gemma2", "gemma3", "mistral", "mistral-7b", "mixtral"])
def test_a_late_system_message_that_the_template_refuses_is_said_by_the_user(name: str) -> None:
    assert alone(name, USER, ANSWER, LATE) is None
    said = [turn("system", "Be brief."), turn("user", "Hello?"), turn("assistant", "Yes."), turn("system", LATE[1])]
    text = family(name).render(said).text
    assert text.index("Yes.") < text.index(LATE[1])
    assert all(part in text for part in ("Be brief.", "Hello?"))


@pytest.mark.parametrize("name", ["qwen35", "gemma2", "mistral-7b", "mixtral"])
def test_a_talk_without_a_user_that_the_template_refuses_gets_an_empty_one(name: str) -> None:
    assert alone(name, SYSTEM) is None
    assert "Be brief." in family(name).render([turn("system", "Be brief.")]).text


@pytest.mark.parametrize("name", ["gemma2", "mistral-7b", "mixtral"])
def test_without_a_system_role_the_first_user_says_it(name: str) -> None:
    assert alone(name, SYSTEM, USER) is None
    template = family(name)
    assert not template.quirks.system
    assert "Be brief.\n\nHello?" in template.render([turn("system", "Be brief."), turn("user", "Hello?")]).text


def test_a_system_text_that_the_template_makes_part_of_the_first_user_is_left_to_it() -> None:
    text = family("gemma3").render([turn("system", "Be brief."), turn("user", "Hello?")]).text
    assert text == "<s><start_of_turn>user\nBe brief.\n\nHello?<end_of_turn>\n<start_of_turn>model\n"


@pytest.mark.parametrize(
    "name", ["chatml", "smollm2", "gemma2", "gemma3", "phi", "phi4-mini", "mistral-7b", "llama3-plain"]
)
def test_without_a_tool_role_calls_and_results_are_words(name: str) -> None:
    template = family(name)
    assert not template.quirks.calls
    said = [turn("user", "What is an owl?"), calling("1", "owl"), result("1", "A bird.")]
    text = template.render(said, [LOOKUP]).text
    assert '<tool_call>\n{"name": "lookup", "arguments": {"word": "owl"}}\n</tool_call>' in text
    assert "Result of lookup:\nA bird." in text


@pytest.mark.parametrize("name", ["chatml", "smollm2", "gemma2", "gemma3", "phi4-mini", "mistral-7b", "llama3-plain"])
def test_without_a_place_for_tools_they_are_described_in_words(name: str) -> None:
    template = family(name)
    assert not template.quirks.tools
    text = template.render([turn("user", "What is an owl?")], [LOOKUP]).text
    assert "You can use these tools:" in text
    assert "Looks a word up." in text


@pytest.mark.parametrize("name", ["qwen3", "qwen35", "llama3", "mistral", "gpt-oss"])
def test_with_a_place_for_tools_calls_and_results_they_stand_there(name: str) -> None:
    template = family(name)
    assert (template.quirks.tools, template.quirks.calls) == (True, True)
    said = [turn("user", "What is an owl?"), calling("1", "owl"), result("1", "A bird.")]
    text = template.render(said, [LOOKUP]).text
    assert "Result of lookup" not in text
    assert "You can use these tools" not in text
    assert text.index("Looks a word up.") < text.index("owl")
    assert "A bird." in text


@pytest.mark.parametrize("name", ["gemma2", "gemma3", "mistral", "mistral-7b", "mixtral"])
def test_where_roles_must_alternate_messages_of_one_role_become_one(name: str) -> None:
    assert alone(name, USER, ("user", "Anybody?")) is None
    template = family(name)
    assert not template.quirks.repeats
    said = [turn("user", "Hello?"), turn("user", "Anybody?"), turn("assistant", "Yes."), turn("assistant", "Here.")]
    text = template.render([*said, turn("user", "Good.")]).text
    assert "Hello?\n\nAnybody?" in text
    assert "Yes.\n\nHere." in text


@pytest.mark.parametrize("name", ["gemma2", "gemma3", "mistral", "mistral-7b"])
def test_where_roles_must_alternate_an_answer_that_comes_first_gets_a_user_before_it(name: str) -> None:
    assert alone(name, ANSWER, USER) is None
    text = family(name).render([turn("assistant", "Yes."), turn("user", "Hello?")]).text
    assert text.index("Yes.") < text.index("Hello?")


def test_a_think_block_in_the_prompt_is_opened_closed_or_left_out_as_the_family_does() -> None:
    asked = [turn("user", "Hello?")]
    assert family("qwen35").render(asked, thinking=True).opened == "<think>\n"
    assert family("qwen35").render(asked).text.endswith("<think>\n\n</think>\n\n")
    assert family("qwen3").render(asked, thinking=True).opened == ""  # it opens the block itself
    assert family("qwen3").render(asked).text.endswith("<think>\n\n</think>\n\n")
    assert [name for name in sorted(FAMILIES) if family(name).thinking] == ["qwen3", "qwen35"]


def test_the_end_of_a_channel_is_not_the_end_of_a_reply() -> None:
    template = family("gpt-oss")
    assert template.stops == ("<|start|>user<|message|>",)
    assert (template.turn_tags, template.turn_end) == ((), "")


def test_channel_tags_that_a_person_types_are_no_reason_to_refuse_the_talk() -> None:
    typed = "What does <|channel|>final mean?"
    assert alone("gpt-oss", ("user", typed)) is None
    guard = Specials(["<|channel|>", "<|message|>"]).broken
    assert typed in family("gpt-oss", guard).render([turn("user", typed)]).text.replace(BREAK, "")


def test_calls_have_ids_of_nine_characters_for_mistral_whatever_ours_are() -> None:
    said = [turn("user", "Owl?"), calling("an id of ours that is long", "owl")]
    said += [result("an id of ours that is long", "A bird."), turn("assistant", "A bird.")]
    assert '"id": "call00001"' in family("mistral").render(said, [LOOKUP]).text


def test_one_call_at_a_time_for_llama() -> None:
    two = Turn(
        role="assistant",
        text="",
        calls=tuple(Call(id=word, name="lookup", arguments={"word": word}) for word in ("owl", "elk")),
    )
    said = [turn("user", "Owl and elk?"), two, result("owl", "A bird."), result("elk", "A deer.")]
    text = family("llama3").render(said, [LOOKUP]).text
    order = [text.index(part) for part in ('"owl"', "A bird.", '"elk"', "A deer.")]
    assert order == sorted(order)


def test_a_familys_own_system_text_is_not_said() -> None:
    assert "SmolLM" in (alone("smollm2", USER) or "")
    assert "SmolLM" not in family("smollm2").render([turn("user", "Hello?")]).text
