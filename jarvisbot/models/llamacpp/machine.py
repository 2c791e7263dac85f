"""The cores that this process may use."""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["default_threads", "physical_cores"]

CPUS = Path("/sys/devices/system/cpu")
QUOTA = Path("/sys/fs/cgroup/cpu.max")


def default_threads() -> int:
    """One less than the physical cores, and at least one.

    Measured: as many threads as cores falls from 31 to 5 tokens a second as soon as anything else runs beside them.
    """
    return max(1, physical_cores() - 1)


def physical_cores(cpus: Path = CPUS, quota: Path = QUOTA) -> int:
    """Physical cores among the CPUs this process is allowed on, no more than its control group's quota."""
    allowed = os.sched_getaffinity(0)
    cores = {_core(cpus / f"cpu{number}" / "topology", number) for number in allowed}
    return max(1, min(len(cores), _limit(quota) or len(cores)))


def _core(topology: Path, number: int) -> tuple[str, str]:
    try:
        package = (topology / "physical_package_id").read_text().strip()
        return package, (topology / "core_id").read_text().strip()
    except OSError:
        return "", str(number)


def _limit(quota: Path) -> int | None:
    """Whole cores of a cgroup v2 `cpu.max` ("max 100000" or "150000 100000"); None where there is no limit."""
    try:
        allowed, period = quota.read_text().split()
        return None if allowed == "max" else max(1, int(allowed) // int(period))
    except (OSError, ValueError):
        return None
