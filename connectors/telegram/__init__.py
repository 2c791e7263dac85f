"""Telegram, over its Bot API: direct chats, groups and forum topics; nothing confirmed before it is committed.

connector   the line: logging in, what it offers
settings    its section of the config
polling     updates asked for, or
webhook     updates brought
taking      committed, then acknowledged
updates     what Telegram sends, read as `Inbound`
addressing  whether a message is meant for the bot
files       what comes with a message
sending     messages, edits, files, buttons and reactions
pacing      how fast a chat may be written to
menu        the commands beside the text field
setup       what a first start asks and a check-up looks at
failures    the SDK's errors, told as the seam's; the token kept out of logs and messages
"""

from .connector import SECRETS, Settings, Telegram, create  # noqa: TID251  (relative: one add-on)
from .setup import SETUP  # noqa: TID251

__all__ = ["SECRETS", "SETUP", "Settings", "Telegram", "create"]
