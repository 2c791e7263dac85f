"""What a model tells of itself when it is inspected."""

from __future__ import annotations

import asyncio
from pathlib import Path

from jarvisbot.model import ModelRequest, Sampling
from jarvisbot.models.llamacpp.abilities import lacking
from jarvisbot.models.llamacpp.protocol import Inspected
from jarvisbot.types import User
from tests.emulators.tiny_gguf import write_gguf
from tests.models.conftest import StartModel

ALL = Inspected(
    id=1,
    architecture="qwen35",
    template=True,
    tools=True,
    calls=True,
    thinking=True,
    think_close_tokens=1,
    ends=("<|im_end|>",),
    added_ends=(),
    text_ends=(),
)


def off(seen: Inspected) -> dict[str, str]:
    """What does not work, and why."""
    return {what: text for what, works, text in lacking(seen) if not works}


async def test_a_model_with_everything_lacks_nothing(tiny_qwen35: Path, start_model: StartModel) -> None:
    seen = await start_model(tiny_qwen35).inspect()
    assert (seen.architecture, seen.tools, seen.calls, seen.thinking, seen.think_close_tokens) == (
        "qwen35",
        True,
        True,
        True,
        1,
    )
    assert "<|im_end|>" in seen.ends
    assert seen.text_ends == ()
    assert off(seen) == {}


async def test_the_demo_model_lacks_tools_and_thinking(demo: Path, start_model: StartModel) -> None:
    assert set(off(await start_model(demo).inspect())) == {"tools", "thinking"}


async def test_a_file_without_a_template_is_noticed(tmp_path: Path, start_model: StartModel) -> None:
    seen = await start_model(write_gguf(tmp_path / "bare.gguf", template=None)).inspect()
    assert not seen.template
    assert "ChatML" in off(seen)["template"]


async def test_an_end_that_the_vocabulary_does_not_have_is_noticed(tmp_path: Path, start_model: StartModel) -> None:
    template = (
        "{% for m in messages %}{{ '<turn>' + m.role + '\n' + m.content + '</turn>\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<turn>assistant\n' }}{% endif %}"
    )
    seen = await start_model(write_gguf(tmp_path / "tags.gguf", template=template)).inspect()
    assert seen.text_ends == ("</turn>",)
    assert "</turn> is no single token" in off(seen)["ends"]


async def test_a_think_tag_of_several_tokens_is_noticed() -> None:
    import msgspec

    seen = msgspec.structs.replace(ALL, think_close_tokens=4)
    assert "4 tokens" in off(seen)["thinking"]
    assert "no token ends" in off(msgspec.structs.replace(ALL, ends=()))["ends"]
    assert "calls and results" in off(msgspec.structs.replace(ALL, calls=False))["tools"]


async def test_an_inspection_is_answered_while_a_reply_is_written(tiny_llama: Path, start_model: StartModel) -> None:
    model = start_model(tiny_llama)
    request = ModelRequest(items=(User(text="Go on."),), max_tokens=400, sampling=Sampling(temperature=1.0, seed=1))
    stream = model.stream(request)
    await anext(stream)
    seen = await asyncio.wait_for(model.inspect(), 20)
    await stream.aclose()
    assert seen.architecture == "llama"
