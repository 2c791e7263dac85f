"""/lang: the language of replies, shown and chosen."""

from __future__ import annotations

import re

from jarvisbot.command import CommandContext, command, quoted
from jarvisbot.languages import LANGUAGES, Language, find_language, nearest_languages

__all__ = ["lang"]

_WORD = re.compile(r"[^\W\d_]{3,}")
AUTO = frozenset({"auto", "automatic", "automatisch", "off", "aus", "reset"})


@command(
    "lang",
    help="the language I answer in, as /lang de or /lang auto",
    german="die Sprache meiner Antworten, wie /lang en oder /lang auto",
    immediate=False,
)
async def lang(context: CommandContext) -> str:
    """The language and why it is that one, or the choice just made; what is unknown gets the nearest names."""
    german = context.language == "de"
    user = context.principal.user
    wanted = context.arguments
    if not wanted:
        chosen = (await context.choices.of(user)).language
        return "\n\n".join((_holding(context, chosen, german=german), _offer(german=german)))
    if wanted.strip().casefold() in AUTO:
        await context.choices.set_language(user, None)
        return _holding(context, None, german=german)
    found = find_language(wanted) or _within(wanted)
    if found is None:
        return _unknown(wanted, german=german)
    await context.choices.set_language(user, found.code)
    return _chosen(found)


def _within(wanted: str) -> Language | None:
    """The one language that a few words name, as "auf Englisch bitte"."""
    found = {language.code: language for word in _WORD.findall(wanted) if (language := find_language(word))}
    return next(iter(found.values())) if len(found) == 1 else None


def _chosen(language: Language) -> str:
    """In the language itself where code writes it, else in English."""
    if language.code == "de":
        return "Ich antworte dir ab jetzt auf Deutsch. `/lang auto` folgt wieder jeder Nachricht."
    note = "" if language.code == "en" else " My fixed texts stay in English."
    return f"I answer you in {language.english} from now on.{note} `/lang auto` undoes it."


def _holding(context: CommandContext, chosen: str | None, *, german: bool) -> str:
    usual = context.choices.usual().language
    code = chosen or usual
    if code is None:
        now = _named(context.language, german=german)
        if german:
            return f"Ich antworte in der Sprache jeder Nachricht, hier zuletzt: {now}."
        return f"I answer in the language of each message; here it was {now} last."
    named = _named(code, german=german)
    if german:
        why = "das hast du mit `/lang` gewählt" if chosen else "das steht in der Konfiguration"
        return f"Ich antworte auf {named}: {why}."
    why = "you chose that with `/lang`" if chosen else "the config says so"
    return f"I answer in {named}: {why}."


def _named(code: str, *, german: bool) -> str:
    known = LANGUAGES.get(code)
    return code if known is None else known.german if german else known.english


def _offer(*, german: bool) -> str:
    codes = " ".join(LANGUAGES)
    if german:
        return f"Wählen: `/lang de`, `/lang Französisch`, oder `/lang auto`. Es gibt: {codes}."
    return f"To choose: `/lang de`, `/lang French`, or `/lang auto`. There are: {codes}."


def _unknown(wanted: str, *, german: bool) -> str:
    nearest = nearest_languages(wanted)
    shown = quoted(wanted, limit=40)
    if not nearest:
        start = f"Die Sprache {shown} kenne ich nicht." if german else f"I know no language {shown}."
        return f"{start} {_offer(german=german)}"
    names = ", ".join(f"{_named(each.code, german=german)} (`/lang {each.code}`)" for each in nearest)
    if german:
        return f"Die Sprache {shown} kenne ich nicht. Am nächsten: {names}."
    return f"I know no language {shown}. The nearest: {names}."
