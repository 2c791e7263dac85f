"""What commands print: aligned tables, JSON, and text of others without control characters."""

from __future__ import annotations

import difflib
import json
import sys
import unicodedata
from collections.abc import Collection, Sequence

__all__ = ["nearest", "print_json", "print_table", "printable"]


def print_table(rows: Sequence[Sequence[str]], *, indent: str = "") -> None:
    """Each row on a line, columns aligned; the last column is as long as it is."""
    if not rows:
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row[:-1], widths, strict=False)]
        print(f"{indent}{'  '.join([*cells, printable(row[-1])])}".rstrip())


def print_json(value: object) -> None:
    """The value as JSON that any terminal and any program takes."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    if any("\ud800" <= mark <= "\udfff" for mark in text):
        text = json.dumps(value, indent=2)
    sys.stdout.write(f"{text}\n")


def printable(text: str) -> str:
    """The text with U+FFFD for what would steer a terminal; line breaks and tabs stay."""
    return "".join(
        mark if mark in "\n\t" or unicodedata.category(mark) not in ("Cc", "Cs") else "\ufffd" for mark in text
    )


def nearest(name: str, known: Collection[str]) -> str:
    """Words that name what was most likely meant, or all there is."""
    close = difflib.get_close_matches(name.lower(), known, n=1)
    if close:
        return f"the nearest is {close[0]!r}"
    return f"there are: {', '.join(sorted(known))}" if known else "there is none"
