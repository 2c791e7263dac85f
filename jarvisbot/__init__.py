"""jarvisbot: a private assistant for chat rooms that runs on its owner's box with a small local model."""

__all__ = ["__version__"]


def __getattr__(name: str) -> str:
    if name == "__version__":
        from importlib.metadata import version

        return version("jarvisbot")
    raise AttributeError(name)
