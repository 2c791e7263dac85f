"""The platforms: whether each lets the bot in, and what it says of it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from jarvisbot import discovery
from jarvisbot.check import Subject, good, problem, unknown
from jarvisbot.connector import Setup
from jarvisbot.errors import Disconnected, JarvisError
from jarvisbot.types import Finding

__all__ = ["check"]


async def check(subject: Subject) -> Sequence[Finding]:
    """A finding for each login and for what the platform's account should be known for."""
    names = [name for name, enabled in subject.config.connectors.items() if enabled and name != "console"]
    return [finding for found in await asyncio.gather(*(_one(subject, name) for name in names)) for finding in found]


async def _one(subject: Subject, name: str) -> list[Finding]:
    if name not in discovery.names("connectors"):
        return [
            problem(name, "There is no such connector.", f"It is one of: {', '.join(discovery.names('connectors'))}")
        ]
    try:
        module = await asyncio.to_thread(discovery.load, "connectors", name)
        settings, secrets = subject.config.section(f"connectors.{name}", module.Settings, secrets=module.SECRETS)
        setup: Setup | None = getattr(module, "SETUP", None)
        if setup is None:
            return [unknown(name, "This connector does not say how to check its login.")]
        account = await setup.account(name, settings, secrets)
    except Disconnected as error:
        return [unknown(name, error.user_message, "Check the network of this machine; the bot keeps trying by itself.")]
    except JarvisError as error:
        return [problem(name, error.user_message)]
    return [good(name, f"Logged in as {account.name}."), *account.findings]
