"""`jarvisbot model list`, `use` and `remove`: which models there are, and which of them answers."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from jarvisbot.cli.printing import print_json, print_table
from jarvisbot.config import Config
from jarvisbot.errors import MissingPart, ModelFileError
from jarvisbot.folders import install_command
from jarvisbot.model_files.catalogue import Entry, catalogue
from jarvisbot.model_files.installed import Installed, choose, find, installed
from jarvisbot.model_files.installed import remove as delete
from jarvisbot.model_files.machine import MARGIN_BYTES, free_bytes, memory_bytes, size
from jarvisbot.models.llamacpp import Settings
from jarvisbot.models.llamacpp.library import installed as library_installed
from jarvisbot.models.llamacpp.location import find_model

__all__ = ["folder_of", "in_use", "list_models", "remove", "settings_of", "tell_choice", "use"]

LOCAL = "llamacpp"


def folder_of(config: Config) -> Path:
    """Where model files lie."""
    return config.bot.data_folder / "models"


def settings_of(config: Config) -> Settings:
    """The settings of the local backend, whichever is configured. Raises ConfigError."""
    return config.section("model", Settings)[0] if config.model_backend == LOCAL else Settings()


def in_use(config: Config) -> Path | None:
    """The file of the model that answers; None where there is none, or another backend answers. Raises ConfigError."""
    if config.model_backend != LOCAL:
        return None
    try:
        return find_model(settings_of(config).path, folder_of(config))
    except MissingPart:
        return None


def list_models(config: Config, *, as_json: bool) -> None:
    """Prints what is installed and what can be."""
    folder = folder_of(config)
    there, current = installed(folder), in_use(config)
    free_memory, free_disk = memory_bytes(), free_bytes(folder)
    used = sum(file.stat().st_size for ending in ("*.gguf", "*.part") for file in folder.glob(ending))
    rows = [_row(entry, there, current, free_memory, free_disk) for entry in catalogue()]
    names = {entry.name for entry in catalogue()}
    rows += [_own(model, current) for model in there if model.name not in names]
    if current is not None and current not in {model.path for model in there}:
        rows.append(_own(Installed(name=current.stem, path=current, bytes=current.stat().st_size), current))
    if as_json:
        print_json(
            {
                "models": rows,
                "folder": str(folder),
                "used_bytes": used,
                "free_disk_bytes": free_disk,
                "free_memory_bytes": free_memory,
                "partial": [{"file": name, "bytes": count} for name, count in _partial(folder)],
                "backend": config.model_backend,
            }
        )
        return
    head = ("MODEL", "STATE", "SIZE", "MEMORY", "ROOM", "LICENCE", "GOOD FOR")
    print_table([head, *map(_cells, rows)])
    print(f"\n{size(used)} used in {folder}, {size(free_disk)} free.")
    for name, count in _partial(folder):
        print(f"A download was broken off: {name}, {size(count)}; `jarvisbot model install` of it goes on.")
    if config.model_backend != LOCAL:
        print(f"None of them answers: the config says model.backend = {config.model_backend!r}.")


def use(config: Config, name: str) -> None:
    """Makes a model the one that answers. Raises ModelFileError, ConfigError."""
    model = find(folder_of(config), name)
    choose(folder_of(config), model)
    tell_choice(config, model)


def remove(config: Config, name: str, *, yes: bool, force: bool) -> bool:
    """Deletes a model's file after a question; false where the answer was no. Raises ModelFileError."""
    folder = folder_of(config)
    model = find(folder, name)
    if in_use(config) == model.path and not force:
        raise ModelFileError(f"{model.name} is in use: choose another by `jarvisbot model use NAME`, or add --force.")
    if not yes and model.path.parent == folder:
        if not sys.stdin or not sys.stdin.isatty():
            raise ModelFileError(f"Nobody is here to be asked: add --yes to delete {model.path}.")
        print(f"Delete {model.path} ({size(model.bytes)})? [y/N] ", end="", flush=True)
        if sys.stdin.readline().strip().lower() not in ("y", "yes", "j", "ja"):
            print("Nothing was deleted.")
            return False
    delete(folder, model)
    print(f"{model.name} is deleted: {size(model.bytes)} are free again.")
    return True


def tell_choice(config: Config, model: Installed) -> None:
    """Prints whether that model answers now, and if not, what to do."""
    current = in_use(config)
    if current == model.path:
        print(f"{model.name} is in use: {model.path}")
    elif config.model_backend != LOCAL:
        print(f"{model.name} is there, and not in use: the config says model.backend = {config.model_backend!r}.")
    elif settings_of(config).path is not None:
        print(f"{model.name} is there, and not in use: model.path of the config stands above the choice.")
    else:
        print(f"{model.name} is there, and not in use: jarvisbot model use {model.name}")
    if not library_installed():
        print(f"It needs llama-cpp-python to run: {install_command('jarvisbot[local]')}")


def _row(
    entry: Entry, there: tuple[Installed, ...], current: Path | None, free_memory: int | None, free_disk: int
) -> dict[str, object]:
    model = next((each for each in there if each.name == entry.name), None)
    lacking = None
    if free_memory is not None and free_memory < entry.memory_mb * 1e6:
        lacking = "memory"
    elif model is None and free_disk < entry.size_mb * 1e6 + MARGIN_BYTES:
        lacking = "disk"
    return {
        "name": entry.name,
        "installed": model is not None,
        "in_use": model is not None and model.path == current,
        "bytes": model.bytes if model is not None else entry.size_mb * 1_000_000,
        "memory_bytes": entry.memory_mb * 1_000_000,
        "room": lacking is None,
        "lacking": lacking,
        "licence": (model.licence if model is not None else None) or entry.licence,
        "languages": entry.languages,
        "good_for": entry.good_for,
        "path": str(model.path) if model is not None else None,
        "sha256": model.record.sha256 if model is not None and model.record is not None else None,
    }


def _own(model: Installed, current: Path | None) -> dict[str, object]:
    return {
        "name": model.name,
        "installed": True,
        "in_use": model.path == current,
        "bytes": model.bytes,
        "memory_bytes": None,
        "room": None,
        "lacking": None,
        "licence": model.licence,
        "languages": None,
        "good_for": None,
        "path": str(model.path),
        "sha256": model.record.sha256 if model.record is not None else None,
    }


def _cells(row: dict[str, object]) -> tuple[str, ...]:
    state = "in use" if row["in_use"] else "installed" if row["installed"] else "–"
    memory, lacking = row["memory_bytes"], row["lacking"]
    room = "–" if row["room"] is None else f"too little {lacking}" if lacking else "yes"
    good = f"{row['good_for']} ({row['languages']})" if row["good_for"] else str(row["path"])
    return (
        str(row["name"]),
        state,
        size(int(str(row["bytes"]))),
        size(int(str(memory))) if memory is not None else "–",
        room,
        str(row["licence"] or "unknown"),
        good,
    )


def _partial(folder: Path) -> Iterator[tuple[str, int]]:
    for part in sorted(folder.glob("*.part")):
        yield part.name.removesuffix(".part"), part.stat().st_size
