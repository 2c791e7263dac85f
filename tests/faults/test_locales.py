"""Letters and digits of all scripts, under locales that play tricks with them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import jarvisbot

LOCALES = ["tr_TR.UTF-8", "C", "de_DE.ISO-8859-1"]
"""Turkish has an I without a dot, C has no letters beyond ASCII; they need not be installed to be named."""


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("/HELP", "/help"),
        ("/Retry", "no question here yet"),
        ("/STATUS", "Model:"),
        ("٣ + ٤", "= 7"),
        ("३ * ४", "= 12"),
        ("１２ × ３", "= 36"),
        ("Was sind 5 % von 80 €?", "4"),
        ("Grüß dich!", "!"),
    ],
)
async def test_commands_and_digits_mean_the_same_under_every_locale(
    tmp_path: Path, locale: str, text: str, holds: str
) -> None:
    more = {"LC_ALL": locale, "LANG": locale}
    ended = await jarvisbot("--data", str(tmp_path / "d"), "chat", "--once", text, home=tmp_path, more=more)
    assert (ended.code, ended.errors) == (0, "")
    assert holds in ended.output


@pytest.mark.parametrize("locale", LOCALES)
async def test_letters_in_arguments_reach_the_tool_row_as_they_were_written(tmp_path: Path, locale: str) -> None:
    more = {"LC_ALL": locale, "LANG": locale}
    text = "Wurzel aus 529 × ½"
    ended = await jarvisbot("--data", str(tmp_path / "d"), "chat", "--once", text, home=tmp_path, more=more)
    assert ended.code == 0
    assert "\ufffd" not in ended.output
    assert "Ã" not in ended.output
