"""/pair and /unpair."""

from __future__ import annotations

import pytest

from jarvisbot.store.members import Member
from tests.test_command import Controls, say

ADA = Member(user="telegram:7", name="Ada `x`")


async def test_a_code_lets_somebody_in_and_names_them() -> None:
    controls = Controls(members=[ADA])
    assert await say("pair", " abcd-efgh ", controls=controls) == "`Ada 'x'` (`telegram:7`) is a member now."
    assert controls.done == ["pair abcd-efgh by fake:1"]
    german = await say("pair", "abcd-efgh", controls=controls, language="de")
    assert german == "`Ada 'x'` (`telegram:7`) gehört jetzt dazu."


@pytest.mark.parametrize(("language", "words"), [("en", "don't know that code"), ("de", "kenne ich nicht")])
async def test_a_wrong_code_is_told(language: str, words: str) -> None:
    assert words in str(await say("pair", "wrong", language=language))


@pytest.mark.parametrize("given", ["", "list", "Liste"])
async def test_who_was_let_in_is_listed(given: str) -> None:
    assert await say("pair", given) == "Nobody was let in by a code so far."
    listed = await say("pair", given, controls=Controls(members=[ADA]), language="de")
    assert listed == "Mit einem Code hereingelassen:\n\n- `Ada 'x'` · `telegram:7`"


async def test_unpair_takes_it_back_and_says_where_the_others_stand() -> None:
    controls = Controls(members=[ADA])
    assert await say("unpair", "telegram:7", controls=controls) == "`telegram:7` is no member any more."
    assert "in the config" in str(await say("unpair", "telegram:8", controls=controls))
    assert "Konfiguration" in str(await say("unpair", "", controls=controls, language="de"))
