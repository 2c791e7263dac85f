"""Logs: what a line looks like, and that no secret is in any."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import logging
import sys
import threading
import urllib.parse
import warnings
from typing import Literal

import pytest

from jarvisbot.logs import Redactor, configure, in_conversation

TELEGRAM = "7654321098:AAFdQ0x-Zz_hushhushhushhushhushhush"
PASSWORD = "\npä'\nss \t\"w\\o/rd+€😀&\n"
SECRETS = (TELEGRAM, PASSWORD, "syt_hush_QLmVXZw_1x2y3z")
Format = Literal["text", "json"]


@pytest.fixture(params=["text", "json"])
def format(request: pytest.FixtureRequest) -> Format:
    return "json" if request.param == "json" else "text"


@pytest.fixture
def stream(format: Format) -> io.StringIO:
    stream = io.StringIO()
    configure("DEBUG", format, redact=SECRETS, stream=stream)
    return stream


def spellings() -> list[str]:
    found = []
    for secret in SECRETS:
        found += [secret, secret.strip(), urllib.parse.quote(secret), urllib.parse.quote(secret, safe="")]
        found += [urllib.parse.quote_plus(secret), repr(secret), repr(secret.encode()), json.dumps(secret)]
        found += [json.dumps(repr([secret])), repr({"a": json.dumps({"b": secret})})]
        found += [urllib.parse.quote(urllib.parse.quote(secret)), base64.b64encode(secret.strip().encode()).decode()]
    return found


def clean(stream: io.StringIO) -> str:
    """The output, once it is sure that no secret is in it, nor a piece that gives one away."""
    text = stream.getvalue()
    assert text
    for spelling in [*spellings(), "hush", "rd+", "w\\o", "%26"]:
        assert spelling not in text
    return text


logger = logging.getLogger("jarvisbot.test")


def test_text_lines_hold_time_level_logger_message_and_fields() -> None:
    stream = io.StringIO()
    configure("INFO", "text", stream=stream)
    logger.info("turn %s", "done", extra={"seconds": 1.5, "conversation": "telegram:00:42", "note": 'a "b"'})
    time, _, rest = stream.getvalue().partition(" ")
    assert time.endswith("Z")
    assert rest == 'INFO jarvisbot.test: turn done conversation=telegram:00:42 seconds=1.5 note="a \\"b\\""\n'


def test_json_lines_hold_the_same_as_one_object() -> None:
    stream = io.StringIO()
    configure("INFO", "json", stream=stream)
    with in_conversation("matrix:00:!r"):
        logger.info("turn\ndone \ud800", extra={"seconds": 1.5, "level": "mine", "where": {"a": (1, None)}})
    logger.info("idle")
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert first.pop("time").endswith("Z")
    assert first == {
        "level": "INFO",
        "logger": "jarvisbot.test",
        "message": "turn\ndone \ud800",
        "conversation": "matrix:00:!r",
        "seconds": 1.5,
        "where": {"a": [1, None]},
    }
    assert "conversation" not in second


def test_a_message_cannot_forge_a_line_of_text() -> None:
    stream = io.StringIO()
    configure("INFO", "text", stream=stream)
    logger.info("said: %s", "x\n2024-01-01 ERROR fake\x1b[2J\r \ud800")
    assert len(stream.getvalue().splitlines()) == 1
    assert "\x1b" not in stream.getvalue()


async def test_the_conversation_is_on_each_line_of_the_tasks_started_in_it(stream: io.StringIO) -> None:
    async def work() -> None:
        logger.info("working")

    async with asyncio.TaskGroup() as group:
        with in_conversation("telegram:00:1"):
            group.create_task(work())
        with in_conversation("telegram:00:2"):
            group.create_task(work())
    lines = [line for line in stream.getvalue().splitlines() if "working" in line]
    assert ["telegram:00:1" in line for line in lines] == [True, False]
    assert ["telegram:00:2" in line for line in lines] == [False, True]


def test_secrets_in_messages_and_arguments_are_masked(stream: io.StringIO) -> None:
    for spelling in spellings():
        logger.info(f"in the message {spelling}")  # noqa: G004
        logger.info("as argument %s %r", spelling, [spelling])
        logger.info("by name %(it)s", {"it": spelling})
        logger.info(ValueError(spelling))
        logger.info("as bytes %r", spelling.encode())
    assert clean(stream).count("***") >= 5


def test_secrets_in_fields_are_masked(stream: io.StringIO) -> None:
    logger.info("fields", extra={"url": f"https://x/{TELEGRAM}", "deep": {TELEGRAM: [PASSWORD, {"a": (TELEGRAM,)}]}})
    logger.info("objects", extra={"error": ValueError(PASSWORD), "conversation": f"irc:00:{TELEGRAM}"})
    with in_conversation(TELEGRAM):
        logging.getLogger(f"bot.{TELEGRAM}").info("names")
    clean(stream)


def test_a_number_that_is_a_secret_is_masked() -> None:
    stream = io.StringIO()
    configure("INFO", "json", redact=["4711"], stream=stream)
    logger.info("pin %d", 4711, extra={"pin": 4711, "count": 12})
    assert "4711" not in stream.getvalue()
    assert json.loads(stream.getvalue())["count"] == 12


def fail() -> None:
    try:
        try:
            raise OSError(f"GET https://api.telegram.org/bot{TELEGRAM}/getMe")
        except OSError as error:
            raise KeyError(PASSWORD) from error
    except KeyError as error:
        failure = RuntimeError("while handling", SECRETS[2])
        failure.add_note(f"note {TELEGRAM}")
        raise ExceptionGroup(f"group {PASSWORD}", [failure]) from error


def test_secrets_in_exception_chains_groups_and_notes_are_masked(stream: io.StringIO) -> None:
    try:
        fail()
    except ExceptionGroup:
        logger.exception("failed")
    text = clean(stream)
    for word in ("ExceptionGroup", "OSError", "KeyError", "while handling", "note ***", "test_logs.py"):
        assert word in text


def test_secrets_in_stack_traces_are_masked() -> None:
    stream = io.StringIO()
    configure("DEBUG", "text", redact=["stack_info=True"], stream=stream)
    logger.info("here", stack_info=True)
    assert "stack_info=True" not in stream.getvalue()
    assert "***" in stream.getvalue()


def test_requests_logged_by_http_libraries_are_masked(stream: io.StringIO) -> None:
    url = f"https://api.telegram.org/bot{TELEGRAM}/getUpdates"
    logging.getLogger("httpx").info('HTTP Request: %s %s "%s"', "POST", url, "HTTP/1.1 200 OK")
    logging.getLogger("httpx").info("HTTP Request: %s", urllib.parse.quote(url, safe="").lower())
    logging.getLogger("httpcore.http11").debug(
        "send_request_headers.started request=<Request [b'POST']> %r", url.encode()
    )
    logging.getLogger("telegram.Bot").debug("Calling Bot API endpoint with %s", {"url": url, "token": TELEGRAM})
    assert clean(stream).count("getupdates") == 1


def test_shapes_of_secrets_are_masked_though_nobody_named_them() -> None:
    stream = io.StringIO()
    configure("DEBUG", "text", stream=stream)
    logger.info(f"https://api.telegram.org/bot{TELEGRAM}/getMe and bot{TELEGRAM.replace(':', '%3A')}")  # noqa: G004
    logger.info("token %s", TELEGRAM)
    logger.info("GET /sync?access_token=hushhush&since=s1")
    logger.info("Authorization: Bearer syt_hushhushhushhushhush_x")
    logger.info("https://anna:hush@proxy.example.org/")
    text = stream.getvalue()
    assert "hush" not in text
    assert "since=s1" in text
    assert "proxy.example.org" in text


def test_what_is_no_secret_stays() -> None:
    stream = io.StringIO()
    configure("DEBUG", "text", redact=SECRETS, stream=stream)
    line = "bot 12:30:59 room telegram:00:123456789 https://example.org:8448/a?b=c anna@example.org token count=12"
    logger.info(line)
    assert line in stream.getvalue()


def test_secrets_that_become_known_later_are_masked() -> None:
    stream = io.StringIO()
    redactor = configure("INFO", "text", stream=stream)
    redactor.add(["late-hush", "", "  "])
    redactor.add(["later-hush"])
    logger.info("a late-hush b later-hush")
    assert "hush" not in stream.getvalue()
    assert "a *** b ***" in stream.getvalue()
    assert "hush" not in repr(redactor)


def test_the_longer_of_two_secrets_is_masked_whole() -> None:
    assert Redactor(["abcd", "abcdef"]).text("abcdef abcd") == "*** ***"


def test_a_record_that_cannot_be_formatted_leaks_nothing(
    stream: io.StringIO, capsys: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        def __str__(self) -> str:
            raise RuntimeError(TELEGRAM)

        __repr__ = __str__

    class BrokenError(Exception):
        def __str__(self) -> str:
            raise RuntimeError(TELEGRAM)

    logger.info("too few %s %s", TELEGRAM)
    logger.info("broken %s", Broken(), extra={"it": Broken()})
    try:
        raise BrokenError
    except BrokenError:
        logger.exception("broken")
    text = clean(stream)
    assert "too few %s %s (unreadable: TypeError)" in text
    assert text.count("broken") >= 2
    assert capsys.readouterr().err == ""


def test_a_stream_that_cannot_be_written_to_leaks_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    stream = io.StringIO()
    configure("INFO", "text", stream=stream)
    stream.close()
    logger.info("hush")
    assert capsys.readouterr().err == ""


async def test_errors_that_asyncio_reports_are_masked(stream: io.StringIO) -> None:
    loop = asyncio.get_running_loop()
    future = loop.create_future()
    future.set_exception(OSError(f"bot{TELEGRAM}"))
    loop.call_exception_handler({"message": f"lost {PASSWORD}", "exception": OSError(TELEGRAM), "future": future})
    future.exception()
    assert "OSError" in clean(stream)


def test_uncaught_errors_are_masked(stream: io.StringIO) -> None:
    try:
        fail()
    except ExceptionGroup as error:
        sys.excepthook(type(error), error, error.__traceback__)
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join(10)
    assert clean(stream).count("uncaught error") == 2


def test_errors_in_finalizers_are_masked(stream: io.StringIO) -> None:
    class Leaky:
        def __del__(self) -> None:
            raise ValueError(TELEGRAM)

    # pytest's own hook is put in place around each test; ours is asked directly.
    leaky = Leaky()
    del leaky
    assert "error in a finalizer" in clean(stream)


def test_warnings_of_python_are_masked(stream: io.StringIO) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        logging.captureWarnings(False)
        logging.captureWarnings(True)
        warnings.warn(f"deprecated: {TELEGRAM}", stacklevel=1)
    assert "deprecated: ***" in clean(stream)


@pytest.mark.parametrize(("level", "heard"), [("DEBUG", 4), ("INFO", 2), ("WARNING", 2), ("ERROR", 1)])
def test_libraries_are_quiet_unless_the_level_is_debug(level: str, heard: int) -> None:
    stream = io.StringIO()
    configure(level, "text", stream=stream)
    library = logging.getLogger("httpx")
    for log in (library.debug, library.info, library.warning, library.error):
        log("word")
    assert stream.getvalue().count("word") == heard


def test_a_second_configuration_replaces_the_first() -> None:
    first, second = io.StringIO(), io.StringIO()
    configure("INFO", "text", stream=first)
    configure("INFO", "text", stream=second)
    logger.info("once")
    assert (first.getvalue(), second.getvalue().count("once")) == ("", 1)


def test_other_handlers_see_no_secret_after_ours(stream: io.StringIO) -> None:
    seen: list[logging.LogRecord] = []

    class Other(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            seen.append(record)

    logging.getLogger().addHandler(Other())
    logger.info("x %s", TELEGRAM)
    clean(stream)
    assert TELEGRAM not in repr([record.__dict__ for record in seen])
