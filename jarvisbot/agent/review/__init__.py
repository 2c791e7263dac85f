"""The check of a model's answer against what its turn really brought."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Sequence

from jarvisbot.agent.language import reply_language
from jarvisbot.agent.review.claims import false_done
from jarvisbot.agent.review.clocks import wrong_time
from jarvisbot.agent.review.facts import wrong_fact
from jarvisbot.agent.review.finding import Check, Finding
from jarvisbot.agent.review.languages import wrong_language
from jarvisbot.agent.review.numbers import wrong_number
from jarvisbot.agent.review.sources import invented_source, missing_source, urls_in
from jarvisbot.agent.review.undone import undone
from jarvisbot.store.turns import CallRecord

__all__ = ["Check", "Finding", "review", "urls_in"]


def review(
    *,
    question: str,
    calls: Sequence[CallRecord],
    draft: str,
    known_urls: Collection[str] = (),
    language: str | None = None,
) -> tuple[Finding, ...]:
    """What a draft gets wrong, each kind at most once, in the order of `Check`; empty where nothing can be objected to.

    Only what the turn's own calls prove is objected to, and an empty draft passes. `known_urls` are the addresses of the
    talk before the draft; those of the question are added. `language` is the one the reply was to be in, which is the
    language of the findings too; without it they are in the question's.
    """
    draft, question = unicodedata.normalize("NFC", draft), unicodedata.normalize("NFC", question)
    if not draft.strip():
        return ()
    german = (language or reply_language(question, ())) == "de"
    invented = invented_source(calls, draft, {*known_urls, *urls_in(question)}, german=german)
    found = (
        wrong_number(calls, draft, german=german) or wrong_time(calls, draft, german=german),
        wrong_fact(calls, draft, german=german),
        invented,
        None if invented else missing_source(calls, draft, german=german),
        wrong_language(question, draft, language=language, german=german),
        false_done(question, calls, draft, german=german) or undone(calls, draft, german=german),
    )
    return tuple(finding for finding in found if finding is not None)
