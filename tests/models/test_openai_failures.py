"""What servers' refusals mean, in the words that servers really use."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from jarvisbot.models.openai.failures import TooLong, read, retry_after_s, too_long

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("body", "needed", "available"),
    [
        (
            {
                "error": {
                    "code": 400,
                    "message": "the request exceeds the available context size, try increasing it",
                    "type": "exceed_context_size_error",
                    "n_prompt_tokens": 5000,
                    "n_ctx": 4096,
                }
            },
            5000,
            4095,
        ),
        (
            {
                "error": {
                    "message": "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it"
                }
            },
            5000,
            4095,
        ),
        (
            {
                "error": {
                    "message": "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 "
                    "tokens. Please reduce the length of the messages.",
                    "type": "invalid_request_error",
                    "code": "context_length_exceeded",
                }
            },
            9001,
            8191,
        ),
        (
            {
                "object": "error",
                "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the "
                "messages, 1000 in the completion). Please reduce the length of the messages or completion.",
            },
            4000,
            3096,
        ),
        (
            {
                "error": {
                    "message": "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum context length "
                    "is 4096 tokens and your request has 3500 input tokens (1024 > 4096 - 3500)."
                }
            },
            3500,
            3072,
        ),
        (
            {
                "error": {
                    "message": "This model's maximum context length is 4096 tokens. However, your request has 5000 input tokens. "
                    "Please reduce the length of the input messages."
                }
            },
            5000,
            4095,
        ),
        (
            {
                "message": "The decoder prompt (length 5000) is longer than the maximum model length of 4096. Make sure that "
                "`max_model_len` is no smaller than the number of text tokens.",
            },
            5000,
            4095,
        ),
        (
            {
                "error": {
                    "message": "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens "
                    "(8000 of text input, 1000 in the output). Please reduce the length of either one.",
                    "code": 400,
                }
            },
            8000,
            7192,
        ),
        (
            {
                "message": "Requested token count exceeds the model's maximum context length of 4096 tokens. You requested a "
                "total of 5000 tokens: 4000 tokens from the input messages and 1000 tokens for the completion."
            },
            4000,
            3096,
        ),
        ({"error": "The input (5000 tokens) is longer than the model's context length (4096 tokens)."}, 5000, 4095),
        (
            {
                "error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with "
                "context length of only 4096 tokens, which is not enough."
            },
            5000,
            4095,
        ),
        ({"error": {"message": "the input length exceeds the context length", "type": "api_error"}}, None, None),
        ({"error": {"message": "prompt is too long: 5000 tokens > 4096 maximum"}}, 5000, 4095),
        (
            [
                {
                    "error": {
                        "code": 400,
                        "message": "The input token count (5000) exceeds the maximum number of tokens allowed (4096).",
                    }
                }
            ],
            5000,
            4095,
        ),
        (
            {
                "error": {
                    "message": "This model's maximum context length is 131,072 tokens. However, you requested 140,000 tokens"
                }
            },
            140000,
            131071,
        ),
    ],
)
@pytest.mark.parametrize("status", [400, 200])
def test_a_prompt_that_is_too_long_is_understood(
    body: object, needed: int | None, available: int | None, status: int
) -> None:
    found = too_long(read(status, json.dumps(body)))
    assert found is not None
    assert (found.needed, found.available) == (needed, available)


@pytest.mark.parametrize(
    "words",
    [
        "Invalid value for 'temperature': must be at most 2.",
        "The model `x` does not exist.",
        "tools param requires --jinja flag",
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "Conversation roles must alternate user/assistant/user/assistant/...",
        "Rate limit reached: maximum 3 requests a minute",
        "",
    ],
)
def test_other_refusals_say_nothing_of_the_context(words: str) -> None:
    assert too_long(read(400, json.dumps({"error": {"message": words}}))) is None


def test_a_busy_server_is_not_one_whose_context_is_too_small() -> None:
    assert (
        too_long(read(429, '{"error": {"message": "maximum context length of 10 tokens exceeded for this minute"}}'))
        is None
    )


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b'{"error": {"message": "broken"}}', "broken"),
        (b'{"error": "broken"}', "broken"),
        (b'{"detail": "broken"}', "broken"),
        (b'{"detail": [{"msg": "broken"}]}', '[{"msg": "broken"}]'),
        (b'{"message": "broken"}', "broken"),
        (b'[{"error": {"message": "broken"}}]', "broken"),
        (b"<html><body><h1>502 Bad Gateway</h1></body></html>", "502 Bad Gateway"),
        (b"broken", "broken"),
        (b"", ""),
        (b"\xff\xfe", "\ufffd\ufffd"),
        (
            b'{"error": {"message": "Provider returned error", "metadata": {"raw": "too hot"}}}',
            "Provider returned error: too hot",
        ),
        (b"null", "None"),
        (b"[" * 100_000, "[" * 1000),
    ],
)
def test_any_body_is_a_refusal_with_words(body: bytes, words: str) -> None:
    assert read(500, body).words == words


def test_the_parameter_that_a_server_complains_about_is_found() -> None:
    known = ["top_k", "top_p", "stream_options", "chat_template_kwargs", "reasoning"]
    for words, name in (
        ("Unrecognized request argument supplied: top_k", "top_k"),
        ("Unknown parameter: 'chat_template_kwargs'.", "chat_template_kwargs"),
        ('body: extra fields not permitted "stream_options"', "stream_options"),
        ("you are out of credit", None),
        ("stop_top_p_now", None),
    ):
        assert read(400, json.dumps({"error": {"message": words}})).names(known) == name


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("7", 7.0),
        (" 1.5 ", 1.5),
        ("0", 0.0),
        (format_datetime(NOW + timedelta(seconds=90), usegmt=True), 90.0),
        (format_datetime(NOW - timedelta(seconds=90), usegmt=True), 0.0),
        ("soon", None),
        ("-3", None),
        ("99999999999999999999", None),
        ("", None),
        (None, None),
    ],
)
def test_retry_after_is_read_as_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_s(value, NOW) == seconds


def test_too_long_says_what_the_window_is() -> None:
    found = too_long(read(400, '{"error": {"type": "exceed_context_size_error", "n_prompt_tokens": 9, "n_ctx": 8}}'))
    assert found == TooLong(needed=9, available=7, window=8)
