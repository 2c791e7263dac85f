"""What works with a model and what does not, in words."""

from __future__ import annotations

from collections.abc import Iterator

from jarvisbot.models.llamacpp.protocol import Inspected

__all__ = ["lacking"]


def lacking(model: Inspected) -> Iterator[tuple[str, bool, str]]:
    """(what, whether it works, what that means) for each thing that depends on the file."""
    yield (
        "architecture",
        True,
        f"{model.architecture}, known to the installed library",
    )
    if model.template:
        yield "template", True, "the file brings a chat template"
    else:
        yield "template", False, "the file brings no chat template: ChatML is taken, which it may not have learnt"
    if model.tools and model.calls:
        yield "tools", True, "the template writes tools, calls and results"
    else:
        part = "calls and results" if model.tools else "tools"
        yield "tools", False, f"the template knows no {part}: they are written as text, and calls fail more often"
    if not model.thinking:
        yield "thinking", False, "the template knows no think block: every answer is given at once"
    elif model.think_close_tokens != 1:
        yield (
            "thinking",
            False,
            f"</think> is {model.think_close_tokens} tokens: a limit on thinking costs these and may be overlooked",
        )
    else:
        yield "thinking", True, "the template opens a think block, and </think> is one token"
    if model.text_ends:
        yield "ends", False, f"{', '.join(model.text_ends)} is no single token: the end of a reply is found by its text"
    elif not model.ends:
        yield "ends", False, "no token ends a reply: it ends at its limit, or at the next speaker's name"
    else:
        added = f"; {', '.join(model.added_ends)} added from the template" if model.added_ends else ""
        yield "ends", True, f"{', '.join(model.ends)}{added}"
