"""A draft in the wrong language, German and English; everything that is not plain passes."""

from __future__ import annotations

import pytest

from jarvisbot.agent.review import review
from tests.agent.test_review import checked, kinds

GERMAN = "Das ist eine gute Frage, und ich kann dir nur sagen, dass es nicht viel kostet."
ENGLISH = "That is a good question, and I can tell you that it does not cost very much."
WRONG = [
    ("Was ist die Hauptstadt von Frankreich?", "The capital of France is Paris."),
    ("Was war denn die Ursache?", "It was the heat that did it."),
    ("What is in it?", "Das ist nur Wasser und ein wenig Salz."),
    ("Wie viel kostet das und wo gibt es das?", ENGLISH),
    ("Kannst du mir sagen, wie das Wetter heute ist?", "The weather today is sunny with a high of 24 degrees."),
    ("Warum ist der Himmel blau?", "The sky is blue because of the way that light is scattered."),
    ("Wer hat das Telefon erfunden und wann war das?", "It was invented by Bell, who showed it for the first time."),
    ("Was ist der Unterschied zwischen einem Frosch und einer Kröte?", "A frog has smooth skin, and a toad does not."),
    ("Ich möchte wissen, wie ich nach Köln komme.", "You can take the train from here, which is the fastest way."),
    ("Erkläre mir bitte, was ein Atom ist.", "An atom is the smallest part of an element that you can have."),
    ("Wie geht es dir denn heute?", "I am doing well, thank you! How are you?"),
    ("Schreib mir bitte ein Gedicht über das Meer.", "The sea is wide and deep, it sings us all to sleep."),
    ("Ist es schlimm, wenn ich die Nudeln nicht salze?", "No, but they will taste of nothing, and that is a pity."),
    ("How much does it cost and where can I get it?", GERMAN),
    ("Can you tell me what the weather is like?", "Heute ist es sonnig bei 24 Grad, und es bleibt auch morgen so."),
    ("Why is the sky blue?", "Der Himmel ist blau, weil das Licht gestreut wird."),
    ("Who invented the telephone, and when was that?", "Das Telefon wurde von Bell erfunden, und das ist lange her."),
    ("What is the difference between a frog and a toad?", "Ein Frosch hat eine glatte Haut, die Kröte nicht."),
    ("I would like to know how to get to Cologne.", "Du kannst mit dem Zug fahren, das ist am schnellsten."),
    ("Please explain to me what an atom is.", "Ein Atom ist der kleinste Teil von einem Element."),
    ("How are you today?", "Mir geht es gut, danke! Und wie geht es dir?"),
    ("Write me a poem about the sea, please.", "Das Meer ist weit, und ich bin klein, so soll es sein."),
    ("Is it bad if I do not salt the pasta?", "Nein, aber sie schmecken dann nach nichts, und das ist schade."),
    ("What is the best way to learn to swim?", "Mit einem guten Lehrer, und zwar ohne Eile."),
]
FINE = [
    ("Was ist Nimbusware?", "It is a company that makes weather stations."),
    ("Who was in Die Toten Hosen?", "Campino was the singer, and he is still in it."),
    ("Who was in Die Toten Hosen?", "Campino"),
    ("Wie viel kostet das und wo gibt es das?", GERMAN),
    ("How much does it cost and where can I get it?", ENGLISH),
    ("Tokyo?", GERMAN),
    ("Tokyo?", ENGLISH),
    ("Hauptstadt von Island?", "The capital is Reykjavik, and it is the largest city there."),
    ("Wie geht es dir denn heute?", "Fine!"),
    ("Wie heißt das Lied, das du mir gestern gezeigt hast?", "The Sound of Silence"),
    ("What is the name of the film?", "Das Boot"),
    ("How are you today?", "Gut."),
    ("What is 12 * 12, please?", "12 × 12 = 144"),
    ("Wie sagt man das auf Englisch: ich habe Hunger?", "You say that like this: I am hungry."),
    ("How do you say in German that I am hungry?", "Ich habe Hunger. Das ist eine einfache Form."),
    ("Please translate this for me: the dog is in the garden", "Der Hund ist im Garten, und das ist gut."),
    ("Übersetze mir das bitte: Der Hund ist im Garten", "The dog is in the garden."),
    ("Antworte mir bitte auf Englisch, wer du bist", "I am Jarvis, and I am here to help you."),
    ("Answer me in German, please: who are you?", "Ich bin Jarvis, und ich helfe dir bei allem."),
    ("Was ist die Hauptstadt von Italien und wie groß ist sie?", "Rom: 2,8 Mio. (The Eternal City)"),
    ("Quanto costa un biglietto del treno?", "The ticket is 12 euros, and you can buy it there."),
    ("What is the meaning of the song?", "It is about „Die Gedanken sind frei, wer kann sie erraten, und das ist so“."),
    (
        "Was bedeutet das Lied?",
        'Es heißt "This land is your land, this land is my land", und es ist von Woody Guthrie.',
    ),
    (
        "Wie schreibe ich das in der Shell?",
        "So:\n```\n# this is the way that you do it, if you have to\nls\n```\nDas ist alles.",
    ),
    ("Who is Jürgen Müller from Köln?", "He is a German painter, and he was born in Köln; the museum has his works."),
    ("Ist das so?", "Yes, it is, and I can tell you why."),
    ("", "Das ist eine gute Frage, und ich kann dir das nicht sagen."),
]


def found(question: str, draft: str) -> bool:
    return "wrong-language" in kinds(checked(draft, question=question))


@pytest.mark.parametrize(("question", "draft"), WRONG)
def test_an_answer_in_the_other_language_is_found(question: str, draft: str) -> None:
    assert found(question, draft)


@pytest.mark.parametrize(("question", "draft"), FINE)
def test_what_is_not_plainly_the_other_language_passes(question: str, draft: str) -> None:
    assert not found(question, draft)


def test_the_language_that_was_chosen_is_not_wrong() -> None:
    question, draft = "Why is the sky blue?", "Der Himmel ist blau, weil das Licht gestreut wird."
    assert kinds(review(question=question, calls=(), draft=draft)) == ["wrong-language"]
    assert review(question=question, calls=(), draft=draft, language="de") == ()


def test_the_finding_names_the_language_that_is_wanted_in_that_language() -> None:
    (finding,) = checked(ENGLISH, question="Wie viel kostet das und wo gibt es das?")
    assert finding.fix == "Antworte auf Deutsch."
    (finding,) = checked(GERMAN, question="How much does it cost and where can I get it?")
    assert finding.words == "The question was in English, and the answer is not."
