"""The kind of disk that a folder lies on."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["network_file_system"]

MOUNTS = Path("/proc/self/mountinfo")
NETWORKED = frozenset(
    {
        "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.davfs", "fuse.glusterfs", "fuse.rclone",
        "fuse.s3fs", "fuse.sshfs", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs",
    }
)  # fmt: skip
"""File systems that several machines share: WAL's shared memory does not work there (https://www.sqlite.org/wal.html)."""


def network_file_system(folder: Path, mounts: Path = MOUNTS) -> str | None:
    """The network file system that the folder lies on, or will; None for a local one or where the machine does not tell.

    Read from proc_pid_mountinfo(5). Blocks. The folder need not exist.
    """
    try:
        lines = mounts.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    path = folder.absolute().resolve()
    best, kind = -1, ""
    for line in lines:
        before, separator, after = line.partition(" - ")
        fields = before.split()
        if not separator or len(fields) < 5 or not after:
            continue
        point = Path(re.sub(r"\\([0-7]{3})", lambda escape: chr(int(escape[1], 8)), fields[4]))
        if path.is_relative_to(point) and len(point.parts) >= best:  # of two mounts at one place the later one counts
            best, kind = len(point.parts), after.split()[0]
    return kind if kind in NETWORKED else None
