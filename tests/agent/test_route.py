"""The router over the shipped catalogue: what each skill claims, what it leaves alone, what a conversation carries on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jarvisbot.agent import route
from jarvisbot.agent.search import KeywordIndex
from jarvisbot.folders import bundled
from jarvisbot.skill import Skill, load_all
from jarvisbot.types import Resident, Route, Stage

CASES = Path(__file__).resolve().parent.parent / "cases"
CATALOGUE = load_all(bundled("skills"), trusted=True)
TOOLS = frozenset(tool for skill in CATALOGUE for tool in skill.tools or ())


def rows(name: str) -> list[Any]:
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    return [pytest.param(json.loads(line), id=json.loads(line)["id"]) for line in lines]


def routed(text: str, *, resident: str | None = None, carried: int = 0, missing: frozenset[str] = frozenset()) -> Route:
    skills = route.usable(CATALOGUE, TOOLS - missing)
    return route.find(text, skills, Resident(skill=resident, carried=carried) if resident else None)


@pytest.mark.parametrize("case", [*rows("routing.jsonl"), *rows("routing_more.jsonl")])
def test_a_message_reaches_its_skill(case: dict[str, Any]) -> None:
    found = routed(
        case["text"], resident=case.get("previous_skill"), missing=frozenset(case.get("tools_missing") or ())
    )
    expected = case["expect_skill"] if isinstance(case["expect_skill"], list) else [case["expect_skill"]]
    assert found.skill in expected, found
    assert (found.skill is None) == (found.stage is Stage.NONE)
    assert bool(found.evidence) == (found.skill is not None)


# ---------------------------------------------------------------- the stages and their evidence


@pytest.mark.parametrize(
    ("text", "resident", "skill", "stage", "evidence"),
    [
        ("Is it raining in Bern?", None, "weather", Stage.TRIGGER, "Is it raining"),
        ("how warm does Athens get tonight", None, "weather", Stage.SEARCH, "how warm"),
        ("Welches Jahr schreiben die Chinesen?", None, "current-date", Stage.SEARCH, "welches jahr"),
        ("und in Bozen?", "weather", "weather", Stage.CARRY_OVER, "weather"),
        ("What is the capital of Mongolia?", None, "research-question", Stage.QUESTION, "capital mongolia"),
        ("Das Essen war gut.", "weather", "weather", Stage.CARRY_OVER, "weather"),
        ("Das Essen war gestern wirklich gut.", "weather", None, Stage.NONE, ""),
    ],
)
def test_each_stage_says_what_spoke_for_its_skill(
    text: str, resident: str | None, skill: str | None, stage: Stage, evidence: str
) -> None:
    assert routed(text, resident=resident) == Route(skill=skill, stage=stage, evidence=evidence)


@pytest.mark.parametrize(("carried", "skill"), [(0, "weather"), (1, "weather"), (2, None), (3, None)])
def test_a_skill_is_carried_over_for_two_turns(carried: int, skill: str | None) -> None:
    assert routed("and in Rome", resident="weather", carried=carried).skill == skill


@pytest.mark.parametrize("missing", ["weather", "everything"])
def test_a_skill_that_cannot_be_used_carries_nothing(missing: str) -> None:
    gone = frozenset({missing}) if missing == "weather" else TOOLS
    assert routed("and in Rome", resident="weather", missing=gone).skill is None


def test_a_resident_that_was_uninstalled_carries_nothing() -> None:
    assert routed("and in Rome", resident="tarot").skill is None


def test_a_skill_for_whole_messages_is_not_carried_over() -> None:
    assert routed("Pizza backen heute", resident="conversation").skill is None


@pytest.mark.parametrize("text", ["how tall is she?", "ist er verheiratet?", "where was he born"])
def test_a_question_about_him_or_her_stays_with_research_only(text: str) -> None:
    assert routed(text, resident="research-question").stage is Stage.CARRY_OVER
    assert routed(text).skill is None


def test_only_the_first_2000_characters_are_routed() -> None:
    filler = "x" * (route.ROUTED_CHARACTERS - 6)
    assert routed(f"{filler} 12*12").skill == "arithmetic"
    assert routed(f"{filler}xx 12*12").skill is None


# ---------------------------------------------------------------- tools that are not there


def test_a_skill_needs_one_of_its_tools_and_a_skill_without_tools_needs_none() -> None:
    assert {skill.name for skill in route.usable(CATALOGUE, ())} == {"advice", "conversation", "creative-writing"}
    names = {skill.name for skill in route.usable(CATALOGUE, {"read_page"})}
    assert {"lookup-term", "summarize-url"} <= names
    assert "research-question" not in names


@pytest.mark.parametrize(
    "text",
    ["What is the capital of Mongolia?", "What's the weather?", "Open Spotify", "Remember that I ski", "5 km in m"],
)
def test_without_tools_nothing_is_claimed_that_needs_them(text: str) -> None:
    assert routed(text, missing=TOOLS).skill is None


def test_a_claim_falls_to_the_next_skill_where_the_first_has_no_tool() -> None:
    assert routed("Tipps für das Wetter", missing=frozenset({"weather"})).skill == "advice"


# ---------------------------------------------------------------- keywords


def skill(name: str, *, priority: int = 0, description: str = "x", keywords: tuple[str, ...] = ()) -> Skill:
    return Skill(name=name, description=description, guidance="", priority=priority, keywords=keywords)


def best(message: str, *skills: Skill) -> str | None:
    hit = KeywordIndex(skills).best(message)
    return hit and hit.skill.name


def test_a_keyword_is_a_run_of_whole_words_as_written() -> None:
    stars = skill("stars", keywords=("time zone", "Große Bär"))
    assert best("which TIME-ZONE is it", stars) == "stars"
    assert best("der große bär", stars) == "stars"
    assert best("timezone, time and zone, time zones", stars) is None


def test_a_rare_word_outweighs_a_shared_one_and_hits_add_up() -> None:
    one, two = skill("one", keywords=("garden", "rare orchid")), skill("two", keywords=("garden", "garden rake"))
    other = skill("other", keywords=("garden",))
    assert best("a garden", one, two, other) == "one"
    assert best("a garden rake", one, two, other) == "two"


def test_a_skill_without_keywords_needs_two_words_of_its_description_at_half_weight() -> None:
    cooking = skill("cooking", description="Recipes for the oven and the pan")
    assert best("recipes with the", cooking) is None
    assert best("recipes, oven", cooking) == "cooking"
    assert best("recipes, oven", cooking, skill("kitchen", keywords=("oven", "recipes"))) == "kitchen"


def test_a_forbidden_message_goes_to_the_next_best() -> None:
    assert routed("chance of rain while the water boils at noon, said the book").skill != "weather"


def test_thirty_skills_with_like_words_do_not_load_one_another() -> None:
    invented = [
        skill("unit-tests", keywords=("unit test", "run the tests", "test suite")),
        Skill(
            name="cars",
            description="x",
            guidance="",
            keywords=("test drive",),
            excludes=("exam",),
        ),
        *(skill(f"hobby-{number}", keywords=(f"hobby {number}", "club evening")) for number in range(14)),
    ]
    crowded = tuple(sorted([*CATALOGUE, *invented], key=lambda each: (-each.priority, each.name)))
    assert len(crowded) == 30

    def found(text: str) -> str | None:
        return route.find(text, crowded).skill

    assert found("what time is it") == "current-date"
    assert found("the test drive of the car was good") == "cars"
    assert found("the test drive before my driving exam was good") is None
    assert found("please run the tests now") == "unit-tests"
    assert found("the drive was a good test") is None


# ---------------------------------------------------------------- the choice that holds from message to message


def test_a_choice_holds_as_long_as_the_same_tools_are_there() -> None:
    router = route.Router(CATALOGUE)
    first = router.among(sorted(TOOLS))
    assert router.among(TOOLS) is first
    assert first.find("and in Cairo?", Resident(skill="weather")).skill == "weather"
    without = router.among(TOOLS - {"weather"})
    assert without.find("and in Cairo?", Resident(skill="weather")).skill is None
    assert without.find("chance of rain tonight").skill != "weather"
    assert router.among(TOOLS).find("how warm does Athens get tonight").skill == "weather"


def test_a_choice_finds_what_is_found_without_one() -> None:
    choice = route.Router(CATALOGUE).among(TOOLS)
    for text in ("how warm does Athens get tonight", "What is the capital of Peru?", "12*4", "so it goes"):
        assert choice.find(text) == routed(text)


# ---------------------------------------------------------------- whatever is written


@given(st.text(max_size=3_000), st.sampled_from([None, *(skill.name for skill in CATALOGUE)]))
@settings(max_examples=60, deadline=None)
def test_any_text_is_routed(text: str, resident: str | None) -> None:
    found = routed(text, resident=resident)
    assert (found.skill is None) == (found.stage is Stage.NONE)
    assert routed(text, resident=resident) == found


HOSTILE = [
    "a", "1", " ", "\n", "(", "ä", "1-1 ", "1 m ", "a b ", "how many ", "what is ", "turn ", "termin ", "add ", "hey, ", "und ",
    "was ist 2024 ", "sag mir ", "dir ", "what is a1 ", "https://", "a.", "tell me ", "who ", "wer ", "'s ", "in ", "\x00", "👍",
    "what time is it ", "wie spät ist es ", "wie viele m ", "habe ich ", "kannst du ", "fass ", "remember ", "1,1", "-", "((1+",
]  # fmt: skip


def fastest(work: Callable[[], object], *, tries: int) -> float:
    """The least processor time of some tries, in milliseconds."""
    times = []
    for _ in range(tries):
        began = time.process_time()
        work()
        times.append(time.process_time() - began)
    return min(times) * 1_000


@pytest.mark.speed
@pytest.mark.parametrize("piece", HOSTILE)
def test_100_000_characters_of_anything_are_routed_in_50_ms(piece: str) -> None:
    text = (piece * 100_000)[:100_000]
    assert fastest(lambda: routed(text, resident="weather"), tries=3) < 50


@pytest.mark.speed
@pytest.mark.parametrize("opening", ["", "Hey Jarvis, "])
def test_200_characters_are_routed_in_2_ms(opening: str) -> None:
    text = opening + (
        "I was walking along the river yesterday and saw three swans, a boat and some children playing with a dog that "
        "looked rather old but happy, and then the old man with the green hat said hello"
    )
    assert fastest(lambda: routed(text), tries=20) < 2
