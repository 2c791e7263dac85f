"""The keyword index: which skills' words a message contains, weighed by how few skills share them."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

import msgspec

from jarvisbot.reading.questions import key_words, words
from jarvisbot.skill import Skill

__all__ = ["Hit", "KeywordIndex"]

DESCRIPTION_WEIGHT = 0.5
DESCRIPTION_TERMS = 2
"""A skill without keywords is found by its description, if so many of its words are in the message."""


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """The skill that the message's words speak for, and which words they are."""

    skill: Skill
    matched: tuple[str, ...]


class KeywordIndex:
    """The keywords of a catalogue, by their first word."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._skills = skills
        self._phrases: dict[str, list[tuple[int, str, tuple[str, ...]]]] = defaultdict(list)
        self._described: dict[str, list[int]] = defaultdict(list)
        shared: Counter[str] = Counter()
        for number, skill in enumerate(skills):
            if skill.keywords:
                terms = {term for keyword in skill.keywords for term in key_words(keyword)}
                for keyword in skill.keywords:
                    run = tuple(words(keyword))
                    self._phrases[run[0]].append((number, keyword, run))
            else:
                terms = set(key_words(skill.description))
                for term in terms:
                    self._described[term].append(number)
            shared.update(terms)
        self._rarity = {term: math.log(1 + len(skills) / count) for term, count in shared.items()}

    def best(self, message: str) -> Hit | None:
        """The skill with the highest score, the earlier one of equals, or None: the normal case."""
        said = words(message)
        scores: dict[int, float] = defaultdict(float)
        matched: dict[int, list[str]] = defaultdict(list)
        for place, word in enumerate(said):
            for number, keyword, run in self._phrases.get(word, ()):
                if keyword not in matched[number] and tuple(said[place : place + len(run)]) == run:
                    matched[number].append(keyword)
                    scores[number] += sum(self._rarity[term] for term in key_words(keyword))
        described: dict[int, list[str]] = defaultdict(list)
        for word in dict.fromkeys(said):
            for number in self._described.get(word, ()):
                described[number].append(word)
        for number, terms in described.items():
            if len(terms) >= DESCRIPTION_TERMS:
                matched[number] = terms
                scores[number] = DESCRIPTION_WEIGHT * sum(self._rarity[term] for term in terms)
        found = sorted(scores, key=lambda number: (-scores[number], number))
        for number in found:
            if not self._skills[number].forbids(message):
                return Hit(skill=self._skills[number], matched=tuple(matched[number]))
        return None
