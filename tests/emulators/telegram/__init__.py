"""Emulated Telegram Bot API for tests: a loopback server that the real SDK talks to, with people and faults."""

from tests.emulators.telegram.chats import Message, User
from tests.emulators.telegram.faults import BlackHole, Cut, Delay, Fault, Flood, Gate, Plan, Refusal, ServerError
from tests.emulators.telegram.server import TOKEN, Call, TelegramEmulator

__all__ = [
    "TOKEN",
    "BlackHole",
    "Call",
    "Cut",
    "Delay",
    "Fault",
    "Flood",
    "Gate",
    "Message",
    "Plan",
    "Refusal",
    "ServerError",
    "TelegramEmulator",
    "User",
]
