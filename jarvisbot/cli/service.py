"""`jarvisbot service`: the unit of this installation, written, watched and removed."""

from __future__ import annotations

import argparse
import grp
import os
import pwd
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from jarvisbot import discovery
from jarvisbot.cli.ending import FAILED, GOOD
from jarvisbot.cli.printing import print_json, print_table
from jarvisbot.config import Config
from jarvisbot.errors import ConfigError, JarvisError
from jarvisbot.systemd.unit import DROP_IN, NAME, STATE, Placement, gpu_drop_in, in_home, provenance, render

__all__ = ["service"]

UNITS = Path("etc/systemd/system")
RUNNING = Path("/run/systemd/system")
"""There where systemd is the first process (sd_booted(3))."""
BACKOFF_SINCE = 254
BASE_BYTES = 700_000_000
"""What the bot needs beside the model: itself, its worker without a model, and room for a page or a picture."""
TALK_BYTES = 500_000_000
"""What a talk of 8192 tokens takes in the largest of the listed models."""
CARD_GROUPS = ("video", "render")

Run = Callable[[Sequence[str]], int]


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that is done: a file to be written or removed, or a command to be run."""

    path: Path | None = None
    text: str | None = None
    """None: the file goes."""
    command: tuple[str, ...] = ()


def service(options: argparse.Namespace, config: Callable[[], Config], *, run: Run = subprocess.call) -> int:
    """Runs one of its actions; the exit code. Raises JarvisError."""
    match options.action:
        case "install":
            return _carry_out(_installation(options, config()), options, run)
        case "uninstall":
            return _carry_out(_removal(options), options, run)
        case _:
            return _status(options)


# ------------------------------------------------------------ what is to be done


def _installation(options: argparse.Namespace, config: Config) -> list[Step]:
    folder = options.root / UNITS
    placement = _placement(config, options.user)
    steps = [*_written(folder / NAME, render(placement))]
    gpu = options.gpu or _uses_card(config)
    if gpu:
        groups = [name for name in CARD_GROUPS if _has_group(name)]
        steps += _written(folder / DROP_IN, gpu_drop_in(groups))
    elif _ours(folder / DROP_IN):
        steps.append(Step(path=folder / DROP_IN))
    return [
        *steps,
        Step(command=("systemctl", "daemon-reload")),
        Step(command=("systemctl", "enable", NAME)),
        Step(command=("systemctl", "restart", NAME)),
    ]


def _written(path: Path, text: str) -> Iterator[Step]:
    """A unit that somebody else has written or changed is kept beside ours."""
    there = _text(path)
    if there == text:
        return
    if there is not None and not provenance(there).intact:
        yield Step(path=path.with_name(f"{path.name}.bak"), text=there)
    yield Step(path=path, text=text)


def _removal(options: argparse.Namespace) -> list[Step]:
    folder = options.root / UNITS
    files = [path for path in (folder / NAME, folder / DROP_IN) if path.exists()]
    foreign = [path for path in files if not _ours(path)]
    if foreign:
        raise JarvisError(
            f"{foreign[0]} was not written by `jarvisbot service install`, or was changed since: remove it by hand if it "
            "is not needed."
        )
    if not files:
        raise JarvisError(f"The service is not installed: there is no {folder / NAME}.")
    return [
        Step(command=("systemctl", "disable", "--now", NAME)),
        *(Step(path=path) for path in files),
        Step(command=("systemctl", "daemon-reload")),
    ]


def _placement(config: Config, user: str | None) -> Placement:
    """Where this installation lies. Raises ConfigError for what a service cannot use."""
    if config.file is None:
        raise ConfigError("There is no config: `jarvisbot init` writes one, or name yours with --config.")
    program = _program()
    data = config.bot.data_folder if "data_folder" in config.bot.model_fields_set else STATE / "jarvisbot"
    read = [Path(sys.prefix), Path(sys.base_prefix), Path(__file__).resolve().parents[2], program]
    if (model := _model_file(config)) is not None and not model.is_relative_to(data):
        read.append(model)
    if user is None:
        homely = [path for path in (*read, data) if in_home(path)]
        if homely:
            raise ConfigError(
                f"{homely[0]} lies in a home folder, which the service's own user cannot read: add --user with that folder's "
                "owner, or install jarvisbot in /opt and keep its data in /var/lib."
            )
        if data.parent != STATE:
            raise ConfigError(
                f"The service's own user keeps its data in a folder of /var/lib, not in {data}: add --user with its owner, "
                "or name another in data_folder of [bot]."
            )
    elif not _has_user(user):
        raise ConfigError(f"There is no user {user!r} on this machine.")
    documentation = Path(__file__).resolve().parents[2] / "docs" / "operations.md"
    return Placement(
        program=program,
        config=config.file.absolute(),
        data=data,
        user=user,
        credentials=dict(_credentials(config)),
        read=tuple(dict.fromkeys(path for path in read if not _within(path, read))),
        documentation=documentation if documentation.exists() else None,
        memory_bytes=BASE_BYTES + TALK_BYTES + 2 * model.stat().st_size if model is not None else None,
        backoff=_systemd_version() >= BACKOFF_SINCE,
    )


def _within(path: Path, others: Sequence[Path]) -> bool:
    return any(path != other and path.is_relative_to(other) for other in others)


def _program() -> Path:
    """The script that starts this very program."""
    beside = Path(sys.executable).with_name("jarvisbot")
    if beside.exists():
        return beside
    raise ConfigError(f"The program jarvisbot does not lie beside {sys.executable}: install it with pip there.")


def _credentials(config: Config) -> Iterator[tuple[str, Path]]:
    """The secrets' files by the names under which the config finds them as credentials of systemd."""
    for name, enabled in config.connectors.items():
        if not enabled or name == "console":
            continue
        module = discovery.load("connectors", name)
        config.section(f"connectors.{name}", module.Settings, secrets=module.SECRETS)
        for secret in module.SECRETS:
            if (file := config.secret_file(f"connectors.{name}", secret)) is not None:
                yield f"{name}_{secret}", file
            elif config.secret_variable(f"connectors.{name}", secret):
                raise config.error(
                    f"connectors.{name}.{secret}_env",
                    f"names a variable that a service does not have; put the secret into a file and name it by {secret}_file",
                )


def _model_file(config: Config) -> Path | None:
    from jarvisbot.cli.choosing import in_use

    return in_use(config)


def _uses_card(config: Config) -> bool:
    from jarvisbot.cli.choosing import settings_of

    return settings_of(config).gpu_layers not in (0, "auto")


# ------------------------------------------------------------ doing it


def _carry_out(steps: Sequence[Step], options: argparse.Namespace, run: Run) -> int:
    """Does the steps and says so. Without systemd, or for another root, what is left to type is said."""
    if not options.dry_run and options.root == Path("/") and os.geteuid() != 0:
        words = shlex.join([str(_program()), *sys.argv[1:]])
        raise JarvisError(f"Services are root's: sudo {words}")
    here = options.root == Path("/") and RUNNING.is_dir()
    left: list[str] = []
    for step in steps:
        if step.command:
            line = shlex.join(step.command)
            if options.dry_run or not here:
                left.append(line)
                continue
            print(f"Running: {line}", flush=True)
            if run(step.command) != 0:
                print(f"jarvisbot: {line} failed; journalctl -u {NAME} tells more.", file=sys.stderr)
                return FAILED
        elif step.path is not None:
            _do(step.path, step.text, dry_run=options.dry_run)
    if left:
        why = "Then:" if options.dry_run else "systemd does not run here. Where it does, type:"
        print(why, *(f"  {line}" for line in left), sep="\n")
    return GOOD


def _do(path: Path, text: str | None, *, dry_run: bool) -> None:
    verb = "remove" if text is None else "write"
    if dry_run:
        print(f"Would {verb} {path}" + (":" if text is not None else ""))
        if text is not None:
            print("".join(f"  {line}\n" for line in text.splitlines()), end="")
        return
    try:
        if text is None:
            path.unlink(missing_ok=True)
            if path.parent.name.endswith(".d") and not any(path.parent.iterdir()):
                path.parent.rmdir()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f".{path.name}.new")
            fresh.write_text(text, encoding="utf-8")
            fresh.chmod(0o644)
            fresh.replace(path)
    except OSError as error:
        raise JarvisError(f"{path} cannot be changed: {error.strerror}.") from error
    print(f"{'Removed' if text is None else 'Wrote'} {path}")


# ------------------------------------------------------------ how it is


def _status(options: argparse.Namespace) -> int:
    path = options.root / UNITS / NAME
    text = _text(path)
    found = provenance(text) if text is not None else None
    unit = (
        "not installed"
        if found is None
        else "not written by jarvisbot service install"
        if not found.ours
        else "changed by hand"
        if not found.intact
        else "of another release"
        if not found.current
        else "up to date"
    )
    here = options.root == Path("/") and RUNNING.is_dir()
    active = _said("systemctl", "is-active", NAME) if here else "systemd does not run here"
    enabled = _said("systemctl", "is-enabled", NAME) if here else "systemd does not run here"
    rows = {"unit": f"{path}: {unit}", "starts with the machine": enabled, "now": active}
    if options.json:
        print_json({"path": str(path), "unit": unit, "enabled": enabled, "active": active})
    else:
        print_table(list(rows.items()))
    return GOOD if found is not None and (active == "active" or not here) else FAILED


def _said(*command: str) -> str:
    done = subprocess.run(  # noqa: S603  (our own words)
        command, capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"


def _systemd_version() -> int:
    try:
        command = ["systemctl", "--version"]
        said = subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603
    except (OSError, subprocess.CalledProcessError):
        return 0
    found = re.match(r"systemd (\d+)", said)
    return int(found[1]) if found else 0


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def _ours(path: Path) -> bool:
    text = _text(path)
    return text is not None and provenance(text).intact


def _has_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _has_group(name: str) -> bool:
    try:
        grp.getgrnam(name)
    except KeyError:
        return False
    return True
