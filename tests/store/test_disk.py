"""Network drives, told apart by the mounts of this process."""

from __future__ import annotations

from pathlib import Path

import pytest

from jarvisbot.store.disk import network_file_system

MOUNTS = """\
21 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
30 21 0:40 / /srv/nas rw shared:1 - nfs4 nas:/export rw
31 21 0:41 / /srv/my\\040share rw - cifs //nas/share rw
32 30 8:2 / /srv/nas/local rw - btrfs /dev/sdb rw
33 21 0:42 / /srv/cloud rw - fuse.sshfs me@host: rw
34 21 0:43 / /srv/usb rw - fuseblk /dev/sdc rw
garbage
35 21 0:44 / /srv/twice rw - nfs nas:/x rw
36 21 8:3 / /srv/twice rw - ext4 /dev/sdd rw
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    file = tmp_path / "mountinfo"
    file.write_text(MOUNTS, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("folder", "found"),
    [
        ("/srv/nas/jarvisbot", "nfs4"),
        ("/srv/nas", "nfs4"),
        ("/srv/my share/a/b", "cifs"),
        ("/srv/nas/local/jarvisbot", None),
        ("/srv/nashorn", None),
        ("/srv/cloud/x", "fuse.sshfs"),
        ("/srv/usb/x", None),
        ("/srv/twice/x", None),
        ("/var/lib/jarvisbot", None),
    ],
)
def test_a_folder_is_on_the_innermost_and_latest_mount(mounts: Path, folder: str, found: str | None) -> None:
    assert network_file_system(Path(folder), mounts) == found


def test_a_machine_that_does_not_tell_is_taken_for_local(tmp_path: Path) -> None:
    assert network_file_system(tmp_path, tmp_path / "nothing") is None


def test_this_machines_own_folder_is_local(tmp_path: Path) -> None:
    assert network_file_system(tmp_path) is None
