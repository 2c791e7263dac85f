"""Claims that something was done: flagged where nothing of the kind happened, believed where it did."""

from __future__ import annotations

import pytest

from jarvisbot.agent.review import Check
from jarvisbot.store.turns import CallRecord
from tests.agent.test_review import checked, kinds, made

CLAIMED = [
    # English, saved
    "I've saved that for you.",
    "I have saved your birthday.",
    "I saved that to your notes.",
    "Saved!",
    "Saved: you live in Ghent.",
    "Done, I've noted that you are allergic to nuts.",
    "OK, I have stored it in my memory.",
    "Don't worry, I've written that down.",
    "I've made a note of your address.",
    "Sure! I’ve just saved it.",
    "Your note has been saved.",
    "It has been saved to your notes.",
    "I've added milk to your shopping list.",
    "I'll remember that you live in Ghent.",
    "The entry is now saved.",
    # English, deleted
    "I've deleted that.",
    "I've removed it from your list.",
    "I have cancelled the dentist appointment.",
    "Ich habe deine Notiz über Anna gelöscht.",
    "Ich habe das für dich gelöscht.",
    "I've updated your address.",
    "I've made a reservation for two.",
    "I have successfully deleted all your notes.",
    "Deleted.",
    "Your appointment has been cancelled.",
    "I deleted the note about Anna.",
    "All of your reminders have been removed.",
    "Everything has been erased.",
    # English, sent
    "I've sent the email to Anna.",
    "I have already sent your message.",
    "Sent!",
    "The message has been sent.",
    "I just emailed your boss. I've forwarded the file, too.",
    "**Your email was sent.**",
    # English, reminded
    "I've set a reminder for 5 pm.",
    "I'll remind you tomorrow at nine.",
    "Reminder set for Friday.",
    "Your reminder has been set.",
    "I will remind you to call your mum.",
    "Timer set for ten minutes.",
    "You'll get a reminder at noon.",
    # English, booked
    "I've booked a table for two.",
    "Booked! See you on Friday.",
    "Your flight has been booked.",
    "I have added the meeting to your calendar.",
    "I've scheduled the call for Monday.",
    "I've moved your appointment to Tuesday.",
    "The meeting has been rescheduled.",
    "You're booked for Friday.",
    "Email sent to Anna.",
    "Note saved!",
    "Meeting booked for Monday at 10.",
    "The email is on its way.",
    "I went ahead and deleted the note.",
    "I've reminded Anna.",
    "Your reminder is set for 9 am.",
    # German
    "Nachricht gesendet.",
    "Termin eingetragen!",
    "Die Mail ist raus.",
    "Ich habe Anna daran erinnert.",
    "Habe deinen Termin gelöscht.",
    "Ich habe das gespeichert.",
    "Das habe ich mir gemerkt.",
    "Gespeichert!",
    "Erledigt, ist gespeichert.",
    "Ich hab's notiert.",
    "Deine Adresse wurde gespeichert.",
    "Ich habe mir gemerkt, dass du in Gent wohnst.",
    "Ich merke mir das.",
    "Ich habe den Eintrag gelöscht.",
    "Gelöscht.",
    "Das habe ich gelöscht.",
    "Habe ich gelöscht.",
    "Den Termin habe ich für dich abgesagt.",
    "Dein Termin wurde abgesagt.",
    "Alle deine Notizen wurden gelöscht.",
    "Ich habe die E-Mail an Anna gesendet.",
    "Die Nachricht wurde erfolgreich verschickt.",
    "Habe ich abgeschickt.",
    "Ich habe deiner Chefin geschrieben und die Datei weitergeleitet.",
    "Ich erinnere dich morgen um neun.",
    "Ich werde dich morgen daran erinnern.",
    "Morgen um 9 erinnere ich dich.",
    "Die Erinnerung ist gesetzt.",
    "Ich habe dir einen Wecker für 7 Uhr gestellt.",
    "Der Timer ist auf zehn Minuten gestellt.",
    "Du wirst um 12 Uhr erinnert.",
    "Ich habe einen Tisch für zwei Personen reserviert.",
    "Der Termin ist eingetragen.",
    "Der Flug ist gebucht.",
    "Ich habe den Termin in deinen Kalender eingetragen.",
    "Der Termin wurde auf Dienstag verschoben.",
]
SHY = [
    "",
    "I could not save that.",
    "I haven't saved anything.",
    "I have not sent the email.",
    "Nothing has been deleted.",
    "I did not delete your note.",
    "Shall I save that for you?",
    "Would you like me to send it?",
    "Have you saved the file?",
    "If I had sent it, you would know.",
    "Once I've saved it, I'll tell you.",
    "I can't set a reminder, sorry.",
    "I can save that if you want.",
    "You saved 20 euros with this offer.",
    "You can save the file with Ctrl+S.",
    "Saved by the Bell is an American sitcom.",
    "Deleted files can be restored from the bin.",
    "Sent emails are in the folder named after them.",
    "Booked tickets cannot be returned.",
    "The passengers were saved by the Carpathia.",
    "The telegram was sent in 1844 by Morse.",
    "The letter was sent by Einstein to Roosevelt.",
    "Press the button and 'Your message has been sent' appears.",
    'The app then says "Saved!".',
    "Click on Save; the page says `Saved.` then.",
    "I've saved you some time with this table.",
    "The file is saved automatically when you close it.",
    "Noted.",
    "I've made a list of ideas for you.",
    "I have made the calculation.",
    "I've put this into a table.",
    "I've put together a schedule for your week.",
    "I've made a schedule for you.",
    "I've added the numbers.",
    "I have updated the code below.",
    "As I've noted above, it is warm.",
    "I've removed the duplicates from the sentence.",
    "I have removed two commas.",
    "Ich habe zwei Kommas entfernt.",
    "Ich habe die doppelten Wörter gestrichen.",
    "I've noted the main points below:\n- one\n- two",
    "Ich habe die wichtigsten Punkte notiert:\n- eins",
    "I've stored the result in a variable.\n```py\nx = 1\n```",
    "Notiert.",
    "Emails sent to Anna are in the folder.",
    "Notes saved in 1990 can be read today.",
    "I have a saved note about that.",
    "As saved in my notes, you live in Ghent.",
    "Your brother sent the message.",
    "Anna has sent the email.",
    "Anna hat die Mail gesendet.",
    "You can delete it yourself in the settings.",
    "I could send it if I had your address.",
    "The message says that it has to be sent today.",
    "I will need the address to send it.",
    "Das hat mich an früher erinnert.",
    "That reminds me of a song.",
    "A reminder: the shop closes at 8.",
    "The meeting is on Friday at 10.",
    "I sent it yesterday.",
    "After your message has been sent, close the window.",
    "The band was booked for three nights.",
    "To delete a note, type /forget.",
    "I remember you told me about Ghent.",
    "Set the timer to ten minutes and bake.",
    "Remember to save your work.",
    "A calendar has 365 days.",
    "An email is sent over SMTP.",
    "Ich konnte das nicht speichern.",
    "Ich habe nichts gespeichert.",
    "Ich habe die Mail nicht gesendet.",
    "Soll ich das speichern?",
    "Hast du die Datei gespeichert?",
    "Wenn ich das gespeichert habe, sage ich Bescheid.",
    "Gelöschte Dateien liegen im Papierkorb.",
    "Der Brief wurde 1939 an Roosevelt geschickt.",
    "Ich kann dich leider nicht erinnern.",
    "Das erinnert mich an ein Lied.",
    "Ich erinnere mich gern daran.",
    "Du kannst den Termin mit /termin speichern.",
    "Die Daten werden auf deinem Rechner gespeichert.",
    "Nachdem die Nachricht gesendet wurde, schließ das Fenster.",
    "Dort steht dann „Gespeichert“.",
    "Vergiss nicht, deine Arbeit zu speichern.",
    "Das Hotel wurde im Krieg verlegt.",
    "Ich habe dir gestern eine Nachricht geschickt.",
    "Es wurde noch kein Termin eingetragen.",
    "Der Film wurde in Rom gedreht.",
]
DONE = [
    ("I've saved that.", made("memory", "Saved [k3m9p2] (fact) Lives in Ghent", command="save", text="Lives in Ghent")),
    ("I've updated your address.", made("memory", "Updated [k3m9p2]", command="update", text="x")),
    ("Ich habe mir das gemerkt.", made("memory", "Saved [k3m9p2] (fact) x", command="save", text="x")),
    ("I've forgotten that.", made("memory", "Deleted [k3m9p2]", command="delete", id="k3m9p2")),
    ("Gelöscht.", made("memory", "Forgot 1 entry.", command="forget", id="k3m9p2")),
    ("I've sent it.", made("send_message", "Sent.", to="Anna")),
    ("Ich habe die E-Mail gesendet.", made("email", "ok", action="send", to="Anna")),
    ("I've set a reminder for 5 pm.", made("reminder", "Reminder set for 17:00.", action="add")),
    ("Ich erinnere dich um 9.", made("remind", "On Friday at 09:00", when="9")),
    ("I've booked it.", made("calendar", "Added: Dentist, Fri 10:00", action="add")),
    ("Der Termin ist eingetragen und ich erinnere dich.", made("calendar", "Added: Zahnarzt", action="add")),
    ("Your meeting was moved: it has been rescheduled.", made("calendar", "Moved: x", action="move")),
    ("Your appointment has been cancelled.", made("calendar", "Removed: x", action="remove")),
    ("I've scheduled the call.", made("create_event", "ok", title="Call")),
    ("I've saved the file.", made("write_file", "42 bytes", path="a.txt")),
    ("I've noted that.", made("takeNote", "ok", text="x")),
    ("Your table has been booked for Friday.", made("calendar", "Fri 19:00 table at Luigi's", action="list")),
    ("It's done: I've sent it.", made("workflow", "finished", name="newsletter")),
]
NOT_DONE = [
    ("I've saved that.", made("memory", 'Tool "memory" failed: the disk is full', command="save", text="x")),
    ("I've saved that.", made("memory", "Nothing found.", command="recall", query="Ghent")),
    ("I've deleted it.", made("memory", "Saved [k3m9p2] (fact) x", command="save", text="x")),
    ("I've sent it.", made("web_search", "Sent emails are kept.", query="send an email")),
    ("I've booked the flight.", made("read_page", "Booked flights … https://a.example", url="https://a.example")),
    ("I've booked it.", made("calendar", "Nothing on Friday.", action="list")),
    ("Ich habe es gespeichert.", made("calculator", "2 + 2 = 4", expression="2 + 2")),
    ("I've set a reminder.", made("current_time", "09:04 CEST (UTC+2, Europe/Berlin), Mon 28 Sep 2026")),
    ("Ich habe die E-Mail gesendet.", made("calendar", "Added: E-Mail", action="add")),
    ("I've cancelled your appointment.", made("calendar", "Added: x", action="add")),
]


def claims(draft: str, *calls: CallRecord, question: str = "?") -> list[str]:
    return [kind for kind in kinds(checked(draft, calls, question=question)) if kind == "false-done"]


@pytest.mark.parametrize("draft", CLAIMED)
def test_what_nobody_did_is_not_said_to_be_done(draft: str) -> None:
    assert claims(draft) == ["false-done"]


@pytest.mark.parametrize("draft", SHY)
def test_what_claims_nothing_passes(draft: str) -> None:
    assert claims(draft) == []


@pytest.mark.parametrize(("draft", "call"), DONE)
def test_what_a_tool_did_may_be_said(draft: str, call: CallRecord) -> None:
    assert claims(draft, call) == []


@pytest.mark.parametrize(("draft", "call"), NOT_DONE)
def test_what_another_tool_did_or_what_failed_is_no_proof(draft: str, call: CallRecord) -> None:
    assert claims(draft, call) == ["false-done"]


@pytest.mark.parametrize(
    ("question", "draft"),
    [
        ("Write a story about a lost letter", "I sent the letter to your brother. He wept."),
        ("Schreib ein Gedicht über das Meer", "Ich habe dir Muscheln geschickt."),
        ("Translate to English: Ich habe es gespeichert", "I have saved it."),
        ("Tell me a joke and write it like a diary", "I've deleted my past."),
    ],
)
def test_a_text_that_was_asked_for_claims_nothing(question: str, draft: str) -> None:
    assert claims(draft, question=question) == []


def test_what_a_page_tells_of_others_claims_nothing() -> None:
    page = made("read_page", "The message has been sent to Mars. https://a.example", url="https://a.example")
    assert claims("The message has been sent to Mars. https://a.example", page) == []
    assert claims("Your message has been sent. https://a.example", page) == ["false-done"]


def test_a_text_that_was_to_be_sent_too_has_to_be_sent() -> None:
    assert claims("I've sent the email.", question="Write Anna an email and send it") == ["false-done"]


def test_the_finding_says_what_did_not_happen_in_the_language_of_the_talk() -> None:
    (english,) = checked("I've saved that.", question="Please remember that I live in Ghent")
    assert english.kind is Check.FALSE_DONE
    assert "something was saved; that has not happened" in english.words
    (german,) = checked("Ich erinnere dich um 9.", question="Erinnere mich bitte morgen um 9")
    assert "als Erinnerung eingerichtet" in german.words
    assert "nicht geschehen" in german.fix
