"""Telegram, over its Bot API: private chats by long polling, nothing confirmed before it is committed.

connector   the line: polling, sending, marks, the command menu
updates     what Telegram sends, read as `Inbound`
failures    the SDK's errors, told as the seam's; the token kept out of logs and messages
"""

from .connector import SECRETS, Settings, Telegram, create  # noqa: TID251  (relative: one add-on)

__all__ = ["SECRETS", "Settings", "Telegram", "create"]
