"""The text of a message without its courtesy: greetings, look-up instructions, closing punctuation."""

from __future__ import annotations

import re

from jarvisbot.reading.questions import content_words
from jarvisbot.reading.wording import SHELL

__all__ = ["QUERY_CHARACTERS", "QUESTION_START", "has_word", "instructed", "one_line", "trimmed", "uncourteous"]

QUERY_CHARACTERS = 2_000
"""Only the beginning of a message is read; as many as are routed."""
ROUNDS = 6
"""So many layers of courtesy are taken off: "hey jarvis, please look up ..." has three."""

_WORD = re.compile(r"[^\W_]")
_START = (
    r"(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|should"
    r"|(?:what|who|where|when|how)['’´`]?s|wer|wen|wem|wessen|wann|wo|wof[üu]r|womit|woran|worin|worüber|woraus|wohin|woher"
    r"|warum|wieso|weshalb|weswegen|wie(?:viel\w*)?|welche[rsnm]?|ist|sind|war|waren|hat|haben|hatte|wird|wurden?|kann|könnte"
    r"|darf|muss|soll|gibt|in (?:what|which|welche[rsnm]?)|(?:seit|ab|bis) wann|since when|um wie ?viel)\b"
)
QUESTION_START = re.compile(_START, re.IGNORECASE)
"""A word that a question begins with, contractions and "in which" included."""
_ASKS = re.compile(
    r"know|tell|explain|describe|look up|find out|wonder|idea|wei(?:ß|ss)t|wisst|sag|erklär|verraten|wissen|frage mich|ahnung"
    r"|heraus|nach(?:seh|schau|schlag)",
    re.IGNORECASE,
)
_GREETING = re.compile(r"(?:hey|hi|hello|hallo|moin|servus|jarvis|na|please|bitte)\b")
_DISCOURSE = re.compile(
    r"(?:(?:(?:okay|ok|so|well|and|und|but|aber|also|then|dann|now|jetzt|oh|ah|hm+|äh|na|du|actually|sorry|btw|by the way"
    r"|yo|bro|dude|ey|alter|digga"
    r"|übrigens|quick question|kurze frage|eine frage|(?:i have )?a question|nur mal so|just (?:curious|wondering)|entschuldigung"
    r"|excuse me|@?jarvis)(?:\s*[,:;!.–-]+\s*|\s+))+)(?=" + _START + r")"
    r"|(?:okay|ok|so|well|now|also|oh|btw|by the way|übrigens|kurze frage|quick question|eine frage|(?:i have )?a question"
    r"|just (?:curious|wondering)|entschuldigung|excuse me|sorry|@?jarvis|dear \w+)\s*[,:;!]\s*",
    re.IGNORECASE,
)
_US = r"(?:(?:(?:to|for) )?(?:me|us|mir|uns) )?"
_SOFT = r"(?:(?:please|quickly|just|kindly|bitte|mal|doch|kurz|schnell|noch|eben|einmal) )*"
_IF = r"(?:,? ?(?:if|whether|that|ob|dass)\b)?"
_WHERE = r"(?:(?:on|in|im|auf|der|die|das|the|deinem|web|net|netz|internet|google|wikipedia|online) )*"
_INSTRUCTIONS = (
    r"(?:please|pls|plz|bitte|kindly)\b",
    rf"(?:can|could|would|will) (?:you|u) {_SOFT}"
    r"(?=(?:tell|give|show|explain|describe|define|look|search|google|find|check|name)\b)",
    rf"(?:kannst|könntest|kannste|würdest) du {_SOFT}{_US}{_SOFT}"
    rf"(?:sagen|erklären|verraten|herausfinden|nachsehen|nachschauen|nachschlagen|googeln){_IF}",
    rf"(?:kannst|könntest|kannste|würdest) du {_SOFT}{_US}{_SOFT}{_WHERE}(?:nach )?"
    r"(?=.{1,200}\b(?:suchen|googeln|recherchieren)$)",
    rf"i(?:['’]d like| would like|['’]d love| want| need) to know(?: about)?{_IF}",
    rf"(?:do (?:you|u)|did you|d['’]you|you) (?:happen to )?know(?: anything about| of| about|{_IF})",
    r"(?:have you |did you |ever )*hear(?:d)? (?:of|about)",
    r"know(?: of| about| if| whether)(?! (?:me|us)\b)|know(?= (?:who|what|when|where|why|which|how (?!to\b))\b)",
    r"no of\b",
    rf"(?:do you have )?(?:any|no) (?:idea|clue)(?: about| of|{_IF})",
    rf"(?:ich )?(?:habe |hab )?keine ahnung{_IF}",
    rf"(?:hast du )?(?:eine |ne )?ahnung{_IF}",
    rf"i(?:['’]m| am|['’]ve been| was)? (?:just )?wonder(?:ing)?(?: about|{_IF})",
    r"(?:wei(?:ß|ss)t du|wisst ihr|wei(?:ß|ss) (?:jemand|man|wer)|wusstest du|does anyone know|does anybody know|anyone know)"
    rf"(?: zufällig| vielleicht| eigentlich| schon| denn| mal)*(?: etwas über| was über|{_IF})",
    rf"sag(?:e|t)? {_US}{_SOFT}{_IF}(?<=[ ,:bs])",
    r"ich (?:würde|möchte|will|wüsste|hätte)(?: auch| nur| mal| gern| gerne)*(?: wissen| gewusst)"
    rf"{_IF}",
    rf"ich wüsste (?:gern|gerne|mal)*{_IF}",
    rf"ich frag(?:e)? mich(?: gerade)?{_IF}",
    rf"mich (?:interessiert|würde (?:auch )?interessieren){_IF}",
    rf"(?:can|may|could) i ask(?: you)?{_IF}|(?:darf|kann) ich (?:mal |dich )?fragen{_IF}|would you mind telling me{_IF}",
    r"kennst du\b|(?:ich such|ich bräucht)e\b|i(?:['’]m| am) looking for\b",
    rf"tell {_US}(?:(?:something|more|a bit|a little|all|everything) )?(?:about|if|whether|of)\b",
    r"tell (?:me|us)\b",
    rf"give {_US}(?:(?:some|more|a few|the) )*(?:info|information|details|facts|a summary|an overview) (?:about|on|of)\b",
    r"(?:show|give) (?:me|us)\b",
    r"(?:i need |some |more |any )*(?:info|information) (?:about|on)\b",
    r"what (?:do|can) you (?:know|tell (?:me|us)) about\b",
    r"was (?:wei(?:ß|ss)t|kannst) du (?:mir )?(?:alles )?(?:über|von|zu)\b",
    rf"erzähl(?:e|t)? {_US}{_SOFT}(?:(?:etwas|was|mehr|alles) )?(?:über|von|zu)\b",
    rf"(?:erklär|beschreib|definier|nenn|zeig)(?:e|t)?\b ?{_US}{_SOFT}(?:(?:mehr )?(?:infos?|informationen) (?:über|zu)\b)?",
    rf"gib {_US}{_SOFT}(?:(?:mehr )?(?:infos?|informationen) (?:über|zu)\b)?",
    r"(?:what|how) about\b|was ist mit\b",
    r"(?:mehr )?(?:infos?|informationen) (?:über|zu|zum|zur)\b",
    rf"(?:explain|describe|define)\b ?{_US}",
    r"name (?:me )?(?=(?:the|all|some|a|three|five|ten)\b)",
    rf"(?:look up|(?:do )?(?:some )?research (?:on|about)|research(?= the\b)|search (?:{_WHERE})?for|search up|find out|check)"
    rf"(?: about|{_IF})",
    r"look(?= .{1,200} up$)",
    r"search(?= the (?:web|internet|net)$|(?: online)$)",
    r"find (?:me )?(?=(?:the|a|an|some)\b)",
    rf"google (?:nach|for|mal|bitte)\b|google(?= (?:the|a|an|der|die|das|den|ein|eine|einen)\b| {_START})",
    rf"(?:such|schau|sieh|recherchier|schlag|guck|find)e? {_US}{_SOFT}{_WHERE}(?:nach\b|heraus\b|raus\b)?{_IF}",
    rf"(?:is|was) it (?:actually |really )?(?:true|correct|right|a fact){_IF}",
    r"true that\b",
    rf"ist es (?:eigentlich |wirklich )?(?:wahr|richtig|so){_IF}",
    r"stimmt(?: es|['’]?s)?(?: eigentlich| wirklich| denn)*(?:,? dass\b|,? das(?= \w+ \w+))",
    r"stimmt(?: es|['’]?s)\b",
)
_INSTRUCTION = re.compile("|".join(f"(?:{pattern})" for pattern in _INSTRUCTIONS), re.IGNORECASE)
_THAT = re.compile(
    r"^(?:(?:zufällig|vielleicht|eigentlich|schon|by any chance),? )?(?:that|dass|if|whether|ob) (?=\S+ \S)"
)
"""What joins an asking to what it asks, once the asking is off."""
_SEPARATED = re.compile(
    r" (?:(?:im (?:netz|internet|web)|online) )?(?:suchen|googeln|recherchieren|nach|heraus|raus|up|online|on the web)$",
    re.IGNORECASE,
)
"""The end of an instruction whose verb stands apart: schlag ... nach, look ... up."""
_PARTED = re.compile(r"k[aö]n|würd|such|schau|sieh|schlag|find|look\b(?! up)", re.IGNORECASE)
_ENDING = re.compile(
    r"(?:[\s,;:–-]+(?:please|pls|plz|bitte|for me|für mich|thanks|thank you|thx"
    r"|danke|danke schön|vielen dank|jarvis|you know|or not"
    r"|oder nicht|oder|right|weißt du(?: das)?|do you know|i wonder|i was wondering|lol|btw))$",
    re.IGNORECASE,
)
_EDGE = re.compile(r"^(?:[\s?!,;:¿¡…–)\]]|\.(?!\w)|[-*•>](?=\s))+")


def one_line(message: str) -> str:
    """The beginning of the message with every run of white space as one space."""
    return " ".join(message[:QUERY_CHARACTERS].split())


def has_word(text: str) -> bool:
    """Whether a letter or a digit is in it."""
    return _WORD.search(text) is not None


def trimmed(text: str) -> str:
    """The text without punctuation and courtesy at its ends; a full stop that belongs to an abbreviation stays."""
    core = _EDGE.sub("", text)
    for _ in range(ROUNDS):
        shorter = core.rstrip(" ?!,;:…¿¡")
        if shorter.endswith(".") and not re.search(r"\b\w\.$", shorter):
            shorter = shorter.rstrip(".")
        shorter = _ENDING.sub("", shorter)
        if shorter == core:
            break
        core = shorter
    return core if has_word(core) else text


def uncourteous(text: str) -> str:
    """The text without greetings, names of the bot, and words that only lead up to a question.

    A word that could be the beginning of a name stays: "So Paulo", "Hello Kitty".
    """
    core = text
    for _ in range(ROUNDS):
        rest = core
        if (found := _DISCOURSE.match(rest)) is not None:
            rest = rest[found.end() :]
        shell = SHELL.match(rest)
        if shell is not None and _only_leads_up(shell[0], rest[shell.end() :]):
            rest = rest[shell.end() :]
        rest = _EDGE.sub("", rest)
        if rest == core or not content_words(rest):
            break
        core = rest
    return core


def _only_leads_up(shell: str, rest: str) -> bool:
    if QUESTION_START.match(rest) or _ASKS.search(shell) or re.search(r"[,:;!.]\s*$", shell):
        return True
    return _GREETING.match(shell.strip()) is not None


def instructed(text: str, *, whole: bool = True) -> str:
    """What the text asks to look up, without the instruction and the courtesy around it; the text where that is nothing.

    Not `whole`: a pronoun is something as well, "tell me more about her".
    """
    core = text
    for _ in range(ROUNDS):
        rest = uncourteous(core)
        if (found := _INSTRUCTION.match(rest)) is not None:
            rest = _EDGE.sub("", rest[found.end() :])
            if _PARTED.match(found[0]):
                rest = _SEPARATED.sub("", rest)
        if rest != text:
            rest = _THAT.sub("", rest)
        if rest == core or not (content_words(rest) if whole else has_word(rest)):
            break
        core = rest
    return core
