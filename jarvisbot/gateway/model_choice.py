"""The model that answers, in the words of `/model`: where words go, what it can do, which others there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from jarvisbot.errors import JarvisError

if TYPE_CHECKING:
    from jarvisbot.model import ModelInfo

__all__ = ["Models", "chosen", "told", "where"]


class Models(Protocol):
    """The models of the config, one of which answers; see `chosen.ChosenModel`."""

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""

    @property
    def name(self) -> str:
        """The one that answers."""

    @property
    def known(self) -> ModelInfo | None:
        """What it last said of itself."""

    @property
    def tokens_per_s(self) -> float | None:
        """How fast the last answer was written; None before the first."""

    async def choose(self, name: str) -> None:
        """Has another one answer."""

    async def info(self) -> ModelInfo:
        """What it says of itself now."""


def where(info: ModelInfo | None, language: str) -> str:
    """Behind a model's name: where it is, and how much of it on a graphics card; nothing while that is not known."""
    if info is None:
        return ""
    german = language == "de"
    if not info.place:
        card = f"{info.gpu_layers}/{info.layers}"
        if german:
            return f", auf diesem Rechner{f', Grafikkarte: {card} Schichten' if info.gpu_layers else ''}"
        return f", on this machine{f', graphics card: {card} layers' if info.gpu_layers else ''}"
    if info.outside:
        return f", {info.place}, außerhalb deines Netzes" if german else f", {info.place}, outside your network"
    return f", {info.place}, in deinem Netz" if german else f", {info.place}, in your network"


async def told(models: Models, language: str) -> str:
    """The model that answers and where words go. It is loaded for that, and what keeps it from it is said."""
    german = language == "de"
    model = "Modell" if german else "Model"
    try:
        info = await models.info()
    except JarvisError as error:
        lines = [
            f"- {model}: {models.name}",
            f"- {'Gerade nicht da' if german else 'Not there now'}: {error.user_message}",
        ]
    else:
        lines = [f"- {model}: {info.name}", _words_go(info, german=german), *_abilities(info, german=german)]
    others = ", ".join(f"`/model {name}`" for name in models.names if name != models.name)
    if others:
        lines.append(f"- Wechseln: {others}" if german else f"- Switch: {others}")
    return "\n".join(lines)


async def chosen(models: Models, name: str, language: str) -> str:
    """Chooses the model of this name, and tells where words go from now on."""
    found = next((known for known in models.names if known.lower() == name.lower()), None)
    if found is None:
        names = ", ".join(models.names)
        german = language == "de"
        return (
            f"So heißt keines meiner Modelle. Es gibt: {names}."
            if german
            else f"No model of mine is called that. There are: {names}."
        )
    await models.choose(found)
    return await told(models, language)


def _words_go(info: ModelInfo, *, german: bool) -> str:
    if not info.place:
        return (
            "- Was hier gesagt wird, bleibt auf diesem Rechner."
            if german
            else "- What is said here stays on this machine."
        )
    place = (
        f"{info.place}, {'**außerhalb deines Netzes**' if german else '**outside your network**'}"
        if info.outside
        else info.place
    )
    near = "" if info.outside else ", in deinem Netz" if german else ", in your network"
    return (
        f"- Was hier gesagt wird, geht an {place}{near}." if german else f"- What is said here goes to {place}{near}."
    )


def _abilities(info: ModelInfo, *, german: bool) -> list[str]:
    yes, no = ("ja", "nein") if german else ("yes", "no")
    tools, thinks = (yes if info.tools else no), (yes if info.thinking else no)
    return [
        f"- Liest auf einmal: {info.context_tokens} Token"
        if german
        else f"- Reads at once: {info.context_tokens} tokens",
        f"- Werkzeuge: {tools}; denkt vorher nach: {thinks}"
        if german
        else f"- Tools: {tools}; reasons first: {thinks}",
    ]
