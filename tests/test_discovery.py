"""Add-ons by name: listed without being imported, loaded one at a time, clashes and missing parts named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from jarvisbot import discovery
from jarvisbot.errors import ConfigError


def install(site: Path, *, kind: str, points: dict[str, str], package: str = "jarvis-addons") -> None:
    """Puts a package with entry points into a folder, as pip would."""
    about = site / f"{package.replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = "".join(f"{name} = {value}\n" for name, value in points.items())
    (about / "entry_points.txt").write_text(f"[jarvisbot.{kind}]\n{lines}")


def python(site: Path, code: str) -> object:
    """What the code, run in a fresh interpreter that has the folder installed, leaves in `out`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    program = (
        "import json, sys\nfrom jarvisbot import discovery\nfrom jarvisbot.errors import *\n"
        f"def tried(act):\n    try:\n        return str(act())\n    except JarvisError as error:\n"
        f"        return [type(error).__name__, error.user_message]\n{code}\nprint(json.dumps(out))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env={**environment, "PYTHONPATH": str(site)},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_our_own_add_ons_are_found_by_their_files() -> None:
    assert {"console", "telegram"} <= set(discovery.names("connectors"))
    assert "calculator" in discovery.names("tools")
    assert list(discovery.names("commands")) == sorted(discovery.names("commands"))
    assert discovery.load("tools", "calculator").__name__ == "jarvisbot.tools.calculator"


@pytest.mark.parametrize("name", ["discrod", "", "..", "jarvisbot.tools.calculator", "__init__"])
def test_an_add_on_that_does_not_exist_is_named_with_those_that_do(name: str) -> None:
    with pytest.raises(ConfigError, match=r"There is no connector named .*; there are: .*console"):
        discovery.load("connectors", name)


def test_an_installed_add_on_is_listed_without_being_imported_and_loaded_by_name(tmp_path: Path) -> None:
    (tmp_path / "my_irc.py").write_text("VALUE = 7\n")
    (tmp_path / "my_bad.py").write_text("raise RuntimeError('imported')\n")
    install(tmp_path, kind="connectors", points={"irc": "my_irc", "bad": "my_bad", "attr": "my_irc:VALUE"})
    out = python(
        tmp_path,
        "listed = discovery.names('connectors')\nbefore = 'my_irc' in sys.modules\n"
        "out = [listed.count('irc'), 'bad' in listed, before, discovery.load('connectors', 'irc').VALUE,"
        " discovery.load('connectors', 'attr').VALUE]",
    )
    assert out == [1, True, False, 7, 7]


def test_two_add_ons_of_one_name_are_an_error_that_names_both(tmp_path: Path) -> None:
    install(tmp_path, kind="tools", points={"calculator": "my_sums"})
    out = python(tmp_path, "out = [tried(lambda: discovery.names('tools')), len(discovery.names('commands')) > 0]")
    assert out == [
        [
            "ConfigError",
            "Two add-ons are named 'calculator': jarvisbot.tools.calculator and my_sums; uninstall one of them.",
        ],
        True,
    ]


def test_a_library_that_is_not_installed_is_named_with_the_command_that_installs_it(tmp_path: Path) -> None:
    (tmp_path / "my_irc.py").write_text("import no_such_library.client\n")
    install(tmp_path, kind="connectors", points={"irc": "my_irc"})
    (tmp_path / "telegram").mkdir()
    (tmp_path / "telegram" / "__init__.py").write_text("raise ModuleNotFoundError('x', name='telegram')\n")
    out = python(
        tmp_path,
        "out = [tried(lambda: discovery.load('connectors', name)) for name in ('irc', 'telegram')]",
    )
    assert out == [
        [
            "MissingPart",
            "The connector 'irc' needs the library no_such_library, which is not installed: "
            f"{sys.executable} -m pip install 'jarvis-addons' --upgrade",
        ],
        [
            "MissingPart",
            "The connector 'telegram' needs the library telegram, which is not installed: "
            f"{sys.executable} -m pip install 'jarvisbot[telegram]'",
        ],
    ]


def test_a_module_of_ours_that_is_missing_is_a_bug_and_not_a_missing_part(tmp_path: Path) -> None:
    (tmp_path / "my_irc.py").write_text("import jarvisbot.no_such_module\n")
    install(tmp_path, kind="connectors", points={"irc": "my_irc"})
    code = (
        "try:\n    discovery.load('connectors', 'irc')\n    out = ''\n"
        "except ModuleNotFoundError as error:\n    out = error.name"
    )
    assert python(tmp_path, code) == "jarvisbot.no_such_module"


def test_listing_imports_no_library_of_an_add_on(tmp_path: Path) -> None:
    code = (
        "for kind in ('connectors', 'models', 'tools', 'commands', 'skills'):\n    discovery.names(kind)\n"
        "out = sorted({'telegram', 'llama_cpp', 'pydantic', 'jarvisbot.tools.calculator'} & set(sys.modules))"
    )
    assert python(tmp_path, code) == []
