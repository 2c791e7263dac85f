"""Questions to the person at the terminal, and what stands in for answers where there is none."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Callable
from dataclasses import dataclass

from jarvisbot.errors import ConfigError

__all__ = ["Person", "at_terminal"]

YES = ("y", "yes", "j", "ja")


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody to ask, or nobody: then every question has its default, and one without is refused with its flag."""

    line: Callable[[str], str] | None = None
    """Shows a question and reads a line; raises EOFError at the end."""
    hidden: Callable[[str], str] | None = None
    """The same for what is not to be seen."""
    agrees: bool = False
    """Everything that is asked with yes or no is answered with yes."""

    @property
    def there(self) -> bool:
        """Whether anybody answers."""
        return self.line is not None

    def answer(self, question: str, *, default: str | None, flag: str) -> str:
        """What the person says, or the default. Raises ConfigError that names the flag where there is neither."""
        shown = f"{question} [{default}]: " if default else f"{question}: "
        while self.line is not None:
            said = _asked(self.line, shown, flag)
            if said or default is not None:
                return said or default or ""
        if default is None:
            raise _unanswered(flag)
        return default

    def secret(self, question: str, *, flag: str) -> str:
        """The same for a secret, which has no default."""
        while self.hidden is not None:
            if said := _asked(self.hidden, f"{question}: ", flag):
                return said
        raise _unanswered(flag)

    def confirms(self, question: str, *, flag: str = "--yes") -> bool:
        """Whether the person says yes; nobody says it unless `agrees`."""
        if self.agrees:
            return True
        if self.line is None:
            raise _unanswered(flag)
        return _asked(self.line, f"{question} [y/N]: ", flag).lower() in YES


def at_terminal(*, agrees: bool) -> Person:
    """The person at this process's terminal; nobody where there is no terminal, or where all is agreed to."""
    if agrees or sys.stdin is None or sys.stdout is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Person(agrees=agrees)
    return Person(line=input, hidden=getpass.getpass)


def _asked(read: Callable[[str], str], question: str, flag: str) -> str:
    try:
        return read(question).strip()
    except EOFError:
        raise _unanswered(flag) from None


def _unanswered(flag: str) -> ConfigError:
    return ConfigError(f"Nobody is there to be asked: answer with {flag}.")
