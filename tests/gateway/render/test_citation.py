"""The source line that is lifted out of an answer for display, and the lines that stay."""

from __future__ import annotations

import pytest

from jarvisbot.gateway.render.citation import lift, merged_sources
from jarvisbot.types import Source


@pytest.mark.parametrize(
    ("line", "cited"),
    [
        ("Source: https://e.org/a", [("", "https://e.org/a")]),
        ("Quelle: https://e.org/a.", [("", "https://e.org/a")]),
        ("**Source:** [Wikipedia](https://e.org/a_(b))", [("Wikipedia", "https://e.org/a_(b)")]),
        (
            "Quellen: [A](https://a.org), [B](<https://b.org>) und https://c.org",
            [("A", "https://a.org"), ("B", "https://b.org"), ("", "https://c.org")],
        ),
        (
            "Sources: Reuters (https://r.org/x), BBC – https://b.org/y",
            [("Reuters", "https://r.org/x"), ("BBC", "https://b.org/y")],
        ),
        ("*Source: <https://e.org>*", [("", "https://e.org")]),
        ("(Source: https://e.org/a)", [("", "https://e.org/a")]),
        (
            "sources : https://a.org; https://b.org · https://c.org",
            [("", "https://a.org"), ("", "https://b.org"), ("", "https://c.org")],
        ),
        ("Source: https://bücher.example/straße?q=ä", [("", "https://bücher.example/straße?q=ä")]),
        ("References: https://e.org/a_(b)", [("", "https://e.org/a_(b)")]),
    ],
)
@pytest.mark.parametrize("before", ["It is so.", "- a\n- b\n", "Text\n", "```\nx\n```"])
def test_a_last_line_that_cites_pages_is_lifted(before: str, line: str, cited: list[tuple[str, str]]) -> None:
    before = before if before[0] != "-" else before + "\n"
    text, sources = lift(f"{before}\n{line}\n")
    assert text == before.rstrip()
    assert [(source.title, source.url) for source in sources] == cited


@pytest.mark.parametrize(
    "text",
    [
        "It is so.\nSource: my own recollection",
        "It is so.\nQuelle: eigenes Wissen",
        "It is so.\nSource: https://e.org and my own recollection",
        "It is so.\nSource: my notes; https://e.org says more about this",
        "Source: https://e.org",
        "Source: https://e.org\n\nIt is so.",
        "It is so. Source: https://e.org",
        "- one\n- two\n  Source: https://e.org",
        "> quoted\n> Source: https://e.org",
        "```\ncode\nSource: https://e.org",
        "The source: it is far away.",
        "It is so.\nSource:",
        "It is so.\nSource code: https://e.org",
        "",
    ],
)
def test_everything_else_stays_prose(text: str) -> None:
    assert lift(text) == (text, ())


def test_cited_pages_come_first_each_page_once_under_its_known_title() -> None:
    known = (Source(title="Other", url="https://o.org"), Source(title="Page", url="https://e.org/a/"))
    cited = (Source(title="", url="https://e.org/a"), Source(title="New", url="https://n.org"))
    assert [source.title for source in merged_sources(cited, known)] == ["Page", "New", "Other"]


@pytest.mark.speed
def test_a_hostile_last_line_costs_nothing() -> None:
    import time

    for line in (
        "Source: " + "a " * 50_000,
        "Source: " + "https://e.org " * 10_000 + "x",
        "Source: " + "[" * 50_000,
        "Source: " + "a - " * 20_000,
    ):
        start = time.thread_time()
        lift("x\n" + line)
        assert time.thread_time() - start < 1
