"""`jarvisbot replay`: rows of cases from standard input, each written back with what the code made of it."""

from __future__ import annotations

import json
import sys
import traceback
from typing import BinaryIO

from jarvisbot.replay import BadRow, Kind, replay

__all__ = ["replay_lines"]


def replay_lines(kind: Kind, source: BinaryIO, target: BinaryIO) -> bool:
    """Answers each line as it comes; false where there was one that could not be, which stderr names by its number.

    Blank lines are passed over. Raises OSError where nothing more can be written.
    """
    good = True
    for number, line in enumerate(source, 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            if not isinstance(row, dict):
                raise BadRow("It is no JSON object.")
            answered = _line({**row, "got": replay(kind, row)})
        except BadRow as error:
            problem = error.user_message
        except (ValueError, RecursionError) as error:
            problem = f"It is not JSON: {error}."
        except Exception:  # a fault that one row uncovers is told, and the others are answered all the same
            traceback.print_exc()
            problem = "The code broke on it."
        else:
            target.write(answered)
            target.flush()
            continue
        good = False
        print(f"jarvisbot: line {number}: {problem}", file=sys.stderr)
    return good


def _line(value: object) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can hold
        return json.dumps(value, allow_nan=False).encode() + b"\n"
