"""The unit file of the service, made from the shipped one for the place where this installation lies."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from jarvisbot import folders

__all__ = ["DROP_IN", "NAME", "Placement", "Provenance", "gpu_drop_in", "in_home", "provenance", "render", "shipped"]

NAME = "jarvisbot.service"
DROP_IN = f"{NAME}.d/50-gpu.conf"
STATE = Path("/var/lib")
HOMES = (Path("/home"), Path("/root"), Path("/run/user"))
"""What ProtectHome= hides (systemd.exec(5))."""
_MARK = re.compile(r"\A# Written by `jarvisbot service install` from (\w{16}), as (\w{16})\.\n")


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """Where an installation lies. Paths are absolute."""

    program: Path
    config: Path
    data: Path = STATE / "jarvisbot"
    user: str | None = None
    """Runs as this user; None: as one that exists only while the service runs."""
    credentials: Mapping[str, Path] = msgspec.field(default_factory=dict)
    """The files of secrets by the name under which the service gets them."""
    read: tuple[Path, ...] = ()
    """What it must read besides: the program's folders, a model's file. Only those in homes need a word."""
    documentation: Path | None = None
    memory_bytes: int | None = None
    """The most memory that the service may take."""
    backoff: bool = False
    """Whether this systemd knows pauses that grow (254 and later)."""


class Provenance(msgspec.Struct, frozen=True, kw_only=True):
    """What a unit file says of itself. `ours`: we have written it; `intact`: nobody has changed it since; `current`: it
    comes from the unit that this release ships.
    """

    ours: bool
    intact: bool = False
    current: bool = False


def shipped() -> str:
    """The unit as it comes with this release."""
    return (folders.bundled("systemd") / NAME).read_text(encoding="utf-8")


def in_home(path: Path) -> bool:
    """Whether the path lies where the service sees nothing unless it is shown."""
    return any(path.is_relative_to(home) for home in HOMES)


def render(placement: Placement) -> str:
    """The unit file of this placement, with a first line by which `provenance` knows it again."""
    return _marked("".join(f"{line}\n" for line in _lines(placement)))


def gpu_drop_in(groups: Iterable[str]) -> str:
    """The drop-in of a service whose model runs on a graphics card, as a member of these groups."""
    members = " ".join(groups)
    lines = [
        "[Service]",
        "# The card's devices and no others; which of these names there are depends on the driver.",
        "PrivateDevices=no",
        "DevicePolicy=closed",
        *(f"DeviceAllow=char-{name} rw" for name in ("drm", "kfd", "nvidia", "nvidia-frontend", "nvidia-uvm")),
        "DeviceAllow=char-nvidia-caps rw",
        *([f"SupplementaryGroups={members}"] if members else []),
        "# Drivers compile what they run on the card.",
        "MemoryDenyWriteExecute=no",
    ]
    return _marked("".join(f"{line}\n" for line in lines))


def provenance(text: str) -> Provenance:
    """Whose a unit file or drop-in is, read from its first line."""
    mark = _MARK.match(text)
    if mark is None:
        return Provenance(ours=False)
    return Provenance(ours=True, intact=mark[2] == _digest(text[mark.end() :]), current=mark[1] == _digest(shipped()))


def _marked(text: str) -> str:
    return f"# Written by `jarvisbot service install` from {_digest(shipped())}, as {_digest(text)}.\n{text}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _lines(placement: Placement) -> list[str]:
    found: list[str] = []
    for line in shipped().splitlines():
        key, _, value = line.partition("=")
        found += _line(key, value, line, placement)
    return found


def _line(key: str, value: str, line: str, placement: Placement) -> list[str]:
    """What stands in place of one line of the shipped unit."""
    data = placement.data
    state = data.parent == STATE
    match key:
        case "Documentation":
            document = placement.documentation
            return [f"Documentation={document.as_uri().replace('%', '%%')}"] if document is not None else []
        case "LoadCredential":
            return [f"LoadCredential=config.toml:{_escaped(placement.config)}"]
        case "#LoadCredential":
            secrets = placement.credentials.items()
            return [f"LoadCredential={name}:{_escaped(file)}" for name, file in secrets]
        case "ExecStart":
            program, folder = _quoted(placement.program), _quoted(data)
            return [f"ExecStart={program} --config %d/config.toml --data {folder} run"]
        case "RestartSec" if placement.backoff:
            return [line, "RestartSteps=6", "RestartMaxDelaySec=300"]
        case "TasksMax" if placement.memory_bytes is not None:
            return [line, f"MemoryMax={placement.memory_bytes >> 20}M"]
        case "DynamicUser" if placement.user is not None:
            return [f"User={placement.user}", "DynamicUser=no"]
        case "StateDirectory" | "StateDirectoryMode":
            return ([f"StateDirectory={data.name}"] if key == "StateDirectory" else [line]) if state else []
        case "WorkingDirectory":
            return [f"WorkingDirectory={_escaped(data)}", *([] if state else [f"ReadWritePaths={_quoted(data)}"])]
        case "ProtectHome":
            return _homes(placement, value)
        case _:
            return [line]


def _homes(placement: Placement, value: str) -> list[str]:
    """Homes stay hidden but for what the service needs of them."""
    read = sorted({path for path in placement.read if in_home(path)})
    write = in_home(placement.data)
    if not read and not write:
        return [f"ProtectHome={value}"]
    return [
        "ProtectHome=tmpfs",
        *(f"BindReadOnlyPaths={_quoted(path)}" for path in read),
        *([f"BindPaths={_quoted(placement.data)}"] if write else []),
    ]


def _escaped(path: Path) -> str:
    return str(path).replace("%", "%%")


def _quoted(path: Path) -> str:
    text = _escaped(path)
    if not re.search(r"[\s\"'\\;$]", text):
        return text
    inner = text.replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{inner}"'
