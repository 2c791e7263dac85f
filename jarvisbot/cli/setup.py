"""`jarvisbot init`: what a bot needs to know at its first start, asked and written down."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from jarvisbot import discovery, folders, logs
from jarvisbot.cli.answers import Answers, environment, named_file, text_of
from jarvisbot.cli.asking import Person, at_terminal
from jarvisbot.cli.ending import GOOD
from jarvisbot.cli.joining import Joining
from jarvisbot.clock import local_zone
from jarvisbot.config import Config, load
from jarvisbot.config.editing import edited, write_private
from jarvisbot.connector import Setup
from jarvisbot.errors import ConfigError, JarvisError

__all__ = ["init"]

NO_MODEL = "none"
Say = Callable[[str], None]


def init(options: argparse.Namespace, *, person: Person | None = None, say: Say = print) -> int:
    """Asks, checks and writes; the exit code. Raises ConfigError where an answer is missing and nobody is there."""
    person = person or at_terminal(agrees=options.yes)
    file = (options.config or named_file() or folders.config_file()).absolute()
    answers = Answers(file=file, text=text_of(file))
    if answers.text is not None and person.there:
        say(f"{file} is there already: what you answer is changed in it, the rest stays.")
    _flags(options, answers)
    redactor = logs.configure("ERROR", "text")
    names = _platforms(options, answers, person, say)
    for name in names:
        _joining(name, options, answers, person, say, hide=lambda value: redactor.add([value])).join()
    _owners_stay(options, answers)
    _preferences(options, answers, person)
    _write(answers, person, say)
    config = load(file, environment=environment())
    _model(options, config, person)
    _what_next(config, options, say)
    return GOOD


# ------------------------------------------------------------ what flags say


def _flags(options: argparse.Namespace, answers: Answers) -> None:
    """What flags answer without further ado. Raises ConfigError for what is no answer."""
    for given in options.set:
        name, equals, value = given.partition("=")
        if not equals:
            raise ConfigError(f"--set needs KEY=VALUE, as in --set limits.rounds=3, not {given!r}.")
        answers.changes[name.strip()] = _value(value.strip())
    if options.data is not None:
        answers.changes["bot.data_folder"] = str(options.data.absolute())
    if options.language is not None:
        answers.changes["bot.language"] = options.language
    if options.timezone is not None:
        answers.changes["bot.timezone"] = options.timezone
    if options.owner:
        known = answers.config().access.owners
        answers.changes["access.owners"] = list(dict.fromkeys([*known, *options.owner]))
    answers.config()


def _value(text: str) -> object:
    try:
        value: object = json.loads(text)
    except ValueError:
        return text
    return text if value is None else value


def _owners_stay(options: argparse.Namespace, answers: Answers) -> None:
    """A flag that names owners and platforms' own answers may both have spoken: nobody is lost or there twice."""
    owners = answers.changes.get("access.owners")
    if isinstance(owners, list):
        answers.changes["access.owners"] = list(dict.fromkeys([*owners, *(options.owner or ())]))


# ------------------------------------------------------------ platforms


def _platforms(options: argparse.Namespace, answers: Answers, person: Person, say: Say) -> list[str]:
    """The platforms to set up: those that flags name, or those of the config, or what the person says."""
    known = [name for name in discovery.names("connectors") if name != "console"]
    named = [*(options.platform or ()), *(given.partition(".")[0] for given in options.secret_file)]
    there = [name for name, enabled in answers.config().connectors.items() if enabled and name != "console"]
    chosen = list(dict.fromkeys(named or there))
    if not chosen:
        default = "telegram" if "telegram" in known else known[0]
        say(f"Platforms: {', '.join(known)}; the terminal is always there.")
        text = person.answer(
            "Which of them, with spaces between",
            default=default if person.there else None,
            flag="--platform telegram --telegram-token-file FILE --owner telegram:ID",
        )
        chosen = text.replace(",", " ").split()
    for name in chosen:
        if name not in known:
            raise ConfigError(f"There is no platform {name!r}; there are: {', '.join(known)}.")
    return chosen


def _joining(
    name: str, options: argparse.Namespace, answers: Answers, person: Person, say: Say, hide: Callable[[str], None]
) -> Joining:
    """Raises ConfigError for a platform that has no questions, MissingPart where its library is not installed."""
    module = discovery.load("connectors", name)
    setup: Setup | None = getattr(module, "SETUP", None)
    if setup is None:
        raise ConfigError(f"{name} has no questions of its own: write its section [connectors.{name}] by hand.")
    return Joining(
        name=name,
        module=module,
        setup=setup,
        files=options.secret_file,
        answers=answers,
        person=person,
        say=say,
        hide=hide,
    )


# ------------------------------------------------------------ the rest


def _preferences(options: argparse.Namespace, answers: Answers, person: Person) -> None:
    """Language and time zone; what is left as it is is not written."""
    asked: list[tuple[str, str | None, str, str, str]] = [
        (
            "bot.language",
            options.language,
            "Language of replies (auto, en, de …)",
            answers.config().bot.language,
            "--language",
        ),
        ("bot.timezone", options.timezone, "Time zone", answers.config().bot.timezone or local_zone(), "--timezone"),
    ]
    for name, given, question, default, flag in asked:
        while given is None:
            said = person.answer(question, default=default, flag=flag)
            if said == default:
                break
            answers.changes[name] = said
            try:
                answers.config()
            except ConfigError as error:
                del answers.changes[name]
                print(error.user_message)
            else:
                break


def _write(answers: Answers, person: Person, say: Say) -> None:
    """Secrets first: a config that names them finds them. What was there before is kept beside as .bak."""
    text = edited(answers.text, answers.changes)
    news = {path: value for path, value in answers.secrets.items() if (text_of(path) or "").strip() != value}
    if text == answers.text and not news:
        say(f"{answers.file} stays as it is.")
        return
    if answers.text is not None and not person.confirms(f"Change {answers.file}, and keep it as it was in a .bak?"):
        raise ConfigError("Nothing was written.")
    with _told():
        for path, value in news.items():
            if (before := text_of(path)) is not None:
                write_private(path.with_name(f"{path.name}.bak"), before)
            write_private(path, f"{value}\n")
            say(f"Wrote {path}")
        if text != answers.text:
            if answers.text is not None:
                write_private(answers.file.with_name(f"{answers.file.name}.bak"), answers.text)
            write_private(answers.file, text)
            say(f"Wrote {answers.file}")


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise JarvisError(f"{error.filename} cannot be written: {error.strerror}.") from error


def _model(options: argparse.Namespace, config: Config, person: Person) -> None:
    """The model that is named is installed; a person is offered one where there is none."""
    if options.model is not None and options.model != NO_MODEL:
        from jarvisbot.cli.installing import install

        install(config, options.model)
    elif options.model is None and person.there and sys.stdin is not None:
        from jarvisbot.cli.first_run import offer

        offer(config)


def _what_next(config: Config, options: argparse.Namespace, say: Say) -> None:
    beside = Path(sys.executable).with_name("jarvisbot")
    program = [str(beside) if beside.exists() else "jarvisbot"]
    if config.file is not None and config.file != folders.config_file().absolute():
        program += ["--config", str(config.file)]
    say("")
    say(f"Look whether all is well:  {shlex.join([*program, 'doctor'])}")
    say(f"Start the bot here:        {shlex.join([*program, 'run'])}")
    say(f"Or as a service:           sudo {shlex.join([*program, 'service', 'install'])}")
