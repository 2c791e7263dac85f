"""`jarvisbot tools`: listed, and called by hand behind the same policy as in a chat."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import Outcome, environment, jarvisbot
from tests.test_discovery import install

DICE = '''"""Tools of another package."""

from jarvisbot.tool import Output, Risk, ToolContext, tool
from jarvisbot.types import Source


@tool(risk=Risk.EXTERNAL, label="Sent")
async def send(text: str) -> str:
    """Sends it away."""
    raise SystemExit("it ran")


@tool(risk=Risk.CREDENTIALS, label="Told")
async def tell_secret() -> str:
    """Tells it."""
    raise SystemExit("it ran")


@tool(risk=Risk.READ, label="Looked")
async def look(count: int, context: ToolContext, deep: bool = False) -> Output:
    """Looks around."""
    who = f"{context.principal.user} {context.principal.role} {context.zone} {context.language}"
    return Output(text=f"{count + 1} {deep} {who}\\n\\x1b[31mred", sources=(Source(title="A page", url="https://a.example"),))
'''


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder of installed packages with three more tools."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "my_tools.py").write_text(DICE, encoding="utf-8")
    install(folder, kind="tools", points={"mine": "my_tools"})
    return folder


async def tools(*arguments: str, home: Path, site: Path | None = None, config: str = "") -> Outcome:
    flags = []
    if config:
        (home / "config.toml").write_text(config, encoding="utf-8")
        flags = ["--config", str(home / "config.toml")]
    more = {"PYTHONPATH": str(site)} if site else {}
    return await jarvisbot("tools", *arguments, *flags, home=home, more=more)


async def test_every_tool_is_listed_with_its_risk_in_words(tmp_path: Path, site: Path) -> None:
    done = await tools("list", home=tmp_path, site=site)
    assert (done.code, done.errors) == (0, "")
    lines = {line.split()[0]: " ".join(line.split()[1:]) for line in done.output.splitlines()}
    assert lines["calculator"].startswith("R0 only reads Calculated Works out")
    assert lines["send"] == "R3 has an effect outside Sent Sends it away."
    assert lines["tell_secret"] == "R5 touches credentials Told Tells it."
    listed = {
        tool["name"]: tool for tool in json.loads((await tools("list", "--json", home=tmp_path, site=site)).output)
    }
    assert listed.keys() == lines.keys()
    assert listed["look"]["parameters"]["required"] == ["count"]
    assert (listed["send"]["risk"], listed["send"]["requires_approval"]) == ("R3", False)


async def test_a_tool_that_is_switched_off_is_not_there(tmp_path: Path) -> None:
    config = '[tools]\ndisabled = ["calculator"]\n'
    assert "calculator" not in (await tools("list", home=tmp_path, config=config)).output
    done = await tools("call", "calculator", "expression=1", home=tmp_path, config=config)
    assert done.code == 2
    assert "It is switched off in [tools]." in done.errors


@pytest.mark.parametrize(
    "arguments", [["expression=6 * 7"], ['{"expression": "6 * 7"}'], [' {"expression":\n"6 * 7"}']]
)
async def test_a_tool_is_called_with_words_or_json(arguments: list[str], tmp_path: Path) -> None:
    done = await tools("call", "calculator", *arguments, home=tmp_path)
    assert done == Outcome(code=0, output="6 * 7 = 42\n", errors="")


@pytest.mark.parametrize(
    "arguments", [["count=4", "deep=true"], ['{"count": 4, "deep": true}'], ['{"count": "4", "deep": "true"}']]
)
async def test_values_are_taken_as_the_tool_wants_them_and_nothing_steers_the_terminal(
    arguments: list[str], tmp_path: Path, site: Path
) -> None:
    config = '[bot]\ntimezone = "Asia/Tokyo"\nlanguage = "de"\n'
    done = await tools("call", "look", *arguments, home=tmp_path, site=site, config=config)
    assert (done.code, done.errors) == (0, "")
    assert done.output == "5 True console:local owner Asia/Tokyo de\n\ufffd[31mred\nA page: https://a.example\n"


async def test_a_result_is_told_as_json(tmp_path: Path, site: Path) -> None:
    done = await tools("call", "look", "count=4", "--json", home=tmp_path, site=site)
    told = json.loads(done.output)
    assert (done.code, told["ok"]) == (0, True)
    assert told["sources"] == [{"title": "A page", "url": "https://a.example", "excerpt": ""}]
    assert told["seconds"] >= 0
    failed = await tools("call", "calculator", "expression=1/0", "--json", home=tmp_path)
    assert failed.code == 1
    assert json.loads(failed.output)["ok"] is False


@pytest.mark.parametrize(
    ("name", "mode", "words"),
    [
        ("send", "assist", "needs a person's approval"),
        ("send", "autonomous", "needs a person's approval"),
        ("send", "observe", "The bot only observes here"),
        ("tell_secret", "autonomous", "Tools that touch credentials are never run."),
    ],
)
async def test_the_policy_holds_here_too(name: str, mode: str, words: str, tmp_path: Path, site: Path) -> None:
    given = ["text=hi"] if name == "send" else []
    done = await tools("call", name, *given, home=tmp_path, site=site, config=f'[policy]\nmode = "{mode}"\n')
    assert (done.code, done.output) == (1, "")
    assert words in done.errors
    assert "it ran" not in done.errors


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (("calculatr", "expression=1"), 2, "There is no tool 'calculatr'; the nearest is 'calculator'."),
        (("qqq",), 2, "There is no tool 'qqq'; there are: calculator"),
        (
            ("calculator", "6 * 7"),
            2,
            "Write each argument as key=value, or all as one JSON object; calculator takes expression.",
        ),
        (("calculator", "{6"), 2, "The arguments are not JSON"),
        (("calculator", "[6]"), 2, "Write each argument as key=value"),
        (("calculator", "=6"), 2, "Write each argument as key=value"),
        (("calculator", "expression=1", "expression=2"), 2, "expression is given twice; calculator takes expression."),
        (("calculator",), 1, "expression: Field required"),
        (("calculator", "expresion=1"), 1, "It takes: expression."),
        (("calculator", "expression=1/0"), 1, "Division by zero"),
    ],
)
async def test_a_call_that_cannot_be_made_says_what_to_do(
    call: tuple[str, ...], code: int, words: str, tmp_path: Path
) -> None:
    done = await tools("call", *call, home=tmp_path)
    assert (done.code, done.output) == (code, "")
    assert words in done.errors
    assert "Traceback" not in done.errors


@pytest.mark.parametrize(
    ("redirection", "code", "errors"),
    [
        (">/dev/full", 1, "jarvisbot: The output cannot be written: No space left on device.\n"),
        ("| true", 0, ""),
        (">&-", 2, "jarvisbot: This needs standard output, and it is closed.\n"),
    ],
)
def test_an_output_that_does_not_work_is_told(redirection: str, code: int, errors: str, tmp_path: Path) -> None:
    command = f"{Path(sys.executable).with_name('jarvisbot')} tools list --json {redirection}"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment(tmp_path), timeout=60)
    assert (done.returncode, done.stderr) == (code, errors)
