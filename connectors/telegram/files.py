"""Files that come with a message: what they are, and their bytes where they are small enough to be had."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass

from telegram import Bot, Message
from telegram.constants import FileSizeLimit
from telegram.error import TelegramError

from jarvisbot.connector import Media
from jarvisbot.types import FileRef

from .failures import Redaction  # noqa: TID251  (relative: one add-on)

__all__ = ["Incoming", "fetched", "incoming"]

logger = logging.getLogger(__name__)

DOWNLOAD_BYTES = FileSizeLimit.FILESIZE_DOWNLOAD.value
"""The Bot API gives out no larger file (https://core.telegram.org/bots/api#getfile)."""
DOWNLOAD_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A file as the message tells of it. `identity` is empty for a kind whose bytes nobody would read."""

    identity: str
    name: str
    media_type: str
    size_bytes: int

    def named(self) -> FileRef:
        """The file without its bytes."""
        return FileRef(id="", name=self.name, media_type=self.media_type, size_bytes=self.size_bytes)


def incoming(message: Message) -> Incoming | None:
    """The file of a message: documents and photos, and sounds and films by their kind."""
    if message.photo:
        largest = message.photo[-1]
        return Incoming(
            identity=largest.file_id, name="photo.jpg", media_type="image/jpeg", size_bytes=largest.file_size or 0
        )
    if message.animation:  # comes with a document that is the same
        return _unread("animation", message.animation.mime_type or "video/mp4", message.animation.file_size)
    if document := message.document:
        return Incoming(
            identity=document.file_id,
            name=document.file_name or "file",
            media_type=document.mime_type or "application/octet-stream",
            size_bytes=document.file_size or 0,
        )
    if message.voice:
        return _unread("voice message", message.voice.mime_type or "audio/ogg", message.voice.file_size)
    if message.audio:
        name = message.audio.file_name or "audio"
        return _unread(name, message.audio.mime_type or "audio/mpeg", message.audio.file_size)
    if message.video:
        return _unread(
            message.video.file_name or "video", message.video.mime_type or "video/mp4", message.video.file_size
        )
    if message.video_note:
        return _unread("video message", "video/mp4", message.video_note.file_size)
    return None


def _unread(name: str, media_type: str, size_bytes: int | None) -> Incoming:
    return Incoming(identity="", name=name, media_type=media_type, size_bytes=size_bytes or 0)


async def fetched(bot: Bot, file: Incoming, media: Media, redaction: Redaction) -> FileRef:
    """The file, kept; only named where it is too large or cannot be had. Raises StoreError where it cannot be kept."""
    if not file.identity or file.size_bytes > DOWNLOAD_BYTES:
        return file.named()
    try:
        async with asyncio.timeout(DOWNLOAD_S):
            at = await bot.get_file(file.identity)
            if (at.file_size or 0) > DOWNLOAD_BYTES:
                return file.named()
            data = bytes(await at.download_as_bytearray())
    except (TelegramError, TimeoutError) as error:
        reason = redaction.text(str(error)) or "no answer in time"
        logger.warning("A file was not fetched: %s.", reason, extra={"bytes": file.size_bytes})
        return file.named()
    if len(data) > DOWNLOAD_BYTES:
        return file.named()
    return await media.keep(data, name=file.name, media_type=file.media_type)
