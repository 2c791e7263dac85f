"""Long answers as the payloads of every platform: within its limit, nothing lost, nothing leaking over a cut."""

from __future__ import annotations

from typing import Any

import pytest

from jarvisbot.replay.rendering import payloads
from tests.emulators.discord.limits import check_content
from tests.emulators.discord.markdown import visible
from tests.emulators.matrix.events import check_message, letters_of
from tests.emulators.telegram.entities import accepted_text
from tests.emulators.telegram.errors import bad_request

CODE = "".join(f"value_{number} = {number}*2*3\n" for number in range(300))
STILL = "\n".join(
    ["first", "```still-inside", *(f"row {number} " + "z" * 60 for number in range(58)), "# not a heading"]
)
TEXTS = {
    "prose, a fence over the cut, an open bold": (
        "prose word. " * 325 + "\n\n```py\n" + "x = 1\n" * 58 + "```\n\nand **bold that never ends " + "w " * 90
    ),
    "a long fence": f"```py\n{CODE}```",
    "an endless line in a fence": "```json\n" + "[1,2]," * 1500 + "\n```",
    "a fence that is not closed inside": f"```txt\n{STILL}\n```",
    "emoji": "😀" * 2049,
    "an emoji at the limit": "a" * 4095 + "😀",
    "an endless line": "x" * 10_000,
    "a list": "".join(f"{number}. entry with *some* `code_{number}`\n   - inner\n" for number in range(1, 200)),
    "a bold paragraph": "**" + "word " * 1200 + "end**",
    "a reference at the limit": "**w** " * 120 + "word " * 686 + "&lt; x",
    "right to left": "مرحبا `git rebase` v2.0 (beta) https://e.org/a\n\n" * 100,
    "100 kB": "Some **bold** words and a [link](https://example.org/a_b). " * 1700,
}


def letters(text: str) -> str:
    return "".join(mark for mark in text if mark.isalnum())


def sent(text: str, platform: str) -> list[dict[str, Any]]:
    return payloads({"text": text, "platform": platform})["payloads"]  # type: ignore[return-value]


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_every_part_is_accepted_and_together_they_say_the_same_everywhere(text: str) -> None:
    telegram, discord, matrix = sent(text, "telegram"), sent(text, "discord"), sent(text, "matrix")
    for payload in telegram:
        accepted_text(payload["text"], payload["entities"], too_long=bad_request("message is too long"))
    for payload in discord:
        check_content(payload["content"])
    for payload in matrix:
        check_message(payload["body"], payload["formatted_body"])
    said = letters("".join(payload["text"] for payload in telegram))
    assert letters("".join(piece for payload in discord for piece, _ in visible(payload["content"]))) == said
    assert "".join(letters_of(payload["formatted_body"]) for payload in matrix) == said


@pytest.mark.parametrize(
    "text", [TEXTS["a long fence"], TEXTS["an endless line in a fence"], TEXTS["a fence that is not closed inside"]]
)
def test_code_is_code_in_every_part_and_no_fence_stays_open(text: str) -> None:
    for payload in sent(text, "discord"):
        assert {kind for _, kinds in visible(payload["content"]) for kind in kinds} == {"pre"}
        assert payload["content"].count("```") == 2
    for payload in sent(text, "telegram"):
        (entity,) = payload["entities"]
        assert (entity["type"], entity["offset"]) == ("pre", 0)
    for payload in sent(text, "matrix"):
        assert payload["formatted_body"].startswith("<pre><code class=")


@pytest.mark.parametrize("platform", ["telegram", "discord", "matrix", "console"])
def test_lists_keep_numbers_levels_and_code_everywhere(platform: str) -> None:
    text = "1. one\n   - a\n     - b\n2) two\n\n   ```py\n   x = 1\n   ```\n10. ten"
    (payload,) = sent(text, platform)
    shown = payload.get("content") or payload.get("body") or payload["text"]
    for line in ("1. one", "2) two", "10. ten", "x = 1"):
        assert line in shown
    inner, innermost = (next(line for line in shown.split("\n") if line.endswith(f" {name}")) for name in "ab")
    assert 0 < len(inner) - len(inner.lstrip()) < len(innermost) - len(innermost.lstrip())
