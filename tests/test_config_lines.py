"""Line numbers in TOML texts."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jarvisbot.config.lines import Path, line_of, lines

TEXT = '''# a comment with key = 1
top = 1
"quoted key" = 2
'literal.key' = 3
a . b.c = 4

[ table ] # not [this]
multi = """
fake = 1
[fake]
\\""" still inside """
raw = \'\'\'
fake = 2
\'\'\'
list = [ # [x]
  1,
  "two, ] }",
  { x = 1, y = [3,
    4] },
]
inline = { one = 1, two.three = "}" }
when = 1979-05-27T07:32:00Z

[[array]]
x = 1
[array.child]
y = 2
[[array]]
x = 3
[[array.items]]
z = 4
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("top",), 2),
        (("quoted key",), 3),
        (("literal.key",), 4),
        (("a", "b", "c"), 5),
        (("table",), 7),
        (("table", "multi"), 8),
        (("table", "raw"), 12),
        (("table", "list", 0), 16),
        (("table", "list", 1), 17),
        (("table", "list", 2, "y", 1), 19),
        (("table", "inline", "two", "three"), 21),
        (("table", "when"), 22),
        (("array", 0, "x"), 25),
        (("array", 0, "child", "y"), 27),
        (("array", 1, "x"), 29),
        (("array", 1, "items", 0, "z"), 31),
    ],
)
def test_each_key_has_the_line_it_stands_on(path: Path, line: int) -> None:
    assert lines(TEXT)[path] == line
    assert lines(TEXT.replace("\n", "\r\n"))[path] == line


def test_nothing_is_found_that_is_not_there() -> None:
    assert set(lines(TEXT)) == set(paths(tomllib.loads(TEXT)))


def test_a_missing_key_has_the_line_of_its_table() -> None:
    assert line_of(("table", "missing"), lines(TEXT)) == 7
    assert line_of(("nowhere",), lines(TEXT)) is None


def paths(value: object, at: Path = ()) -> list[Path]:
    found = [at] if at else []
    match value:
        case dict():
            return found + [path for key, item in value.items() for path in paths(item, (*at, key))]
        case list():
            return found + [path for index, item in enumerate(value) for path in paths(item, (*at, index))]
        case _:
            return found


KEY = st.sampled_from(["a", "b-1", '"c d"', "'e.f'", '"\\u00e9"'])
SCALAR = st.sampled_from(
    ["1", "-0.5", "true", '"#[{="', "'\\'", '"\\""', '""""""', '"""\n"x""""', "'''\n=#'''", "07:32:00"]
)
VALUE = st.recursive(
    SCALAR,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[\n" + ", # ]\n".join(items) + "]"),
        st.dictionaries(KEY, inner.filter(lambda text: "\n" not in text), max_size=3).map(
            lambda items: "{" + ", ".join(f"{key} = {item}" for key, item in items.items()) + "}"
        ),
    ),
    max_leaves=6,
)


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.tuples(st.lists(KEY, min_size=1, max_size=2), st.booleans(), st.dictionaries(KEY, VALUE)), max_size=4)
)
def test_every_value_of_any_text_is_found(tables: list[tuple[list[str], bool, dict[str, str]]]) -> None:
    text = ""
    for number, (key, is_array, pairs) in enumerate(tables):
        name = ".".join([f"t{0 if is_array else number}", *key] if not is_array else ["array", *key])
        text += f"[[{name}]]\n" if is_array else f"[{name}]\n"
        text += "".join(f"{key} = {value}\n" for key, value in pairs.items())
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    assert set(lines(text)) == set(paths(values))
