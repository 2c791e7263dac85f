"""`jarvisbot model verify` and `bench`: what an installed model is worth here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from typing import TypeVar

import msgspec

from jarvisbot.cli.choosing import folder_of, in_use, settings_of
from jarvisbot.cli.printing import print_json, print_table
from jarvisbot.cli.progress import duration
from jarvisbot.config import Config
from jarvisbot.errors import MissingPart, ModelError, ModelFileError
from jarvisbot.model_files import installed
from jarvisbot.model_files.catalogue import default
from jarvisbot.model_files.checks import Check, check_hash, check_host
from jarvisbot.model_files.installed import Installed
from jarvisbot.models import llamacpp
from jarvisbot.models.llamacpp import abilities, gguf, library
from jarvisbot.models.llamacpp.client import LlamaCpp

__all__ = ["bench", "verify"]

Got = TypeVar("Got")


def verify(config: Config, name: str | None, *, as_json: bool) -> bool:
    """Prints what is right and wrong with a model; false where its file cannot be used. Raises JarvisError."""
    model = _meant(config, name)
    checks = list(_checks(config, model))
    good = not any(check.state == "failed" for check in checks)
    if as_json:
        found = [msgspec.to_builtins(check) for check in checks]
        print_json({"name": model.name, "path": str(model.path), "good": good, "checks": found})
        return good
    print(f"{model.name}: {model.path}")
    print_table([(check.name, check.state, check.text) for check in checks], indent="  ")
    return good


def bench(config: Config, name: str | None, *, as_json: bool) -> bool:
    """Prints how fast a model reads and writes here, and what to expect. Raises JarvisError."""
    from jarvisbot.agent.context import opening
    from jarvisbot.models.llamacpp.speed import ANSWER_WORDS, measure
    from jarvisbot.types import User

    model = _meant(config, name)
    found = library.look()
    question = User(text="When does the heating start, and what if it is cold outside?")
    info, speed = _with(config, model, lambda running: measure(running, opening(None), question))
    threads = llamacpp.threads(settings_of(config))
    if as_json:
        print_json(
            {
                "name": model.name,
                "path": str(model.path),
                "context_tokens": info.context_tokens,
                "threads": threads,
                "layers": info.layers,
                "gpu_layers": info.gpu_layers,
                "answer_words": ANSWER_WORDS,
                "library": msgspec.to_builtins(found),
                **msgspec.to_builtins(speed),
            }
        )
        return True
    placed = f"{info.gpu_layers} of {info.layers} layers on a graphics card" if info.gpu_layers else "the processor"
    print(f"{model.name}: {model.path}")
    print_table(
        [
            ("library", library.described(found)),
            ("runs on", f"{placed}, {threads} thread{'s' if threads > 1 else ''}"),
            ("loads in", f"{speed.load_s:.1f} s"),
            ("reads", f"{speed.read_rate:.0f} tokens/s"),
            ("writes", f"{speed.write_rate:.0f} tokens/s"),
            ("a plain answer", f"of {ANSWER_WORDS} words: about {_about(speed.next_s)}"),
            ("the first of a talk", f"about {_about(speed.first_s)}: {speed.opening_tokens} tokens are read before"),
        ],
        indent="  ",
    )
    return True


def _about(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 3 else duration(seconds)


def _meant(config: Config, name: str | None) -> Installed:
    """The model of that name, else the one in use. Raises ModelFileError or MissingPart."""
    if name is not None:
        return installed.find(folder_of(config), name)
    current = in_use(config)
    if current is None:
        raise MissingPart(
            f"There is no local model in use: install one by `jarvisbot model install {default().name}`, or name one."
        )
    return next(
        (each for each in installed.installed(folder_of(config)) if each.path == current),
        Installed(name=current.stem, path=current, bytes=current.stat().st_size),
    )


def _checks(config: Config, model: Installed) -> Iterator[Check]:
    complaint = gguf.complaint(model.path)
    if complaint is not None:
        yield Check(name="file", state="failed", text=complaint)
        return
    yield Check(name="file", state="good", text="a whole GGUF file")
    try:
        yield check_hash(model)
    except OSError as error:
        raise ModelFileError(f"{model.path} cannot be read: {error.strerror}.") from error
    yield _host(config, model)
    if not library.installed():
        yield Check(name="loads", state="skipped", text="llama-cpp-python is not installed")
        return
    began = time.monotonic()
    try:
        seen = _with(config, model, lambda running: running.inspect())
    except ModelError as error:
        yield Check(name="loads", state="failed", text=error.user_message)
        return
    yield Check(name="loads", state="good", text=f"in {time.monotonic() - began:.1f} s")
    for what, works, text in abilities.lacking(seen):
        yield Check(name=what, state="good" if works else "limited", text=text)


def _host(config: Config, model: Installed) -> Check:
    from jarvisbot.model_files.host import Host

    with Host(config.model_host, config.model_token()) as host:
        return check_host(model, lambda meant: host.look_up(meant, tries=1))


def _with(config: Config, model: Installed, work: Callable[[LlamaCpp], Awaitable[Got]]) -> Got:
    """What `work` makes of the running model, with the settings of the config; its process ends here."""
    settings = settings_of(config).model_copy(update={"path": model.path})

    async def run() -> Got:
        running = llamacpp.create(settings, models_folder=None)
        try:
            return await work(running)
        finally:
            await running.close()

    return asyncio.run(run())
