"""The database: where it lies, whether it is whole, and which release wrote it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Sequence
from contextlib import closing

from jarvisbot.check import Subject, good, note, problem, unknown
from jarvisbot.store.database import FILE_NAME, latest_schema
from jarvisbot.store.disk import network_file_system
from jarvisbot.types import Finding

__all__ = ["check"]

ASK_OWNER = "Ask as the user that the bot runs as, or with sudo."


async def check(subject: Subject) -> Sequence[Finding]:
    """What keeps SQLite from working here, damage, and a schema that is not this release's."""
    return await asyncio.to_thread(_findings, subject)


def _findings(subject: Subject) -> list[Finding]:
    folder = subject.data_folder
    network = network_file_system(folder)
    if network is not None:
        text = f"{folder} lies on a network drive ({network}), where several machines could break the database."
        return [problem("database", text, "Name a folder on a local disk: data_folder in [bot].")]
    path = folder / FILE_NAME
    if not path.exists():
        return [good("database", "There is none yet; the first start makes it.")]
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)) as connection:
            schema = connection.execute("PRAGMA user_version").fetchone()[0]
            damage = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.DatabaseError as error:
        code = vars(error).get("sqlite_errorcode", 0) & 0xFF
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            return [problem("database", f"{path} is damaged ({error}).", "Move it away, or put a backup in its place.")]
        return [unknown("database", f"{path} cannot be read ({error}).", ASK_OWNER)]
    if damage != "ok":
        return [problem("database", f"{path} is damaged ({damage}).", "Move it away, or put a backup in its place.")]
    if schema > latest_schema():
        return [problem("database", f"{path} was written by a later release.", "Install that release again.")]
    if schema < latest_schema():
        return [note("database", f"{path} is an earlier release's; the next start brings it up to date, after a copy.")]
    return [good("database", f"{path} is whole.")]
