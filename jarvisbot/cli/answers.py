"""What `jarvisbot init` was answered, and the config with it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from jarvisbot.config import Config, load
from jarvisbot.errors import ConfigError

__all__ = ["Answers", "environment", "named_file", "text_of"]


@dataclass(slots=True, kw_only=True)
class Answers:
    """What was answered so far. State: changes of the config by dotted name, and secrets by the file that is to hold them."""

    file: Path
    text: str | None
    changes: dict[str, object] = field(default_factory=dict)
    secrets: dict[Path, str] = field(default_factory=dict)

    def config(self) -> Config:
        """The config as it is with the answers; secrets that are not written yet are not in it. Raises ConfigError."""
        overrides = {name: json.dumps(value) for name, value in self.changes.items() if not name.endswith("_file")}
        return load(self.file if self.text is not None else None, environment=environment(), overrides=overrides)

    def keep_secret(self, platform: str, name: str, value: str) -> None:
        """Puts a platform's secret into a file of its own beside the config."""
        path = self.file.with_name(f"{platform}.{name}")
        self.secrets[path] = value
        self.changes[f"connectors.{platform}.{name}_file"] = path.name


def environment() -> dict[str, str]:
    """This environment without settings: what it sets must not look as if it were in the file."""
    return {name: value for name, value in os.environ.items() if not name.startswith("JARVISBOT_")}


def named_file() -> Path | None:
    """The config file that JARVISBOT_CONFIG names."""
    text = os.environ.get("JARVISBOT_CONFIG", "").strip()
    return Path(text) if text else None


def text_of(file: Path) -> str | None:
    """What the file holds; None where there is none. Raises ConfigError."""
    try:
        return file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}."
        ) from error
