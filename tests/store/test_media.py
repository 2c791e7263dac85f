"""The media folder: bytes under their hash, for their owner alone, within limits."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from jarvisbot.errors import StoreError
from jarvisbot.store.media import MediaFolder, display_name
from jarvisbot.types import FileRef


async def test_a_file_is_kept_for_its_owner_alone_and_read_back(tmp_path: Path) -> None:
    media = MediaFolder(tmp_path / "media")
    file = await media.keep(b"bytes", name="../../etc/passwd", media_type="Text/Plain")
    assert (file.name, file.media_type, file.size_bytes) == ("passwd", "text/plain", 5)
    assert await media.read(file) == b"bytes"
    assert stat.S_IMODE((tmp_path / "media").stat().st_mode) == 0o700
    (path,) = (tmp_path / "media").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.name == file.id


async def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    media = MediaFolder(tmp_path)
    one = await media.keep(b"same", name="a", media_type="x/y")
    two = await media.keep(b"same", name="b", media_type="nonsense")
    assert (one.id, two.media_type) == (two.id, "application/octet-stream")
    assert len(list(tmp_path.iterdir())) == 1


async def test_too_large_a_file_is_refused_and_the_oldest_go_when_it_gets_full(tmp_path: Path) -> None:
    media = MediaFolder(tmp_path, file_bytes=10, total_bytes=25)
    with pytest.raises(StoreError):
        await media.keep(b"x" * 11, name="big", media_type="x/y")
    kept = [await media.keep(bytes([number]) * 10, name="n", media_type="x/y") for number in range(3)]
    with pytest.raises(StoreError, match="not there any more"):
        await media.read(kept[0])
    assert [await media.read(file) for file in kept[1:]] == [b"\1" * 10, b"\2" * 10]


@pytest.mark.parametrize("identity", ["", "../jarvisbot.db", "a" * 63, "A" * 64])
async def test_an_id_of_another_form_is_never_a_path(tmp_path: Path, identity: str) -> None:
    (tmp_path / "jarvisbot.db").write_bytes(b"secret")
    with pytest.raises(StoreError):
        await MediaFolder(tmp_path / "media").read(FileRef(id=identity, name="n", media_type="x/y", size_bytes=1))


@pytest.mark.parametrize(
    ("given", "shown"),
    [("a/b\\c.txt", "c.txt"), ("", "file"), ("x\u202egpj.exe", "x gpj.exe"), ("a\nb", "a b"), ("ü.txt", "ü.txt")],
)
def test_names_are_shown_in_one_line_without_tricks(given: str, shown: str) -> None:
    assert display_name(given) == shown
