"""Repeats left out of a reply; where there are none, not a byte changes."""

from __future__ import annotations

import pytest

from jarvisbot.agent.tidying import tidied

REPEATED = [
    ("One.\n\nTwo.\n\nOne.", "One.\n\nTwo."),
    ("One.\n\nOne.\n\nTwo.", "One.\n\nTwo."),
    ("It is Oslo. It is Oslo.", "It is Oslo."),
    ("It is Oslo. It is Oslo. It is Oslo.", "It is Oslo."),
    ("It is Oslo. It is Oslo. Really?", "It is Oslo. Really?"),
    ("Es ist Oslo! Es ist Oslo! Ja.", "Es ist Oslo! Ja."),
    ("The capital of Norway is Oslo.\n\nThe capital of Nor", "The capital of Norway is Oslo."),
    ("Erst das eine.\n\nUnd dann das andere.\n\nErst das eine", "Erst das eine.\n\nUnd dann das andere."),
    ("- a\n- b\n\nText.\n\n- a\n- b", "- a\n- b\n\nText."),
    ("One. Two.\n\nAnd three. And three.", "One. Two.\n\nAnd three."),
    ("He said “yes.” He said “yes.”", "He said “yes.”"),
]
SAME = [
    "",
    "One.",
    "One.\n\nTwo.\n",
    "  One.  \n \n Two. ",
    "Yes. No. Yes. No.",
    "Ha ha ha! Ha!",
    "row, row\nrow, row\n\nyour boat",
    "- milk\n- milk",
    "| a | a |\n|---|---|\n| 1 | 1 |",
    "```\nx\n\nx\n```",
    "a\n\nA",
    "The end.\n\nThe",
    "At 3.14 and 3.14 we stop.",
    "Dr. Who and Dr. Who.",
    "Very, very good.",
    "1. One. One.",
    "* Ja. Ja.",
    "Line one\r\n\r\nLine two",
]


@pytest.mark.parametrize(("text", "left"), REPEATED)
def test_what_was_said_is_not_said_again(text: str, left: str) -> None:
    assert tidied(text) == left
    assert tidied(left) == left


@pytest.mark.parametrize("text", SAME)
def test_a_text_without_exact_repeats_stays_as_it_is(text: str) -> None:
    assert tidied(text) == text
