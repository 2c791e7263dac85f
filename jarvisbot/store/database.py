"""The one SQLite file: one writer thread, some readers, migrations, one process at a time."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import os
import random
import re
import sqlite3
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import IO, Self, TypeVar

import aiosqlite

from jarvisbot.errors import StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreTooNew
from jarvisbot.store.disk import network_file_system
from jarvisbot.whole import whole

__all__ = ["FILE_NAME", "Store", "latest_schema"]

T = TypeVar("T")
Value = None | int | float | str | bytes

FILE_NAME = "jarvisbot.db"
OWN_FILES = (FILE_NAME, "config", "console.sock", "history", "lock", "models", "skills")
"""What a data folder holds of ours, by how it begins."""
READERS = 2
BUSY_TIMEOUT_S = 5.0
"""How long a statement waits for another program's lock: short enough that a stop of the bot is not held up by it."""
LOCK_ASKED_AGAIN_S = 0.001
"""About how often another program's lock is tried. SQLite's own waiting grows to 0.1 s a try: beside a program that lets go
for a moment only, it hardly ever comes in time.
"""
MIGRATIONS = Path(__file__).with_name("migrations")


class Store:
    """The database of one data folder, open in this process only.

    A write is a function over the connection: it runs whole on the one writer thread between BEGIN IMMEDIATE and COMMIT,
    so no other coroutine's statements get between, and it ends whole even if the coroutine that awaits it is cancelled.
    `synchronous=FULL`: when `write` has returned, its rows survive a power cut.
    """

    def __init__(self, path: Path, lock: IO[str], connection: sqlite3.Connection, writer: ThreadPoolExecutor) -> None:
        self._path = path
        self._lock = lock
        self._connection = connection
        self._writer = writer
        self._readers: asyncio.Queue[aiosqlite.Connection] = asyncio.Queue()
        self._all_readers: list[aiosqlite.Connection] = []

    @classmethod
    async def open(cls, folder: Path, *, migrations: Path = MIGRATIONS) -> Self:
        """Opens the folder's database, creating both if they are missing, and brings the schema up to date.

        Raises StoreLocked, StoreReadOnly, StoreFull, StoreTooNew or StoreError, each saying what to do.
        """
        writer = ThreadPoolExecutor(max_workers=1, thread_name_prefix="store-writer")
        loop = asyncio.get_running_loop()
        path = folder / FILE_NAME
        try:
            lock, connection = await loop.run_in_executor(writer, _open, path, migrations)
        except BaseException:
            writer.shutdown(wait=False)
            raise
        store = cls(path, lock, connection, writer)
        try:
            for _ in range(READERS):
                reader = await aiosqlite.connect(
                    f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=BUSY_TIMEOUT_S
                )
                reader.row_factory = sqlite3.Row
                store._all_readers.append(reader)
                store._readers.put_nowait(reader)
        except BaseException:
            await store.close()
            raise
        return store

    async def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """What `work(connection)` returns, after its transaction is on disk; any error rolls all of it back.

        Raises StoreFull, StoreReadOnly or StoreError for what SQLite refuses; errors of `work` itself pass through.
        """
        return await whole(asyncio.get_running_loop().run_in_executor(self._writer, self._transaction, work))

    def _transaction(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._connection
        try:
            _begin(connection)
            try:
                value = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error
        return value

    async def rows(self, sql: str, parameters: Sequence[Value] = ()) -> list[sqlite3.Row]:
        """All rows of a query, read beside the writer from the last committed state."""
        return await whole(self._read(sql, parameters))

    async def _read(self, sql: str, parameters: Sequence[Value]) -> list[sqlite3.Row]:
        """A read that was left in its middle would hold its connection on an old state for ever: it always ends."""
        reader = await self._readers.get()
        try:
            async with reader.execute(sql, parameters) as cursor:
                return list(await cursor.fetchall())
        except sqlite3.Error as error:
            raise _translated(error, self._path) from error
        finally:
            self._readers.put_nowait(reader)

    async def row(self, sql: str, parameters: Sequence[Value] = ()) -> sqlite3.Row | None:
        """The first row of a query, or None."""
        found = await self.rows(sql, parameters)
        return found[0] if found else None

    async def close(self) -> None:
        """Waits for what is being written, closes every connection and gives the folder free."""
        for reader in self._all_readers:
            await reader.close()
        self._all_readers.clear()
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._writer, self._connection.close)
        self._writer.shutdown()
        self._lock.close()


def latest_schema(migrations: Path = MIGRATIONS) -> int:
    """The schema that this release writes."""
    return max(number for number, _ in _scripts(migrations))


def _open(path: Path, migrations: Path) -> tuple[IO[str], sqlite3.Connection]:
    if (network := network_file_system(path.parent)) is not None:
        raise StoreError(
            f"The data folder {path.parent} lies on a network drive ({network}), where the database would break; name a "
            "folder on a local disk with --data or data_folder in [bot]."
        )
    lock = _claim(path.parent)
    try:
        _refuse_newer(path, migrations)
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=BUSY_TIMEOUT_S)
        except OSError as error:
            raise _unwritable(path.parent, error) from error
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=FULL")
            connection.execute("PRAGMA foreign_keys=ON")
            connection.execute("PRAGMA journal_size_limit=8388608")
            _migrate(connection, path, migrations)
        except sqlite3.Error as error:
            connection.close()
            raise _translated(error, path) from error
        except BaseException:
            connection.close()
            raise
    except BaseException:
        lock.close()
        raise
    return lock, connection


def _begin(connection: sqlite3.Connection) -> None:
    """Begins a transaction that writes, as soon as no other program does. Raises sqlite3.Error."""
    until = time.monotonic() + BUSY_TIMEOUT_S
    connection.execute("PRAGMA busy_timeout=0")
    try:
        while True:
            try:
                connection.execute("BEGIN IMMEDIATE")
                return
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                    raise
            time.sleep(LOCK_ASKED_AGAIN_S * random.uniform(0.5, 1.5))  # noqa: S311  (not in step with the other)
    finally:
        connection.execute(f"PRAGMA busy_timeout={BUSY_TIMEOUT_S * 1000:.0f}")


def _claim(folder: Path) -> IO[str]:
    """The folder's lock, held until it is closed or the process ends, however it ends."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if all(entry.name.startswith(OWN_FILES) for entry in folder.iterdir()):
            folder.chmod(0o700)  # never one that others have their files in, such as /tmp: each of ours is 0600 anyhow
        lock = os.fdopen(os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600), "a+", encoding="ascii")
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.seek(0)
        holder = lock.read().strip() or "unknown"
        lock.close()
        raise StoreLocked(
            f"Another jarvisbot (process {holder}) is working with {folder}; stop it, or name another folder with --data."
        ) from error
    try:
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
    except OSError as error:
        lock.close()
        raise _unwritable(folder, error) from error
    return lock


def _refuse_newer(path: Path, migrations: Path) -> None:
    """Reads the schema's number without touching the file."""
    if not path.exists() or path.stat().st_size == 0:
        return
    latest = latest_schema(migrations)
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            found = connection.execute("PRAGMA user_version").fetchone()[0]
    except sqlite3.Error as error:
        raise _translated(error, path) from error
    if found > latest:
        raise StoreTooNew(
            f"{path} was written by a later jarvisbot (schema {found}, this one knows {latest}); it was left as it is. "
            "Install that release again, or name another folder with --data."
        )


def _scripts(migrations: Path) -> list[tuple[int, Path]]:
    found = [
        (int(match[1]), file) for file in migrations.iterdir() if (match := re.match(r"(\d{4})_\w+\.sql$", file.name))
    ]
    return sorted(found)


def _migrate(connection: sqlite3.Connection, path: Path, migrations: Path) -> None:
    """Each missing migration in one transaction, after a copy of a database that holds anything."""
    current = connection.execute("PRAGMA user_version").fetchone()[0]
    missing = [(number, file) for number, file in _scripts(migrations) if number > current]
    if missing and current:
        copy = path.with_name(f"{path.name}.schema-{current}")
        with closing(sqlite3.connect(copy)) as target:
            connection.backup(target)
        copy.chmod(0o600)
    for number, file in missing:
        script = file.read_text(encoding="utf-8")
        try:
            connection.executescript(f"BEGIN IMMEDIATE;\n{script}\nPRAGMA user_version={number};\nCOMMIT;")
        except sqlite3.Error:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _unwritable(folder: Path, error: OSError) -> StoreError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return StoreFull(f"There is no room left for the data folder {folder}; free some disk space.")
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        return StoreReadOnly(
            f"The data folder {folder} cannot be made: a file is in its way; name another with --data."
        )
    return StoreReadOnly(
        f"The data folder {folder} cannot be written to ({error.strerror}); give this user write access, or name another "
        "folder with --data."
    )


def _translated(error: sqlite3.Error, path: Path) -> StoreError:
    """SQLite's error in our words, told apart by its result code (https://www.sqlite.org/rescode.html)."""
    code: int = vars(error).get("sqlite_errorcode", 0)  # absent where the error is the binding's own
    full = (sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_SHMSIZE)
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return StoreFull(f"The disk is full: {path} cannot take more; free some space and it goes on.")
        case sqlite3.SQLITE_IOERR if code in full:
            return StoreFull(f"The disk takes no more data for {path}; free some space and it goes on.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return StoreReadOnly(f"{path} cannot be written to; check the permissions of {path.parent}.")
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return StoreError(f"{path} is locked by another program; close whatever has it open.")
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return StoreError(f"{path} is damaged; move it away, or put a backup in its place.")
        case _:
            return StoreError(f"{path}: {error}")
