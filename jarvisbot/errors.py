"""The exception tree: who can act on a failure decides its class.

    JarvisError
    ├── ConfigError            the person who wrote the config
    ├── MissingPart            the person who installs: a model, an extra
    ├── ConnectorError         the platform, or the line to it
    │   ├── LoginFailed        fatal until the config changes
    │   ├── Disconnected       retried by the supervisor
    │   ├── RateLimited        retried after `retry_after_s`
    │   ├── Rejected           the platform refused this one message; a plain resend may pass
    │   ├── MessageGone        what was to be edited is not there any more
    │   └── OutcomeUnknown     bytes went out, no answer came: never blindly repeated
    ├── ModelFileError         a model file, the host it comes from, or the disk it goes to
    │   └── NoRoom             the disk is too full for it
    ├── ModelError             the backend
    │   ├── ModelUnavailable
    │   ├── ContextTooLong
    │   └── BadOutput
    ├── ToolError              one tool call
    │   ├── BadArguments
    │   ├── Refused
    │   └── ToolTimedOut
    ├── SkillError             the author of a SKILL.md
    └── StoreError             the disk or the database
        ├── MessageTooLong     longer than any that is taken
        ├── StoreFull
        ├── StoreReadOnly
        ├── StoreLocked        another process holds the data folder
        └── StoreTooNew        written by a later release

Every error carries `user_message`: one plain sentence that may be shown in a chat or on stderr. It never holds a secret.
"""

from __future__ import annotations

__all__ = [
    "BadArguments",
    "BadOutput",
    "ConfigError",
    "ConnectorError",
    "ContextTooLong",
    "Disconnected",
    "JarvisError",
    "LoginFailed",
    "MessageGone",
    "MessageTooLong",
    "MissingPart",
    "ModelError",
    "ModelFileError",
    "ModelUnavailable",
    "NoRoom",
    "OutcomeUnknown",
    "RateLimited",
    "Refused",
    "Rejected",
    "SkillError",
    "StoreError",
    "StoreFull",
    "StoreLocked",
    "StoreReadOnly",
    "StoreTooNew",
    "ToolError",
    "ToolTimedOut",
]


class JarvisError(Exception):
    """Any failure this program names itself; `user_message` is what people may see of it."""

    def __init__(self, user_message: str) -> None:
        super().__init__(user_message)
        self.user_message = user_message


class ConfigError(JarvisError):
    """The configuration cannot be used; the message names file, line, key and what to write instead."""


class MissingPart(JarvisError):
    """Something that has to be installed is not there; the message names the command that installs it."""


class ConnectorError(JarvisError):
    """A platform or the line to it failed."""


class LoginFailed(ConnectorError):
    """The platform does not accept us as we are configured; trying again changes nothing."""


class Disconnected(ConnectorError):
    """The line to the platform is down; nothing of the failed request reached it, so it may be repeated."""


class RateLimited(ConnectorError):
    """The platform asks us to wait `retry_after_s` seconds before the same request."""

    def __init__(self, user_message: str, *, retry_after_s: float) -> None:
        super().__init__(user_message)
        self.retry_after_s = retry_after_s


class Rejected(ConnectorError):
    """The platform refused the content of one message."""


class MessageGone(ConnectorError):
    """The message to edit, mark or delete does not exist any more, or its room is closed to us."""


class OutcomeUnknown(ConnectorError):
    """The request left this machine and no answer came back: it may or may not have been carried out."""


class ModelFileError(JarvisError):
    """A model file cannot be had, or is not what it should be; the message says what can be done."""


class NoRoom(ModelFileError):
    """The disk is too full for a model file; the message says how much is missing."""


class ModelError(JarvisError):
    """The model backend failed."""


class ModelUnavailable(ModelError):
    """There is no model to ask now: not loaded, crashed more often than it is restarted, or out of reach."""


class ContextTooLong(ModelError):
    """The prompt has `needed` tokens and only `available` fit."""

    def __init__(self, user_message: str, *, needed: int, available: int) -> None:
        super().__init__(user_message)
        self.needed = needed
        self.available = available


class BadOutput(ModelError):
    """What the model produced cannot be used."""


class ToolError(JarvisError):
    """One call of one tool failed; the message is what the model reads as its result."""


class BadArguments(ToolError):
    """The arguments do not fit the tool's schema or meaning."""


class Refused(ToolError):
    """The policy or the tool itself will not do this."""


class ToolTimedOut(ToolError):
    """The tool took longer than its limit and was stopped."""


class SkillError(JarvisError):
    """A SKILL.md cannot be loaded; the message names the file and the field.

    `problems` are all that is wrong with it, a sentence each; the first of them is the message.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__(problems[0])
        self.problems = problems


class StoreError(JarvisError):
    """The database could not do what was asked; nothing was half written."""


class MessageTooLong(StoreError):
    """The message is longer than any that is taken; a shorter one is."""


class StoreFull(StoreError):
    """The disk, or this process's share of it, is full."""


class StoreReadOnly(StoreError):
    """The data folder cannot be written to."""


class StoreLocked(StoreError):
    """Another process works with this data folder."""


class StoreTooNew(StoreError):
    """The database was written by a later release; it is left untouched."""
