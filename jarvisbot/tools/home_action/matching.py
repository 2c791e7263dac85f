"""Which action is meant by some words: its name, an alias, or a sentence that holds all of their words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from jarvisbot.config import Action
from jarvisbot.errors import BadArguments

__all__ = ["LISTED", "matching"]

LISTED = 12
"""So many names an error lists."""
NAME_CHARACTERS = 200

_WORD = re.compile(r"[^\W_]+")
_LIKENESS = 0.75
_FILLING_WORDS = """
the a an my our your please now in at on-the of to for me can could would will you der die das den dem des mein meine meinen
im am ins bitte mal jetzt doch kannst könntest würdest du mir uns von für zum zur und and
"""
_FILLING = frozenset(_FILLING_WORDS.split())
_SAME = {
    # a verb that says the same as the little word of a name
    **dict.fromkeys(("ausschalten", "ausmachen", "ausstellen", "abschalten", "abstellen", "ab"), "aus"),
    **dict.fromkeys(("einschalten", "anschalten", "anmachen", "anstellen", "ein", "einstellen"), "an"),
    **dict.fromkeys(("lights", "lamps"), "light"),
    **dict.fromkeys(("lichter", "lichtes"), "licht"),
}


def matching(text: str, actions: Sequence[Action]) -> Action:
    """The action that the text names. Raises BadArguments with the names there are where it names none, or several."""
    text = text[:NAME_CHARACTERS]
    said = _plain(text)
    for action in actions:
        if said in map(_plain, (action.name, *action.aliases)):
            return action
    words = _words(text)
    fitting: list[tuple[frozenset[str], Action]] = []
    for action in actions:
        named = [spelled for spelled in map(_words, (action.name, *action.aliases)) if spelled and spelled <= words]
        fitting += [(spelled, action) for spelled in named]
    # "light off" is said by whoever says "living room light off": the longer name counts alone.
    meant = [action for spelled, action in fitting if not any(spelled < other for other, _ in fitting)]
    names = list(dict.fromkeys(action.name for action in meant))
    match names:
        case [name]:
            return next(action for action in actions if action.name == name)
        case []:
            raise BadArguments(
                f'There is no action "{_shown(text)}".{_nearest(said, actions)} There are: {_listed(actions)}'
            )
        case _:
            raise BadArguments(f'Several actions fit "{_shown(text)}": {", ".join(names)}')


def _plain(text: str) -> str:
    return " ".join(word.casefold() for word in _WORD.findall(text))


def _words(text: str) -> frozenset[str]:
    """What the text is about, without articles and courtesy; verbs of switching as the little word of a name."""
    plain = (word.casefold() for word in _WORD.findall(text))
    return frozenset(_SAME.get(word, word) for word in plain if word not in _FILLING)


def _nearest(said: str, actions: Sequence[Action]) -> str:
    spelled = {_plain(words): action.name for action in actions for words in (action.name, *action.aliases)}
    close = difflib.get_close_matches(said, spelled, n=1, cutoff=_LIKENESS)
    return f' The nearest is "{spelled[close[0]]}".' if close else ""


def _shown(text: str) -> str:
    clean = " ".join("".join(letter if letter.isprintable() else " " for letter in text).replace('"', "'").split())
    return clean if len(clean) <= 60 else f"{clean[:59]}…"


def _listed(actions: Sequence[Action]) -> str:
    names = [action.name for action in actions]
    more = f", and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more
