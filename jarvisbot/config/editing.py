"""Changes of a config file that leave everything else in it as it was, comments included."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import tomlkit
from tomlkit.container import Container
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table
from tomlkit.toml_document import TOMLDocument

from jarvisbot import folders
from jarvisbot.errors import ConfigError

__all__ = ["edited", "write_private"]

HEADER = (
    "# The config of jarvisbot. config.example.toml shows every setting; docs/operations.md tells how they are used.\n"
)


def edited(text: str | None, changes: Mapping[str, object]) -> str:
    """The file's text with the values at these dotted names; None makes a new one.

    What is new gets the comment that config.example.toml has for it. Raises ConfigError for text that is no TOML.
    """
    try:
        document = tomlkit.parse(text if text is not None else HEADER)
    except TOMLKitError as error:
        raise ConfigError(f"The config is not valid TOML: {error}.") from error
    for dotted, value in changes.items():
        *sections, key = dotted.split(".")
        table = _table(document, sections)
        if key in table:
            if table[key] != value:
                table[key] = value
            continue
        for line in _comments().get(dotted, ()):
            table.add(tomlkit.comment(line))
        table.add(key, value)
    written = tomlkit.dumps(document)
    return re.sub(r"\n{3,}", "\n\n", written) if text is None else written


def _table(document: TOMLDocument, sections: Sequence[str]) -> Table | Container:
    here: Table | Container = document
    for depth, name in enumerate(sections, 1):
        if name not in here:
            above = depth < len(sections)
            if not above or depth == 1:
                document.add(tomlkit.nl())
            here.add(name, tomlkit.table(is_super_table=above))
        found = here[name]
        if not isinstance(found, Table | Container):
            raise ConfigError(f"{'.'.join(sections[:depth])} in the config must be a table.")
        here = found
    return here


@cache
def _comments() -> Mapping[str, tuple[str, ...]]:
    """The comment lines above each setting of the example, by the setting's dotted name."""
    found: dict[str, tuple[str, ...]] = {}
    section = ""
    block: list[str] = []
    for line in folders.bundled("config.example.toml").read_text(encoding="utf-8").splitlines():
        if head := re.fullmatch(r"#?\[([^\[\]]+)\]", line):
            section, block = head[1], []
        elif key := re.match(r"#?(\w+) = ", line):
            found[f"{section}.{key[1]}"] = tuple(block)
            block = []
        elif line.startswith("# "):
            block.append(line[2:])
        else:
            block = []
    return found


def write_private(path: Path, text: str) -> None:
    """Puts the text in place of the file at once, readable by its owner alone (0600). Blocks. Raises OSError."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.unlink(missing_ok=True)
    descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)
