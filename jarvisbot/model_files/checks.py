"""What is checked of an installed model's file without running it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import msgspec

from jarvisbot.errors import ModelFileError
from jarvisbot.model_files import reference
from jarvisbot.model_files.host import HostFile
from jarvisbot.model_files.installed import Installed
from jarvisbot.model_files.keeping import sha256_of
from jarvisbot.model_files.machine import size

__all__ = ["Check", "check_hash", "check_host"]


class Check(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that was looked at. `limited`: the model works, and something with it does not; `text` says what."""

    name: str
    state: Literal["good", "limited", "failed", "skipped"]
    text: str


def check_hash(model: Installed) -> Check:
    """Whether the file is the one that was installed. Raises OSError."""
    found = sha256_of(model.path)
    if model.record is None:
        return Check(name="hash", state="skipped", text=f"SHA-256 {found}; nothing is known that it should be")
    if found != model.record.sha256:
        text = f"SHA-256 {found}, but {model.record.sha256} was installed: remove the file and install it again"
        return Check(name="hash", state="failed", text=text)
    return Check(name="hash", state="good", text=f"{size(model.bytes)}, SHA-256 {found}, as it was installed")


def check_host(model: Installed, look_up: Callable[[reference.OnHost], HostFile]) -> Check:
    """Whether the host still serves the file, as `look_up` tells it."""
    meant = reference.read(model.record.source) if model.record is not None else None
    if not isinstance(meant, reference.OnHost) or model.record is None:
        return Check(name="host", state="skipped", text="it did not come from a host")
    try:
        there = look_up(meant)
    except ModelFileError as error:
        return Check(name="host", state="skipped", text=error.user_message)
    if there.sha256 is not None and there.sha256 != model.record.sha256:
        text = f"another file by now: install {meant} again to have it"
        return Check(name="host", state="limited", text=text)
    return Check(name="host", state="good", text=f"serves {meant}")
