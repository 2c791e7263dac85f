"""What is shipped: the wheel, the sdist, and the program installed from the wheel, run from anywhere."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
UNPUBLISHED = ("__pycache__", ".egg-info", ".pyc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The three artefacts: `rebuilt` is the wheel that the sdist alone gives."""

    wheel: Path
    sdist: Path
    rebuilt: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """An environment that holds the wheel and, besides, only the dependencies of this test run."""

    python: Path
    program: Path
    home: Path

    def run(self, *command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
        """The finished process, started in `cwd` with nothing of this run's environment."""
        return subprocess.run(
            command,
            cwd=cwd,
            env={"HOME": str(self.home), "PATH": os.defpath, "LANG": "C.UTF-8"},
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
        )


def succeed(*command: str | Path) -> None:
    """Runs a tool of the build; its whole output is the failure's text."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100)
    assert done.returncode == 0, done.stdout


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir"]
    succeed(*command, folder / "direct", "--wheel", ROOT)
    succeed(*command, folder / "both", ROOT)
    (wheel,) = (folder / "direct").iterdir()
    (rebuilt,) = (folder / "both").glob("*.whl")
    (sdist,) = (folder / "both").glob("*.tar.gz")
    return Built(wheel=wheel, sdist=sdist, rebuilt=rebuilt)


@pytest.fixture(scope="session")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "venv", symlinks=True)
    python = folder / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index", "--quiet"]
    succeed(*pip, built.wheel)
    # A path in a .pth file is searched, the .pth files in it are not: an editable install there stays out of sight.
    (own,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (own / "dependencies.pth").write_text("\n".join({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}))
    home = folder / "home"
    home.mkdir()
    return Installed(python=python, program=folder / "venv" / "bin" / "jarvisbot", home=home)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A working directory whose files have the names that the program and its libraries import."""
    trap = "raise SystemExit('imported from the working directory')\n"
    for name in ("json", "telegram", "yaml", "asyncio", "sqlite3", "sitecustomize", "calculator", "arithmetic"):
        (tmp_path / f"{name}.py").write_text(trap)
    for package in ("connectors", "skills", "jarvisbot", "jarvisbot/tools", "tools", "_bundled"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "__init__.py").write_text(trap)
    (tmp_path / "connectors" / "console.py").write_text(trap)
    (tmp_path / "skills" / "arithmetic").mkdir()
    (tmp_path / "skills" / "arithmetic" / "SKILL.md").write_text("not a skill")
    (tmp_path / "skills" / "arithmetic" / "arithmetic.py").write_text(trap)
    return tmp_path


def wheel_files(wheel: Path) -> dict[str, bytes]:
    """Contents by name; the record and the metadata's own folder differ only in order, so they are left out."""
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist() if ".dist-info/" not in name}


def checkout_files(*folders: str) -> set[str]:
    return {
        str(path.relative_to(ROOT))
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and not any(part.endswith(UNPUBLISHED) for part in path.relative_to(ROOT).parts)
    }


def test_a_wheel_adds_one_package_to_site_packages(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        top = {name.split("/")[0] for name in archive.namelist()}
    assert top == {"jarvisbot", f"jarvisbot-{VERSION}.dist-info"}


def test_a_wheel_holds_the_package_and_the_bundled_folders_to_the_last_file(built: Built) -> None:
    bundled = {f"jarvisbot/_bundled/{name}" for name in checkout_files("connectors", "skills", "systemd")}
    expected = checkout_files("jarvisbot") | bundled | {"jarvisbot/_bundled/config.example.toml"}
    assert set(wheel_files(built.wheel)) == expected
    assert "jarvisbot/py.typed" in expected


def test_the_wheel_credits_the_sources_of_its_places(built: Built) -> None:
    with zipfile.ZipFile(built.wheel) as archive:
        (notice,) = [name for name in archive.namelist() if name.endswith("NOTICE")]
        credited = archive.read(notice).decode()
        head, _, _ = archive.read("jarvisbot/reading/places/places.table").partition(b"\n")
    for text in (credited, head.decode()):
        assert "GeoNames" in text
        assert "CLDR" in text
    assert "https://creativecommons.org/licenses/by/4.0/" in credited


def test_the_table_of_places_is_made_anew_where_it_is_missing_and_is_the_same(built: Built, tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    succeed("tar", "-xf", built.sdist, "-C", source)
    (project,) = source.iterdir()
    table = project / "jarvisbot" / "reading" / "places" / "places.table"
    shipped = table.read_bytes()
    table.unlink()
    succeed(
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(project)!r}); import hatch_build; hatch_build.write(hatch_build.TABLE)",
    )
    assert table.read_bytes() == shipped


def test_the_sdist_alone_gives_the_same_wheel(built: Built) -> None:
    assert wheel_files(built.rebuilt) == wheel_files(built.wheel)


def test_the_sdist_holds_what_a_packager_needs_to_test_it(built: Built) -> None:
    with tarfile.open(built.sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    expected = checkout_files("tests", "docs", "benchmarks", ".ci")
    assert expected | {"LICENSE", "NOTICE", "hatch_build.py", "README.md", "CHANGELOG.md", "pyproject.toml"} <= names
    assert not [name for name in names if any(part.endswith(UNPUBLISHED) for part in name.split("/"))]


@pytest.mark.parametrize("place", ["root", "hostile"])
def test_the_installed_program_is_the_wheels_own_from_any_working_directory(
    place: str, installed: Installed, hostile: Path
) -> None:
    cwd = Path("/") if place == "root" else hostile
    version = installed.run(installed.program, "version", cwd=cwd)
    assert (version.returncode, version.stderr) == (0, "")
    assert VERSION in version.stdout
    where = installed.run(
        installed.python,
        "-P",
        "-c",
        "import jarvisbot, jarvisbot.connectors.console as console; print(jarvisbot.__file__, console.__file__)",
        cwd=cwd,
    )
    assert where.returncode == 0, where.stderr
    assert all(Path(file).is_relative_to(installed.python.parent.parent) for file in where.stdout.split())


@pytest.mark.parametrize("place", ["root", "hostile"])
def test_the_installed_program_answers_from_any_working_directory(
    place: str, installed: Installed, hostile: Path
) -> None:
    cwd = Path("/") if place == "root" else hostile
    answer = installed.run(installed.program, "chat", "--once", "What is 2 * 21?", cwd=cwd)
    assert answer.returncode == 0, answer.stderr
    assert "42" in answer.stdout
    assert "working directory" not in answer.stdout + answer.stderr


def test_the_installed_program_knows_the_places(installed: Installed) -> None:
    answer = installed.run(installed.program, "chat", "--once", "What time is it in Kathmandu?", cwd=Path("/"))
    assert answer.returncode == 0, answer.stderr
    assert "(Asia/Kathmandu)" in answer.stdout


def test_the_models_worker_imports_nothing_from_the_working_directory(installed: Installed, hostile: Path) -> None:
    answer = installed.run(installed.program, "chat", "--once", "Tell me a joke about cats.", cwd=hostile)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip()
    assert "working directory" not in answer.stdout + answer.stderr
