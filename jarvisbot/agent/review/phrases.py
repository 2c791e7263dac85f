"""How people say in English and German that something is done: phrases with the words of each effect put in."""

from __future__ import annotations

import re
from functools import cache

from jarvisbot.agent.review.effects import Effect

__all__ = ["HINT", "claim", "state"]

HINT = re.compile(
    r"sav|stor|writ|note|record|memor|jot|remember|in mind|updat|added|put\b|made|delet|remov|eras|clear|cancel|forgot|sent"
    r"|on its way|\bout\b|mailed|forward|texted|messag|deliver|set\b|creat|schedul|remind|book|reserv|moved|enter"
    r"|speicher|notier|merk|geschrieben|gehalten|gelegt|gelöscht|entfernt|storniert|abgesagt|gestrichen|sendet|schickt|sandt"
    r"|\braus\b|unterwegs|leitet|gemailt|gestellt|gesetzt|gericht|erinner|aktiv|eingetragen|gebucht|reserviert|geplant"
    r"|terminiert|schoben|verlegt",
    re.IGNORECASE,
)
"""A part of a word that every claim has."""

_DONE = {
    Effect.SAVED: (
        r"(?:saved|stored|noted|recorded|memori[sz]ed|written (?:that |it |this )?down|jotted|made a note"
        r"|taken (?:a )?note|remembered)"
    ),
    Effect.DELETED: r"(?:deleted|removed|erased|cleared|cancell?ed|forgotten)",
    Effect.SENT: r"(?:sent|e-?mailed|forwarded|texted|messaged|delivered)",
    Effect.REMINDED: r"(?:set|created|scheduled|added|set up)",
    Effect.BOOKED: r"(?:booked|reserved|scheduled|rescheduled)",
}
_DONE_GERMAN = {
    Effect.SAVED: r"(?:(?:ab)?gespeichert|notiert|gemerkt|vermerkt|aufgeschrieben|festgehalten|abgelegt|hinterlegt)",
    Effect.DELETED: r"(?:gelöscht|entfernt|storniert|abgesagt|gestrichen)",
    Effect.SENT: (
        r"(?:(?:ab|zu|los)?gesendet|versendet|(?:ab|zu|los|weg)?geschickt|verschickt|versandt|gesandt|weitergeleitet"
        r"|gemailt|zugestellt)"
    ),
    Effect.REMINDED: r"(?:gestellt|gesetzt|eingerichtet|angelegt|erstellt|eingestellt|aktiviert|eingetragen)",
    Effect.BOOKED: r"(?:gebucht|reserviert|eingetragen|eingeplant|terminiert|verschoben|verlegt)",
}
_REMINDER = r"(?:reminders?|alarms?|timers?)"
_REMINDER_GERMAN = r"(?:erinnerung(?:en)?|wecker|timer)"
_KEPT = (
    r"(?:notes?|memor(?:y|ies)|entr(?:y|ies)|reminders?|alarms?|timers?|messages?|e-?mails?|mails?|text|reply|invitations?"
    r"|appointments?|meetings?|events?|calls?|bookings?|reservations?|tables?|flights?|tickets?|rooms?|hotels?|seats?"
    r"|files?|documents?|lists?|items?|preferences?|details?|information|data|address|birthday|numbers?|contacts?"
    r"|requests?|changes?|tasks?)"
)
_KEPT_GERMAN = (
    r"(?:notiz(?:en)?|eintr(?:ag|äge)|erinnerung(?:en)?|wecker|timer|nachricht(?:en)?|e-?mails?|mails?|sms|antwort"
    r"|einladung(?:en)?|termine?|treffen|besprechung(?:en)?|buchung(?:en)?|reservierung(?:en)?|tisch|flug|flüge|tickets?"
    r"|zimmer|hotel|plätze|platz|dateien?|dokumente?|listen?|daten|adresse|geburtstag|nummer|kontakte?|änderung(?:en)?"
    r"|aufgaben?|information(?:en)?|vorlieben?|anruf)"
)
_THING = (
    r"(?:it|that|this|these|those|them|everything|all (?:of )?(?:it|that|them)"
    r"|(?:the|your|a|an|this|that|these|those|all)\b(?:\s+[\w'’-]+){1,6})"
)
_NOW = r"(?:\s+(?:now|just|already|also|successfully|all|both|gone ahead and|duly))*"
_I_HAVE = rf"\b(?:(?:i|we)['’]?ve|(?:i|we)\s+have|i\s+went\s+ahead\s+and){_NOW}\s+"
_I_WILL = r"\bi(?:['’]?ll|\s+will)(?:\s+(?:be sure to|make sure to|also|then))?\s+"
_YOU_WILL = r"\byou(?:['’]?ll|\s+will)\s+"
_ICH_HABE = r"\b(?:ich\s+(?:habe?|hab['’]?s)|(?:habe?|hab['’]?s)\s+ich|^\W*hab(?:e|['’]?s)?)\b"
_ICH_WERDE = r"\b(?:ich\s+werde|werde\s+ich)\s+"
_SOME_WORDS = r"[^.!?;]{0,90}?"
_OK = r"(?:done|ok|okay|alright|all right|sure|great|perfect|yes)"
_OK_GERMAN = r"(?:erledigt|okay|ok|gut|alles klar|klar|gern|ja|super|fertig|alles|ist|schon)"
_ENDS = r"\s*(?:[.!:✓✅,–—]|$)"
_NO_VERB = r"(?!.*\b(?:is|are|was|were|will|can|do|does|have|has|had|must|may|get|gets|go|goes|stay|stays)\b)"
_POLITE = r"(?!(?:noted|notiert)\s*(?:[.!,]|$))"
"""Said of anything that was understood."""
_BETWEEN_GERMAN = (
    r"(?:(?:jetzt|nun|soeben|gerade|erfolgreich|damit|hiermit|für|dich|in|im|den|dem|deinem|deinen|kalender|bereits|schon"
    r"|am|um|auf|mit|an|[\w:.]*\d[\w:.]*|(?:mon|diens|donners|frei|sams|sonn)tag|mittwoch|morgen|heute|uhr|worden)\s+){0,8}?"
)

_OF_WHAT = dict.fromkeys(Effect, "") | {
    Effect.DELETED: (
        rf"(?={_ENDS}|\s+(?:it|that|them|everything|all of (?:it|that|them))\b"
        rf"|\s+(?:all|your|the|that|this|these|those)\s+(?:[\w'’-]+\s+){{0,4}}?{_KEPT}\b)"
    ),
}
"""What has to be said of the thing: who removes a word from a sentence has deleted nothing."""
_WAS = dict.fromkeys(Effect, _SOME_WORDS) | {
    Effect.DELETED: (
        rf"\s+(?:(?:\w+\s+){{0,4}}?(?:es|das|alles|sie|ihn|dies\w*)\s+|[^.!?;]{{0,60}}?\b{_KEPT_GERMAN}\b){_SOME_WORDS}"
    ),
}


@cache
def claim(effect: Effect) -> re.Pattern[str]:
    """What somebody says who has done it: I have …, …ed!, ich habe …, …t; or who promises to remind."""
    phrases = _reminding() if effect is Effect.REMINDED else (*_doing(effect), *_more(effect))
    return re.compile("|".join(phrases), re.IGNORECASE)


def _doing(effect: Effect) -> tuple[str, ...]:
    done, german = _DONE[effect], _DONE_GERMAN[effect]
    return (
        rf"{_I_HAVE}{done}\b{_OF_WHAT[effect]}(?!\s+(?:you\s+)?(?:time|money|some|a lot|hours))",
        rf"^\W*(?:{_OK}\W+)?i\s+(?:just\s+)?{done}\b{_OF_WHAT[effect]}\s+{_THING}",
        rf"^\W*(?:(?:{_OK}|all)\W+)?(?:successfully\s+)?{_POLITE}{done}(?={_ENDS}|\s+(?:it|that|this|them|successfully"
        rf"|for you|(?:to|in|from|on)\s+your|(?:the|your)\s+{_KEPT})\b)",
        rf"^\W*(?:{_OK}\W+)?(?:(?:your|new)\s+)?{_KEPT}\s+(?:successfully\s+)?{done}\b(?={_ENDS}|\s+(?:to|for|at|on|with|from)\b{_NO_VERB})",
        rf"{_ICH_HABE}{_WAS[effect]}\b{german}\b",
        rf"(?:^\W*|\b(?:das|es|alles|sie|ihn|{_KEPT_GERMAN})\s+)hab(?:e|['’]?s)?\s+ich\b{_SOME_WORDS}\b{german}\b",
        rf"^\W*(?:{_OK_GERMAN}\W+)?(?:(?:dein\w*|neue\w?)\s+)?{_KEPT_GERMAN}\s+(?:erfolgreich\s+)?{german}(?={_ENDS})",
        rf"^\W*(?:{_OK_GERMAN}\W+)*(?:erfolgreich\s+)?{_POLITE}{german}(?={_ENDS})",
    )


def _more(effect: Effect) -> tuple[str, ...]:
    if effect is Effect.SAVED:
        return (
            rf"{_I_HAVE}(?:updated|changed)\s+(?:it|that|this|(?:your|the)\s+(?:[\w'’-]+\s+){{0,4}}?{_KEPT})\b",
            rf"{_I_HAVE}(?:added|put|written)\s+[^.!?;]{{1,80}}?\s(?:to|in|on|into)\s+(?:your|the)\s+(?:\S+\s+){{0,2}}?"
            r"(?:lists?|notes?|memory)\b",
            rf"{_I_WILL}(?:remember\s+(?:that|this|it|your|you\b)|keep\s+(?:that|this|it)\s+in\s+mind)",
            rf"\b(?:ich\s+merke?|das\s+merke?\s+ich)\s+mir\b|{_ICH_WERDE}(?:es|das|mir)\b[^.!?]{{0,60}}\bmerken\b",
        )
    if effect is Effect.BOOKED:
        return (
            r"\byou(?:['’]?re|\s+are)\s+(?:all |now )?booked\b",
            rf"{_I_HAVE}(?:added|put|moved|entered|placed)\s+(?:\S+\s+){{0,8}}?"
            r"(?:to|in|into|on|from)\s+(?:your|the|my)\s+(?:\S+\s+)?(?:calendar|schedule)\b",
            rf"{_I_HAVE}made\s+(?:a|an|the|your)\s+(?:\w+\s+)?(?:booking|reservation|appointment)\b",
            rf"{_I_HAVE}moved\s+(?:your|the)\s+(?:[\w'’-]+\s+){{0,3}}?(?:meeting|appointment|call|event|booking|reservation)\b",
            r"^\W*(?:done\W+)?(?:added|moved)\s+(?:\S+\s+){0,6}?(?:calendar|schedule)\b",
            r"^\W*i\s+(?:just\s+)?(?:added|put|moved)\s+(?:\S+\s+){0,8}?(?:calendar|schedule)\b",
        )
    if effect is Effect.SENT:
        return (
            r"\b(?:the|your)\s+(?:e-?mail|message|invitation|reply|text)\s+is\s+(?:now\s+)?(?:on its way|out)\b",
            r"\b(?:die|deine)\s+(?:e-?mail|mail|nachricht|einladung|antwort|sms)\s+ist\s+(?:jetzt\s+|schon\s+)?(?:raus|unterwegs)\b",
        )
    return ()


def _reminding() -> tuple[str, ...]:
    done, german = _DONE[Effect.REMINDED], _DONE_GERMAN[Effect.REMINDED]
    return (
        rf"{_I_HAVE}{done}\s+(?:\S+\s+){{0,3}}?{_REMINDER}",
        rf"^\W*(?:done\W+(?:i )?|ok(?:ay)?\W+i |i )(?:just )?{done}\s+(?:\w+\s+){{0,5}}?{_REMINDER}",
        rf"^\W*(?:done\W+|ok(?:ay)?\W+)?(?:\w+\s+)?{_REMINDER}\s+(?:is\s+)?(?:now\s+)?(?:set|created|scheduled)\b",
        rf"{_I_HAVE}reminded\b|^\W*(?:done\W+)?i\s+(?:just\s+)?reminded\b|{_ICH_HABE}{_SOME_WORDS}\berinnert\b",
        rf"{_I_WILL}remind\s+(?:you|him|her|them|everyone)\b",
        rf"{_YOU_WILL}(?:be reminded|(?:get|receive|be sent)\s+an?\s+(?:\w+\s+)?reminder)\b",
        rf"{_ICH_HABE}{_SOME_WORDS}\b{_REMINDER_GERMAN}{_SOME_WORDS}\b{german}\b",
        rf"^\W*(?:{_OK_GERMAN}\W+)?(?:die |deine? |der )?{_REMINDER_GERMAN}\s+(?:ist\s+)?(?:\w+\s+){{0,4}}?{german}\b",
        r"\b(?:ich\s+erinnere|erinnere\s+ich)\s+(?:dich|euch|sie)\b",
        rf"{_ICH_WERDE}(?:dich|euch|sie)\b[^.!?]{{0,80}}\berinnern\b",
        r"\bdu\s+(?:wirst|bekommst|erhältst)\b[^.!?]{0,60}\b(?:erinnert|eine\s+erinnerung)\b",
    )


@cache
def state(effect: Effect) -> re.Pattern[str]:
    """What is said of a thing that it has been done to, which those may say too who only looked it up."""
    done, german = _DONE[effect], _DONE_GERMAN[effect]
    reminder = effect is Effect.REMINDED
    kept, kept_german = (_REMINDER, _REMINDER_GERMAN) if reminder else (_KEPT, _KEPT_GERMAN)
    thing = (
        rf"(?:\b(?:your|the|this|that|all|these|those)\s+(?:[\w'’-]+\s+){{0,5}}?{kept}(?:\s+(?:[\w'’:.-]+\s+){{0,8}}?)?"
        r"|^\W*(?:it|that|this|everything|they|all)\s*)"
    )
    thing_german = (
        rf"(?:\b(?:dein\w*|der|die|das|dies\w*|alle)\s+(?:[\w'’-]+\s+){{0,4}}?{kept_german}\s+(?:[\w'’:.-]+\s+){{0,6}}?"
        r"|^\W*(?:es|das|alles|dies|sie)\s+)"
    )
    phrases = (
        rf"{thing}\s*\b(?:has|have)\s+(?:now\s+|already\s+|just\s+)?been\s+(?:successfully\s+)?{done}\b",
        rf"{thing}\s*\b(?:is|are)\s+(?:now|all|successfully)\s+(?:successfully\s+)?{done}\b",
        rf"{thing}\s*\bwas\s+successfully\s+{done}\b",
        rf"\byour\s+(?:[\w'’-]+\s+){{0,5}}?{kept}\s+(?:was|were|is|are)\s+{done}\b",
        rf"{thing_german}(?:wurden?|ist|sind)\s+{_BETWEEN_GERMAN}{german}\b",
    )
    return re.compile("|".join(phrases), re.IGNORECASE)
