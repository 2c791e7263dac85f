"""What comes beside a message's words: what it quotes and its files, as marked data for the model and a note for people."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from jarvisbot.connector import Media
from jarvisbot.errors import StoreError
from jarvisbot.types import FileRef, Inbound

__all__ = ["Material", "gathered", "unread_answer", "unread_note"]

QUOTED_CHARACTERS = 800
"""What is quoted is pointed at, not read out."""
FILES_CHARACTERS = 4_000
"""About a thousand tokens: more would leave a small model no room for the talk."""
TEXT_BYTES = 1024 * 1024
"""A larger text file is not looked into."""
_TEXT_TYPES = ("application/json", "application/xml", "application/yaml", "application/toml", "application/x-sh")
# fmt: off
_TEXT_ENDINGS = (
    ".txt", ".md", ".rst", ".log", ".csv", ".tsv", ".json", ".jsonl", ".xml", ".yaml", ".yml", ".toml", ".ini", ".cfg", ".conf",
    ".py", ".js", ".ts", ".c", ".h", ".cpp", ".rs", ".go", ".java", ".sh", ".sql", ".html", ".css", ".tex", ".srt", ".ics",
    ".vcf",
)
# fmt: on
_FORMATTING = re.compile(r"([\\`*_\[\]<>~|])")


class Material(msgspec.Struct, frozen=True, kw_only=True):
    """`text` is what the model reads in front of the question, `unread` the files of which it reads nothing."""

    text: str = ""
    unread: tuple[FileRef, ...] = ()
    shortened: tuple[FileRef, ...] = ()
    """Files of which only the beginning is read."""


async def gathered(message: Inbound, media: Media) -> Material:
    """What the message quotes and the text of its files, each line marked so that none of it passes for a person's words."""
    blocks = []
    if message.quoted.strip():
        blocks.append(_marked("Quoted:", _cut(message.quoted.strip(), QUOTED_CHARACTERS)))
    unread, shortened = [], []
    room = FILES_CHARACTERS
    for file in message.attachments:
        text = await _text(file, media)
        if text is None or room <= 0:
            unread.append(file)
            continue
        if len(text) > room:
            shortened.append(file)
        shown = _cut(text, room)
        room -= len(shown)
        blocks.append(_marked(f"File {file.name}:", shown))
    return Material(text="\n".join(blocks), unread=tuple(unread), shortened=tuple(shortened))


def unread_note(material: Material, language: str) -> str:
    """A sentence that names what was not read; empty where everything was."""
    german = language == "de"
    sentences = []
    if material.unread:
        names = ", ".join(_named(file) for file in material.unread)
        sentences.append(
            f"(Nicht gelesen: {names}. Bisher lese ich nur Textdateien.)"
            if german
            else f"(Not read: {names}. So far I only read text files.)"
        )
    if material.shortened:
        names = ", ".join(_named(file) for file in material.shortened)
        sentences.append(
            f"(Nur den Anfang gelesen: {names}.)" if german else f"(Only the beginning was read: {names}.)"
        )
    return "\n".join(sentences)


def unread_answer(material: Material, language: str) -> str:
    """The same as an answer of its own, in CommonMark that shows it as written."""
    return _FORMATTING.sub(r"\\\1", unread_note(material, language).strip("()"))


def _named(file: FileRef) -> str:
    size = file.size_bytes / 1_000_000
    return f"{file.name} ({size:.1f} MB)" if size >= 1 else file.name


async def _text(file: FileRef, media: Media) -> str | None:
    """The file as text, or None where it is none."""
    named_so = file.name.casefold().endswith(_TEXT_ENDINGS)
    typed_so = file.media_type.startswith("text/") or file.media_type in _TEXT_TYPES
    if not file.id or not (named_so or typed_so) or file.size_bytes > TEXT_BYTES:
        return None
    try:
        data = await media.read(file)
    except StoreError:
        return None
    return _decoded(data)


def _decoded(data: bytes) -> str | None:
    """Text in UTF-8, in UTF-16 with its mark, or in the Western European code page of older Windows programs."""
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError:
            return None
    if b"\0" in data:
        return None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else text[: characters - 1] + "…"


def _marked(title: str, text: str) -> str:
    lines: Sequence[str] = text.splitlines() or [""]
    return "\n".join([title, *(f"> {line}" for line in lines)])
