"""Logs: text or JSON lines on one stream, the conversation on each line, secrets in none."""

from __future__ import annotations

import base64
import contextvars
import datetime
import json
import logging
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Literal, TextIO

__all__ = ["LIBRARIES", "Redactor", "configure", "in_conversation"]

LIBRARIES = (
    "aiohttp",
    "aiosqlite",
    "apscheduler",
    "asyncio",
    "discord",
    "httpcore",
    "httpx",
    "llama_cpp",
    "markdown_it",
    "nio",
    "telegram",
    "urllib3",
)
"""Loggers of libraries: they say WARNING and worse, more only where the level is DEBUG."""

_MASK = "***"
_SLASHES = r"\\{1,16}"
_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), 127)} | {9: " ", 10: "\\n", 13: "\\r"}
_MAX_DEPTH = 6

# Shapes of secrets that nobody had to name: Telegram's token in each of its URLs, authorization headers, passwords and
# access tokens inside URLs.
_SHAPES = (
    (re.compile(r"(?i)(bot)\d{5,}(?::|%3a)[A-Za-z0-9_-]{16,}"), rf"\1{_MASK}"),
    (re.compile(r"(?<![\w:])\d{8,12}(?::|%3[Aa])[A-Za-z0-9_-]{30,}"), _MASK),
    (re.compile(r"(?i)\b(bearer|bot|basic) [A-Za-z0-9._~+/=-]{20,}"), rf"\1 {_MASK}"),
    (re.compile(r"(?i)\b((?:access_token|api_key|apikey|token|password|secret)=)[^\s&#\"'<>]+"), rf"\1{_MASK}"),
    (re.compile(r"(?i)\b([a-z][a-z0-9+.-]*://[^\s/:@]*:)[^\s/@]+@"), rf"\1{_MASK}@"),
)

_conversation: contextvars.ContextVar[str | None] = contextvars.ContextVar("conversation", default=None)


@contextmanager
def in_conversation(key: str) -> Iterator[None]:
    """Puts the conversation's key on every line that is logged inside, tasks started there included."""
    token = _conversation.set(key)
    try:
        yield
    finally:
        _conversation.reset(token)


class Redactor:
    """Replaces secrets by `***`; owns the list of them, which may grow while the program runs."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._secrets: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        self.add(secrets)

    def __repr__(self) -> str:
        return f"Redactor({len(self._secrets)} secrets)"

    def add(self, secrets: Iterable[str]) -> None:
        """From now on these values are replaced too, in every spelling that logs show them in."""
        more = {secret.strip() for secret in secrets if secret.strip()}
        if more <= self._secrets:
            return
        self._secrets |= more
        longest_first = sorted(self._secrets, key=len, reverse=True)
        expressions = [*map(_expression, longest_first)]
        expressions += [re.escape(_encoded(secret)) for secret in longest_first if len(secret) >= 8]
        self._pattern = re.compile("|".join(expressions), re.IGNORECASE)

    def text(self, text: str) -> str:
        """The text without secrets."""
        if self._pattern:
            text = self._pattern.sub(_MASK, text)
        for shape, replacement in _SHAPES:
            text = shape.sub(replacement, text)
        return text

    def value(self, value: object, *, depth: int = 0) -> object:
        """A JSON value without secrets; what JSON cannot hold becomes its text."""
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, int | float):
            return value if self.text(str(value)) == str(value) else _MASK
        if isinstance(value, Mapping) and depth < _MAX_DEPTH:
            return {self.text(str(key)): self.value(item, depth=depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple | set | frozenset) and depth < _MAX_DEPTH:
            return [self.value(item, depth=depth + 1) for item in value]
        return self.text(str(value))


def _expression(secret: str) -> str:
    """A regular expression for the secret however it is escaped: in URLs, reprs and JSON, nested or not."""
    return "".join(map(_character, secret))


def _character(character: str) -> str:
    """One character as it is, percent-encoded (more than once) or backslash-escaped (more than once)."""
    if character == "\\":
        return rf"(?:{_SLASHES}|%(?:25)*5c)"
    in_utf8 = character.encode("utf-8", "surrogatepass")
    spellings = [re.escape(character), "".join(f"%(?:25)*{byte:02x}" for byte in in_utf8)]
    if character == " ":
        spellings.append(r"\+")
    if character == "\n":  # the traceback of an exception group draws a frame beside each line
        spellings.append(r"\n[ |]*")
    if not character.isascii() or not character.isprintable():
        in_utf16 = character.encode("utf-16-be", "surrogatepass").hex()
        units = [in_utf16[at : at + 4] for at in range(0, len(in_utf16), 4)]
        spellings += [f"{_SLASHES}U{ord(character):08x}", f"{_SLASHES}x{ord(character):02x}"]
        spellings.append("".join(f"{_SLASHES}u{unit}" for unit in units))
        spellings.append("".join(f"{_SLASHES}x{byte:02x}" for byte in in_utf8))
        spellings += [
            _SLASHES + letter for control, letter in zip("\n\r\t", "nrt", strict=True) if control == character
        ]
    elif not character.isalnum():
        spellings.append(rf"\\{{1,16}}{re.escape(character)}")
    return f"(?:{'|'.join(spellings)})"


def _encoded(secret: str) -> str:
    """The secret as base64, as Basic authorization and some payloads carry it."""
    return base64.b64encode(secret.encode("utf-8", "surrogatepass")).decode()


class _Redaction(logging.Filter):
    """Rewrites each record before it is formatted: no later step can see a secret, whatever the record carries."""

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor
        self._plain = logging.Formatter()

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            message = record.getMessage()
        # A log call must not fail, and must not fall back to logging's own report, which prints all arguments:
        # arguments are foreign objects, and their texts may raise anything.
        except Exception as error:
            message = f"{record.msg if isinstance(record.msg, str) else 'message'} (unreadable: {type(error).__name__})"
        record.msg, record.args = self._redactor.text(message), None
        if record.exc_info and not record.exc_text:
            record.exc_text = self._exception(record.exc_info)
        record.exc_info = None
        for name, value in list(record.__dict__.items()):
            if name in ("msg", "args", "levelname"):
                continue
            if name not in _STANDARD:
                record.__dict__[name] = self._extra(value)
            elif isinstance(value, str):
                record.__dict__[name] = self._redactor.text(value)
        if (key := _conversation.get()) is not None:
            record.__dict__.setdefault("conversation", self._redactor.text(key))
        return True

    def _exception(
        self, info: tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]
    ) -> str:
        try:
            return self._plain.formatException(info)
        except Exception as error:  # the text of a foreign exception may raise anything; see above
            return f"{getattr(info[0], '__name__', 'exception')} (unreadable: {type(error).__name__})"

    def _extra(self, value: object) -> object:
        try:
            return self._redactor.value(value)
        except Exception as error:  # as above
            return f"(unreadable: {type(error).__name__})"


def _fields(record: logging.LogRecord) -> dict[str, object]:
    """What a log call handed over as `extra`, the conversation first."""
    fields = {name: value for name, value in record.__dict__.items() if name not in _STANDARD}
    first = {"conversation": fields.pop("conversation")} if "conversation" in fields else {}
    return first | fields


def _time(record: logging.LogRecord) -> str:
    moment = datetime.datetime.fromtimestamp(record.created, datetime.UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _Text(logging.Formatter):
    """`time LEVEL logger: message key=value …`, the message on one line; a traceback follows on lines of its own."""

    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={_word(value)}" for name, value in _fields(record).items())
        message = record.getMessage().translate(_CONTROLS)
        line = f"{_time(record)} {record.levelname} {record.name}: {message}{fields}"
        parts = [part for part in (line, record.exc_text, record.stack_info) if part]
        return "\n".join(parts).encode("utf-8", "backslashreplace").decode()


def _word(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if re.fullmatch(r"[^\s\"=\x00-\x1f\x7f]+", text) else json.dumps(text, ensure_ascii=False)


class _Json(logging.Formatter):
    """One JSON object a line: time (UTC), level, logger, message, fields, exception, stack."""

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, object] = {
            "time": _time(record),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        entry |= {name: value for name, value in _fields(record).items() if name not in entry}
        if record.exc_text:
            entry["exception"] = record.exc_text
        if record.stack_info:
            entry["stack"] = record.stack_info
        return json.dumps(entry)


class _Lines(logging.StreamHandler[TextIO]):
    """The stream. A line that cannot be written is lost: logging's own report would print its arguments."""

    def handleError(self, record: logging.LogRecord) -> None:
        return


def configure(
    level: str, format: Literal["text", "json"], *, redact: Iterable[str] = (), stream: TextIO | None = None
) -> Redactor:
    """Makes the root logger write redacted lines to `stream` (stderr), uncaught errors and Python's warnings included.

    Returns the redactor, which takes the secrets that become known later. A second call replaces what the first set up.
    """
    redactor = Redactor(redact)
    lines = _Lines(stream or sys.stderr)
    lines.setFormatter(_Json() if format == "json" else _Text())
    lines.addFilter(_Redaction(redactor))
    root = logging.getLogger()
    for old in [old for old in root.handlers if isinstance(old, _Lines)]:
        root.removeHandler(old)
    root.addHandler(lines)
    root.setLevel(level)
    quiet = logging.NOTSET if root.level <= logging.DEBUG else max(logging.WARNING, root.level)
    for name in LIBRARIES:
        logging.getLogger(name).setLevel(quiet)
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    sys.unraisablehook = _unraisable
    threading.excepthook = _uncaught_in_thread
    return redactor


_logger = logging.getLogger(__name__)


def _uncaught(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        return
    _logger.critical("uncaught error", exc_info=(kind, error, traceback))


def _unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    error = unraisable.exc_value or unraisable.exc_type()
    _logger.error("error in a finalizer", exc_info=(unraisable.exc_type, error, unraisable.exc_traceback))


def _uncaught_in_thread(arguments: threading.ExceptHookArgs) -> None:
    if issubclass(arguments.exc_type, SystemExit):
        return
    error = arguments.exc_value or arguments.exc_type()
    _logger.critical("uncaught error in a thread", exc_info=(arguments.exc_type, error, arguments.exc_traceback))
