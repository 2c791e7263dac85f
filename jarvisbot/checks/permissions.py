"""Who may read the config, the secrets and the data folder."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from jarvisbot.check import Subject, good, note, problem
from jarvisbot.types import Finding

__all__ = ["check"]


async def check(subject: Subject) -> Sequence[Finding]:
    """One finding for each file or folder that others may read or that is another user's."""
    return await asyncio.to_thread(lambda: list(_findings(subject)))


def _findings(subject: Subject) -> Iterator[Finding]:
    config, folder = subject.config, subject.data_folder
    fine = True
    secrets = [file for section in config.connectors for file in _secret_files(subject, section)]
    for file in secrets:
        if file.stat().st_mode & 0o077:
            fine = False
            yield problem("permissions", f"{file} holds a secret and others may read it.", f"chmod 600 {file}")
    if config.file is not None and config.file.stat().st_mode & 0o022:
        fine = False
        yield problem("permissions", f"Others may change {config.file}.", f"chmod go-w {config.file}")
    if not folder.exists():
        yield note("permissions", f"The data folder {folder} is not there yet; the first start makes it.")
        return
    mode, owner = folder.stat().st_mode, folder.stat().st_uid
    if mode & 0o077:
        fine = False
        yield problem("permissions", f"Others may look into the data folder {folder}.", f"chmod 700 {folder}")
    for file in sorted(folder.glob("jarvisbot.db*")):
        if stat.S_IMODE(file.stat().st_mode) & 0o077:
            fine = False
            yield problem("permissions", f"Others may read {file}.", f"chmod 600 {file}")
    if owner != os.geteuid() and os.geteuid() != 0:
        fine = False
        yield note("permissions", f"The data folder {folder} is another user's (uid {owner}).", "Ask with sudo.")
    if fine:
        yield good("permissions", "Config, secrets and data are their owner's alone.")


def _secret_files(subject: Subject, section: str) -> Iterator[Path]:
    for way in ("token", "password", "access_token", "key"):
        file = subject.config.secret_file(f"connectors.{section}", way)
        if file is not None and file.exists():
            yield file
