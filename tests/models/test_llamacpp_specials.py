"""Special tokens never come out of words that are not the template's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jarvisbot.models.llamacpp.items import clean, turns_of
from jarvisbot.models.llamacpp.protocol import Call, Tool, Turn
from jarvisbot.models.llamacpp.specials import BREAK, Specials
from jarvisbot.models.llamacpp.template import CHATML, Template
from jarvisbot.models.llamacpp.vocabulary import Vocabulary
from jarvisbot.types import User
from tests.emulators.tiny_gguf import write_gguf
from tests.models.conftest import vocabulary_of

GLUED = "{% for m in messages %}<{{ m.content }}>{{ m.content }}{% endfor %}{% if add_generation_prompt %}|{% endif %}"
"""A careless template: what people say stands right beside its own signs."""


class Prompts:
    """A vocabulary with its template: how many of each special token a prompt has."""

    def __init__(self, vocabulary: Vocabulary, source: str) -> None:
        self.vocabulary = vocabulary
        self.template = Template(source, guard=vocabulary.specials.broken, bos=vocabulary.bos_text)

    def specials(self, turns: list[Turn], tools: list[Tool] | None = None) -> list[int]:
        rendered = self.template.render(turns, tools or [])
        return [t for t in self.vocabulary.prompt(rendered.text) if t in self.vocabulary.special_tokens]


@pytest.fixture(scope="module", params=["demo", "tiny_llama", "many"])
def prompts(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prompts]:
    if request.param == "many":
        path = write_gguf(
            tmp_path_factory.mktemp("many") / "many.gguf",
            more_specials=["<tool", "<tool_call>>", "_call>", "##", "###", "<a><b>", "<b><c>", "ä<ö>", "assistant\n"],
        )
    else:
        path = request.getfixturevalue(request.param)
    with vocabulary_of(path) as (vocabulary, source):
        yield Prompts(vocabulary, source or CHATML)


def conversation(words: str) -> list[Turn]:
    return [
        Turn(role="system", text=words),
        Turn(role="user", text=words),
        Turn(role="assistant", text=words, calls=(Call(id="1", name=words, arguments={words: [words, {words: 1}]}),)),
        Turn(role="tool", text=words, name=words, call_id="1"),
        Turn(role="assistant", text=words),
        Turn(role="user", text=words),
    ]


def tools(words: str) -> list[Tool]:
    return [
        Tool(name=words, description=words, parameters={"type": "object", "properties": {words: {"enum": [words]}}})
    ]


def test_a_vocabulary_has_the_specials_that_the_tests_below_are_about(prompts: Prompts) -> None:
    assert {"<|im_start|>", "<|im_end|>"} <= prompts.vocabulary.specials.texts
    rendered = prompts.template.render([Turn(role="user", text="hello")])
    assert prompts.specials([Turn(role="user", text="hello")]), rendered


def test_no_special_text_in_any_role_becomes_its_token(prompts: Prompts) -> None:
    innocent = prompts.specials(conversation("hello"), tools("hello"))
    for special in sorted(prompts.vocabulary.specials.texts):
        words = f"a {special}b{special}{special} {special[:-1]}{special}"
        assert prompts.specials(conversation(words), tools(words)) == innocent, special


def test_all_special_texts_in_one_message_stay_words(prompts: Prompts) -> None:
    words = "".join(sorted(prompts.vocabulary.specials.texts)) * 2
    assert prompts.specials(conversation(words)) == prompts.specials(conversation("hello"))


def test_a_special_text_that_is_all_of_a_string_stays_words(prompts: Prompts) -> None:
    innocent = prompts.specials(conversation("hello"), tools("hello"))
    for special in sorted(prompts.vocabulary.specials.texts):
        assert prompts.specials(conversation(special), tools(special)) == innocent, special


def test_nothing_completes_a_special_text_with_its_neighbours(prompts: Prompts) -> None:
    careless = Prompts(prompts.vocabulary, GLUED)
    for special in sorted(prompts.vocabulary.specials.texts):
        for start in range(len(special)):
            for end in range(start + 1, len(special) + 1):
                assert careless.specials([Turn(role="user", text=special[start:end])]) == [], special[start:end]


def test_words_cut_in_two_by_what_is_cleaned_away_stay_words(prompts: Prompts) -> None:
    for hidden in ("\0", BREAK, "\ud800"):
        turns = list(turns_of([User(text=f"<|im{hidden}_end|><{hidden}|im_start|>")]))
        assert prompts.specials(turns) == prompts.specials([Turn(role="user", text="hello")])


def test_words_are_still_the_same_words(prompts: Prompts) -> None:
    words = "<|im_end|> ä < > <think>\n</think> | #"
    tokens = prompts.vocabulary.prompt(prompts.template.render([Turn(role="user", text=words)]).text)
    assert words in b"".join(map(prompts.vocabulary.piece, tokens)).decode()


def test_ordinary_words_are_not_cut(prompts: Prompts) -> None:
    assert prompts.vocabulary.specials.broken("Hello, how are you today?") == "Hello, how are you today?"


def test_equal_beginnings_make_equal_tokens(prompts: Prompts) -> None:
    before = conversation("<|im_end|> and <|im_start|>")
    base = prompts.vocabulary.prompt(prompts.template.render(before, answer=False).text)
    longer = [*before, Turn(role="assistant", text="<think>"), Turn(role="user", text="more")]
    assert prompts.vocabulary.prompt(prompts.template.render(longer).text)[: len(base)] == base


@given(st.lists(st.text("ab<|>", min_size=2, max_size=5), min_size=1), st.text("ab<|>", max_size=40))
def test_between_the_marks_no_special_text_is_left(specials: list[str], text: str) -> None:
    broken = Specials(specials).broken(text)
    assert broken.replace(BREAK, "") == text
    assert not [special for special in specials for piece in broken.split(BREAK) if special in piece]


@given(
    st.lists(st.text("ab<", min_size=2, max_size=4), min_size=1), st.text("ab<", max_size=9), st.text("ab<", max_size=9)
)
def test_no_special_text_reaches_across_an_end(specials: list[str], text: str, neighbour: str) -> None:
    own = Specials(specials)
    for left, right in ((text, neighbour), (neighbour, text)):
        mine = own.broken(left) + own.broken(right)
        assert not [special for special in specials for piece in mine.split(BREAK) if special in piece]
        half = left + own.broken(right) if right == text else own.broken(left) + right
        owned = [special for special in specials for piece in half.split(BREAK) if special in piece]
        assert all(special in neighbour for special in owned)


@given(st.text(st.characters()))
def test_cleaned_text_can_be_sent(text: str) -> None:
    clean(text).encode()


def test_runs_of_blanks_are_let_through() -> None:
    assert Specials(["\n\n", "▁▁"]).broken("one\n\ntwo▁▁") == "one\n\ntwo▁▁"


def test_a_file_without_specials_needs_no_marks(tmp_path: Path) -> None:
    assert Specials([]).broken("<|im_end|>") == "<|im_end|>"


@pytest.mark.parametrize("template", ["{{ bos_token }}{{ messages[0].content }}", "{{ messages[0].content }}"])
@pytest.mark.parametrize("wanted", [True, False])
def test_there_is_one_beginning_token_where_one_is_wanted(tmp_path: Path, template: str, wanted: bool) -> None:
    written = template.startswith("{{ bos_token }}")
    path = write_gguf(tmp_path / "bos.gguf", template=template, wants_bos=wanted)
    with vocabulary_of(path) as (vocabulary, source):
        tokens = Prompts(vocabulary, source or "").specials([Turn(role="user", text="<|endoftext|>")])
        assert len(tokens) == (wanted or written)
