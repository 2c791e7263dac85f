"""Made-up answers in CommonMark: well formed, broken and hostile, the same ones for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

__all__ = ["answers"]

_WORDS = [
    "time",
    "weather",
    "Äpfel",
    "Straße",
    "42",
    "3,5",
    "5*3*2",
    "2",
    "**",
    "3",
    "snake_case_names",
    "__init__.py",
    "漢字",
    "かな",
    "😀",
    "👩\u200d👧",
    "é",
    "a<b",
    "&&",
    "<br>",
    "</div>",
    "AT&T",
    "&copy;",
    "C:\\dir\\x",
    "*.py",
    "x_y",
    "_z_",
    "~ok~",
    "~~",
    "||",
    "|x|",
    "`t`",
    "$5",
    "#7",
    "-",
    ">",
    "1.",
    "+",
    "=>",
    "@everyone",
    "@here",
    "@room",
    "<@1>",
    "<@&2>",
    "<#3>",
    "<t:1:R>",
    "<:a:1>",
    "@al:example.org",
    "https://e.org/a_b_c?q=1&r=*x*",
    "[1]",
    "(x)",
    "{y}",
    "![",
    "](",
    "مرحبا",
    "עברית",
    "```x",
    "-#",
    ">>>",
    "git\xa0rebase",
    "v2.0",
    "__a__b",
    "***both***",
    "**a*b**",
    "*a**b*",
    "[l](https://e.org/x_(y))",
    "![p](https://e.org/p.png)",
    "<https://e.org>",
    "[m](mailto:a@e.org)",
    "[j](javascript:x)",
]
_PLAIN = [word for word in _WORDS if not set("[]<>!") & set(word)]
"""What may stand in a link: a link or a picture in a link is shown in different ways."""
_WRAPS = (
    "{}",
    "{}",
    "{}",
    "**{}**",
    "*{}*",
    "_{}_",
    "~~{}~~",
    "`{}`",
    "[{}](https://e.org/p?q=1)",
    "***{}***",
    "**{}",
    "*{} ",
    "||{}||",
)


def answers(count: int, seed: int = 7) -> Iterator[str]:
    """`count` answers."""
    chance = random.Random(seed)
    for _ in range(count):
        yield "\n\n".join(_block(chance, 0) for _ in range(chance.choice((1, 1, 1, 2))))


def _line(chance: random.Random, most: int = 4) -> str:
    parts = []
    for _ in range(chance.choice((1, 1, 2, 3))):
        wrap = chance.choice(_WRAPS)
        words = chance.choices(_PLAIN if wrap.startswith("[") else _WORDS, k=chance.randint(1, most))
        parts.append(wrap.format(" ".join(words)))
    return chance.choice((" ", "", "\n")).join(parts)


def _block(chance: random.Random, depth: int) -> str:
    kind = chance.randint(0, 11 if depth < 3 else 5)
    if kind <= 4:
        return _line(chance)
    if kind == 5:
        return f"{'#' * chance.randint(1, 6)} {_line(chance, 3)}"
    if kind == 6:
        fence = chance.choice(("```", "~~~", "````"))
        info = chance.choice(("", "py", "c++", "json title=x", "``"))
        return f"{fence}{info}\n{_line(chance)}\n{_line(chance)}\n{chance.choice((fence, fence, ''))}"
    if kind == 7:
        inner = _block(chance, depth + 1)
        return "\n".join(f"> {line}" for line in inner.split("\n"))
    if kind == 8:
        columns = chance.randint(1, 4)
        rows = [" | ".join(chance.choice(_WORDS) for _ in range(chance.randint(1, columns + 1))) for _ in range(3)]
        return "\n".join(
            [" | ".join(chance.choice(_WORDS) for _ in range(columns)), "|".join(["---"] * columns), *rows]
        )
    if kind == 9:
        return chance.choice(("---", "***", "_" * 3, "\\", "&#10;", "&nbsp;"))
    marker = chance.choice(("- ", "* ", "1. ", "7) ", "3. "))
    items = []
    for _ in range(chance.randint(1, 3)):
        first, *rest = _block(chance, depth + 1).split("\n")
        items.append("\n".join([marker + first, *(" " * len(marker) + line if line else "" for line in rest)]))
    return chance.choice(("\n", "\n\n")).join(items)
