"""What is on the screen of each message that is being written, and what is missing of it."""

from __future__ import annotations

from dataclasses import dataclass

from jarvisbot.types import Outbound, RowState, ToolRow

from .screen import Piece, Style, plain  # noqa: TID251  (relative: one add-on)

__all__ = ["Messages"]


@dataclass(slots=True)
class _Shown:
    """What is on the screen of one message: its text so far and how many of its tool rows."""

    text: str = ""
    rows: int = 0


class Messages:
    """The messages whose drafts are on the screen. State: what each has shown, and which of them the screen ends with."""

    def __init__(self, *, labelled: bool) -> None:
        """`labelled`: how an answer came about is told under it."""
        self._labelled = labelled
        self._shown: dict[str, _Shown] = {}
        self._latest: str | None = None

    def begun(self, message: str) -> bool:
        """Whether text of the message is on the screen."""
        return message in self._shown and bool(self._shown[message].text)

    def pieces(self, outbound: Outbound) -> list[Piece]:
        """What brings the screen from what is shown to the message. What is shown stays, so text that was taken back is only
        said anew once it is final.
        """
        between = [Piece("\n")] if self._latest not in (None, outbound.id) else []
        shown = self._shown.setdefault(outbound.id, _Shown())
        if outbound.problem:
            shown.text, between = "", []
        body = outbound.body.text
        goes_on = body.startswith(shown.text)
        if not goes_on and not outbound.final:
            return []
        pieces = [] if goes_on else [Piece("\n\n")]
        if not (goes_on and shown.text):
            ended = [row for row in outbound.rows if row.state is not RowState.RUNNING]
            pieces += [Piece(f"{_row(row)}\n", Style.DIM) for row in ended[shown.rows :]]
            shown.rows = max(shown.rows, len(ended))
        text = body[len(shown.text) :] if goes_on else body
        pieces.append(Piece(text, Style.RED if outbound.problem else Style.NONE))
        shown.text = body
        if outbound.final:
            pieces += self._ending(outbound)
            del self._shown[outbound.id]
            self._latest = None if self._latest == outbound.id else self._latest
        elif body:
            self._latest = outbound.id
        return between + pieces if any(piece.text for piece in pieces) else []

    def _ending(self, outbound: Outbound) -> list[Piece]:
        sources = [Piece(f"Source: {_one_line(source.url)}\n", Style.DIM) for source in outbound.sources]
        labels = " · ".join(map(_one_line, outbound.labels)) if self._labelled else ""
        return [Piece("\n"), *sources, *([Piece(f"{labels}\n", Style.DIM)] if labels else [])]


def _one_line(text: str) -> str:
    return " ".join(plain(text).split())


def _row(row: ToolRow) -> str:
    seconds = f" ({row.seconds:.1f} s)" if row.seconds >= 0.05 else ""
    failed = " – failed" if row.state is RowState.FAILED else ""
    return f"· {_one_line(f'{row.label} {row.detail}')}{seconds}{failed}"
