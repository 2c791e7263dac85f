"""Bytes to whole characters, stop strings, think blocks."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.models.llamacpp.output import Output, ThinkWatch, held_back


def shown(pieces: list[bytes], stops: tuple[str, ...] = ()) -> tuple[list[str], bool]:
    """What is shown after each piece, the end included, and whether a stop string ended it."""
    output = Output(stops)
    texts = []
    for piece in pieces:
        texts.append(output.show(output.decode(piece)))
        if output.stopped:
            return texts, True
    return [*texts, output.finish()], output.stopped


def test_a_character_appears_when_its_last_byte_does() -> None:
    first, second, third, fourth = (bytes([byte]) for byte in "😀".encode())
    assert shown([b"a", first, second, third, fourth, b"b"])[0] == ["a", "", "", "", "😀", "b", ""]


def test_bytes_that_are_no_text_become_replacement_characters() -> None:
    assert "".join(shown([b"a", b"\xff", b"\xe2\x82", b"b"])[0]) == "a\ufffd\ufffdb"


def test_half_a_character_at_the_end_is_not_shown() -> None:
    assert "".join(shown([b"a", b"\xf0\x9f"])[0]) == "a"


@given(st.lists(st.binary(max_size=4)))
def test_all_that_is_shown_can_be_encoded(pieces: list[bytes]) -> None:
    texts, _ = shown(pieces)
    assert "".join(texts) == codecs.getincrementaldecoder("utf-8")("replace").decode(b"".join(pieces))
    assert not [text for text in texts if text.encode("utf-8", "replace").decode() != text]


@given(st.text("ab<|>", max_size=30), st.integers(1, 4))
def test_a_stop_string_is_found_however_the_text_is_cut(text: str, size: int) -> None:
    stops = ("<|a|>", "b<")
    pieces = [text[at : at + size].encode() for at in range(0, len(text), size)]
    texts, stopped = shown(pieces, stops)
    found = [text.index(stop) for stop in stops if stop in text]
    assert stopped == bool(found)
    if len(found) < 2:  # of two in the same piece the first one counts, of two in different pieces the earlier one
        assert "".join(texts) == (text[: found[0]] if found else text)


def test_text_is_held_back_no_longer_than_it_may_become_a_stop_string() -> None:
    assert shown([b"one<|", b"im", b"age|>"], ("<|im_start|>user",))[0] == ["one", "", "<|image|>", ""]


@pytest.mark.parametrize(
    ("text", "length"), [("", 0), ("ab", 0), ("ab<", 1), ("<|im_", 5), ("<<", 1), ("<|im_end|>", 0)]
)
def test_what_is_held_back_is_the_longest_beginning_of_a_stop(text: str, length: int) -> None:
    assert held_back(text, ("<|im_end|>",)) == length


def test_a_think_block_is_due_after_its_tokens_wherever_it_was_opened() -> None:
    opened = ThinkWatch(opened=True, limit=2)
    assert not opened.due
    opened.saw("one")
    opened.saw("two")
    assert opened.due
    written = ThinkWatch(opened=False, limit=2)
    for text in ("\n", "<thi", "nk>", "one"):
        written.saw(text)
        assert not written.due
    written.saw("two")
    assert written.due


def test_a_think_block_that_ends_by_itself_is_never_due() -> None:
    watch = ThinkWatch(opened=True, limit=3)
    for text in ("so", "</thi", "nk>", "a", "long", "answer"):
        watch.saw(text)
    assert not watch.due


def test_a_think_tag_in_the_middle_of_a_reply_opens_nothing() -> None:
    watch = ThinkWatch(opened=False, limit=0)
    for text in ("The tag ", "<think>", " is …"):
        watch.saw(text)
    assert not watch.due


def test_without_a_limit_nothing_is_due() -> None:
    watch = ThinkWatch(opened=True, limit=None)
    watch.saw("long")
    assert not watch.due
