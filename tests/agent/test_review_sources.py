"""Facts and addresses that research and pages brought, in what a draft says of them."""

from __future__ import annotations

import pytest

from jarvisbot.agent.review import Check, review
from jarvisbot.store.turns import CallRecord
from jarvisbot.types import Source, ToolCall, ToolResult
from tests.agent.test_review import checked, kinds, made


def researched(answer: str, url: str = "https://a.example/x") -> CallRecord:
    return made("research", f'Answer: {answer}.\n\nResearched 2026-09-20.\n\n1. A — {url}\n   "Text."', query="q")


def facts(answer: str, draft: str) -> bool:
    return "wrong-fact" not in kinds(checked(draft, [researched(answer)]))


@pytest.mark.parametrize(
    ("answer", "draft"),
    [
        ("Marta Oduya", "It is Marta Oduya."),
        ("Marta Oduya", "oduya"),
        ("Marta Oduya", "Das ist Oduyas Amt."),
        ("Jürgen Müller", "Jurgen Muller did it."),
        ("Jürgen Müller", "MÜLLER war es."),
        ("Martin Luther King Jr", "King held it."),
        ("Marta Oduya (since 2024)", "Marta Oduya"),
        ("Washington, D.C", "It is Washington D.C."),
        ("the Eiffel Tower", "Eiffel Tower"),
        ("A sculptor", "She is a sculptor."),
        ("13.96 million", "About 14 million."),
        ("13.96 million", "Rund 14 Millionen Menschen"),
        ("13,960,000", "13,96 Mio. Einwohner"),
        ("13.960.000", "13.96 million"),
        ("4.87 million people", "4,9 Millionen"),
        ("8849 metres", "8,848.86 m high"),
        ("8849 metres", "8.849 Meter"),
        ("1889", "In 1889."),
        ("20 July 1969", "Am 20. Juli 1969."),
        ("20 July 1969", "In 1969."),
        ("2.1 billion", "2,1 Milliarden"),
        ("42%", "42 percent"),
        ("3", "There are 3."),
        ("Apollo 11", "apollo 11 landed."),
        ("https://a.example/x", "It is at https://a.example/x."),
    ],
)
def test_a_fact_may_be_given_in_other_words(answer: str, draft: str) -> None:
    assert facts(answer, draft)


@pytest.mark.parametrize(
    ("answer", "draft"),
    [
        ("Marta Oduya", "Jonas Weld"),
        ("Marta Oduya", "Marta Weld"),
        ("Marta Oduya", "Jonas Weld. Source: https://a.example/oduya"),
        ("Jürgen Müller", "Jürgen Maier"),
        ("Martin Luther King Jr", "Malcolm X, Jr."),
        ("the Eiffel Tower", "The Louvre"),
        ("13.96 million", "About 12 million."),
        ("13.96 million", "Rund 14 Milliarden"),
        ("13.96 million", "1,4 Millionen"),
        ("4.87 million people", "487.000"),
        ("1889", "In 1887."),
        ("1889", "Im Jahr 1989."),
        ("20 July 1969", "Am 21. Juli 1969."),
        ("20 July 1969", "On 20 July 1968."),
        ("2.1 billion", "2,1 Millionen"),
        ("42%", "24 percent"),
        ("Apollo 11", "Apollo 13"),
        ("8849 metres", "Very high."),
        ("Reykjavik", "Oslo is the capital."),
        ("Reykjavik", "Das ist eine Stadt im Norden."),
    ],
)
def test_another_fact_or_none_is_found(answer: str, draft: str) -> None:
    assert not facts(answer, draft)


def test_only_the_first_line_of_research_that_worked_is_its_answer() -> None:
    late = made("research", "Researched.\n\nAnswer: Oslo.", query="q")
    failed = made("research", 'Tool "research" failed: Answer: Oslo.')
    other = made("read_page", "Answer: Oslo.")
    assert checked("Bergen.", [late, failed, other]) == ()


def test_a_finding_quotes_the_answer() -> None:
    (finding,) = checked("Bergen. https://a.example/x", [researched("Oslo")])
    assert finding.kind is Check.WRONG_FACT
    assert "Oslo" in finding.words
    assert "Oslo" in finding.fix


# ---------------------------------------------------------------- addresses

PAGES = [
    made(
        "web_search",
        "1. Home\n   https://site.example/about\n2. https://wiki.example/wiki/Foo_(bar)\n3. http://Port.example:8080/a",
    ),
    made("read_page", "# Köln\nSource: https://de.example/K%C3%B6ln/?x=1#top."),
]


@pytest.mark.parametrize(
    "cited",
    [
        "https://site.example/about",
        "http://SITE.example/about/",
        "https://site.example",
        "https://site.example/about/team?x=1#y",
        "https://site.example:443/about",
        "(https://site.example/about).",
        "[the page](https://site.example/about)!",
        "<https://site.example/about>",
        "**https://site.example/about**",
        "`https://site.example/about`",
        "„https://site.example/about“;",
        "https://wiki.example/wiki/Foo_(bar)",
        "https://wiki.example/wiki/",
        "https://port.example:8080/a",
        "https://de.example/K%C3%B6ln",
        "https://de.example/Köln",
        "https://earlier.example/page",
        "https://asked.example/page/2",
    ],
)
def test_an_address_that_was_shown_may_be_cited(cited: str) -> None:
    findings = review(
        question="What about https://asked.example/page?",
        calls=PAGES,
        draft=f"Text. Source: {cited}",
        known_urls=["https://earlier.example/page"],
    )
    assert findings == ()


@pytest.mark.parametrize(
    "cited",
    [
        "https://site.example/aboutus",
        "https://site.example/abou",
        "https://www.site.example/about",
        "https://site.example/contact",
        "https://site.example/about/../contact",
        "https://site.example:8443/about",
        "https://port.example/a",
        "https://port.example:80/a",
        "https://sub.site.example/about",
        "https://site.example@evil.example/about",
        "https://site.example.evil.example/about",
        "https://SITE.example/About",
        "https://made.up/page",
        "https://de.example/Bonn",
    ],
)
def test_an_address_from_nowhere_is_invented(cited: str) -> None:
    for draft in (f"Text. Source: {cited}", f"Dort steht es ({cited}), siehe auch https://site.example/about."):
        assert kinds(checked(draft, PAGES)) == ["invented-source"]


def test_one_invented_address_is_reported_with_the_page_read_last() -> None:
    (finding,) = checked("See https://a.b/c and https://d.e/f.", PAGES)
    assert "a.b/c was in none" in finding.words
    assert "Cite https://de.example/K%C3%B6ln/?x=1#top instead." in finding.fix


def test_an_address_is_the_answer_where_no_tool_was_called() -> None:
    assert checked("It is https://www.python.org.") == ()
    failed = made("web_search", 'Tool "web_search" failed: no connection to https://made.up')
    assert kinds(checked("Source: https://made.up/page", [failed])) == ["invented-source"]


def test_the_sources_a_tool_names_apart_from_its_text_are_known() -> None:
    result = ToolResult(call_id="1", text="about it", sources=(Source(title="A", url="https://a.example/1"),))
    call = CallRecord(call=ToolCall(id="1", name="look_up", arguments={}), result=result, seconds=0)
    assert checked("Text. https://a.example/1", [call]) == ()
    assert checked("Text.", [call]) == ()


# ---------------------------------------------------------------- none named

SHY = [
    "Which one do you mean?",
    "Meinst du die Stadt oder den Fluss?*",
    "I could not find it.",
    "I couldn’t find anything about that.",
    "I was unable to find a price.",
    "Sorry, I can't find that.",
    "The search gave no results, sorry.",
    "There are no results for that.",
    "No results.",
    "I found no information on that.",
    "I don't know.",
    "I do not know its price.",
    "The price was not found.",
    "Nothing was found.",
    "The pages do not say how much it costs.",
    "Das weiß ich nicht.",
    "Weiß ich nicht.",
    "Ich weiß es leider nicht.",
    "Dazu habe ich nichts gefunden.",
    "Ich konnte dazu leider nichts finden.",
    "Der Preis wurde nicht gefunden.",
    "Keine Ergebnisse.",
    "Es gibt keine Informationen dazu.",
    "Ich konnte den Preis nicht herausfinden.",
    "Dazu finde ich keine Angaben.",
    "See site.example/about for more.",
    "",
    "  \n",
]
BOLD = [
    "It makes weather stations.",
    "Es baut Wetterstationen.",
    "It was founded in 1998! It has 12 people.",
    "Gegründet 1998, und niemand weiß warum.",
    "Is it good? Yes.",
    "There is no doubt that it is good.",
    "It has no competitors.",
    "Es hat keine Konkurrenz.",
    "According to the site, it sells well.",
    "Source: the company's site",
]


@pytest.mark.parametrize("draft", SHY)
def test_who_asks_back_or_found_nothing_needs_no_source(draft: str) -> None:
    assert checked(draft, PAGES) == ()


@pytest.mark.parametrize("draft", BOLD)
def test_who_tells_what_pages_say_names_one(draft: str) -> None:
    (finding,) = checked(draft, PAGES)
    assert finding.kind is Check.MISSING_SOURCE
    assert "https://de.example/K%C3%B6ln/?x=1#top" in finding.fix


def test_no_source_is_asked_for_where_no_page_came_back() -> None:
    assert (
        checked(
            "It is nice.",
            [made("web_search", "No results."), made("read_page", 'Tool "read_page" failed: https://a.example')],
        )
        == ()
    )


def test_the_order_of_the_findings_is_that_of_the_checks() -> None:
    calls = [made("calculator", "7 * 8 = 56"), researched("Oslo")]
    question = "Wie viel ist das und wo ist das?"
    draft = "I've saved it: the capital is Bergen and it is 54, as you can see there."
    assert kinds(review(question=question, calls=calls, draft=draft)) == [
        "wrong-number",
        "wrong-fact",
        "missing-source",
        "wrong-language",
        "false-done",
    ]
