"""What cannot be done here is said by code, before a model invents it; and only where the message asks for it."""

from __future__ import annotations

import pytest

from jarvisbot.agent.lacking import lacking
from jarvisbot.agent.route import Router
from jarvisbot.folders import bundled
from jarvisbot.skill import Skill, WithoutTools, load_all
from jarvisbot.types import Assistant, Item, User

SKILLS: tuple[Skill, ...] = load_all(bundled("skills"))
TOOLS = frozenset({"calculator", "convert", "current_time"})
ASKED = [
    *(
        ("weather", text)
        for text in (
            "What's the weather tomorrow?",
            "Is it raining in Bern?",
            "Will it snow this weekend?",
            "Hi! How cold is it outside?",
            "Should I take an umbrella?",
            "Wie wird das Wetter morgen?",
            "Regnet es gerade in Kiel?",
            "Guten Morgen, brauche ich heute einen Schirm?",
            "wie warm wird es am Samstag",
        )
    ),
    *(
        ("memory", text)
        for text in (
            "Remember that I like tea",
            "please remember my locker is 214",
            "What do you know about me?",
            "Forget my address",
            "Merk dir, dass ich Tee mag",
            "Was weißt du über mich?",
            "Vergiss meine Adresse",
            "Add milk to my shopping list",
            "Setz Milch auf die Einkaufsliste",
            "Notiere: Milch kaufen",
        )
    ),
    *(
        ("calendar", text)
        for text in (
            "Put dentist on Friday into my calendar",
            "What's on my calendar today?",
            "Am I free on Tuesday?",
            "Cancel my meeting with Tom",
            "Trag morgen um 15 Uhr Friseur in meinen Kalender ein",
            "Was steht heute an?",
            "Habe ich morgen Termine?",
            # reminders, timers and alarms
            "Remind me at 5pm to call mum",
            "Can you remind me to water the plants?",
            "remind me in half an hour",
            "Set a timer for 10 minutes",
            "Start a 5 minute timer",
            "Set an alarm for 7",
            "wake me up at 6:30",
            "Timer 10 Minuten",
            "Erinnere mich morgen um 9 an den Zahnarzt",
            "Kannst du mich um 8 an den Müll erinnern?",
            "Stell einen Wecker auf 7 Uhr",
            "Stelle bitte einen Timer auf 10 Minuten",
            "Weck mich um 6",
            "Kannst du mir morgen Bescheid sagen?",
        )
    ),
    *(
        ("summarize-url", text)
        for text in (
            "Summarise https://example.org/news",
            "https://example.org/a/b?c=1",
            "What does https://example.org say?",
            "tl;dr www.example.org/long",
            "Translate https://example.org into German",
            "Fasse https://example.org/news zusammen",
            "Was steht auf https://example.org?",
            "Was hältst du von https://example.org/blog?",
        )
    ),
    *(
        ("home-actions", text)
        for text in (
            "Turn on the light",
            "Open the garage",
            "Schalte das Licht im Flur aus",
            "Mach bitte die Heizung an",
            "Kannst du das Garagentor öffnen?",
            "Play some music",
            "Spiel bitte Musik",
            "Send an email to Bob",
            "Schick bitte eine Nachricht an Anna",
            "Ruf Mama an",
        )
    ),
    *(
        ("research-question", text)
        for text in (
            "What's in the news?",
            "tell me the latest news",
            "Aktuelle Nachrichten aus Köln",
            "Was gibt es Neues?",
            "How much does a train to Rome cost?",
            "Was kostet ein Liter Milch?",
            "convert 100 USD to EUR",
            "$50 in euros",
            "Wie viel sind 100 Dollar in Euro?",
            "What is the exchange rate of the yen?",
        )
    ),
]
NOT_ASKED = [
    "What is 12*4?",
    "Who wrote Faust?",
    "Remember the Titans is a film, right?",
    "Make a shopping list for a barbecue",
    "Send me some ideas for dinner",
    "Call me Bob",
    "Who is Ada Lovelace?",
    "What is an exchange rate?",
    "Play chess with me",
    "I have good news!",
    "Wer hat Faust geschrieben?",
    "Tell me a joke",
    "How does weather work?",
    "Why is it raining so often in April?",
    "Translate: how is the weather today",
    'What does "Wie wird das Wetter?" mean?',
    "Wie heißt Regenschirm auf Englisch? Ist es Schirm?",
    "Write a poem about the weather in spring",
    "Explain weather forecasts to a child",
    "How do I add a meeting to my Outlook calendar?",
    "Write a Python script that sets a timer for 10 minutes",
    "I can't remember his name",
    "That reminds me of my holidays",
    "Das erinnert mich an früher",
    "Remind me, what month is this?",
    "Remind me who wrote Emma",
    "Mein Wecker ist kaputt",
    "Summarise what we talked about",
    "Fass das bitte zusammen",
    "My server at http://localhost:8080 answers 502",
    "Open source or closed source?",
    "Start with the second one",
    "Was ist los?",
    "Wie geht es dir?",
    "Summarise this: " + "The club moves to the station in June. " * 10,
    "What is the weather " * 200,
    "",
]


def said(
    text: str, *, history: tuple[Item, ...] = (), language: str = "en", tools: frozenset[str] = TOOLS
) -> str | None:
    """What the turn would say of this message in place of the model, by the skills that come with the program."""
    router = Router(SKILLS)
    found = router.among(tools).find(text).skill
    beaten = next((skill.priority for skill in SKILLS if skill.name == found), None)
    return lacking(text, router.idle(tools), history, language, beaten=beaten)


def sentence(name: str, language: str = "en") -> str:
    skill = next(skill for skill in SKILLS if skill.name == name)
    assert skill.without_tools
    return skill.without_tools.told(language)


@pytest.mark.parametrize(("name", "text"), ASKED)
def test_what_a_skill_without_tools_is_asked_for_gets_its_sentence(name: str, text: str) -> None:
    assert said(text) == sentence(name)
    assert said(text, language="de") == sentence(name, "de") != sentence(name)


@pytest.mark.parametrize("text", NOT_ASKED)
def test_what_only_speaks_of_such_things_is_left_to_the_model(text: str) -> None:
    assert said(text) is None


@pytest.mark.parametrize(("name", "text"), ASKED)
def test_a_skill_whose_tools_are_there_says_nothing_of_the_kind(name: str, text: str) -> None:
    every = frozenset(tool for skill in SKILLS for tool in skill.tools or ())
    assert said(text, tools=every) is None


def test_every_other_language_gets_the_english_sentence() -> None:
    assert said("Is it raining in Bern?", language="fr") == sentence("weather")


@pytest.mark.parametrize("text", ["And in Rome?", "und morgen?", "what about Sunday"])
def test_what_goes_on_with_such_a_sentence_gets_it_again(text: str) -> None:
    history: tuple[Item, ...] = (User(text="Is it raining in Bern?"), Assistant(text=sentence("weather")))
    assert said(text, history=history) == sentence("weather")
    assert said(text, history=(User(text="Hi"), Assistant(text="Hello!"))) is None


def test_what_does_not_go_on_is_left_to_the_model() -> None:
    history: tuple[Item, ...] = (User(text="Is it raining in Bern?"), Assistant(text=sentence("weather")))
    assert said("Then tell me something about bears, please", history=history) is None


def test_a_skill_that_works_and_comes_first_keeps_its_message() -> None:
    text, plain = "ping the weather", WithoutTools(en="No weather.", de="Kein Wetter.")
    weather = Skill(
        name="w",
        description="Weather.",
        guidance="",
        priority=5,
        tools=("w",),
        triggers=("weather",),
        without_tools=plain,
    )
    assert lacking(text, (weather,), (), "en", beaten=4) == "No weather."
    assert lacking(text, (weather,), (), "en", beaten=5) is None
