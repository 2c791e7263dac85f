"""Check of message text and its entities, stricter than Telegram, which silently drops what it does not like.

Rules: https://core.telegram.org/bots/api#messageentity and #formatting-options ("If two entities have common
characters, one is fully contained inside another ...").
"""

from __future__ import annotations

from typing import Any

from tests.emulators.telegram.errors import ApiError, bad_request

__all__ = ["TEXT_LIMIT", "accepted_text", "units"]

TEXT_LIMIT = 4096
"""Telegram counts code points, people's clients UTF-16 units; neither may exceed it here."""

_KEPT = 100
"""Entities after the hundredth are dropped by the server."""

_EXTRA = {
    "bold": (),
    "italic": (),
    "underline": (),
    "strikethrough": (),
    "spoiler": (),
    "blockquote": (),
    "expandable_blockquote": (),
    "code": (),
    "pre": ("language",),
    "text_link": ("url",),
    "text_mention": ("user",),
    "custom_emoji": ("custom_emoji_id",),
    # what the server finds by itself and clients may send back
    "mention": (),
    "hashtag": (),
    "cashtag": (),
    "bot_command": (),
    "url": (),
    "email": (),
    "phone_number": (),
}
_REQUIRED = {"text_link": "url", "text_mention": "user", "custom_emoji": "custom_emoji_id"}
_STYLES = {"bold", "italic", "underline", "strikethrough", "spoiler"}
_QUOTES = {"blockquote", "expandable_blockquote"}
_VERBATIM = {"code", "pre"}


def units(text: str) -> int:
    """The length of `text` in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def accepted_text(raw: str, entities: list[dict[str, Any]], *, too_long: ApiError) -> tuple[str, list[dict[str, Any]]]:
    """The text and entities as the server keeps them: checked, then trimmed of outer white space.

    Raises ApiError where the text is empty or too long, or an entity is malformed, out of the text, cuts a character
    in half or overlaps another one in a forbidden way.
    """
    if not raw:
        raise bad_request("message text is empty")
    if any("\ud800" <= character <= "\udfff" for character in raw):
        raise bad_request("text must be encoded in UTF-8")
    if not raw.strip():
        raise bad_request("text must be non-empty")
    boundaries = _boundaries(raw)
    for entity in entities:
        _check_one(entity, boundaries)
    ordered = sorted(entities, key=lambda entity: (entity["offset"], -entity["length"], entity["type"] not in _QUOTES))
    _check_overlaps(ordered)
    text, kept = _trimmed(raw, ordered)
    if units(text) > TEXT_LIMIT or len(text) > TEXT_LIMIT:
        raise too_long
    return text, kept[:_KEPT]


def _boundaries(text: str) -> set[int]:
    """Every offset in UTF-16 units at which a character begins, and the end."""
    position, found = 0, {0}
    for character in text:
        position += 2 if ord(character) > 0xFFFF else 1
        found.add(position)
    return found


def _check_one(entity: dict[str, Any], boundaries: set[int]) -> None:
    kind = entity.get("type")
    if kind not in _EXTRA:
        raise bad_request(f"can't parse MessageEntity: unsupported type {kind!r}")
    unknown = set(entity) - {"type", "offset", "length", *_EXTRA[kind]}
    if unknown:
        raise bad_request(f"can't parse MessageEntity: {kind} has no field {sorted(unknown)[0]!r}")
    if kind in _REQUIRED and not entity.get(_REQUIRED[kind]):
        raise bad_request(f"can't parse MessageEntity: {kind} needs {_REQUIRED[kind]!r}")
    offset, length = entity.get("offset"), entity.get("length")
    if type(offset) is not int or type(length) is not int:
        raise bad_request("can't parse MessageEntity: offset and length must be integers")
    if offset < 0 or length <= 0 or offset + length > max(boundaries):
        raise bad_request("ENTITY_BOUNDS_INVALID")
    if offset not in boundaries or offset + length not in boundaries:
        raise bad_request("ENTITY_BOUNDS_INVALID: an entity cuts a surrogate pair")


def _check_overlaps(ordered: list[dict[str, Any]]) -> None:
    open_entities: list[dict[str, Any]] = []
    for entity in ordered:
        start, end = entity["offset"], entity["offset"] + entity["length"]
        while open_entities and open_entities[-1]["offset"] + open_entities[-1]["length"] <= start:
            open_entities.pop()
        for outer in open_entities:
            if end > outer["offset"] + outer["length"]:
                raise bad_request(f"ENTITY_OVERLAP_INVALID: {outer['type']} and {entity['type']} overlap in part")
            if not _may_contain(outer["type"], entity["type"]):
                raise bad_request(f"ENTITY_OVERLAP_INVALID: {outer['type']} can't contain {entity['type']}")
        open_entities.append(entity)


def _may_contain(outer: str, inner: str) -> bool:
    if outer in _VERBATIM:
        return False
    if outer in _QUOTES:
        return inner not in _QUOTES
    if inner in _VERBATIM:
        return False
    return outer in _STYLES or inner in _STYLES


def _trimmed(text: str, entities: list[dict[str, Any]]) -> tuple[str, list[dict[str, Any]]]:
    begin = units(text[: len(text) - len(text.lstrip())])
    stripped = text.strip()
    end = begin + units(stripped)
    kept = []
    for entity in entities:
        start, stop = max(entity["offset"], begin), min(entity["offset"] + entity["length"], end)
        if start < stop:
            kept.append({**entity, "offset": start - begin, "length": stop - start})
    return stripped, kept
