"""Slots and grammars, as far as each kind of server can be told of them; what comes back is checked."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

import msgspec

from jarvisbot.errors import BadOutput, ModelError
from jarvisbot.model import Constraint, FreeText, Grammar, Slot
from jarvisbot.models.openai.server import Kind

__all__ = ["Rule", "rule"]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """What a request says of a constraint: parameters, and words behind everything else."""

    parameters: Mapping[str, object] = {}
    words: str = ""
    slot: Slot | None = None

    def filled(self, reply: str, *, cut: bool) -> str:
        """The slot's prefix and what the reply put behind it; `cut`: the reply was not finished. Raises BadOutput.

        A server without grammars was asked for JSON, and may have answered with the bare text, with or without the prefix.
        """
        if self.slot is None:
            return reply
        slot = self.slot
        value = _value(reply)
        if value is None:
            if cut and reply.lstrip().startswith("{") and not slot.prefix.startswith("{"):
                raise BadOutput("The language model did not finish what it was to fill in.")
            value = reply.lstrip() if not reply.startswith(slot.prefix) else reply
        value = value.removeprefix(slot.prefix)
        before, stopped, _ = value.partition(slot.stop) if slot.stop else (value, "", "")
        value = before if stopped else value.rstrip()
        if slot.characters is not None and not re.fullmatch(f"[{slot.characters}]*", value):
            raise BadOutput("The language model filled in characters that do not belong there.")
        return slot.prefix + value


def rule(constraint: Constraint, kind: Kind, origin: str) -> Rule:
    """How this kind of server is told of the constraint. Raises ModelError where it cannot be, re.error for a bad class."""
    match constraint:
        case FreeText():
            return Rule()
        case Grammar(gbnf=gbnf):
            match kind:
                case Kind.LLAMA:
                    return Rule(parameters={"grammar": gbnf})
                case Kind.VLLM:
                    return Rule(parameters={"structured_outputs": {"grammar": gbnf}})
                case Kind.SGLANG:
                    return Rule(parameters={"ebnf": gbnf})
                case _:
                    raise ModelError(f"The model server at {origin} takes no grammar, and this request needs one.")
        case Slot():
            return _slot(constraint, kind)


def _slot(slot: Slot, kind: Kind) -> Rule:
    if slot.characters is not None:
        re.compile(f"[{slot.characters}]")  # a bad class is the caller's mistake: told here, as re.error
    inside = f"[{slot.characters}]*" if slot.characters is not None else r"[\s\S]*?"
    pattern = re.escape(slot.prefix) + inside + re.escape(slot.stop)
    match kind:
        case Kind.LLAMA if slot.characters is not None and "\\" not in slot.characters:
            parts = [_literal(slot.prefix), f"[{slot.characters}]*", _literal(slot.stop)]
            return Rule(parameters={"grammar": f"root ::= {' '.join(part for part in parts if part)}"}, slot=slot)
        case Kind.VLLM:
            return Rule(parameters={"structured_outputs": {"regex": pattern}}, slot=slot)
        case Kind.SGLANG:
            return Rule(parameters={"regex": pattern}, slot=slot)
        case _:
            return Rule(parameters={"response_format": _schema()}, words=_words(slot), slot=slot)


def _literal(text: str) -> str:
    """The text as a string of GBNF, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False) if text else ""


def _schema() -> Mapping[str, object]:
    schema = {
        "type": "object",
        "properties": {"value": {"type": "string"}},
        "required": ["value"],
        "additionalProperties": False,
    }
    return {"type": "json_schema", "json_schema": {"name": "value", "strict": True, "schema": schema}}


def _words(slot: Slot) -> str:
    begins = f" It goes on from: {slot.prefix}" if slot.prefix else ""
    return f'Answer with nothing but JSON of the form {{"value": "…"}}, its value being the text to fill in.{begins}'


def _value(reply: str) -> str | None:
    """The value, where the reply is the JSON that was asked for."""
    text = re.sub(r"\A\s*```\w*\s*|\s*```\s*\Z", "", reply)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match found:
        case {"value": str(value)} if len(found) == 1:
            return value
        case _:
            return None
