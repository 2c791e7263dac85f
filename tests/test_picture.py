"""The picture of a talk in the README: what it shows is what the program says now."""

from __future__ import annotations

import re
from pathlib import Path

from docs.make_picture import PICTURE, TALK, picture, record, text_of


def without_times(lines: list[str]) -> list[str]:
    """Without what differs from run to run: the time of a row, which is left out where it is short, and those of /why."""
    return [re.sub(r"\d+\.\d s", "0.0 s", re.sub(r"^(· .*) \(\d+\.\d s\)$", r"\1", line)) for line in lines]


def test_the_picture_shows_what_the_program_says(tmp_path: Path) -> None:
    shown = text_of(PICTURE.read_text(encoding="utf-8"))
    now = text_of(picture(record(tmp_path)))
    assert without_times(now) == without_times(shown)
    assert [line.removeprefix("> ") for line in shown if line.startswith("> ")] == list(TALK)


def test_the_picture_needs_nothing_from_elsewhere() -> None:
    image = PICTURE.read_text(encoding="utf-8")
    assert not re.findall(r"https?://(?!www\.w3\.org/2000/svg)|url\((?!#)|@import|<script|<image", image)
