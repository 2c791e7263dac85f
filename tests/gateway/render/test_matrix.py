"""Answers as Matrix takes them: allowed HTML and the plain body beside it."""

from __future__ import annotations

import pytest

from jarvisbot.connector import Markup, Unit
from jarvisbot.gateway.render import measure_for, render
from jarvisbot.gateway.split import split
from jarvisbot.types import Rendered
from tests.emulators.matrix.events import check_message


def shown(text: str) -> Rendered:
    rendered = render(text, Markup.HTML, Unit.UTF8)
    check_message(rendered.text, rendered.html)
    return rendered


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**b** *i* ~~s~~ `c`", "<p><strong>b</strong> <em>i</em> <del>s</del> <code>c</code></p>"),
        ("a\nb\\\nc", "<p>a<br>b<br>c</p>"),
        ("# A\n\n###### B", "<h1>A</h1><h6>B</h6>"),
        ("```py\nx < 1\n```", '<pre><code class="language-py">x &lt; 1\n</code></pre>'),
        ("> a\n> > b", "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>"),
        ("- a\n  - b", "<ul><li>a<ul><li>b</li></ul></li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("1. a\n5. b", '<ol><li>a</li></ol><ol start="5"><li>b</li></ol>'),
        ("---", "<hr>"),
        ("[x](https://e.org/?a=1&b=2)", '<p><a href="https://e.org/?a=1&amp;b=2">x</a></p>'),
        ("![cat](https://e.org/c.png)", '<p><a href="https://e.org/c.png">cat</a></p>'),
        ("[x](javascript:y)", "<p>x (javascript:y)</p>"),
        ("5*3*2 snake_case __init__.py 2 ** 3", "<p>5*3*2 snake_case __init__.py 2 ** 3</p>"),
        ('<script>x</script> & "q"', "<p>&lt;script&gt;x&lt;/script&gt; &amp; &quot;q&quot;</p>"),
        ("| a | 漢 |\n|---|--:|\n| 1 | x |", "<pre><code>a │ 漢\n──┼───\n1 │  x\n</code></pre>"),
        ("> &nbsp;", "<p>&gt; &amp;nbsp;</p>"),
    ],
)
def test_each_form_has_its_tags(text: str, html: str) -> None:
    assert shown(text).html == html


def test_lists_keep_numbers_levels_and_code() -> None:
    rendered = shown("1. one\n   - a\n     - b\n2) two\n\n   ```py\n   x = 1\n   ```\n10. ten")
    assert rendered.html == (
        "<ol><li>one<ul><li>a<ul><li>b</li></ul></li></ul></li></ol>"
        '<ol start="2"><li><p>two</p><pre><code class="language-py">x = 1\n</code></pre></li></ol>'
        '<ol start="10"><li>ten</li></ol>'
    )
    assert [line for line in ("1. one", "2) two", "10. ten", "- a") if line not in rendered.text] == []


def test_a_wide_table_becomes_a_card_a_row() -> None:
    html = shown("| City | Remark |\n|---|---|\n| Oslo | " + "long " * 10 + "|").html
    assert html == f"<p><strong>City:</strong> Oslo<br><strong>Remark:</strong> {('long ' * 10).strip()}</p>"


def test_the_plain_body_is_readable_without_the_html() -> None:
    rendered = shown("**Hi** [x](https://e.org)\n\n> q")
    assert rendered.text == "Hi x (https://e.org)\n\n> q"


@pytest.mark.parametrize(
    "text", ["@room", "`@room`", "@alice:example.org", "[@room](https://e.org)", "```\n@room\n```"]
)
def test_nobody_is_notified(text: str) -> None:
    rendered = shown(text)
    assert "@room" not in rendered.text
    assert "@alice" not in rendered.text + rendered.html


@pytest.mark.parametrize(
    "url", ["https://matrix.to/#/@a:e.org", "https://matrix.to/#/%40a:e.org", "HTTPS://MATRIX.TO/#/@a:e.org"]
)
def test_a_link_to_a_person_is_no_mention(url: str) -> None:
    assert "href" not in shown(f"[Alice]({url})").html


def test_a_link_inside_a_link_and_control_characters_are_harmless() -> None:
    assert shown("[![p](https://e.org/p.png)](https://e.org)").html.count("<a ") == 1
    shown("a\x00b\x0bc\ud800d `\x07`")


def test_an_event_stays_under_64_kib_even_as_an_encrypted_edit() -> None:
    measure = measure_for(Markup.HTML, Unit.UTF8)
    for text in (
        "&" * 30_000,
        '"\\' * 20_000,
        "**b** " * 9_000,
        "漢" * 30_000,
        "\n".join("- x" for _ in range(12_000)),
    ):
        parts = split(text, limit=22_000, measure=measure)
        assert len(parts) > 1
        for part in parts:
            shown(part)


def test_right_to_left_text_is_left_as_it_is() -> None:
    text = "استخدم `git rebase` مع v2.0 (beta):\n\n1. أولا https://e.org/a\n2. ثانيا"
    for markup in (Markup.HTML, Markup.DISCORD, Markup.ENTITIES, Markup.PLAIN):
        rendered = render(text, markup, Unit.UTF16)
        assert not {"\u2066", "\u2067", "\u2068", "\u2069"} & set(rendered.text + rendered.html)
        assert "git rebase" in rendered.text
        assert "https://e.org/a" in rendered.text
