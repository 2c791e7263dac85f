"""`jarvisbot doctor` and `jarvisbot status`: what is wrong, and how the running bot is doing."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime

import msgspec

from jarvisbot import __version__, discovery
from jarvisbot.check import Subject, examine, problem
from jarvisbot.cli.ending import FAILED, GOOD
from jarvisbot.cli.printing import print_json, print_table, printable
from jarvisbot.config import Config
from jarvisbot.errors import ConfigError, Disconnected
from jarvisbot.gateway.report import Report, duration
from jarvisbot.model_files.machine import size
from jarvisbot.types import Finding, Severity

__all__ = ["doctor", "status"]

ORDER = (
    "config",
    "permissions",
    "disk",
    "clock",
    "database",
    "model",
    "platforms",
    "network",
    "service",
    "unit",
    "versions",
)
"""The order of the printed checks; those that others bring come after them."""


def doctor(config: Callable[[], Config], *, as_json: bool) -> int:
    """Prints one line a finding; 1 where there is a problem. A config that cannot be used is the only finding."""
    logging.disable()  # what a library would log is said by a finding
    try:
        found = asyncio.run(_examined(config()))
    except ConfigError as error:
        found = [problem("config", error.user_message)]
    if as_json:
        print_json({"good": _good(found), "findings": [msgspec.to_builtins(finding) for finding in found]})
    else:
        print_table([(finding.severity.value, finding.about, _sentence(finding)) for finding in found])
    return GOOD if _good(found) else FAILED


def _sentence(finding: Finding) -> str:
    return " ".join(printable(f"{finding.text} {finding.remedy}").split())


def _good(found: Sequence[Finding]) -> bool:
    return all(finding.severity is not Severity.PROBLEM for finding in found)


async def _examined(config: Config) -> list[Finding]:
    subject = Subject(config=config)
    there = discovery.names("checks")
    names = [*(name for name in ORDER if name in there), *(name for name in there if name not in ORDER)]
    checks = [discovery.load("checks", name).check for name in names]
    groups = await asyncio.gather(*(examine(name, check, subject) for name, check in zip(names, checks, strict=True)))
    return [finding for group in groups for finding in group]


def status(config: Config, *, as_json: bool) -> int:
    """Prints what the running bot says of itself. Raises Disconnected where none runs."""
    from jarvisbot.local import client, place

    connection = place.connect(config.bot.data_folder)
    if connection is None:
        raise Disconnected(
            f"No jarvisbot that you may ask runs on {config.bot.data_folder}: start it with `jarvisbot run`, name another "
            "folder with --data, or ask with sudo."
        )
    greeting, report = asyncio.run(client.ask_report(connection))
    if as_json:
        print_json({"release": greeting.release, "process": greeting.process, **msgspec.to_builtins(report)})
        return GOOD
    release = greeting.release if greeting.release == __version__ else f"{greeting.release}; installed is {__version__}"
    print_table([("jarvisbot", f"{release}, process {greeting.process}"), *_rows(report)])
    return GOOD


def _rows(report: Report) -> list[tuple[str, str]]:
    speed = f", writes {report.tokens_per_s:.1f} tokens/s" if report.tokens_per_s is not None else ""
    reads = (
        f", reads {report.context_tokens} tokens at once" if report.context_tokens is not None else ", not loaded yet"
    )
    where = f" on {report.model_place}" if report.model_place else ""
    model = f", model {size(report.model_memory_bytes)}" if report.model_memory_bytes else ""
    share = report.cpu_s / report.uptime_s if report.uptime_s > 0 else 0.0
    return [
        ("up for", duration(report.uptime_s)),
        ("model", f"{report.model}{where}{reads}{speed}"),
        ("queue", f"{report.running} being answered, {report.waiting} waiting"),
        *(
            (
                line.name,
                f"{line.state}, last event {_ago(line.last_event)}, reconnected {line.reconnects} times"
                + (f": {line.problem}" if line.problem else ""),
            )
            for line in report.connectors
        ),
        ("memory", f"{size(report.memory_bytes)}{model}"),
        ("processor", f"{report.cpu_s:.1f} s, {share:.1%} of one core since the start"),
    ]


def _ago(moment: datetime | None) -> str:
    if moment is None:
        return "none yet"
    seconds = max(0.0, (datetime.now(UTC) - moment).total_seconds())
    return f"{duration(seconds)} ago" if seconds >= 60 else "just now"
