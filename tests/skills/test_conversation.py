"""Small talk: claimed only where it is the whole message, answered by code in German and English."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest
from jarvisbot.skills.conversation import answer, seed

from jarvisbot import discovery
from jarvisbot.agent.language import reply_language
from jarvisbot.folders import bundled
from jarvisbot.skill import Skill, load
from jarvisbot.types import SeedContext

SKILL: Skill = load(bundled("skills") / "conversation")
KINDS = {
    "greeting": {"en": "Hello!", "de": "Hallo!"},
    "feeling": {"en": "All is well", "de": "Mir geht es gut"},
    "thanks": {"en": "You're welcome", "de": "Gern geschehen"},
    "who": {"en": "I am Jarvis", "de": "Ich bin Jarvis"},
    "abilities": {"en": "I work out sums", "de": "Ich rechne"},
}
SMALL_TALK = [
    # kind, language of the talk, message
    *(
        ("greeting", "en", text)
        for text in ("Hello!", "hi", "hey jarvis", "Hey there!", "howdy", "Hi Jarvis 👋", "hello hello")
    ),
    *(("greeting", "en", text) for text in ("Hello, Jarvis!", "Jarvis, hello", "Greetings", "@Jarvis hi")),
    *(("greeting", "de", text) for text in ("Hallo Jarvis!", "Hallo, Jarvis!", "Moin", "Moin moin!", "Servus!", "Na?")),
    *(("greeting", "de", text) for text in ("Grüß Gott", "hallo zusammen", "Hi")),
    *(("feeling", "en", text) for text in ("How are you?", "how are you doing today?", "Hi Jarvis, how are you?")),
    *(
        ("feeling", "en", text)
        for text in ("how's it going", "how’s it going?", "How do you do?", "What's up?", "what’s up")
    ),
    *(("feeling", "en", text) for text in ("Hello, how are you doing?", "How is it going today?", "whats up jarvis")),
    *(
        ("feeling", "de", text)
        for text in ("Wie geht es dir?", "Wie geht's?", "wie geht’s dir heute?", "Servus, wie gehts")
    ),
    *(
        ("feeling", "de", text)
        for text in ("Hallo, alles gut bei dir?", "Alles klar?", "Wie geht es Ihnen?", "Na, wie läuft's?")
    ),
    *(
        ("thanks", "en", text)
        for text in ("Thanks!", "thank you so much", "cheers", "Thanks, Jarvis!", "ok thanks", "no thanks")
    ),
    *(
        ("thanks", "de", text)
        for text in ("Danke!", "Danke dir", "Dankeschön!", "Vielen Dank!", "ok, danke", "Danke, Jarvis")
    ),
    *(("thanks", "de", text) for text in ("danke sehr", "Super, danke schön!", "Ich danke dir")),
    *(
        ("who", "en", text)
        for text in ("Who are you?", "what's your name?", "What’s your name", "Tell me about yourself")
    ),
    *(("who", "en", text) for text in ("Hi, who are you?", "What are you?", "Introduce yourself, Jarvis")),
    *(
        ("who", "de", text)
        for text in ("Wer bist du?", "wie heißt du", "Hallo, wer bist du?", "Was bist du eigentlich?")
    ),
    *(("who", "de", text) for text in ("Stell dich bitte vor", "Erzähl mir was über dich", "Erzähl mal von dir")),
    *(
        ("abilities", "en", text)
        for text in ("What can you do?", "What can you help me with?", "What do you do?", "help")
    ),
    *(("abilities", "en", text) for text in ("Hello Jarvis, what can you do for me?", "How can you help me?")),
    *(
        ("abilities", "de", text)
        for text in ("Was kannst du?", "Was kannst du so machen?", "Wobei kannst du mir helfen?")
    ),
    *(
        ("abilities", "de", text)
        for text in ("Was kannst du alles für mich tun?", "Moin, was kannst du denn so?", "Hilfe!")
    ),
]


@pytest.mark.parametrize(("kind", "language", "message"), SMALL_TALK)
def test_small_talk_is_claimed_and_answered_for_what_it_is(kind: str, language: str, message: str) -> None:
    assert SKILL.matches(message) is not None
    reply = answer(message, None, language)
    assert reply is not None
    assert reply.startswith(KINDS[kind][language])


@pytest.mark.parametrize(("kind", "language", "message"), SMALL_TALK)
def test_its_language_is_told_or_left_open_but_never_mistaken(kind: str, language: str, message: str) -> None:
    history = ()
    assert reply_language(message, history) in (language, "en")
    if message not in ("Na?", "Hi", "Moin moin!"):
        assert reply_language(message, history) == language


NOT_CLAIMED = [
    "Hallo, regnet es in Bonn?",
    "Hey jarvis, 77 * 3?",
    "Moin, was steht heute an?",
    "Hello, what is 2 + 2?",
    "hi tell me a joke",
    "Good morning, what's the weather?",
    "Guten Morgen, wie spät ist es?",
    "Thanks, but why?",
    "Danke, und wie alt ist sie?",
    "Who are you to say that?",
    "Was bist du für ein Modell?",
    "Who are they?",
    "How are you supposed to cook rice?",
    "What's up with the server?",
    "What can you do with a broken bike?",
    "Was kannst du mir über Rom erzählen?",
    "Wie geht es weiter?",
    "Wie geht es meiner Oma?",
    "Alles klar.",
    "alles gut",
    "Help me write a letter",
    "Hilfe bei der Steuer",
    "Tell me about yourself and Ada Lovelace",
    "hello world program in C",
    "Say hello",
    "ciao",
    "What is your name for this file?",
    "thank you letter",
    "",
    "?",
]


@pytest.mark.parametrize("message", NOT_CLAIMED)
def test_a_request_is_not_claimed_whatever_stands_in_front_of_it(message: str) -> None:
    assert SKILL.matches(message) is None


@pytest.mark.parametrize(
    ("message", "language", "reply"),
    [
        ("guten morgen", "de", "Guten Morgen!"),
        ("Guten Tag, Jarvis", "de", "Guten Tag!"),
        ("GUTEN ABEND zusammen", "de", "Guten Abend!"),
        ("good morning", "en", "Good morning!"),
        ("Hello, good evening!", "en", "Good evening!"),
    ],
)
def test_the_time_of_day_is_wished_back_in_its_own_capitals(message: str, language: str, reply: str) -> None:
    assert SKILL.matches(message) is not None
    assert answer(message, None, language) == reply


@pytest.mark.parametrize(("kind", "language", "message"), SMALL_TALK[:5])
def test_other_languages_are_left_to_the_model(kind: str, language: str, message: str) -> None:
    assert answer(message, None, "fr") is None


def test_small_talk_seeds_no_tool_and_offers_none() -> None:
    context = SeedContext(language="en", now=datetime(2026, 11, 30, tzinfo=UTC))
    assert seed("Hello!", context) is None
    assert SKILL.tools == ()


ABILITIES = {
    # tool -> a word of either language for what it does
    "calculator": ("sums", "rechne"),
    "weather": ("weather", "wetter"),
    "web_search": ("web", "netz"),
    "reminders": ("remind", "erinner"),
    "memory": ("remember", "merke"),
    "calendar": ("calendar", "kalender"),
    "current_time": ("time", "uhr"),
    "read_page": ("page", "seite"),
}


@pytest.mark.parametrize(("language", "question"), [("en", "What can you do?"), ("de", "Was kannst du?")])
def test_the_abilities_named_are_those_there_are(language: str, question: str) -> None:
    reply = (answer(question, None, language) or "").lower()
    tools = discovery.names("tools")
    for tool, words in ABILITIES.items():
        assert (words[language == "de"] in reply) == (tool in tools), tool
    assert "/help" in reply
    assert "help" in discovery.names("commands")


HOSTILE = [
    "hello" + "!" * 2_000 + "x",
    "hello " * 333 + "x",
    "hey " * 500,
    "guten morgen " * 150 + "x",
    " " * 2_000,
    "!" * 2_000 + "hello",
    "danke " * 333 + "x",
    "danke" + " sehr" * 399,
    "wie geht's " * 180,
    "how are you " * 160 + "?",
    "what can you do " * 125,
    "was kannst du " + "alles " * 330,
    "stell dich " + "bitte " * 330 + "vor",
    "jarvis " * 280,
    "a" * 2_000,
    "ok, " * 500 + "thanks",
    "`" * 2_000,
    "'" * 1_000 + "what" + "'" * 990,
]


@pytest.mark.parametrize("message", HOSTILE, ids=lambda message: message[:20])
def test_every_trigger_decides_within_two_milliseconds(message: str) -> None:
    for pattern in SKILL.patterns:
        best = 1.0
        for _ in range(5):
            began = time.perf_counter()
            pattern.search(message[:2_000])
            best = min(best, time.perf_counter() - began)
        assert best < 0.002, pattern.pattern[:60]
    began = time.perf_counter()
    answer(message, None, "de")
    assert time.perf_counter() - began < 0.05
