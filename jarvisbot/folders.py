"""Where things lie: the add-ons that come with the program, and the person's own data."""

from __future__ import annotations

import sys
from pathlib import Path

import platformdirs

__all__ = ["bundled", "config_file", "data_folder", "install_command"]

_PACKAGE = Path(__file__).resolve().parent


def bundled(name: str) -> Path:
    """The folder or file `name` that ships with the program: inside the package in a wheel, beside it in a checkout."""
    inside = _PACKAGE / "_bundled" / name
    return inside if inside.exists() else _PACKAGE.parent / name


def data_folder() -> Path:
    """The default data folder, under the user's data directory ($XDG_DATA_HOME)."""
    return Path(platformdirs.user_data_dir("jarvisbot", appauthor=False))


def config_file() -> Path:
    """The default config file, under the user's config directory ($XDG_CONFIG_HOME)."""
    return Path(platformdirs.user_config_dir("jarvisbot", appauthor=False)) / "config.toml"


def install_command(requirement: str) -> str:
    """The command that installs into the environment this program runs from: a bare `pip` may be another's."""
    return f"{sys.executable} -m pip install '{requirement}'"
