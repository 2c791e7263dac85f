"""A platform that the bot is to be on: its secrets, its login and its owner, asked one after the other."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from jarvisbot.cli.answers import Answers
from jarvisbot.cli.asking import Person
from jarvisbot.connector import Account, Setup
from jarvisbot.errors import ConfigError, Disconnected, LoginFailed

__all__ = ["Joining"]


@dataclass(slots=True, kw_only=True)
class Joining:
    """Asks what one platform needs. State: its secrets, as far as they are known, and who is not the owner."""

    name: str
    module: ModuleType
    setup: Setup
    files: Sequence[str]
    """What flags say of secrets' files, as `telegram.token=FILE`."""
    answers: Answers
    person: Person
    say: Callable[[str], None]
    hide: Callable[[str], None]
    """Told each secret before anything is done with it."""
    values: dict[str, str] = field(default_factory=dict)
    refused: set[str] = field(default_factory=set)
    """Ids of those who wrote and are not the person at the terminal."""

    def join(self) -> None:
        """Asks and notes everything. Raises ConfigError or LoginFailed where nobody is there to answer."""
        for question in self.setup.secrets:
            given = _given(f"{self.name}.{question.name}", self.files)
            kept = self._kept(question.name) if given is None else None
            if given is None and kept is None and self.person.there:
                self.say(f"{self.setup.title}: {question.hint}")
            value = given or kept or self._asked(question.name, question.title)
            self._note(question.name, value, keep=kept is None)
        account = self._account()
        self.answers.changes[f"connectors.{self.name}.enabled"] = True
        self._owner(account)

    def _note(self, name: str, value: str, *, keep: bool) -> None:
        self.hide(value)
        self.values[name] = value
        if keep:
            self.answers.keep_secret(self.name, name, value)

    def _asked(self, name: str, title: str) -> str:
        short = (self.name, name) == ("telegram", "token")
        flag = "--telegram-token-file" if short else f"--secret-file {self.name}.{name}=FILE"
        return self.person.secret(f"{self.setup.title}, {title}", flag=flag)

    def _kept(self, secret: str) -> str | None:
        """The secret that the config gives already."""
        if self.answers.text is None or self.name not in self.answers.config().connectors:
            return None
        section = f"connectors.{self.name}"
        _, values = self.answers.config().section(section, self.module.Settings, optional_secrets=self.module.SECRETS)
        return values.get(secret)

    def _settings(self) -> Any:
        section = f"connectors.{self.name}"
        secrets_too = self.module.SECRETS
        return self.answers.config().section(section, self.module.Settings, optional_secrets=secrets_too)[0]

    def _account(self) -> Account | None:
        """Who the bot is there; None where nobody could be asked. Asks again for secrets that are not accepted."""
        while True:
            try:
                account = asyncio.run(self.setup.account(self.name, self._settings(), self.values))
            except Disconnected as error:
                self.say(
                    f"{error.user_message} What you gave is taken without a check; `jarvisbot doctor` checks it later."
                )
                return None
            except (LoginFailed, ConfigError) as error:
                if not self.person.there:
                    raise
                self.say(error.user_message)
                for question in self.setup.secrets:
                    self._note(question.name, self._asked(question.name, question.title), keep=True)
                continue
            self.say(f"{self.setup.title}: logged in as {account.name}.")
            for finding in account.findings:
                self.say(f"  {finding.text} {finding.remedy}")
            return account

    def _owner(self, account: Account | None) -> None:
        owners = list(self.answers.config().access.owners)
        if any(owner.startswith(f"{self.name}:") for owner in owners):
            return
        flag = f"--owner {self.name}:ID"
        if not self.person.there:
            hint = self.setup.owner_hint
            raise ConfigError(f"Nobody owns the bot on {self.setup.title} yet: say who with {flag}. {hint}")
        self.say(self.setup.owner_hint)
        waits = account is not None and self.setup.first_words is not None
        question = f"{self.setup.title}: your id{', or Enter to write to the bot instead' if waits else ''}"
        while True:
            said: str | None = self.person.answer(question, default="" if waits else None, flag=flag)
            said = said or (self._who_writes(account) if account is not None else None)
            if not said:
                continue
            owner = said if said.startswith(f"{self.name}:") else f"{self.name}:{said}"
            self.answers.changes["access.owners"] = [*owners, owner]
            try:
                self.answers.config()
            except ConfigError as error:
                del self.answers.changes["access.owners"]
                self.say(error.user_message)
            else:
                return

    def _who_writes(self, account: Account) -> str | None:
        """The id of who writes to the bot and knows the code, or whom the person at the terminal knows."""
        if self.setup.first_words is None:
            return None
        code = f"{secrets.randbelow(1_000_000):06}"
        link = f", or open {account.link}?start={code}" if account.link else ""
        self.say(f"Now write {code} to {account.name}{link}. Waiting for it; Ctrl-C ends this.")
        try:
            author, text = asyncio.run(self.setup.first_words(self.name, self._settings(), self.values, self.refused))
        except (Disconnected, LoginFailed) as error:
            self.say(error.user_message)
            return None
        if code in text.split():
            self.say(f"You are {author.name} ({author.id}).")
            return author.id
        known = self.person.confirms(f"{author.name} ({author.id}) writes, without the code. Is that you?")
        if known:
            return author.id
        self.refused.add(author.id)
        return None


def _given(what: str, flags: Sequence[str]) -> str | None:
    """The secret in the file that a flag names. Raises ConfigError."""
    for given in flags:
        name, equals, path = given.partition("=")
        if not equals or "." not in name:
            raise ConfigError(f"--secret-file needs PLATFORM.NAME=FILE, as in telegram.token=FILE, not {given!r}.")
        if name != what:
            continue
        try:
            value = Path(path).expanduser().read_text(encoding="utf-8").strip()
        except OSError as error:
            raise ConfigError(f"{path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise ConfigError(f"{path} is not text.") from error
        if not value:
            raise ConfigError(f"{path} is empty.")
        return value
    return None
