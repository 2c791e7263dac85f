"""Values as JSON text and back: the same values, whatever they hold."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.store import codec
from jarvisbot.types import (
    Assistant,
    Author,
    FileRef,
    Heading,
    Item,
    JsonValue,
    Result,
    RowState,
    Source,
    System,
    ToolCall,
    ToolResult,
    ToolRow,
    User,
)

TEXT = st.text(st.characters(exclude_categories=()), max_size=12)
FLOATS = st.floats(allow_nan=False)
VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | FLOATS | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
FILES = st.builds(FileRef, id=TEXT, name=TEXT, media_type=TEXT, size_bytes=st.integers(0))
SOURCES = st.builds(Source, title=TEXT, url=TEXT, excerpt=TEXT)
CALLS = st.builds(ToolCall, id=TEXT, name=TEXT, arguments=st.dictionaries(TEXT, VALUES, max_size=3))
RESULTS = st.builds(
    ToolResult,
    call_id=TEXT,
    text=TEXT,
    ok=st.booleans(),
    sources=st.lists(SOURCES, max_size=2).map(tuple),
    files=st.lists(FILES, max_size=2).map(tuple),
)
AUTHORS = st.builds(Author, id=TEXT, name=TEXT, is_bot=st.booleans())
ITEMS: st.SearchStrategy[Item] = st.one_of(
    st.builds(System, text=TEXT),
    st.builds(
        User,
        text=TEXT,
        attachments=st.lists(FILES, max_size=2).map(tuple),
        author=st.none() | AUTHORS,
        heading=st.builds(Heading, text=TEXT, speaker=TEXT, base=TEXT),
    ),
    st.builds(Assistant, text=TEXT, thinking=TEXT, calls=st.lists(CALLS, max_size=2).map(tuple)),
    st.builds(Result, result=RESULTS),
)
ROWS = st.builds(
    ToolRow, label=TEXT, detail=TEXT, tool=TEXT, state=st.sampled_from(RowState), seconds=st.floats(0, 1e6)
)


@given(ITEMS)
def test_an_item_comes_back_as_it_was_and_is_text_that_a_database_takes(item: Item) -> None:
    kind, body = codec.item_to(item)
    body.encode()
    assert "\0" not in body
    assert codec.item_from(kind, body) == item


@given(st.lists(FILES, max_size=3), st.lists(SOURCES, max_size=3), st.lists(ROWS, max_size=3))
def test_files_sources_and_rows_come_back_as_they_were(
    files: list[FileRef], sources: list[Source], rows: list[ToolRow]
) -> None:
    for texts in (codec.dump(files), codec.dump(sources), codec.dump(rows)):
        texts.encode()
    assert codec.files_from(codec.dump(files)) == tuple(files)
    assert codec.sources_from(codec.dump(sources)) == tuple(sources)
    assert codec.rows_from(codec.dump(rows)) == tuple(rows)


def test_text_is_stored_readably() -> None:
    assert "Grüße 👋" in codec.item_to(User(text="Grüße 👋"))[1]


def test_numbers_that_json_does_not_know_come_back() -> None:
    call = ToolCall(id="1", name="t", arguments={"a": math.inf, "b": math.nan})
    back = codec.item_from(*codec.item_to(Assistant(text="", calls=(call,))))
    assert isinstance(back, Assistant)
    assert back.calls[0].arguments["a"] == math.inf
    assert math.isnan(float(str(back.calls[0].arguments["b"])))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("thought", "{}"),
        ("assistant", '{"text": "", "thinking": "", "calls": [{"id": "1", "name": "t", "arguments": [1]}]}'),
    ],
)
def test_a_row_that_is_no_item_is_refused(kind: str, body: str) -> None:
    with pytest.raises(ValueError, match=r"kind 'thought'|not an object"):
        codec.item_from(kind, body)


@given(TEXT)
def test_cleaned_text_can_be_held_anywhere_and_other_text_is_left_alone(text: str) -> None:
    cleaned = codec.clean(text)
    cleaned.encode()
    json.loads(json.dumps(cleaned, ensure_ascii=False))
    assert "\0" not in cleaned
    assert codec.clean(cleaned) == cleaned
    if text.isprintable():
        assert cleaned == text


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    assert codec.clean("\ud800") == "\ufffd"
    assert codec.clean("a\udc00b\ud800c\ud800") == "a\ufffdb\ufffdc\ufffd"
    assert codec.clean("\ud83d\udc4b") == "👋"
    assert codec.clean("a\0b") == "ab"


@given(st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001  hypothesis asks for naive limits
def test_a_moment_keeps_its_milliseconds(moment: datetime) -> None:
    back = codec.from_milliseconds(codec.milliseconds(moment))
    assert abs((back - moment).total_seconds()) <= 0.0005
    assert back.tzinfo is UTC
    assert codec.milliseconds(back) == codec.milliseconds(moment)
