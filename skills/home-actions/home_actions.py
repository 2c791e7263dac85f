"""Actions asked for in chat: the call with the person's own words, and the answer that never says more than happened."""

from __future__ import annotations

import re

from jarvisbot.reading.questions import is_closing, without_opening
from jarvisbot.types import SeedContext, ToolCall, ToolResult

__all__ = ["answer", "seed"]

NAME_CHARACTERS = 120

_COURTESY = re.compile(
    r"^(?:(?:please|bitte|could you|can you|would you|kannst du|könntest du|würdest du|jarvis)\W+)+|"
    r"\W+(?:please|bitte|danke|thanks|thank you|for me|für mich)\W*$",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^(?:open|launch|start|öffne|starte)\s+(?:(?:the|my|den|die|das|mein\w*)\s+)?", re.IGNORECASE)
_FAILED = re.compile(r'^Tool "home_action" failed:\s*')
_DONE = re.compile(r"Done: (?P<name>[^\n]+)(?:\n(?P<printed>.+))?", re.DOTALL)
_UNKNOWN = re.compile(
    r'There is no action "(?P<said>[^"]*)"\.(?: The nearest is "(?P<nearest>[^"]*)"\.)? There are: (?P<names>.+)',
    re.DOTALL,
)
_SEVERAL = re.compile(r'Several actions fit "(?P<said>[^"]*)": (?P<names>.+)', re.DOTALL)
_APPROVAL = re.compile(r"This needs a person's approval")
_OBSERVES = re.compile(r"The bot only observes here")
_FAULTS = (
    (r'"(.+)" took longer than ([\d.]+) seconds and was stopped\.', "„{0}“ dauerte länger als {1} Sekunden und wurde beendet."),
    (r'"(.+)" ended with exit code (\d+)(?:\.|: (.*))', "„{0}“ endete mit dem Fehlercode {1}.{2}"),
    (r'"(.+)" was ended by signal (\d+)(?:\.|: (.*))', "„{0}“ wurde durch das Signal {1} beendet.{2}"),
    (r'"(.+)" cannot be run: there is no program (.+)\.', "„{0}“ lässt sich nicht ausführen, das Programm {1} gibt es nicht."),
    (r'"(.+)" was not run: (.+) could not be reached\.', "„{0}“ wurde nicht ausgeführt, {1} ist nicht erreichbar."),
    (
        r'(\S+) did not answer within ([\d.]+) seconds: whether "(.+)" was run is not known\.',
        "{0} hat nicht innerhalb von {1} Sekunden geantwortet. Ob „{2}“ ausgeführt wurde, ist nicht bekannt.",
    ),
    (
        r'The line to (\S+) broke: whether "(.+)" was run is not known\.',
        "Die Verbindung zu {0} brach ab. Ob „{1}“ ausgeführt wurde, ist nicht bekannt.",
    ),
    (
        r'"(.+)" failed: (\S+) answered (.+?)(, and redirects are not followed)?\.',
        "„{0}“ ist fehlgeschlagen, {1} antwortete {2}.",
    ),
)  # fmt: skip
"""Faults of the tool with their German sentence."""
_MORE = re.compile(
    r"\?|\b(?:and|und|then|dann|but|aber|what|was|who|wer|why|warum|when|wann|how|wie|tell|sag|erzähl\w*)\b", re.I
)


def seed(message: str, context: SeedContext) -> ToolCall | None:
    """The call with what the person said as the action's name: the tool finds the action in it."""
    name = _named(message)
    if not name or len(name) > NAME_CHARACTERS or is_closing(message):
        return None
    return ToolCall(id="seed", name="home_action", arguments={"name": name})


def _named(message: str) -> str:
    """What the person said, without courtesy: "turn off the light"; of "open Spotify" what is to be opened."""
    said = " ".join(_COURTESY.sub("", without_opening(message).strip()).split()).strip(" .!?,;:")
    return _OPENING.sub("", said) or said


def answer(message: str, result: ToolResult | None, language: str) -> str | None:
    """What was done, or what was not done and why: in German for "de", else in English.

    What was not done is always said here, so that no model can tell it otherwise. None where an action was run and the
    message asks for more.
    """
    if result is None:
        return None
    german = language == "de"
    if result.ok:
        return None if _asks_for_more(message) else _done(result.text, german=german)
    return _not_done(message, _FAILED.sub("", result.text.strip()), german=german)


def _asks_for_more(message: str) -> bool:
    core = re.sub(
        r"^\W*(?:kannst|könntest|würdest|can|could|would) (?:du|you)\b(.*)\?\W*$", r"\1", message, flags=re.I | re.S
    )
    return _MORE.search(core) is not None


def _done(text: str, *, german: bool) -> str:
    found = _DONE.fullmatch(text.strip())
    if found is None:
        return text
    done = (
        f"Erledigt: {_quoted(found['name'], german=True)}."
        if german
        else f"Done: {_quoted(found['name'], german=False)}."
    )
    return f"{done}\n\n```\n{found['printed'].replace('```', '` ` `')}\n```" if found["printed"] else done


def _not_done(message: str, reason: str, *, german: bool) -> str:
    if _APPROVAL.match(reason):
        named = _quoted(_named(message), german=german)
        return (
            f"{named} habe ich nicht ausgeführt: Was etwas außerhalb dieses Gesprächs auslöst, braucht eine Freigabe, und die "
            "kann ich hier noch nicht einholen."
            if german
            else f"I have not run {named}: what changes something outside this chat needs an approval, and I cannot ask for "
            "one here yet."
        )
    if _OBSERVES.match(reason):
        named = _quoted(_named(message), german=german)
        return (
            f"{named} habe ich nicht ausgeführt: Ich bin hier auf Beobachten gestellt und löse nichts aus."
            if german
            else f"I have not run {named}: I am set to observe here and change nothing."
        )
    if found := _UNKNOWN.fullmatch(reason):
        said, names = _quoted(found["said"], german=german), found["names"]
        nearest = found["nearest"]
        if german:
            near = f" Meinst du {_quoted(nearest, german=True)}?" if nearest else ""
            return f"Das habe ich nicht getan: Zu {said} kenne ich keine Aktion.{near} Es gibt: {_in_german(names)}."
        near = f" Do you mean {_quoted(nearest, german=False)}?" if nearest else ""
        return f"I have not done that: I know no action for {said}.{near} There are: {names}."
    if found := _SEVERAL.fullmatch(reason):
        if german:
            return f"Das habe ich nicht getan: Mehrere Aktionen passen, {found['names']}. Welche soll es sein?"
        return f"I have not done that: several actions fit, {found['names']}. Which one shall it be?"
    if german:
        return f"Das hat nicht geklappt: {_in_words(reason)}"
    return f"That did not work: {reason}"


def _in_words(reason: str) -> str:
    for pattern, sentence in _FAULTS:
        if found := re.fullmatch(pattern, reason, re.DOTALL):
            groups = [group or "" for group in found.groups()]
            if "{2}" in sentence and sentence.endswith("{2}"):
                groups[2] = f" {groups[2]}" if groups[2] else ""
            return sentence.format(*groups)
    return reason


def _in_german(names: str) -> str:
    return re.sub(r", and (\d+) more$", r" und \1 weitere", names)


def _quoted(name: str, *, german: bool) -> str:
    return f"„{name}“" if german else f"“{name}”"
