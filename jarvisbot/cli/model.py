"""`jarvisbot model`: what may be asked of it, and who answers."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from jarvisbot.cli.ending import FAILED, GOOD, let_go_of_output

if TYPE_CHECKING:
    from jarvisbot.cli.offline import Adding
    from jarvisbot.config import Config

__all__ = ["add", "run"]

WHICH = "a name of the list, a file of the host as hf:org/repo/file.gguf[@revision], or the path of a GGUF file"


def add(command: Adding) -> None:
    """Adds the command to the command line."""
    actions = command("model", "list, install, verify, measure and choose language models").add_subparsers(
        dest="action", metavar="ACTION", required=True
    )
    listing = command("list", "what is installed, what can be, and whether there is room", within=actions)
    install = command(
        "install",
        "download a model; a download that was broken off goes on",
        within=actions,
        more="Without a name: the default. A path is not copied, only looked at and used.",
    )
    install.add_argument("name", metavar="NAME", nargs="?", help=WHICH)
    verify = command(
        "verify",
        "check a model's file and what works with it",
        within=actions,
        more="Without a name: the one in use. The exit code is 1 if the file is not what was installed or does not load.",
    )
    verify.add_argument("name", metavar="NAME", nargs="?", help="an installed model")
    bench = command("bench", "measure how fast a model is here", within=actions, more="Without a name: the one in use.")
    bench.add_argument("name", metavar="NAME", nargs="?", help="an installed model")
    use = command("use", "choose the model that answers", within=actions)
    use.add_argument("name", metavar="NAME", help="an installed model, or the path of a GGUF file")
    remove = command("remove", "delete a model's file", within=actions)
    remove.add_argument("name", metavar="NAME", help="an installed model")
    remove.add_argument("--yes", action="store_true", help="do not ask")
    remove.add_argument("--force", action="store_true", help="also the one in use")
    for place in (listing, verify, bench):
        place.add_argument("--json", action="store_true", help="print JSON")


def run(config: Config, options: argparse.Namespace) -> int:
    """Runs one of its actions; the exit code. Raises JarvisError."""
    try:
        code = _done(config, options)
        sys.stdout.flush()
    except BrokenPipeError:
        return FAILED
    except OSError as error:
        print(f"jarvisbot: {error.filename or 'The output'} cannot be used: {error.strerror}.", file=sys.stderr)
        return FAILED
    finally:
        let_go_of_output()
    return code


def _done(config: Config, options: argparse.Namespace) -> int:
    if options.action == "install":
        from jarvisbot.cli.installing import install

        return install(config, options.name)
    if options.action in ("verify", "bench"):
        from jarvisbot.cli.measuring import bench, verify

        action = verify if options.action == "verify" else bench
        return GOOD if action(config, options.name, as_json=options.json) else FAILED
    from jarvisbot.cli import choosing

    match options.action:
        case "list":
            choosing.list_models(config, as_json=options.json)
        case "use":
            choosing.use(config, options.name)
        case "remove":
            return GOOD if choosing.remove(config, options.name, yes=options.yes, force=options.force) else FAILED
        case _:
            raise AssertionError(options.action)
    return GOOD
