"""Cases run against the real code: a kind and one row in, what the code made of it out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, assert_never, get_args

import msgspec

from jarvisbot.replay.rows import BadRow, Row

__all__ = ["KINDS", "BadRow", "Kind", "replay"]

Kind = Literal["routing", "answer-check", "tools", "split", "render"]
KINDS: tuple[Kind, ...] = get_args(Kind)


def replay(kind: Kind, row: Row) -> Mapping[str, object] | None:
    """What the code makes of one row, as JSON values.

    - routing: `text`, `previous_skill`, `tools_missing` -> skill, stage, evidence. The whole shipped catalogue, all its tools
      taken as present but those that are missing.
    - answer-check: `question`, `tools` (name, arguments, result), `draft`, `known_urls` -> findings, the names of the checks.
    - tools: by the row's own `kind`, see `replay.tools`.
    - split: `text`, `platform` -> parts, each CommonMark.
    - render: `text`, `platform` -> payloads, what would be sent to the platform in order.

    Keys that nothing asks for are ignored. Raises BadRow.
    """
    try:
        match kind:  # each imports what it needs when it is asked for
            case "routing":
                from jarvisbot.replay.routing import routed

                return routed(row)
            case "answer-check":
                from jarvisbot.replay.answers import checked

                return checked(row)
            case "tools":
                from jarvisbot.replay.tools import called

                return called(row)
            case "split":
                from jarvisbot.replay.splitting import parts

                return parts(row)
            case "render":
                from jarvisbot.replay.rendering import payloads

                return payloads(row)
            case _:
                assert_never(kind)
    except msgspec.ValidationError as error:
        raise BadRow(f"{str(error).rstrip('.')}.") from error
