"""What code answers holds nothing that the check of a model's answer would object to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jarvisbot.agent.language import reply_language
from jarvisbot.agent.review import review
from jarvisbot.skills import arithmetic, conversation, convert_units, current_date, world_clock
from jarvisbot.store.turns import CallRecord
from tests.skills.test_arithmetic import CLAIMED, CONTEXT, result_of
from tests.skills.test_clocks import CONTEXT as CLOCK_CONTEXT
from tests.skills.test_clocks import ELSEWHERE, HERE
from tests.skills.test_clocks import result_of as clock_result_of
from tests.skills.test_conversation import SMALL_TALK
from tests.skills.test_convert_units import ANSWERED, context
from tests.skills.test_convert_units import result_of as converted

ROWS = [
    json.loads(line)
    for line in (Path(__file__).parent.parent / "cases" / "tools.jsonl").read_text(encoding="utf-8").splitlines()
]
SUMS = sorted({*CLAIMED, *(row["message"] for row in ROWS if row["kind"] == "sum_from_message")})


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("message", SUMS)
def test_a_sum_that_code_answers(message: str, language: str) -> None:
    call = arithmetic.seed(message, CONTEXT)
    if call is None:
        return
    result = result_of(call)
    answer = arithmetic.answer(message, result, language)
    if answer is None:
        return
    calls = [CallRecord(call=call, result=result, seconds=0.0)]
    assert review(question=message, calls=calls, draft=answer, language=language) == ()


@pytest.mark.parametrize("message", sorted({message for *_, message in SMALL_TALK}))
def test_small_talk(message: str) -> None:
    language = reply_language(message, ())
    answer = conversation.answer(message, None, language)
    assert answer is not None
    assert review(question=message, calls=(), draft=answer, language=language) == ()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("message", sorted({message for message, *_ in ANSWERED}))
def test_a_conversion_that_code_answers(message: str, language: str) -> None:
    call = convert_units.seed(message, context(language))
    assert call is not None
    result = converted(call)
    answer = convert_units.answer(message, result, language)
    assert answer is not None
    calls = [CallRecord(call=call, result=result, seconds=0.0)]
    assert review(question=message, calls=calls, draft=answer, language=language) == ()


@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("message", sorted({message for message, _ in [*HERE, *ELSEWHERE]}))
def test_a_clock_that_code_reads(message: str, language: str) -> None:
    for skill in (current_date, world_clock):
        call = skill.seed(message, CLOCK_CONTEXT)
        result = clock_result_of(call, language) if call else None
        answer = skill.answer(message, result, language)
        if answer is None:
            continue
        calls = [CallRecord(call=call, result=result, seconds=0.0)] if call and result else []
        assert review(question=message, calls=calls, draft=answer, language=language) == ()
