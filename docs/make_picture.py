"""docs/talk.svg: a real talk of the program, recorded from a terminal. Run by hand: `python -m docs.make_picture`."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from xml.etree import ElementTree

import pyte
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tests.terminal import Terminal, terminal

__all__ = ["PICTURE", "TALK", "picture", "record", "text_of"]

PICTURE = Path(__file__).with_name("talk.svg")
TALK = (
    "What is 98765 * 4321?",
    "Was sind 19 % von 830?",
    "/why",
    "Hallo, wer bist du?",
    "Thanks!",
)
"""Each is answered by code: the same here as on any machine."""
COLUMNS = 110
DIM = "bright_black"
THEME = TerminalTheme((27, 30, 36), (222, 226, 232), [(0, 0, 0)] + [(222, 226, 232)] * 7, [(139, 146, 158)] * 8)
FRAME = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: {char_height}px;
line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}
</style>
<defs>{lines}</defs>
<rect fill="#1b1e24" width="{width}" height="{height}" rx="8"/>
<g transform="translate(9, 20)"><g class="{unique_id}-matrix">
{matrix}
</g></g>
</svg>
"""


class _Screen(pyte.HistoryScreen):
    """A screen that shows what is dim, for which pyte has no word, in a colour of its own."""

    def select_graphic_rendition(self, *attributes: int, **more: object) -> None:
        """See `pyte.Screen`."""
        super().select_graphic_rendition(*(90 if attribute == 2 else attribute for attribute in attributes), **more)


def record(home: Path, talk: Sequence[str] = TALK) -> Text:
    """What a terminal shows of the talk, from the first prompt to the last answer."""
    with terminal("chat", home=home, size=(200, COLUMNS), screen=_Screen) as shown:
        for said in talk:
            shown.prompts()
            shown.types(f"{said}\r")
            shown.until(lambda said=said: any(line.startswith(f"> {said}") for line in shown.lines))
        shown.prompts()
        shown.types("\x04")
        shown.ended()
        return _styled(shown)


def _styled(shown: Terminal) -> Text:
    lines = []
    for number in range(len(shown.lines) - 1):  # without the empty prompt at its end
        cells = [shown.screen.buffer[number][column] for column in range(COLUMNS)]
        line = Text()
        for dim, run in groupby(cells, lambda cell: cell.fg == "brightblack"):
            line.append("".join(cell.data for cell in run), Style(color=DIM if dim else None))
        line.rstrip()
        lines.append(line)
    return Text("\n").join(lines)


def picture(talk: Text) -> str:
    """The talk as an SVG image that needs nothing from elsewhere."""
    with Path("/dev/null").open("w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True, legacy_windows=False)
        console.print(talk)
    return console.export_svg(title="", theme=THEME, code_format=FRAME, unique_id="talk")


def text_of(image: str) -> list[str]:
    """The lines that an image shows."""
    lines: dict[float, dict[float, str]] = {}
    for element in ElementTree.fromstring(image).iter("{http://www.w3.org/2000/svg}text"):
        place = lines.setdefault(float(element.get("y", "0")), {})
        place[float(element.get("x", "0"))] = element.text or ""
    return ["".join(line[x] for x in sorted(line)).replace("\xa0", " ").rstrip() for _, line in sorted(lines.items())]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        PICTURE.write_text(picture(record(Path(folder))), encoding="utf-8")
    print("\n".join(text_of(PICTURE.read_text(encoding="utf-8"))))
