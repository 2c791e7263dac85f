"""Chat templates of the families that are shipped: each in its own few words, with its family's habits."""

from __future__ import annotations

from datetime import datetime

import pytest

from jarvisbot.models.llamacpp.protocol import Call, Role, Tool, Turn
from jarvisbot.models.llamacpp.template import CHATML, BadTemplate, Template
from tests.emulators.tiny_gguf import TEMPLATE as QWEN35

# Written for these tests. What each family does differently is in its template's logic, as the vendors publish it.
SMOLLM2 = """\
{% for message in messages %}
{% if loop.first and message.role != 'system' %}
{{ '<|im_start|>system\nYou are SmolLM.<|im_end|>\n' }}
{%- endif %}
{{ '<|im_start|>' + message.role + '\n' + message.content + '<|im_end|>\n' }}
{%- endfor %}
{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""

QWEN3 = """\
{%- if tools %}
    {{- '<|im_start|>system\\n' + (messages[0].content + '\\n\\n' if messages[0].role == 'system' else '') }}
    {%- for tool in tools %}{{- tool | tojson + '\\n' }}{%- endfor %}{{- '<|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|im_start|>assistant\\n' + message.content.split('</think>')[-1].lstrip('\\n') }}
        {%- for call in message.tool_calls or [] %}
            {{- '\\n<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
            {{- call.function.arguments if call.function.arguments is string else call.function.arguments | tojson }}
            {{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        {%- if loop.first or messages[loop.index0 - 1].role != 'tool' %}{{- '<|im_start|>user' }}{%- endif %}
        {{- '\\n<tool_response>\\n' + message.content + '\\n</tool_response>' }}
        {%- if loop.last or messages[loop.index0 + 1].role != 'tool' %}{{- '<|im_end|>\\n' }}{%- endif %}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}"""

LLAMA3 = """\
{{- bos_token }}
{%- if messages[0].role == 'system' %}
    {%- set first = messages[0].content | trim %}{%- set messages = messages[1:] %}
{%- else %}
    {%- set first = '' %}
{%- endif %}
{{- '<|start_header_id|>system<|end_header_id|>\n\nToday: ' + strftime_now('%d %b %Y') + '\n' + first + '<|eot_id|>' }}
{%- if tools %}
    {{- '<|start_header_id|>user<|end_header_id|>\n\n' }}
    {%- for tool in tools %}{{- tool | tojson(indent=4) + '\n' }}{%- endfor %}
    {{- messages[0].content | trim + '<|eot_id|>' }}{%- set messages = messages[1:] %}
{%- endif %}
{%- for message in messages %}
    {%- if message.tool_calls %}
        {%- if message.tool_calls | length != 1 %}{{- raise_exception('only single tool-calls at once') }}{%- endif %}
        {%- set call = message.tool_calls[0].function %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\n\n{"name": "' + call.name + '", "parameters": ' }}
        {{- call.arguments | tojson + '}<|eot_id|>' }}
    {%- elif message.role in ['tool', 'ipython'] %}
        {{- '<|start_header_id|>ipython<|end_header_id|>\n\n' + message.content + '<|eot_id|>' }}
    {%- else %}
        {{- '<|start_header_id|>' + message.role + '<|end_header_id|>\n\n' + message.content | trim + '<|eot_id|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{%- endif %}"""

GEMMA3 = """\
{{ bos_token }}
{%- if messages[0].role == 'system' %}{{ raise_exception('System role not supported') }}{% endif -%}
{%- for message in messages %}
    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
    {%- endif %}
    {%- set role = 'model' if message.role == 'assistant' else message.role %}
    {{- '<start_of_turn>' + role + '\n' + message.content | trim + '<end_of_turn>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>model\n' }}{%- endif %}"""

PHI = """\
{%- for message in messages %}
    {{- '<|' + message.role + '|>' + message.content }}
    {%- if message.role == 'system' and tools %}{{- '<|tool|>' + tools | tojson + '<|/tool|>' }}{%- endif %}
    {{- '<|end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>' }}{%- else %}{{- eos_token }}{%- endif %}"""

MISTRAL = """\
{{- bos_token }}
{%- set offset = 1 if messages[0].role == 'system' else 0 %}
{%- set talk = namespace(turn=0) %}
{%- set asked = messages | selectattr('role', 'equalto', 'user') | list | last %}
{%- for message in messages[offset:] %}
    {%- if message.role == 'user' or (message.role == 'assistant' and not message.tool_calls) %}
        {%- if (message.role == 'user') != (talk.turn % 2 == 0) %}
            {{- raise_exception('conversation roles must alternate user/assistant') }}
        {%- endif %}
        {%- set talk.turn = talk.turn + 1 %}
    {%- endif %}
    {%- if message.role == 'user' %}
        {%- if tools and message == asked %}{{- '[AVAILABLE_TOOLS] ' + tools | tojson + '[/AVAILABLE_TOOLS]' }}{%- endif %}
        {{- '[INST] ' + (messages[0].content + '\n\n' if offset and message == asked else '') + message.content + '[/INST]' }}
    {%- elif message.tool_calls %}
        {{- '[TOOL_CALLS] [' }}
        {%- for call in message.tool_calls %}
            {%- if call.id | length != 9 %}{{- raise_exception('Tool call IDs have length 9!') }}{%- endif %}
            {{- call.function | tojson + ', "id": "' + call.id + '"' }}
        {%- endfor %}
        {{- ']' + eos_token }}
    {%- elif message.role == 'assistant' %}
        {{- ' ' + message.content + eos_token }}
    {%- elif message.role == 'tool' %}
        {%- if message.tool_call_id | length != 9 %}{{- raise_exception('Tool call IDs have length 9!') }}{%- endif %}
        {{- '[TOOL_RESULTS] ' + message.content + '[/TOOL_RESULTS]' }}
    {%- else %}
        {{- raise_exception('Only user and assistant roles are supported') }}
    {%- endif %}
{%- endfor %}"""

GPT_OSS = """\
{%- set first = messages[0].content if messages[0].role == 'system' else '' %}
{{- '<|start|>system<|message|>Reasoning: low<|end|><|start|>developer<|message|>' + first }}
{%- if tools %}
    {%- for tool in tools %}{{- '\n// ' + tool.function.description + '\ntype ' + tool.function.name }}{%- endfor %}
{%- endif %}
{{- '<|end|>' }}
{%- set last = namespace(call='') %}
{%- for message in messages if message.role != 'system' %}
    {%- if message.tool_calls %}
        {%- set last.call = message.tool_calls[0].function.name %}
        {{- '<|start|>assistant to=functions.' + last.call + '<|channel|>commentary json<|message|>' }}
        {{- message.tool_calls[0].function.arguments | tojson + '<|call|>' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|start|>assistant<|channel|>final<|message|>' + message.content + '<|end|>' }}
    {%- elif message.role == 'tool' %}
        {%- if not last.call %}{{- raise_exception('Tool role without a preceding assistant call') }}{%- endif %}
        {{- '<|start|>functions.' + last.call + '<|channel|>commentary<|message|>' + message.content + '<|end|>' }}
    {%- else %}
        {{- '<|start|>user<|message|>' + message.content + '<|end|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start|>assistant' }}{%- endif %}"""

PLAIN = """\
{%- for message in messages %}{{- '\n' + message.role | capitalize + ': ' + message.content }}{%- endfor %}
{%- if add_generation_prompt %}{{- '\nAssistant:' }}{%- endif %}"""

FAMILIES = {
    "chatml": CHATML,
    "smollm2": SMOLLM2,
    "qwen3": QWEN3,
    "qwen35": QWEN35,
    "llama3": LLAMA3,
    "gemma3": GEMMA3,
    "phi": PHI,
    "mistral": MISTRAL,
    "gpt-oss": GPT_OSS,
    "plain": PLAIN,
}
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
    assert not family("gemma3").quirks.system
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
    assert family("gemma3").render(said).text == (
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
        ("phi", {"<|end|>", "<|user|>"}),
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
