"""The store: whole transactions, one process, migrations, and clear words when the disk says no."""

import asyncio
import contextlib
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from jarvisbot.errors import StoreError, StoreFull, StoreLocked, StoreReadOnly, StoreTooNew
from jarvisbot.store.database import FILE_NAME, MIGRATIONS, Store
from tests.program import tell


@pytest.fixture
async def store(tmp_path: Path):
    opened = await Store.open(tmp_path / "data")
    await opened.write(lambda c: c.execute("CREATE TABLE notes (n INTEGER PRIMARY KEY, text TEXT) STRICT"))
    yield opened
    await opened.close()


async def count(store: Store) -> int:
    row = await store.row("SELECT COUNT(*) AS n FROM notes")
    assert row is not None
    return row["n"]


async def test_a_new_folder_is_private_and_holds_the_current_schema(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "data"
    store = await Store.open(folder)
    try:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert {
            file.name: file.stat().st_mode & 0o777 for file in folder.iterdir() if file.stat().st_mode & 0o077
        } == {}
        row = await store.row("PRAGMA user_version")
        assert row is not None
        assert row[0] == max(int(file.name[:4]) for file in MIGRATIONS.glob("*.sql"))
        tables = await store.rows("SELECT name, strict FROM pragma_table_list WHERE type = 'table' AND schema = 'main'")
        assert all(table["strict"] for table in tables if not table["name"].startswith("sqlite_"))
    finally:
        await store.close()


@pytest.mark.parametrize(("other", "mode"), [("jarvisbot.db.schema-1", 0o700), ("somebody.txt", 0o755)])
async def test_a_folder_is_closed_to_others_unless_it_holds_what_is_theirs(
    tmp_path: Path, other: str, mode: int
) -> None:
    (tmp_path / other).touch()
    for _ in range(2):
        tmp_path.chmod(0o755)
        await (await Store.open(tmp_path)).close()
        assert tmp_path.stat().st_mode & 0o777 == mode
        assert {file.stat().st_mode & 0o077 for file in tmp_path.iterdir() if file.name != other} == {0}


async def test_commits_are_durable_before_write_returns(store: Store) -> None:
    pragmas = await store.write(
        lambda c: [
            c.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous", "foreign_keys")
        ]
    )
    assert pragmas == ["wal", 2, 1]


async def test_a_failing_write_leaves_nothing(store: Store) -> None:
    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes (text) VALUES ('half')")
        raise LookupError("on purpose")

    with pytest.raises(LookupError):
        await store.write(work)
    assert await count(store) == 0
    await store.write(lambda c: c.execute("INSERT INTO notes (text) VALUES ('whole')"))
    assert await count(store) == 1


async def test_a_cancelled_write_is_whole_and_over_before_its_caller_goes_on(store: Store) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def work(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes (text) VALUES ('one')")
        inside.set()
        assert go_on.wait(10)
        connection.execute("INSERT INTO notes (text) VALUES ('two')")

    task = asyncio.create_task(store.write(work))
    assert await asyncio.to_thread(inside.wait, 10)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await count(store) == 2


async def test_a_cancelled_read_leaves_no_reader_behind_on_an_old_state(store: Store) -> None:
    for number in range(1, 21):
        reads = [asyncio.create_task(count(store)) for _ in range(4)]
        await asyncio.sleep(0)
        for read in reads:
            read.cancel()
        await asyncio.gather(*reads, return_exceptions=True)
        await store.write(lambda c: c.execute("INSERT INTO notes (text) VALUES ('new')"))
        assert [await count(store) for _ in range(4)] == [number] * 4


async def test_two_coroutines_never_share_a_transaction(store: Store) -> None:
    def add(number: int) -> Callable[[sqlite3.Connection], None]:
        def work(connection: sqlite3.Connection) -> None:
            before = connection.execute("SELECT COUNT(*) FROM notes").fetchone()[0]
            connection.execute("INSERT INTO notes (text) VALUES (?)", (str(number),))
            assert connection.execute("SELECT COUNT(*) FROM notes").fetchone()[0] == before + 1

        return work

    await asyncio.gather(*(store.write(add(number)) for number in range(100)))
    assert await count(store) == 100


async def test_a_second_process_is_refused_with_the_first_ones_number(tmp_path: Path, store: Store) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path; from jarvisbot.store.database import Store\n"
        "from jarvisbot.errors import StoreLocked\n"
        "try: asyncio.run(Store.open(Path(sys.argv[1])))\n"
        "except StoreLocked as error: print(error.user_message)"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(tmp_path / "data"), stdout=subprocess.PIPE
    )
    output, _ = await process.communicate()
    import os

    assert f"process {os.getpid()}" in output.decode()
    with pytest.raises(StoreLocked):
        await Store.open(tmp_path / "data")


async def test_writers_of_two_processes_and_a_reader_that_writes_never_fail(tmp_path: Path, store: Store) -> None:
    code = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)\n"
        "for n in range(800):\n"
        "    c.execute('BEGIN IMMEDIATE'); c.execute(\"INSERT INTO notes (text) VALUES ('other')\"); c.execute('COMMIT')\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(tmp_path / "data" / FILE_NAME))

    async def writer() -> None:
        for _ in range(200):
            await store.write(lambda c: c.execute("INSERT INTO notes (text) VALUES ('ours')"))

    async def reader_that_writes() -> None:
        for _ in range(50):
            before = await count(store)
            await store.write(lambda c: c.execute("INSERT INTO notes (text) VALUES ('read')"))
            assert await count(store) > before

    await asyncio.gather(*(writer() for _ in range(4)), reader_that_writes())
    assert await process.wait() == 0
    assert await count(store) == 800 + 800 + 50


async def test_writes_get_in_beside_a_program_that_lets_go_of_the_lock_for_a_moment_only(
    tmp_path: Path, store: Store
) -> None:
    code = (
        "import sqlite3, sys, time\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)\n"
        "print(flush=True)\n"
        "while True:\n"
        "    c.execute('BEGIN IMMEDIATE'); time.sleep(0.03); c.execute('ROLLBACK'); time.sleep(0.0001)\n"
    )
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(tmp_path / "data" / FILE_NAME), stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        await process.stdout.readline()
        for _ in range(10):
            await store.write(lambda c: c.execute("INSERT INTO notes (text) VALUES ('between')"))
    finally:
        tell(process, signal.SIGKILL)
        await process.communicate()
    assert await count(store) == 10


async def test_the_event_loop_runs_on_while_another_program_holds_the_lock(tmp_path: Path, store: Store) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / FILE_NAME, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        waiting = asyncio.create_task(store.write(lambda c: c.execute("INSERT INTO notes (text) VALUES ('late')")))
        for _ in range(100):
            assert await count(store) == 0
        assert not waiting.done()
        holder.execute("COMMIT")
        await waiting
    assert await count(store) == 1


async def test_a_full_disk_is_named_and_nothing_is_half_written(store: Store) -> None:
    pages = await store.write(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
    await store.write(lambda c: c.execute("INSERT INTO notes (text) VALUES ('kept')"))
    limit = pages + 3
    store._connection.execute(f"PRAGMA max_page_count={limit}")

    def too_much(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO notes (text) VALUES ('lost')")
        connection.execute("INSERT INTO notes (text) VALUES (?)", ("x" * 4096 * 20,))

    with pytest.raises(StoreFull, match="free some space"):
        await store.write(too_much)
    assert await count(store) == 1
    store._connection.execute("PRAGMA max_page_count=1000000")
    await store.write(too_much)
    assert await count(store) == 3


@pytest.mark.parametrize(
    ("folder", "words"),
    [
        ("file", "cannot be made: a file is in its way"),
        ("file/data", "cannot be made: a file is in its way"),
        ("/proc/1/nothing-here", "cannot be written to"),
    ],
)
async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path, folder: str, words: str) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreReadOnly, match=words):
        await Store.open(tmp_path / folder)


async def test_a_damaged_database_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).write_bytes(b"this is no database, but long enough to be read as one" * 100)
    with pytest.raises(StoreError, match="damaged"):
        await Store.open(tmp_path)
    assert (tmp_path / FILE_NAME).read_bytes().startswith(b"this is no database")


async def test_a_database_of_no_bytes_is_a_new_one(tmp_path: Path) -> None:
    (tmp_path / FILE_NAME).touch()
    store = await Store.open(tmp_path)
    assert await store.rows("SELECT * FROM inbox") == []
    await store.close()


def migrations(folder: Path, *scripts: str) -> Path:
    folder.mkdir()
    for number, script in enumerate(scripts, 1):
        (folder / f"{number:04}_step.sql").write_text(script)
    return folder


FIRST = "CREATE TABLE a (x INTEGER) STRICT; INSERT INTO a VALUES (1);"
SECOND = "ALTER TABLE a ADD COLUMN y TEXT; UPDATE a SET y = 'moved';"


async def test_a_migration_keeps_the_data_and_a_copy_of_the_former_file(tmp_path: Path) -> None:
    one, two = migrations(tmp_path / "one", FIRST), migrations(tmp_path / "two", FIRST, SECOND)
    await (await Store.open(tmp_path / "data", migrations=one)).close()
    store = await Store.open(tmp_path / "data", migrations=two)
    row = await store.row("SELECT x, y FROM a")
    await store.close()
    assert row is not None
    assert tuple(row) == (1, "moved")
    with contextlib.closing(sqlite3.connect(tmp_path / "data" / f"{FILE_NAME}.schema-1")) as copy:
        assert copy.execute("SELECT * FROM a").fetchall() == [(1,)]


async def test_a_migration_that_fails_changes_nothing(tmp_path: Path) -> None:
    one = migrations(tmp_path / "one", FIRST)
    broken = migrations(tmp_path / "two", FIRST, "UPDATE a SET x = 2; INSERT INTO nowhere VALUES (1);")
    await (await Store.open(tmp_path / "data", migrations=one)).close()
    with pytest.raises(StoreError, match="nowhere"):
        await Store.open(tmp_path / "data", migrations=broken)
    store = await Store.open(tmp_path / "data", migrations=one)
    row = await store.row("SELECT x FROM a")
    await store.close()
    assert row is not None
    assert row["x"] == 1


async def test_a_database_of_a_later_release_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    two, one = migrations(tmp_path / "two", FIRST, SECOND), migrations(tmp_path / "one", FIRST)
    await (await Store.open(tmp_path / "data", migrations=two)).close()
    before = (tmp_path / "data" / FILE_NAME).read_bytes()
    with pytest.raises(StoreTooNew, match="schema 2, this one knows 1"):
        await Store.open(tmp_path / "data", migrations=one)
    assert (tmp_path / "data" / FILE_NAME).read_bytes() == before
