"""Skills: a folder with a SKILL.md, read into a `Skill`.

Front matter is YAML: `name`, `description` and a `jarvisbot:` mapping (priority, tools, triggers, excludes, keywords,
strategy, carries, without_tools, exemplars). The body is guidance for the model, at most 600 characters.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated

import msgspec
import regex
import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, computed_field
from pydantic_core import ErrorDetails

from jarvisbot.errors import SkillError
from jarvisbot.reading.questions import key_words
from jarvisbot.types import SeedContext, ToolCall, ToolResult

try:
    from yaml import CSafeLoader as SafeLoader
except ImportError:  # PyYAML was built without libyaml
    from yaml import SafeLoader  # type: ignore[assignment]

__all__ = ["Exemplar", "Skill", "SkillCode", "Step", "WithoutTools", "load", "load_all"]

BODY_LIMIT = 600
STRATEGIES = frozenset({"auto", "baseline", "capped", "routed", "verbose"})
TRIGGER_TIMEOUT_S = 0.05
PROBE_CHARACTERS = 2_000
"""As many as are routed."""
PROBED = 60
"""Words and letters of a pattern that it is tried on."""
_EXEMPLARS = re.compile(r"^  exemplars:[ \t]*\n(?:(?: {3,}\S|  - ).*(?:\n|\Z)|[ \t]*\n)+", re.MULTILINE)
"""A block of worked examples in the `jarvisbot:` mapping, as the shipped skills write it."""
RESERVED = frozenset({"name", "description", "guidance", "patterns", "forbidding", "missed", "given", "unread"})
"""Fields of `Skill` that come from elsewhere than the `jarvisbot:` mapping."""


def _text(value: object) -> object:
    return value if isinstance(value, Mapping | Sequence) or value is None else str(value)


class Step(BaseModel):
    """One tool call of a worked example and what it returned. Arguments are text."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    tool: str
    arguments: Mapping[str, Annotated[str, BeforeValidator(_text)]]
    result: Annotated[str, BeforeValidator(_text)]

    def call(self, call_id: str) -> ToolCall:
        """The step as a call."""
        return ToolCall(id=call_id, name=self.tool, arguments=dict(self.arguments))


class Exemplar(BaseModel):
    """A worked example; no steps teach not to call a tool."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    user: str
    steps: tuple[Step, ...] = ()
    answer: str
    language: str = "en"


class WithoutTools(BaseModel):
    """What is said, in English and German, to whom the skill cannot serve while none of its tools is there.

    It is said to messages that the skill would claim, where `only` names patterns only to those with one of them; and to
    those with a pattern of `also`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
    en: str = Field(min_length=1)
    de: str = Field(min_length=1)
    only: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    def told(self, language: str) -> str:
        """The sentence in German, or in English for every other language."""
        return self.de if language == "de" else self.en


class Skill(BaseModel):
    """What a SKILL.md says. `tools` None: no narrowing; empty: every tool is taken away.

    `carries` False: the skill claims whole messages only, so what follows is no part of it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: str = Field(min_length=1, pattern=r"^[a-z][a-z0-9-]{0,63}$")
    description: str = Field(min_length=1)
    german: str = ""
    """The description in German."""
    guidance: str = Field(max_length=BODY_LIMIT)
    priority: int = 0
    tools: tuple[str, ...] | None = None
    triggers: tuple[str, ...] = ()
    excludes: tuple[str, ...] = ()
    keywords: tuple[str, ...] = ()
    strategy: str | None = None
    carries: bool = True
    without_tools: WithoutTools | None = None
    given: tuple[Exemplar, ...] = Field(default=(), alias="exemplars", exclude=True)
    unread: str = Field(default="", exclude=True)
    """The worked examples as YAML, where they are read when the skill first wins."""

    @computed_field  # type: ignore[prop-decorator]  # pydantic's own way to put a property into a dump
    @cached_property
    def exemplars(self) -> tuple[Exemplar, ...]:
        """The worked examples. Raises ValidationError or YAMLError where `load` trusted wrong ones."""
        if not self.unread:
            return self.given
        listed = yaml.load(self.unread, Loader=SafeLoader)["exemplars"]
        return tuple(Exemplar.model_validate(each) for each in listed)

    @cached_property
    def patterns(self) -> tuple[regex.Pattern[str], ...]:
        """The triggers, compiled when the skill is first asked. Raises regex.error where `load` trusted a wrong one."""
        return _compile(self.triggers)

    @cached_property
    def forbidding(self) -> tuple[regex.Pattern[str], ...]:
        """The excludes, compiled when the skill is first about to claim a message."""
        return _compile(self.excludes)

    @cached_property
    def missed(self) -> tuple[tuple[regex.Pattern[str], ...], tuple[regex.Pattern[str], ...]]:
        """The patterns `only` and `also` of `without_tools`, compiled when they are first asked."""
        said = self.without_tools
        return (_compile(said.only), _compile(said.also)) if said else ((), ())

    def told(self, *, german: bool) -> str:
        """What it is for, in German if that is asked for and written."""
        return self.german if german and self.german else self.description

    def matches(self, message: str, request: str | None = None) -> str | None:
        """The words of the message that a trigger claims, or None; a pattern over its time limit claims nothing.

        `request` is the message without a greeting in front: a pattern for the start of a message may claim that as well.
        """
        found = next((found for pattern in self.patterns if (found := _search(pattern, message))), None)
        if found is None and request is not None:
            starting = (pattern for pattern in self.patterns if pattern.pattern.startswith("^"))
            found = next((found for pattern in starting if (found := _search(pattern, request))), None)
        return None if found is None or self.forbids(message) else found

    def misses_besides(self, message: str, request: str | None = None) -> bool:
        """Whether a pattern of `also` in `without_tools` finds the message; `request` as in `matches`."""
        also = self.missed[1]
        found = any(_finds(pattern, text) for pattern in also for text in (message, request) if text)
        return found and not self.forbids(message)

    def misses(self, message: str, request: str | None = None) -> bool:
        """Whether the skill would claim the message and has a sentence for it while its tools are missing."""
        if self.without_tools is None:
            return False
        only = self.missed[0]
        narrowed = not only or any(_finds(pattern, message) for pattern in only)
        return narrowed and self.matches(message, request) is not None

    def forbids(self, message: str) -> bool:
        """Whether the skill must not answer this message."""
        return any(_finds(pattern, message) for pattern in self.forbidding)


Seed = Callable[[str, SeedContext], ToolCall | None]
Answer = Callable[[str, ToolResult | None, str], str | None]


class SkillCode(msgspec.Struct, frozen=True, kw_only=True):
    """The two functions of a bundled skill's module.

    `seed(message, context)` is the call that the question plainly needs; `answer(message, result, language)` is the reply
    where code can write it exactly and the message asks for nothing else.
    """

    seed: Seed
    answer: Answer


def _search(pattern: regex.Pattern[str], message: str) -> str | None:
    try:
        found = pattern.search(message, timeout=TRIGGER_TIMEOUT_S)
    except TimeoutError:
        return None
    return found[0] if found else None


def _finds(pattern: regex.Pattern[str], message: str) -> bool:
    """Whether the pattern matches, be it on no letter at all."""
    return _search(pattern, message) is not None


def load(folder: Path, *, trusted: bool = False) -> Skill:
    """The skill of one folder. Raises SkillError with all that is wrong, naming the file and the field each time.

    Patterns are compiled and tried on texts that make a careless one search for ever, unless they are `trusted`: those are
    compiled when the skill is first asked. The worked examples of a trusted skill are read when it first answers.
    """
    path = folder / "SKILL.md"
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # a pipe or a device is never read to its end
            raise SkillError(f"{path}: is no file.")
        source = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SkillError(f"{path}: cannot be read ({error}).") from error
    head, body, unread = _front_matter(source, path, trusted=trusted)
    ours = head.get("jarvisbot", {})
    if not isinstance(ours, dict):
        raise SkillError(f"{path}: 'jarvisbot' must be a mapping.")
    problems = [f"jarvisbot.{name}: there is no such field." for name in sorted(RESERVED & ours.keys())]
    ours = {key: value for key, value in ours.items() if key not in RESERVED}
    if ours.get("tools") == "none":
        ours = {**ours, "tools": []}
    elif not ours.get("tools"):
        ours = {key: value for key, value in ours.items() if key != "tools"}
    if ours.get("strategy") is not None and str(ours["strategy"]) not in STRATEGIES:
        problems.append(f"strategy: unknown strategy {ours['strategy']!r}; there are {', '.join(sorted(STRATEGIES))}.")
    fields = {
        "name": head.get("name"),
        "description": head.get("description"),
        "guidance": body.strip(),
        "unread": unread,
        **ours,
    }
    for field in ("triggers", "excludes"):
        problems += _objections(ours.get(field, []), field, trusted=trusted)
    if isinstance(said := ours.get("without_tools"), dict):
        for field in ("only", "also"):
            problems += _objections(said.get(field, []), f"without_tools.{field}", trusted=trusted)
    problems += _meaningless(ours.get("keywords"))
    name = head.get("name")
    if isinstance(name, str) and name and name not in (folder.name, folder.resolve().name):
        problems.append(f"name: {name!r} must be the folder's name {folder.resolve().name!r}.")
    named = {problem.partition(":")[0] for problem in problems}
    try:
        skill = Skill.model_validate(fields)
    except ValidationError as error:
        found = [_said(problem) for problem in error.errors(include_url=False, include_input=False)]
        problems += [f"{place}: {what}." for place, what in found if place.partition(".")[0] not in named]
        raise _wrong(path, problems) from error
    if problems:
        raise _wrong(path, problems)
    return skill


def _meaningless(keywords: object) -> list[str]:
    return [
        f"keywords: {keyword!r} has no word that says what it is about."
        for keyword in (keywords if isinstance(keywords, list) else [])
        if isinstance(keyword, str) and not key_words(keyword)
    ]


def _said(problem: ErrorDetails) -> tuple[str, str]:
    """Where a problem is, as the file's author knows the place, and what it is."""
    place = ".".join(str(part) for part in problem["loc"])
    return "body" if place == "guidance" else place, problem["msg"]


def _wrong(path: Path, problems: Sequence[str]) -> SkillError:
    return SkillError(*(f"{path}: {problem}" for problem in problems))


def load_all(root: Path, *, trusted: bool = False) -> tuple[Skill, ...]:
    """Every skill below `root`, highest priority first, then by name."""
    skills = [load(folder, trusted=trusted) for folder in sorted(root.iterdir()) if (folder / "SKILL.md").is_file()]
    return tuple(sorted(skills, key=lambda skill: (-skill.priority, skill.name)))


def _front_matter(source: str, path: Path, *, trusted: bool) -> tuple[dict[str, object], str, str]:
    """The front matter, the body, and the worked examples where they are left for later."""
    lines = source.split("\n")
    if not lines or lines[0].strip() != "---" or "---" not in [line.strip() for line in lines[1:]]:
        raise SkillError(f"{path}: it must begin with front matter between two lines of '---'.")
    end = next(number for number, line in enumerate(lines[1:], 1) if line.strip() == "---")
    front, unread = "\n".join(lines[1:end]), ""
    if trusted and (block := _EXEMPLARS.search(front)) is not None:
        front, unread = front[: block.start()] + front[block.end() :], block[0]
    try:
        head = yaml.load(front, Loader=SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # a date of no calendar is a ValueError
        raise SkillError(f"{path}: its front matter is not YAML: {' '.join(str(error).split())}.") from error
    if not isinstance(head, dict):
        raise SkillError(f"{path}: its front matter must be a mapping with name and description.")
    return head, "\n".join(lines[end + 1 :]), unread


def _compile(patterns: Sequence[str]) -> tuple[regex.Pattern[str], ...]:
    return tuple(regex.compile(pattern, regex.IGNORECASE) for pattern in patterns)


def _objections(patterns: object, field: str, *, trusted: bool) -> Iterator[str]:
    """What is wrong with the patterns; trusted ones are not compiled for that."""
    if not isinstance(patterns, list) or not all(isinstance(pattern, str) for pattern in patterns):
        yield f"{field}: must be a list of patterns."
        return
    for pattern in () if trusted else patterns:
        try:
            [ready] = _compile([pattern])
        except regex.error as error:
            yield f"{field}: the pattern {pattern!r} is not valid: {error}."
            continue
        if not _ends_soon(ready):
            yield f"{field}: the pattern {pattern!r} takes too long on some messages."


def _ends_soon(pattern: regex.Pattern[str]) -> bool:
    """Whether the pattern keeps its time limit on long runs of each letter, kind of letter and word that it names."""
    named = regex.sub(r"\\[\w]", "", pattern.pattern)
    pieces = dict.fromkeys(
        [
            "a",
            "1",
            " ",
            "a ",
            "a1",
            "-",
            *regex.findall(r"[^\W_]+", named)[:PROBED],
            *regex.findall(r"[^\s\\]", named)[:PROBED],
        ]
    )
    texts = ((piece * PROBE_CHARACTERS)[:PROBE_CHARACTERS] + end for piece in pieces for end in ("", "\x00"))
    return all(
        _keeps_time(pattern, text) or _keeps_time(pattern, text) for text in texts
    )  # twice: the machine may be busy


def _keeps_time(pattern: regex.Pattern[str], text: str) -> bool:
    try:
        pattern.search(text, timeout=TRIGGER_TIMEOUT_S)
    except TimeoutError:
        return False
    return True
