"""Ten thousand made-up answers through each renderer: what the platform would refuse, change or lose."""

from __future__ import annotations

import re
from typing import Any

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.render import render
from jarvisbot.replay.rendering import payloads
from jarvisbot.types import Rendered, SpanKind
from tests.emulators.discord.limits import check_content
from tests.emulators.discord.markdown import mentions, visible
from tests.emulators.matrix.events import check_message, letters_of
from tests.emulators.telegram.entities import accepted_text
from tests.emulators.telegram.errors import bad_request
from tests.gateway.render.answers import answers

EACH = 10_000
TOO_LONG = bad_request("message is too long")
ROOM = re.compile(r"@room(?!\w)")
_STYLES = {"strong": "bold", "em": "italic", "strike": "strike", "h1": "bold", "h2": "bold", "h3": "bold"}
_NEVER = {"spoiler", "underline", "subtext"}


def letters(text: str) -> str:
    return "".join(mark for mark in text if mark.isalnum())


def holds(text: str, wanted: str) -> bool:
    """Whether all of `wanted` stands in `text`, in order; an address that is written out may stand between."""
    rest = iter(text)
    return all(mark in rest for mark in wanted)


def styles(rendered: Rendered) -> list[tuple[str, frozenset[str]]]:
    """Each letter with what the answer says of it; code says nothing of style."""
    over: list[set[str]] = [set() for _ in rendered.text]
    for span in rendered.spans:
        for at in range(span.start, span.start + span.length):
            over[at].add(span.kind.value)
    code = {SpanKind.CODE.value, SpanKind.PRE.value}
    kinds = [frozenset({"code"}) if each & code else frozenset(each - {"link", "quote"}) for each in over]
    return [(mark, each) for mark, each in zip(rendered.text, kinds, strict=True) if mark.isalnum()]


def discord_styles(content: str) -> list[tuple[str, frozenset[str]]]:
    found = []
    for text, over in visible(content):
        assert not over & _NEVER, (content, over)
        kinds = (
            frozenset({"code"})
            if over & {"code", "pre"}
            else frozenset(_STYLES[kind] for kind in over if kind in _STYLES)
        )
        found += [(mark, kinds) for mark in text if mark.isalnum()]
    return found


def check(text: str) -> None:
    shown = render(text, Markup.ENTITIES, Unit.CODE_POINTS)
    wanted = letters(shown.text)
    (telegram,) = payload(text, "telegram")
    accepted, kept = accepted_text(telegram["text"], telegram["entities"], too_long=TOO_LONG)
    assert (accepted, kept) == (telegram["text"], telegram["entities"][:100])

    (discord,) = payload(text, "discord")
    check_content(discord["content"])
    assert not mentions(discord["content"])
    said = discord_styles(discord["content"])
    assert holds("".join(mark for mark, _ in said), wanted)
    if len(said) == len(wanted):  # code in a link is code on Discord alone
        for ours, theirs in zip(said, styles(shown), strict=True):
            assert ours == theirs or "code" in ours[1] or (ours[1] < theirs[1] and "`" in text)

    (matrix,) = payload(text, "matrix")
    check_message(matrix["body"], matrix["formatted_body"])
    assert holds(letters_of(matrix["formatted_body"]), wanted)
    assert not ROOM.search(matrix["body"] + matrix["formatted_body"])
    assert "---" in text or holds(letters(matrix["body"]), wanted)  # a table may be lines there and cards here

    (console,) = payload(text, "console")
    assert letters(console["text"]) == letters(text)
    assert "\x1b" not in console["text"]


def payload(text: str, platform: str) -> list[dict[str, Any]]:
    return payloads({"text": text, "platform": platform})["payloads"]  # type: ignore[return-value]


def test_ten_thousand_answers_are_accepted_everywhere_and_no_letter_of_them_is_lost() -> None:
    count = 0
    for text in answers(EACH):
        if text.strip():
            check(text)
            count += 1
    assert count > EACH * 0.99
