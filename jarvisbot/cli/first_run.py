"""What a terminal is offered where there is no model yet."""

from __future__ import annotations

import sys
from collections.abc import Callable

from jarvisbot.cli.choosing import LOCAL, in_use, settings_of
from jarvisbot.cli.ending import GOOD
from jarvisbot.cli.installing import facts_of, install
from jarvisbot.cli.printing import print_table
from jarvisbot.config import Config
from jarvisbot.errors import JarvisError
from jarvisbot.model_files.catalogue import DEMO, default

__all__ = ["offer"]

YES = ("", "y", "yes", "j", "ja")


def offer(config: Config, *, read_line: Callable[[], str] = lambda: sys.stdin.readline()) -> None:
    """Asks whether a model is to be installed where there is none, and does it. Raises ConfigError.

    Whatever comes of it, the talk goes on: what code answers needs no model.
    """
    if config.model_backend != LOCAL or settings_of(config).path is not None or in_use(config) is not None:
        return
    names = (default().name, DEMO)
    print("There is no language model yet. Sums, small talk and whatever else code can answer work without one.")
    print_table([(str(number), name, facts_of(name)) for number, name in enumerate(names, 1)], indent="  ")
    print("Install the first one now? [Y/2/n] ", end="", flush=True)
    line = read_line()
    answer = line.strip().lower()
    name = names[0] if line and answer in (*YES, "1", names[0]) else names[1] if answer in ("2", DEMO) else None
    if name is not None:
        try:
            if install(config, name) == GOOD:
                print()
                return
        except JarvisError as error:
            print(f"jarvisbot: {error.user_message}", file=sys.stderr)
    print(f"Later: jarvisbot model install {names[0]}; jarvisbot model list shows more.\n")
