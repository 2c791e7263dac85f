"""Patterns of German and English wording that several readings share."""

from __future__ import annotations

import re

__all__ = ["ASKING", "ATTRIBUTE", "CONNECTOR", "LEAD", "PERSONAL", "SHELL"]

LEAD = r"^\W*"
"""What may stand in front of the first word."""

CONNECTOR = re.compile(
    LEAD + r"(?:(?:oh|ah|äh|hm+)\W+)?(?:and|und|auch|also|plus|or|oder|but|aber|what about|how about|what if|same for"
    r"|was ist mit|was wäre mit|wie wäre? es mit|wie (?:ist|sieht) es (?:mit|in|bei)|wie sieht['’]?s (?:mit|in|bei)"
    r"|nein|no(?! of\b)|nope|nicht|sondern|instead|statt(?:dessen)?|i meant?|ich mein(?:e|te)?)\b",
    re.IGNORECASE,
)
"""What a message begins with that goes on with an earlier one: and, nein, what about."""

SHELL = re.compile(
    LEAD + r"(?:(?:hey|hi|hello|hallo|moin|servus|jarvis|there|du|please|bitte|so|na|well|guten (?:morgen|tag|abend)"
    r"|good (?:morning|afternoon|evening)|do you (?:happen to )?know|did you know|(?:can|could|would|will) you (?:please )?"
    r"(?:tell|explain to|explain) (?:me|us)|(?:can|could) you (?:please )?(?:explain|describe|look up|find out|tell)"
    r"|i (?:want|need|would like|['’]d like) to know|i['’]d like to know|i wonder|i was wondering|wei(?:ß|ss)t du"
    r"|wisst ihr|(?:kannst|könntest) du (?:mir |uns )?(?:bitte |mal )*(?:sagen|erklären|verraten)|sag (?:mal|mir)"
    r"|what do you know about|was wei(?:ß|ss)t du (?:über|von)|(?:kannst|könntest) du (?:bitte |mal )*(?:herausfinden|nachsehen"
    r"|nachschauen|nachschlagen)"
    r"|ich (?:würde|möchte|will) (?:gern(?:e)? )?wissen|ich frage mich|hast du eine ahnung|any idea"
    r"|frage|question)\b[\s,:;!.–-]*)+"
    r"(?:(?:if|whether|ob|mal)\b\s*)?",
    re.IGNORECASE,
)
"""The courtesy around a question: do you know, kannst du mir sagen, I wonder if."""

PERSONAL = re.compile(
    r"\b(?:he|she|him|his|her|hers|they|them|their|er|ihn|ihm|sein|seine[nrms]?|ihre[nrms]?|sie|ihnen)\b", re.IGNORECASE
)
"""A word for someone whom only an earlier message names."""

ATTRIBUTE = re.compile(
    r"\b(?:wife|husband|married|age|aged|born|kids?|child(?:ren)?|died|dead|alive|nationality|height|spouse|girlfriend|boyfriend"
    r"|divorced|birthday|net worth|ehe(?:frau|mann)|frau|mann|verheiratet|alter|geboren|kind|kinder|gestorben|tot|freundin|freund"
    r"|geschieden|geburtstag|staatsangehörigkeit|nationalität|vermögen)\b",
    re.IGNORECASE,
)
"""What people ask about a person without the form of a question: merkel husband."""

ASKING = re.compile(
    LEAD + r"(?:(?:hey|hi|hallo|so|na|jarvis)\W+)?(?:no of|know (?:of|if|about|whether|who|what|when|where)|do you know"
    r"|(?:have you )?(?:ever )?heard of|any idea|wei(?:ß|ss)t du|wisst ihr|sag mal|is it true|stimmt es"
    r"|stimmt['’]?s|wusstest du)\b",
    re.IGNORECASE,
)
"""An opening that asks for a fact without the form of a question: know if, sag mal, is it true."""
