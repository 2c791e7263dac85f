"""The commands that need no running bot: skills, tools and replay."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from jarvisbot.cli.ending import FAILED, GOOD, USAGE, let_go_of_output

if TYPE_CHECKING:
    from jarvisbot.config import Config

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["Adding", "Subparsers", "add", "ask", "replay"]


class Adding(Protocol):
    """Adds a command with its help, to the commands themselves or `within` those of one."""

    def __call__(self, name: str, does: str, *, within: Subparsers = ..., more: str = ...) -> argparse.ArgumentParser:
        """The parser of the command."""


def add(command: Adding) -> None:
    """Adds all of them to the command line."""
    _add_skills(command)
    _add_tools(command)
    replay = command(
        "replay",
        "run cases from standard input against the real code",
        more="Reads JSON lines and writes each back with a field `got`. A line that cannot be answered is named on stderr "
        "by its number; the others are answered, and the exit code is 1.",
    )
    replay.add_argument(
        "kind", choices=("routing", "answer-check", "tools", "split", "render"), help="what the lines are"
    )


def _add_skills(command: Adding) -> None:
    skills = command("skills", "list, show, try and check skills").add_subparsers(
        dest="action", metavar="ACTION", required=True
    )
    listing = command("list", "every skill, and whether it runs", within=skills)
    show = command("show", "all that one skill says", within=skills)
    show.add_argument("name", metavar="NAME", help="the skill's name")
    route = command("route", "say which skill claims a message, and why", within=skills)
    route.add_argument("text", metavar="TEXT", nargs="+", help="the message")
    route.add_argument("--after", metavar="SKILL", help="the skill that answered the message before")
    check = command(
        "check",
        "say all that is wrong with skills of your own",
        within=skills,
        more="Without a folder: those that the config names and the data folder has. The exit code is 1 if anything is wrong.",
    )
    check.add_argument(
        "folder", metavar="FOLDER", type=Path, nargs="*", help="a skill's folder, or one of such folders"
    )
    for place in (listing, show, route, check):
        place.add_argument("--json", action="store_true", help="print JSON")


def _add_tools(command: Adding) -> None:
    tools = command("tools", "list tools, and call one").add_subparsers(dest="action", metavar="ACTION", required=True)
    listing = command("list", "every tool, and what it may do", within=tools)
    call = command(
        "call",
        "call a tool as the owner, and print what it returns",
        within=tools,
        more="The policy of the config holds: what needs an approval or is denied does not run, and the exit code is 1.",
    )
    call.add_argument("name", metavar="NAME", help="the tool's name")
    call.add_argument(
        "arguments", metavar="KEY=VALUE", nargs="*", help="its arguments, or all of them as one JSON object"
    )
    for place in (listing, call):
        place.add_argument("--json", action="store_true", help="print JSON")


def replay(options: argparse.Namespace) -> int:
    """Answers the rows on standard input; the exit code."""
    if sys.stdin is None or sys.stdout is None:
        print("jarvisbot: This needs standard input and output, and one of them is closed.", file=sys.stderr)
        return USAGE
    from jarvisbot.cli.replaying import replay_lines

    return _printing(lambda: replay_lines(options.kind, sys.stdin.buffer, sys.stdout.buffer))


def ask(config: Config, options: argparse.Namespace) -> int:
    """Runs a command on skills or tools; the exit code. Raises ConfigError."""
    if sys.stdout is None:
        print("jarvisbot: This needs standard output, and it is closed.", file=sys.stderr)
        return USAGE
    return _printing(lambda: (_skills if options.command == "skills" else _tools)(config, options))


def _printing(work: Callable[[], bool]) -> int:
    """The exit code of work that prints; an output that is closed or full fails it."""
    try:
        good = work()
        sys.stdout.flush()
    except BrokenPipeError:
        return FAILED
    except OSError as error:
        print(f"jarvisbot: The output cannot be written: {error.strerror}.", file=sys.stderr)
        return FAILED
    finally:
        let_go_of_output()
    return GOOD if good else FAILED


def _skills(config: Config, options: argparse.Namespace) -> bool:
    from jarvisbot.cli import skills

    good = True
    match options.action:
        case "list":
            skills.list_skills(config, as_json=options.json)
        case "show":
            skills.show(config, options.name, as_json=options.json)
        case "route":
            skills.route_text(config, " ".join(options.text), after=options.after, as_json=options.json)
        case "check":
            good = skills.check(config, options.folder, as_json=options.json)
    return good


def _tools(config: Config, options: argparse.Namespace) -> bool:
    from jarvisbot.cli import tools

    if options.action == "list":
        tools.list_tools(config, as_json=options.json)
        return True
    return tools.call(config, options.name, options.arguments, as_json=options.json)
