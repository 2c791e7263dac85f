"""Telegram, over its Bot API: private chats by long polling, nothing confirmed before it is committed.

connector   the line: polling, sending, marks, the command menu
updates     what Telegram sends, read as `Inbound`
setup       what a first start asks and a check-up looks at
failures    the SDK's errors, told as the seam's; the token kept out of logs and messages
"""

from .connector import SECRETS, Settings, Telegram, create  # noqa: TID251  (relative: one add-on)
from .setup import SETUP  # noqa: TID251

__all__ = ["SECRETS", "SETUP", "Settings", "Telegram", "create"]
