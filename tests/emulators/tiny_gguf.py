"""Tiny models with random weights in real GGUF files, for tests that load and run them with the real library.

The vocabulary is byte level, so every text can be written; the output rows of all but printable ASCII are zero, so what
the model likes best is readable nonsense. The same arguments make the same file.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import gguf
import numpy as np
import numpy.typing as npt

Architecture = Literal["llama", "qwen3", "qwen35"]
Weights = npt.NDArray[np.float32]

CONTROLS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
USER_DEFINED = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
MERGES = ("t h", "i n", "e r")
WIDTH, HEADS, KEY_HEADS, INNER, LAYERS = 64, 4, 2, 128, 2
HEAD = WIDTH // HEADS
STATE, STATE_GROUPS, STATE_HEADS, CONVOLUTION = 16, 2, 4, 4
"""Shape of qwen35's linear attention: width of a head's state, heads of keys, heads of values, kernel."""

TEMPLATE = """\
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
    {{- '# Tools' }}
    {%- for tool in tools %}{{- '\\n' }}{{- tool | tojson }}{%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- if not messages | selectattr('role', 'equalto', 'user') | list %}{{- raise_exception('No user query.') }}{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'system' %}
        {%- if not loop.first %}{{- raise_exception('System message must be at the beginning.') }}{%- endif %}
    {%- elif message.role == 'tool' %}
        {{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content }}
        {%- for call in message.tool_calls or [] %}
            {{- '\\n<tool_call>\\n<function=' + call.function.name + '>' }}
            {%- for name, value in call.function.arguments | items %}
                {{- '\\n<parameter=' + name + '>\\n' }}{{- value if value is string else value | tojson }}
            {%- endfor %}
            {{- '\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking %}{{- '<think>\\n' }}{%- else %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}
{%- endif %}
"""
"""Written for these tests with the habits of the Qwen3.5 family: strict about roles, thinking in the prompt's end."""


def write_gguf(
    path: Path,
    architecture: Architecture = "llama",
    *,
    named: str | None = None,
    template: str | None = TEMPLATE,
    context_tokens: int = 4096,
    likes_bytes: bool = False,
    letters: str = "",
    wants_bos: bool = False,
    more_specials: Sequence[str] = (),
    seed: int = 0,
) -> Path:
    """Writes the model and returns its path. `named` puts another architecture's name on it.

    With `likes_bytes` every byte is a likely token, so sampled text is rarely whole UTF-8. With `letters`, each of which has
    two bytes, the model writes nothing but those.
    """
    random = np.random.default_rng(seed)
    name = named or architecture
    merges = [*MERGES, *(" ".join(_byte_texts()[byte] for byte in letter.encode()) for letter in letters)]
    tokens = [*_byte_texts(), *CONTROLS, *USER_DEFINED, *more_specials, *(m.replace(" ", "") for m in merges)]
    writer = gguf.GGUFWriter(path, name)
    writer.add_context_length(context_tokens)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KEY_HEADS)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10000.0)
    writer.add_rope_dimension_count(HEAD // 2 if architecture == "qwen35" else HEAD)
    writer.add_vocab_size(len(tokens))
    _add_vocabulary(writer, tokens, merges, defined=len(USER_DEFINED) + len(more_specials))
    writer.add_add_bos_token(wants_bos)
    if template is not None:
        writer.add_chat_template(template)
    if architecture == "qwen35":
        writer.add_ssm_conv_kernel(CONVOLUTION)
        writer.add_ssm_inner_size(STATE * STATE_HEADS)
        writer.add_ssm_state_size(STATE)
        writer.add_ssm_time_step_rank(STATE_HEADS)
        writer.add_ssm_group_count(STATE_GROUPS)
        writer.add_rope_dimension_sections([2, 1, 1, 0])
        writer.add_uint32(f"{name}.full_attention_interval", 2)
    output = _random(random, len(tokens), WIDTH, scale=1.0)
    output[~_liked(tokens, likes_bytes, len(letters))] = 0
    writer.add_tensor("token_embd.weight", _random(random, len(tokens), WIDTH, scale=1.0))
    writer.add_tensor("output.weight", output)
    writer.add_tensor("output_norm.weight", _ones(WIDTH))
    for layer in range(LAYERS):
        for part, weights in _layer(random, architecture, layer).items():
            writer.add_tensor(f"blk.{layer}.{part}", weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _add_vocabulary(writer: gguf.GGUFWriter, tokens: list[str], merges: list[str], *, defined: int) -> None:
    kinds = [
        *[gguf.TokenType.NORMAL] * 256,
        *[gguf.TokenType.CONTROL] * len(CONTROLS),
        *[gguf.TokenType.USER_DEFINED] * defined,
    ]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types([*kinds, *[gguf.TokenType.NORMAL] * (len(tokens) - len(kinds))])
    writer.add_token_merges(merges)
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))
    writer.add_eos_token_id(tokens.index("<|im_end|>"))


def _byte_texts() -> list[str]:
    """The 256 bytes in the spelling of byte-level BPE: printable ones as themselves, the others from U+0100 on."""
    printable = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte if byte in printable else next(others)) for byte in range(256)]


def _liked(tokens: list[str], likes_bytes: bool, letters: int) -> npt.NDArray[np.bool_]:
    liked = np.zeros(len(tokens), bool)
    if letters:
        liked[-letters:] = True
        return liked
    liked[slice(0, 256) if likes_bytes else slice(32, 127)] = True
    return liked


def _layer(random: np.random.Generator, architecture: Architecture, layer: int) -> dict[str, Weights]:
    hybrid = architecture == "qwen35"
    parts = {
        "attn_norm.weight": _ones(WIDTH),
        "post_attention_norm.weight" if hybrid else "ffn_norm.weight": _ones(WIDTH),
        "ffn_gate.weight": _random(random, INNER, WIDTH),
        "ffn_up.weight": _random(random, INNER, WIDTH),
        "ffn_down.weight": _random(random, WIDTH, INNER),
    }
    if hybrid and layer % 2 == 0:
        values, keys = STATE * STATE_HEADS, STATE * STATE_GROUPS
        return parts | {
            "attn_qkv.weight": _random(random, 2 * keys + values, WIDTH),
            "attn_gate.weight": _random(random, values, WIDTH),
            "ssm_conv1d.weight": _random(random, 2 * keys + values, CONVOLUTION),
            "ssm_dt.bias": _random(random, STATE_HEADS, scale=0.5),
            "ssm_a": -np.exp(_random(random, STATE_HEADS, scale=0.5)),
            "ssm_beta.weight": _random(random, STATE_HEADS, WIDTH),
            "ssm_alpha.weight": _random(random, STATE_HEADS, WIDTH),
            "ssm_norm.weight": _ones(STATE),
            "ssm_out.weight": _random(random, WIDTH, values),
        }
    parts |= {
        "attn_q.weight": _random(random, WIDTH * (2 if hybrid else 1), WIDTH),
        "attn_k.weight": _random(random, KEY_HEADS * HEAD, WIDTH),
        "attn_v.weight": _random(random, KEY_HEADS * HEAD, WIDTH),
        "attn_output.weight": _random(random, WIDTH, WIDTH),
    }
    if architecture != "llama":
        parts |= {"attn_q_norm.weight": _ones(HEAD), "attn_k_norm.weight": _ones(HEAD)}
    return parts


def _random(random: np.random.Generator, *shape: int, scale: float | None = None) -> Weights:
    return (random.standard_normal(shape) * (scale or shape[-1] ** -0.5)).astype(np.float32)


def _ones(*shape: int) -> Weights:
    return np.ones(shape, np.float32)
