"""Chat templates of the families that people run, each in its own few words, with its family's habits.

Written for these tests. What each family does differently is in its template's logic, as the vendors publish it.
"""

from __future__ import annotations

from jarvisbot.models.llamacpp.template import CHATML
from tests.emulators.tiny_gguf import TEMPLATE as QWEN35

__all__ = ["FAMILIES"]

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

GEMMA2 = """\
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

GEMMA3 = """\
{{ bos_token }}
{%- set first = messages[0].content + '\n\n' if messages[0].role == 'system' else '' %}
{%- set talk = messages[1:] if messages[0].role == 'system' else messages %}
{%- for message in talk %}
    {%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
        {{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}
    {%- endif %}
    {%- set role = 'model' if message.role == 'assistant' else message.role %}
    {{- '<start_of_turn>' + role + '\n' + (first if loop.first else '') + message.content | trim + '<end_of_turn>\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>model\n' }}{%- endif %}"""

PHI = """\
{%- for message in messages %}
    {{- '<|' + message.role + '|>' + message.content }}
    {%- if message.role == 'system' and tools %}{{- '<|tool|>' + tools | tojson + '<|/tool|>' }}{%- endif %}
    {{- '<|end|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>' }}{%- else %}{{- eos_token }}{%- endif %}"""

PHI4_MINI = """\
{%- for message in messages %}
    {%- if message.role == 'system' and message.tools is defined and message.tools %}
        {{- '<|' + message.role + '|>' + message.content + '<|tool|>' + message.tools + '<|/tool|><|end|>' }}
    {%- else %}
        {{- '<|' + message.role + '|>' + message.content + '<|end|>' }}
    {%- endif %}
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
    {%- if '<|channel|>' in message.content %}{{- raise_exception('The content holds channel tags') }}{%- endif %}
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
    "gemma2": GEMMA2,
    "gemma3": GEMMA3,
    "phi": PHI,
    "phi4-mini": PHI4_MINI,
    "mistral": MISTRAL,
    "gpt-oss": GPT_OSS,
    "plain": PLAIN,
}
