"""The owner's own actions, such as lights, scenes and programs, run by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from pydantic import AfterValidator, BaseModel, create_model

from jarvisbot.config import Action, Config
from jarvisbot.tool import Risk, Tool, tool
from jarvisbot.tools.home_action.matching import matching
from jarvisbot.types import ToolSpec

__all__ = ["create", "made"]

MARGIN_S = 5.0
"""What the tool is given beyond the limit of its slowest action, to end it in order."""
LISTED_CHARACTERS = 600
"""How much of the actions' names a model is told."""


def create(config: Config) -> Tool | None:
    """The tool for the actions of the config, or None where it names none."""
    actions = config.actions()
    return made(actions) if actions else None


def made(actions: Sequence[Action]) -> Tool:
    """The tool for these actions. A name that fits none, or several, is an argument that it does not take."""
    by_name = {action.name: action for action in actions}

    @tool(
        risk=Risk.EXTERNAL,
        label="Tried to run",
        timeout_s=max(a.timeout_s for a in actions) + MARGIN_S,
        taints=True,
        changes=True,
    )
    async def home_action(name: str) -> str:
        """Runs one of the owner's own actions, such as switching a light or opening a program.

        The result is "Done: name", with what a program printed on further lines. Raises ToolError.

        Args:
            name: The action's name.
        """
        return await _run(by_name[name])

    def known(name: str) -> str:
        return matching(name, actions).name

    base: type[BaseModel] = home_action.arguments
    arguments = create_model(base.__name__, __base__=base, name=(Annotated[str, AfterValidator(known)], ...))
    return msgspec.structs.replace(home_action, arguments=arguments, spec=_naming(home_action.spec, actions))


async def _run(action: Action) -> str:
    if action.argv:
        from jarvisbot.tools.home_action.programs import run
    else:
        from jarvisbot.tools.home_action.webhooks import run  # on use: the web client takes a while to import
    printed = await run(action)
    return f"Done: {action.name}\n{printed}" if printed else f"Done: {action.name}"


def _naming(spec: ToolSpec, actions: Sequence[Action]) -> ToolSpec:
    """The tool as a model is told of it: with the names there are."""
    listed, length = [], 0
    for action in actions:
        text = f"{action.name} ({action.description})" if action.description else action.name
        length += len(text) + 2
        if length > LISTED_CHARACTERS:
            break
        listed.append(text)
    name = {"type": "string", "description": f"The action's name, one of: {'; '.join(listed)}"}
    return msgspec.structs.replace(spec, parameters={**spec.parameters, "properties": {"name": name}})
