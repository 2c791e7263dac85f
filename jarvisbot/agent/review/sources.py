"""Web addresses in a draft: those that nothing in the turn has shown, and one that is missing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from urllib.parse import unquote

from jarvisbot.agent.review.finding import Check, Finding
from jarvisbot.store.turns import CallRecord

__all__ = ["invented_source", "missing_source", "urls_in"]

_URL = re.compile(r"https?://[^\s<>\"“”„‟«»‹›'‘’‚`)\]}]+", re.IGNORECASE)
_TRAILING = ".,;:!?*…。，；：！？"
_PARTS = re.compile(r"(https?)://([^/?#\\]*)([^?#]*)", re.IGNORECASE)
_DEFAULT_PORTS = {"http": ":80", "https": ":443"}
_SHY = re.compile(
    r"\b(?:(?:could|ca|can|did|do|does|was|were|is|are|have|has)(?: not|n['’]?t)|cannot|couldnt|cant|didnt|unable to"
    r"|failed to|not able to)\s+(?:\w+\s+){0,3}?(?:find|found|locate|tell|say|state|determine|verify|confirm|answer)\b"
    r"|\b(?:found|find|finding|there (?:is|are|was|were)|came back with|returned|got|have|has|had|with)\s+no\s+"
    r"(?:\w+\s+){0,2}?(?:results?|answers?|information|info|matches|match|hits?|sources?|mention|details?)\b"
    r"|\bno (?:\w+ )?results\b"
    r"|\bno (?:\w+ )?(?:results?|matches|hits?|information)(?: (?:was|were|is|are|found|for|about|on|came)\b|\s*[.!]|\s*$)"
    r"|\b(?:found|find)\s+nothing\b|\bnothing\s+(?:\w+\s+){0,2}?found\b|\bnot\s+found\b"
    r"|\b(?:do not|don['’]?t|did not|didn['’]?t|not) know\b|\bunable to find\b|\bnot sure\b|\bno idea\b"
    r"|\bnicht\s+(?:\w+\s+){0,2}?(?:gefunden|finden|ermitteln|herausfinden|feststellen|beantworten|bekannt|sagen)\b"
    r"|\b(?:nichts|nix)\s+(?:\w+\s+){0,4}?(?:gefunden|finden|bekannt)\b|\b(?:finde|fand)\s+(?:\w+\s+){0,4}?(?:nichts|keine?n?)\b"
    r"|\bkeine?n?\s+(?:\w+\s+){0,2}?(?:ergebnis(?:se)?|treffer|informationen|infos?|angaben?|antwort(?:en)?|quellen?|hinweise?)\b"
    r"|\bwei(?:ß|ss)\b(?:\s+\w+){0,5}?\s+nicht\b|\bnicht\s+(?:\w+\s+){0,2}?wei(?:ß|ss)\b|\bkeine ahnung\b|\bnicht sicher\b",
    re.IGNORECASE,
)
_CLOSING = " \t\r\n*_\"'”“’»)]"


def urls_in(text: str) -> Iterator[str]:
    """The web addresses of the text as they are written, without the punctuation behind them."""
    for found in _URL.finditer(text):
        if (url := found[0].rstrip(_TRAILING)) and _PARTS.match(url):
            yield url


def invented_source(
    calls: Sequence[CallRecord], draft: str, known_urls: Collection[str], *, german: bool
) -> Finding | None:
    """The first address in the draft that is no known one, no page below one and no site of one.

    Host with port and whole segments of the path count; scheme, query, fragment and a trailing slash do not. Where no
    tool was called, an address may be the answer itself.
    """
    cited = list(urls_in(draft)) if calls else []
    if not cited:
        return None
    results = [made.result for made in calls if made.result.ok]
    known = {_place(url) for url in known_urls}
    known.update(_place(url) for result in results for url in urls_in(result.text))
    known.update(_place(source.url) for result in results for source in result.sources)
    unknown = next((url for url in cited if not any(_same(_place(url), place) for place in known)), None)
    if unknown is None:
        return None
    best = _best(calls)
    shown = unknown.partition("://")[2]
    if german:
        instead = f"Nenne stattdessen {best}." if best else "Lass sie weg."
        return Finding(
            kind=Check.INVENTED_SOURCE,
            words=f"Die Adresse {shown} kam in keiner Quelle vor.",
            fix=f"Die Adresse {unknown} kam in keinem Ergebnis vor. {instead}",
        )
    instead = f"Cite {best} instead." if best else "Leave it out."
    return Finding(
        kind=Check.INVENTED_SOURCE,
        words=f"The address {shown} was in none of the sources.",
        fix=f"The address {unknown} was in none of the results. {instead}",
    )


def missing_source(calls: Sequence[CallRecord], draft: str, *, german: bool) -> Finding | None:
    """Pages were found and the draft names none, unless it asks something back or says that it found nothing."""
    best = _best(calls)
    if best is None or next(urls_in(draft), None) is not None or _names_a_page(calls, draft):
        return None
    if draft.rstrip(_CLOSING).endswith(("?", "？")) or _SHY.search(draft):
        return None
    if german:
        return Finding(
            kind=Check.MISSING_SOURCE,
            words=f"Die Antwort nennt keine Quelle; gelesen wurde {best.partition('://')[2]}.",
            fix=f"Nenne am Ende die Quelle: {best}",
        )
    return Finding(
        kind=Check.MISSING_SOURCE,
        words=f"The answer names no source; what was read is {best.partition('://')[2]}.",
        fix=f"Name the source at the end: {best}",
    )


Place = tuple[str, tuple[str, ...]]
"""A host with its port, and the segments of a path."""


def _place(url: str) -> Place:
    found = _PARTS.match(url.strip().rstrip(_TRAILING))
    if found is None:
        return url.lower(), ()
    host = found[2].lower().removesuffix(_DEFAULT_PORTS[found[1].lower()])
    segments: list[str] = []
    for segment in unquote(found[3]).split("/"):
        if segment == "..":
            segments[-1:] = []
        elif segment not in ("", "."):
            segments.append(segment)
    return host, tuple(segments)


def _same(cited: Place, known: Place) -> bool:
    shorter = min(len(cited[1]), len(known[1]))
    return cited[0] == known[0] and cited[1][:shorter] == known[1][:shorter]


def _best(calls: Sequence[CallRecord]) -> str | None:
    """The first address of the latest result that has one."""
    texts = (made.result.text for made in reversed(calls) if made.result.ok)
    return next((url for text in texts for url in urls_in(text)), None)


def _names_a_page(calls: Sequence[CallRecord], draft: str) -> bool:
    """Whether the draft names a page that was found by host and path, without its scheme."""
    lowered = draft.lower()
    for made in calls:
        if made.result.ok:
            for url in urls_in(made.result.text):
                page = url.partition("://")[2].rstrip("/").lower()
                if "/" in page and re.search(rf"(?<![\w.]){re.escape(page)}(?![\w-])", lowered):
                    return True
    return False
