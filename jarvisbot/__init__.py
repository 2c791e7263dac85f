"""jarvisbot: a private assistant for chat rooms that runs on its owner's box with a small local model."""

from importlib.metadata import version as _version

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        return _version("jarvisbot")
    raise AttributeError(name)
