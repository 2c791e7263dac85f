"""The way out: a route and somebody to ask for names. Nothing is sent anywhere for this."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from jarvisbot.check import Subject, good, note
from jarvisbot.types import Finding

__all__ = ["check"]


async def check(subject: Subject) -> Sequence[Finding]:
    """Whether the machine has a default route and a name server."""
    return await asyncio.to_thread(_findings, subject.root)


def _findings(root: Path) -> list[Finding]:
    found = []
    if not _routes(root):
        remedy = "Check the cable or the wireless network; the bot keeps trying by itself."
        found.append(note("network", "This machine has no way out: no default route.", remedy))
    if not _name_servers(root):
        found.append(note("network", "No name server is set.", "See /etc/resolv.conf."))
    return found or [good("network", "There is a route out and a name server.")]


def _routes(root: Path) -> bool:
    """Routes to everywhere, from proc_net(5): a destination of nothing but zeros that is not the loopback's."""
    four = [line.split() for line in _lines(root / "proc/net/route")[1:]]
    six = [line.split() for line in _lines(root / "proc/net/ipv6_route")]
    return any(len(row) > 1 and row[1] == "00000000" for row in four) or any(
        len(row) > 9 and row[0] == "0" * 32 and row[1] == "00" and row[9] != "lo" for row in six
    )


def _name_servers(root: Path) -> bool:
    return any(line.split()[:1] == ["nameserver"] for line in _lines(root / "etc/resolv.conf"))


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
