"""`jarvisbot service`, on a system below a folder of the test's own."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from jarvisbot.cli.service import service
from jarvisbot.config import Config, load
from jarvisbot.errors import ConfigError, JarvisError
from jarvisbot.systemd.unit import provenance
from tests.emulators.telegram import TOKEN

UNIT = Path("etc/systemd/system/jarvisbot.service")
CARD = Path("etc/systemd/system/jarvisbot.service.d/50-gpu.conf")


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., Config]:
    def made(more: str = "") -> Config:
        folder = tmp_path / "etc"
        folder.mkdir(exist_ok=True)
        (folder / "telegram.token").write_text(TOKEN, encoding="utf-8")
        (folder / "telegram.token").chmod(0o600)
        file = folder / "config.toml"
        file.write_text(f"[connectors.telegram]\ntoken_file = 'telegram.token'\n{more}", encoding="utf-8")
        return load(file, environment={})

    return made


def options(action: str, root: Path, **more: object) -> argparse.Namespace:
    given = {"action": action, "root": root, "user": "daemon", "gpu": False, "dry_run": False, "json": False, **more}
    return argparse.Namespace(**given)


def never(command: Sequence[str]) -> int:
    raise AssertionError(f"{command} was run on another system's behalf")


def test_install_writes_a_unit_of_this_installation_and_says_what_to_type(
    config: Callable[..., Config], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "root"
    assert service(options("install", root), config, run=never) == 0
    text = (root / UNIT).read_text(encoding="utf-8")
    assert provenance(text).intact
    assert f"LoadCredential=config.toml:{tmp_path}/etc/config.toml" in text
    assert f"LoadCredential=telegram_token:{tmp_path}/etc/telegram.token" in text
    assert "\nUser=daemon\n" in text
    said = capsys.readouterr().out
    assert f"Wrote {root / UNIT}" in said
    assert "  systemctl enable jarvisbot.service" in said
    assert (root / UNIT).stat().st_mode & 0o777 == 0o644


def test_a_dry_run_writes_nothing_and_shows_everything(
    config: Callable[..., Config], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "root"
    assert service(options("install", root, dry_run=True), config, run=never) == 0
    assert not root.exists()
    said = capsys.readouterr().out
    assert f"Would write {root / UNIT}:" in said
    assert "NoNewPrivileges=yes" in said
    assert "systemctl daemon-reload" in said


def test_uninstall_removes_what_install_wrote_and_nothing_else(config: Callable[..., Config], tmp_path: Path) -> None:
    root = tmp_path / "root"
    service(options("install", root, gpu=True), config, run=never)
    assert (root / CARD).exists()
    own = (root / CARD).with_name("own.conf")
    own.write_text("[Service]\nNice=5\n", encoding="utf-8")
    assert service(options("uninstall", root), config, run=never) == 0
    assert [path.relative_to(root) for path in root.rglob("*") if path.is_file()] == [own.relative_to(root)]


def test_a_unit_of_somebody_else_is_not_removed_and_kept_beside_a_new_one(
    config: Callable[..., Config], tmp_path: Path
) -> None:
    root = tmp_path / "root"
    (root / UNIT).parent.mkdir(parents=True)
    (root / UNIT).write_text("[Service]\nExecStart=/bin/true\n", encoding="utf-8")
    with pytest.raises(JarvisError, match="not written by"):
        service(options("uninstall", root), config, run=never)
    service(options("install", root), config, run=never)
    assert "ExecStart=/bin/true" in (root / UNIT).with_name("jarvisbot.service.bak").read_text(encoding="utf-8")
    assert provenance((root / UNIT).read_text(encoding="utf-8")).intact


def test_installing_again_changes_nothing(
    config: Callable[..., Config], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "root"
    service(options("install", root), config, run=never)
    capsys.readouterr()
    service(options("install", root), config, run=never)
    assert "Wrote" not in capsys.readouterr().out
    assert not list(root.rglob("*.bak"))


def test_the_card_is_closed_again_without_the_flag(config: Callable[..., Config], tmp_path: Path) -> None:
    root = tmp_path / "root"
    service(options("install", root, gpu=True), config, run=never)
    service(options("install", root), config, run=never)
    assert not (root / CARD).exists()
    assert not (root / CARD).parent.exists()


def test_status_tells_a_change_by_hand(
    config: Callable[..., Config], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "root"
    said = []
    for step in ("nothing", "install", "change"):
        if step == "install":
            service(options("install", root), config, run=never)
        elif step == "change":
            with (root / UNIT).open("a", encoding="utf-8") as unit:
                unit.write("Nice=5\n")
        capsys.readouterr()
        code = service(options("status", root, json=True), config, run=never)
        said.append((code, json.loads(capsys.readouterr().out)["unit"]))
    assert said == [(1, "not installed"), (0, "up to date"), (0, "changed by hand")]


@pytest.mark.parametrize(
    ("more", "given", "named"),
    [
        ("", {"user": "nobody-of-that-name"}, "There is no user"),
        ("[bot]\ndata_folder = '/srv/jarvisbot'\n", {"user": None}, "--user"),
    ],
)
def test_what_a_service_cannot_use_is_refused(
    config: Callable[..., Config], tmp_path: Path, more: str, given: dict[str, object], named: str
) -> None:
    with pytest.raises(ConfigError, match=named):
        service(options("install", tmp_path / "root", **given), lambda: config(more), run=never)
    assert not (tmp_path / "root").exists()


def test_a_secret_in_a_variable_is_refused_since_a_service_does_not_have_it(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[connectors.telegram]\ntoken_env = 'TOKEN'\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="token_file"):
        service(options("install", tmp_path / "root"), lambda: load(file, environment={"TOKEN": TOKEN}), run=never)


def test_without_a_config_init_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="jarvisbot init"):
        service(options("install", tmp_path / "root"), lambda: load(None, environment={}), run=never)


def test_what_is_not_installed_cannot_be_removed(config: Callable[..., Config], tmp_path: Path) -> None:
    with pytest.raises(JarvisError, match="not installed"):
        service(options("uninstall", tmp_path), config, run=never)
