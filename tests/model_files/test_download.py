"""The download of model files from a host that behaves as the hub does, well and badly."""

from __future__ import annotations

import errno
import os
import random
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

import httpx
import pytest

from jarvisbot.errors import ModelFileError, NoRoom
from jarvisbot.model_files.download import Stopped, download
from jarvisbot.model_files.host import Host
from jarvisbot.model_files.keeping import claimed, sha256_of
from jarvisbot.model_files.machine import MARGIN_BYTES, share, size
from jarvisbot.model_files.reference import OnHost
from tests.emulators.model_host import Content, Fault, ModelHost

FILE = "tiny-Q4_K_M.gguf"
WANTED = OnHost(repo="someone/Tiny-GGUF", file=FILE)
MB = 1_000_000
ROOM = 1 << 20
"""What lies in a socket's buffers when a line breaks is lost: the most that one cut may cost."""


class Watched:
    """Remembers what was told."""

    def __init__(self, interrupt_at: int | None = None) -> None:
        self.seen: list[tuple[int, int]] = []
        self.hashed = 0
        self.said: list[str] = []
        self._interrupt_at = interrupt_at

    def at(self, done: int, total: int) -> None:
        self.seen.append((done, total))
        if self._interrupt_at is not None and done >= self._interrupt_at:
            raise KeyboardInterrupt

    def checking(self, done: int, total: int) -> None:
        self.hashed = done

    def says(self, text: str) -> None:
        self.said.append(text)


class Patience:
    """A host's client that waits no real time, and what it would have waited."""

    def __init__(self, server: ModelHost, *, token: str | None = None, read_s: float = 5.0) -> None:
        self.waited: list[float] = []
        self.said: list[str] = []
        self.host = Host(
            server.address, token, wait=self.waited.append, said=self.said.append, timeout=httpx.Timeout(read_s)
        )


@pytest.fixture
def server() -> Iterator[ModelHost]:
    with ModelHost() as host:
        host.files[FILE] = Content(size=3 * MB + 17)
        yield host


def fetch(server: ModelHost, target: Path, watched: Watched | None = None, **more: object) -> Patience:
    """One run of the download, to its end or its error."""
    patience = Patience(server, token=more.pop("token", None), read_s=more.pop("read_s", 5.0))  # type: ignore[arg-type]
    with patience.host as host:
        download(host, WANTED, target, watched or Watched(), **more)  # type: ignore[arg-type]
    return patience


def bytes_asked(server: ModelHost) -> list[str]:
    """The Range of each request for bytes."""
    return [asked.headers.get("Range", "all") for asked in server.asked if asked.path.startswith("/cdn/")]


def is_whole(path: Path, content: Content) -> bool:
    return sha256_of(path) == content.sha256


# ---------------------------------------------------------------- all is well


def test_a_file_arrives_whole_is_verified_and_leaves_nothing_else(server: ModelHost, tmp_path: Path) -> None:
    watched = Watched()
    fetch(server, tmp_path / FILE, watched)
    assert is_whole(tmp_path / FILE, server.files[FILE])
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    total = server.files[FILE].size
    assert (watched.seen[0], watched.seen[-1], watched.hashed) == ((0, total), (total, total), total)


def test_facts_are_told_before_the_first_byte_is_asked_for(server: ModelHost, tmp_path: Path) -> None:
    class Declined(Exception):
        pass

    told = []

    def agree(file: object) -> None:
        told.append(file)
        raise Declined

    with pytest.raises(Declined):
        fetch(server, tmp_path / FILE, agree=agree)
    (file,) = told
    content = server.files[FILE]
    assert (file.bytes, file.sha256, file.licence, file.commit) == (
        content.size,
        content.sha256,
        "apache-2.0",
        "a" * 40,
    )
    assert bytes_asked(server) == []
    assert not list(tmp_path.iterdir())


def test_a_mirror_without_an_api_is_enough(server: ModelHost, tmp_path: Path) -> None:
    server.has_api = False
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_file_that_the_host_names_no_hash_of_is_taken_by_its_size(server: ModelHost, tmp_path: Path) -> None:
    server.names_no_sha256 = True
    server.faults += [Fault(cut_after=MB)]
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, server.files[FILE])


# ---------------------------------------------------------------- the line breaks


@pytest.mark.speed
@pytest.mark.timeout(60)
def test_200_mb_cut_at_20_random_points_arrive_whole_and_each_cut_costs_at_most_a_chunk(tmp_path: Path) -> None:
    content = Content(size=200 * MB + 123)
    chance = random.Random(20)
    points = sorted(chance.randrange(1, content.size) for _ in range(20))
    with ModelHost() as server:
        server.files[FILE] = content
        at = 0
        for point in points:
            server.faults.append(Fault(cut_after=point - at))
            at = point
        patience = fetch(server, tmp_path / FILE)
        assert is_whole(tmp_path / FILE, content)
        assert server.sent_bytes <= content.size + 20 * ROOM
        assert len(bytes_asked(server)) == 21
        assert len(patience.waited) == 20
        assert set(patience.waited) == {1.0}


def test_each_request_after_a_cut_asks_for_the_rest_of_the_same_file(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(cut_after=MB)]
    fetch(server, tmp_path / FILE)
    (second,) = [asked for asked in server.asked if "Range" in asked.headers and asked.path.startswith("/cdn/")]
    assert second.headers["Range"] == f"bytes={MB}-"
    assert second.headers["If-Range"] == f'"{server.files[FILE].sha256[:32]}"'


def test_a_download_goes_on_where_another_process_left_it(server: ModelHost, tmp_path: Path) -> None:
    with pytest.raises(Stopped) as stopped:
        fetch(server, tmp_path / FILE, Watched(interrupt_at=MB))
    assert stopped.value.saved >= MB
    assert not (tmp_path / FILE).exists()
    fetch(server, tmp_path / FILE)
    assert bytes_asked(server) == ["all", f"bytes={stopped.value.saved}-"]
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_download_that_was_whole_but_not_published_is_only_verified(server: ModelHost, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        fetch(server, tmp_path / FILE, Watched(interrupt_at=server.files[FILE].size))
    asked = len(bytes_asked(server))
    fetch(server, tmp_path / FILE)
    assert len(bytes_asked(server)) == asked
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_line_that_says_nothing_counts_as_broken(server: ModelHost, tmp_path: Path) -> None:
    hold = threading.Event()
    server.faults += [Fault(cut_after=MB, stall=hold)]
    patience = fetch(server, tmp_path / FILE, read_s=0.3)
    hold.set()
    assert is_whole(tmp_path / FILE, server.files[FILE])
    assert "does not answer" in patience.said[0]


def test_a_body_that_ends_early_and_says_so_is_gone_on_with(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(cut_after=MB), Fault(short=1000)]
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_line_that_never_holds_is_given_up_and_what_came_is_kept(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(cut_after=MB), *[Fault(cut_after=0)] * 20]
    with pytest.raises(ModelFileError, match=r"The line to .* broke"):
        fetch(server, tmp_path / FILE)
    server.faults.clear()
    fetch(server, tmp_path / FILE)
    assert bytes_asked(server)[-1] == f"bytes={MB}-"


def test_a_host_that_is_not_there_is_named(tmp_path: Path) -> None:
    with ModelHost() as gone:
        pass
    with pytest.raises(ModelFileError, match=r"127\.0\.0\.1:\d+ cannot be reached"):
        fetch(gone, tmp_path / FILE)


# ---------------------------------------------------------------- the host misbehaves


def test_a_whole_file_in_place_of_a_part_is_gone_on_with(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(cut_after=MB), Fault(ignore_range=True, cut_after=2 * MB), Fault()]
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, server.files[FILE])
    assert bytes_asked(server)[-1] == f"bytes={2 * MB}-"


def test_another_part_than_was_asked_for_is_not_taken(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(cut_after=MB), Fault(shifted=5)]
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_an_earlier_part_than_was_asked_for_is_taken_from_where_we_are(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(cut_after=MB), Fault(shifted=-5)]
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_part_of_a_file_of_another_size_is_not_taken(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(cut_after=MB), Fault(total=5)]
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_part_under_another_etag_begins_anew(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(etag='"stale"', cut_after=MB)]
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, server.files[FILE])
    assert server.sent_bytes == server.files[FILE].size + MB


def test_a_weak_etag_is_not_relied_on(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(etag='W/"loose"', cut_after=MB)]
    fetch(server, tmp_path / FILE)
    assert not [asked for asked in server.asked if "If-Range" in asked.headers]
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_wrong_hash_is_thrown_away_and_named(server: ModelHost, tmp_path: Path) -> None:
    server.wrong_sha256 = "b" * 64
    with pytest.raises(ModelFileError, match=r"SHA-256 .* instead of bbbbbbbbbbbb"):
        fetch(server, tmp_path / FILE)
    assert not list(tmp_path.iterdir())


def test_kept_bytes_that_are_wrong_cost_a_new_beginning_not_the_download(server: ModelHost, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        fetch(server, tmp_path / FILE, Watched(interrupt_at=MB))
    with (tmp_path / f"{FILE}.part").open("r+b") as damaged:
        damaged.write(b"no model")
    watched = Watched()
    fetch(server, tmp_path / FILE, watched)
    assert is_whole(tmp_path / FILE, server.files[FILE])
    assert "beginning anew" in watched.said[0]


def test_a_file_that_changed_between_two_runs_begins_anew(server: ModelHost, tmp_path: Path) -> None:
    with pytest.raises(Stopped):
        fetch(server, tmp_path / FILE, Watched(interrupt_at=MB))
    server.files[FILE] = Content(size=2 * MB, seed=9)
    server.commit = "c" * 40
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, server.files[FILE])
    assert bytes_asked(server)[-1] == "all"


@pytest.mark.parametrize("new_size", [2 * MB, 3 * MB + 17], ids=["another size", "the same size"])
def test_a_file_that_changes_while_it_is_downloaded_begins_anew(
    server: ModelHost, tmp_path: Path, new_size: int
) -> None:
    class Changing(Watched):
        def at(self, done: int, total: int) -> None:
            super().at(done, total)
            if done == MB:
                server.files[FILE] = Content(size=new_size, seed=7)

    server.faults += [Fault(cut_after=MB)]
    fetch(server, tmp_path / FILE, Changing())
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_commit_that_leaves_the_file_alone_costs_nothing(server: ModelHost, tmp_path: Path) -> None:
    with pytest.raises(Stopped) as stopped:
        fetch(server, tmp_path / FILE, Watched(interrupt_at=MB))
    server.commit = "d" * 40
    fetch(server, tmp_path / FILE)
    assert bytes_asked(server)[-1] == f"bytes={stopped.value.saved}-"


def test_a_file_that_was_renamed_is_answered_with_the_files_there_are(server: ModelHost, tmp_path: Path) -> None:
    server.files["tiny-v2-Q4_K_M.gguf"] = server.files.pop(FILE)
    with pytest.raises(ModelFileError, match=rf"has no file {FILE}\. There are: tiny-v2-Q4_K_M\.gguf\."):
        fetch(server, tmp_path / FILE)


def test_a_repository_and_a_revision_that_are_not_there_are_named(server: ModelHost, tmp_path: Path) -> None:
    with Host(server.address) as host:
        with pytest.raises(ModelFileError, match="has no no/such"):
            host.look_up(OnHost(repo="no/such", file=FILE))
        with pytest.raises(ModelFileError, match="has no revision 'v9'"):
            host.look_up(OnHost(repo=server.repo, file=FILE, revision="v9"))


def test_a_host_that_is_no_hub_is_told(server: ModelHost, tmp_path: Path) -> None:
    server.has_api = False
    server.files.clear()
    with pytest.raises(ModelFileError, match="has no file"):
        fetch(server, tmp_path / FILE)


@pytest.mark.parametrize(
    ("headers", "waited"),
    [
        ({"Retry-After": "7"}, [7.0]),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:30 GMT", "Date": "Wed, 21 Oct 2026 07:28:00 GMT"}, [30.0]),
        ({}, [1.0]),
        ({"Retry-After": "soon"}, [1.0]),
    ],
    ids=["seconds", "a date", "nothing", "nonsense"],
)
@pytest.mark.parametrize("kind", ["bytes", "api", "head"])
def test_a_host_that_is_busy_is_waited_for_as_long_as_it_asks(
    server: ModelHost, tmp_path: Path, kind: str, headers: dict[str, str], waited: list[float]
) -> None:
    server.faults += [Fault(kind=kind, status=429, headers=headers)]
    patience = fetch(server, tmp_path / FILE)
    if "Date" not in headers:
        assert patience.waited == waited
    assert len(patience.waited) == 1
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_host_that_wants_an_hour_is_told_not_waited_for(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(status=429, headers={"Retry-After": "3600"})]
    with pytest.raises(ModelFileError, match="60 minutes"):
        fetch(server, tmp_path / FILE)


def test_failures_of_the_host_are_tried_again_with_growing_pauses(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [Fault(status=503), Fault(status=500), Fault(status=502)]
    patience = fetch(server, tmp_path / FILE)
    assert patience.waited == [1.0, 2.0, 4.0]


# ---------------------------------------------------------------- tokens and redirects


def test_a_token_goes_to_the_configured_host_alone(server: ModelHost, tmp_path: Path) -> None:
    with ModelHost() as cdn:
        cdn.files = server.files
        server.cdn, server.needs_token = cdn, "hf_secret"
        server.faults += [Fault(kind="resolve", status=503)]
        fetch(server, tmp_path / FILE, token="hf_secret")
        assert is_whole(tmp_path / FILE, server.files[FILE])
        assert all(asked.headers.get("Authorization") == "Bearer hf_secret" for asked in server.asked)
        assert cdn.asked
        assert not [asked for asked in cdn.asked if "Authorization" in asked.headers]


def test_a_file_behind_terms_names_the_token_setting(server: ModelHost, tmp_path: Path) -> None:
    server.needs_token = "hf_secret"
    with pytest.raises(ModelFileError, match=r"model\.token_env"):
        fetch(server, tmp_path / FILE)


def test_a_token_is_not_sent_in_the_clear() -> None:
    with pytest.raises(ModelFileError, match="https"):
        Host("http://mirror.example", "hf_secret")


def redirecting(target: str) -> Fault:
    return Fault(kind="api", status=302, headers={"Location": target})


def test_redirects_in_a_circle_end(server: ModelHost, tmp_path: Path) -> None:
    server.faults += [redirecting("/api/models/x")] * 9
    with pytest.raises(ModelFileError, match="circles"):
        fetch(server, tmp_path / FILE)


@pytest.mark.parametrize("target", ["ftp://example.org/x", "file:///etc/passwd"])
def test_a_redirect_to_what_is_no_web_address_is_not_followed(server: ModelHost, tmp_path: Path, target: str) -> None:
    server.faults += [redirecting(target)]
    with pytest.raises(ModelFileError, match="not followed"):
        fetch(server, tmp_path / FILE)


# ---------------------------------------------------------------- the disk


def test_a_disk_without_room_is_told_before_the_first_byte(server: ModelHost, tmp_path: Path) -> None:
    with pytest.raises(NoRoom, match=r"3 MB more are needed .* 0 of 3 MB are saved"):
        fetch(server, tmp_path / FILE, free=lambda _: MARGIN_BYTES)
    assert bytes_asked(server) == []


class SmallDisk:
    """A file on a disk that takes no more than `room` bytes."""

    def __init__(self, path: Path, room: int) -> None:
        self._file = path.open("ab", buffering=0)
        self._room = room

    def write(self, data: bytes | memoryview) -> int:
        left = self._room - self._file.tell()
        if left <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self._file.write(data[:left])

    def tell(self) -> int:
        return self._file.tell()

    def __enter__(self) -> SmallDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()


def small_disk(room: int) -> Callable[[Path], BinaryIO]:
    return lambda path: SmallDisk(path, room)  # type: ignore[return-value]


def test_a_disk_that_fills_up_keeps_what_came_and_says_how_much_is_missing(server: ModelHost, tmp_path: Path) -> None:
    free = iter([10**9, 1 * MB])
    with pytest.raises(NoRoom, match=r"65 MB more are needed .* 1 of 3 MB are saved"):
        fetch(server, tmp_path / FILE, free=lambda _: next(free), append=small_disk(MB))
    assert (tmp_path / f"{FILE}.part").stat().st_size == MB
    fetch(server, tmp_path / FILE)
    assert bytes_asked(server)[-1] == f"bytes={MB}-"
    assert is_whole(tmp_path / FILE, server.files[FILE])


def test_a_folder_that_takes_nothing_is_named(server: ModelHost, tmp_path: Path) -> None:
    def refuse(_: Path) -> BinaryIO:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    with pytest.raises(ModelFileError, match="cannot be written to: Permission denied"):
        fetch(server, tmp_path / FILE, append=refuse)


def test_an_empty_file_at_the_host_is_named(server: ModelHost, tmp_path: Path) -> None:
    server.files[FILE] = Content(b"")
    with pytest.raises(ModelFileError, match="is empty"):
        fetch(server, tmp_path / FILE)


def test_more_bytes_than_the_host_says_are_not_taken(server: ModelHost, tmp_path: Path) -> None:
    content = server.files[FILE]
    server.faults += [Fault(cut_after=MB), Fault(short=-10)]
    fetch(server, tmp_path / FILE)
    assert is_whole(tmp_path / FILE, content)


def test_two_at_once_are_refused_and_the_lock_goes_with_its_holder(tmp_path: Path) -> None:
    with (
        claimed(tmp_path),
        pytest.raises(ModelFileError, match=rf"under way \(process {os.getpid()}\)"),
        claimed(tmp_path),
    ):
        pass
    with claimed(tmp_path):
        pass


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1500, "2 kB"), (467_300_000, "467 MB"), (1_280_000_000, "1.28 GB")],
)
def test_sizes_are_written_for_people(count: int, text: str) -> None:
    assert size(count) == text


def test_a_share_stands_in_the_unit_of_the_whole() -> None:
    assert share(312_400_000, 467_000_000) == "312 of 467 MB"
    assert share(312_400_000, 1_280_000_000) == "0.31 of 1.28 GB"
