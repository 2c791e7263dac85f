"""What a server's refusal means: too long a prompt, tools it does not know, a parameter it does not take."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import msgspec

__all__ = ["Refusal", "TooLong", "read", "retry_after_s", "too_long"]

SHOWN = 200
"""Characters of a server's own words that people are shown."""


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """An error that a server answered with; `words` are its own, `code` and numbers as far as it gave them."""

    status: int
    words: str
    code: str = ""
    prompt_tokens: int | None = None
    window: int | None = None
    after_s: float | None = None
    """How long the server asks to wait."""

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed a little later."""
        return self.status in (408, 409, 425, 429) or self.status >= 500

    @property
    def shown(self) -> str:
        """The server's words in one short line."""
        line = " ".join(self.words.split()).rstrip(".")
        return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"

    def names(self, parameters: Collection[str]) -> str | None:
        """The parameter of the request, of these, that the server complains about."""
        if self.status not in (400, 404, 415, 422, 500, 501):
            return None
        found = [name for name in parameters if re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", self.words)]
        return max(found, key=len, default=None)

    def about(self, pattern: str) -> bool:
        """Whether the words hold the pattern, in whatever case."""
        return re.search(pattern, f"{self.words} {self.code}", re.IGNORECASE) is not None


class TooLong(msgspec.Struct, frozen=True, kw_only=True):
    """The prompt has `needed` tokens; `available` fit beside what the answer was to have. None: not said."""

    needed: int | None
    available: int | None
    window: int | None


def read(status: int, body: bytes | str) -> Refusal:
    """The refusal that an error's body holds, in whichever of the usual forms; else its first words."""
    text = body.decode("utf-8", "replace") if isinstance(body, bytes) else body
    try:
        found: object = json.loads(text)
    except (ValueError, RecursionError):
        plain = re.sub(r"<[^<>]*>", " ", text).strip()
        return Refusal(status=status, words=" ".join(plain.split())[:1_000])
    if isinstance(found, list) and found:  # Google's servers put their error into a list
        found = found[0]
    if isinstance(found, dict) and (error := found.get("error") or found.get("detail")):
        found = error
    match found:
        case dict():
            told = found.get("code")
            metadata = found.get("metadata")
            raw = metadata.get("raw") if isinstance(metadata, dict) else None  # OpenRouter: what the provider said
            words = str(found.get("message") or found.get("msg") or json.dumps(found, ensure_ascii=False))
            parameter = f" (param: {found['param']})" if isinstance(found.get("param"), str) else ""
            return Refusal(
                status=told if isinstance(told, int) and 400 <= told < 600 else status,
                words=f"{words}{parameter}{f': {raw}' if isinstance(raw, str) else ''}",
                code=" ".join(str(value) for value in (found.get("type"), told) if isinstance(value, str)),
                prompt_tokens=_count(found.get("n_prompt_tokens")),
                window=_count(found.get("n_ctx")),
            )
        case _:
            return Refusal(status=status, words=str(found) if not isinstance(found, list) else json.dumps(found))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


# ---------------------------------------------------------------- the context

_CODES = (
    r"exceed_context_size|context_length_exceeded|context_window_exceeded|context_size_exceeded|ContextWindowExceeded"
)
_WORDS = (
    r"context (?:length|window|size|limit)|(?:maximum|max) (?:model )?(?:context|sequence|input) ?(?:length|tokens)?"
    r"|context the overflows|maximum model length|too long: \d|input token count|exceeds? the (?:available )?context"
)
_OVER = r"exceed|longer than|too long|too large|however|larger than|greater than|overflow|only|reduce the length|does not fit"
_NUMBER = r"(\d[\d,]*)"
_WINDOW = (
    rf"(?:maximum|max) (?:model )?context (?:length|window|size) (?:is|of) {_NUMBER}",
    rf"maximum model length of {_NUMBER}",
    rf"context (?:length|window|size) (?:is |of )?(?:only )?\(?{_NUMBER}",
    rf"tokens > {_NUMBER} maximum",
    rf"maximum number of tokens allowed \(?{_NUMBER}",
)
_COMPLETION = (
    rf"{_NUMBER} (?:tokens )?(?:in|for) the (?:completion|output)",
    rf"{_NUMBER} in the output",
    rf"{_NUMBER} output tokens",
    rf"max_completion_tokens' is too large: {_NUMBER}",
    rf"max_tokens' is too large: {_NUMBER}",
)
_PROMPT = (
    rf"{_NUMBER} (?:tokens )?(?:in|from|of) the (?:input )?(?:messages|prompt|input)",
    rf"{_NUMBER} of text input",
    rf"{_NUMBER} input tokens",
    rf"messages resulted in {_NUMBER}",
    rf"(?:prompt|input)(?: token count)? \((?:length |total length )?{_NUMBER}",
    rf"request \({_NUMBER}",
    rf"too long: {_NUMBER} tokens",
    rf"first {_NUMBER} tokens",
    rf"requested (?:about )?{_NUMBER}",
)


def too_long(refusal: Refusal) -> TooLong | None:
    """What the refusal says of a prompt that does not fit, in the words of the servers there are; None: it says nothing."""
    known = refusal.about(_CODES)
    if not known and not (refusal.status in (400, 413, 422, 500) or refusal.status < 400):
        return None
    if not known and not (refusal.about(_WORDS) and refusal.about(_OVER)):
        return None
    window = refusal.window or _found(_WINDOW, refusal.words)
    completion = _found(_COMPLETION, refusal.words) or 0
    needed = refusal.prompt_tokens or _found(_PROMPT, refusal.words)
    available = None
    if window is not None:
        room = window - completion
        available = max(1, room if 0 < completion < window else window - 1)
    return TooLong(needed=needed, available=available, window=window)


def _found(patterns: Collection[str], words: str) -> int | None:
    for pattern in patterns:
        if found := re.search(pattern, words, re.IGNORECASE):
            return int(found[1].replace(",", ""))
    return None


# ---------------------------------------------------------------- waiting


def retry_after_s(value: str | None, now: datetime) -> float | None:
    """The seconds that a Retry-After header asks for: a number, or a date as HTTP writes it. None where it is neither."""
    if value is None:
        return None
    text = value.strip()
    if re.fullmatch(r"\d{1,9}(?:\.\d+)?", text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())
