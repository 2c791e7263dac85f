"""The one place where everything is built and joined, by constructor arguments."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from jarvisbot import abilities, discovery
from jarvisbot.agent.route import Router
from jarvisbot.agent.turn import Agent, TurnLimits
from jarvisbot.chosen import ChosenModel
from jarvisbot.clock import Clock, SystemClock, local_zone
from jarvisbot.command import Command
from jarvisbot.config import Config
from jarvisbot.connector import Connector
from jarvisbot.errors import ConfigError, JarvisError
from jarvisbot.gateway.admission import Limits
from jarvisbot.gateway.choosing import StoredChoices
from jarvisbot.gateway.commanding import Commanding
from jarvisbot.gateway.conversations import Conversations
from jarvisbot.gateway.delivery import Delivery
from jarvisbot.gateway.intake import Intake, Notices
from jarvisbot.gateway.pairing import Pairing
from jarvisbot.gateway.reporting import Reporting
from jarvisbot.gateway.running import TurnRunner
from jarvisbot.gateway.supervisor import Line, Supervisor
from jarvisbot.gateway.timekeeping import watch
from jarvisbot.late import LateModel
from jarvisbot.policy.access import Access
from jarvisbot.store.database import Store
from jarvisbot.store.media import MediaFolder
from jarvisbot.types import Address, Answered, Failed, Inbound, Role

if TYPE_CHECKING:
    from jarvisbot.local.service import Local
    from jarvisbot.model import Model

__all__ = ["App", "Parts", "assemble", "connectors", "model", "open_app", "open_store", "working"]

logger = logging.getLogger(__name__)

DEFAULT_MODEL = "default"
"""What the model of [model] is called beside those of [models.<name>]."""


class Parts(msgspec.Struct, frozen=True, kw_only=True):
    """What an app is joined from besides its config; tests hand in their own."""

    connectors: Sequence[Connector]
    model: Model
    clock: Clock = msgspec.field(default_factory=SystemClock)
    chance: random.Random = msgspec.field(default_factory=random.Random)
    reached: Callable[[str], None] = lambda _: None
    """Told the name of each point on a message's way, as it is passed; fault tests stop the process there."""
    ended: Callable[[Answered | Failed], None] = lambda _: None
    """Told how each turn ended."""
    warm: bool = False
    """Loads the model at the start, beside everything else, instead of at the first question that needs it."""
    local: Local | None = None
    """Lets `jarvisbot chat` attach while this app runs."""
    patient: bool = True
    """Waits for a store that takes no more; else that ends the app, and what was taken is answered by the next one."""


def connectors(config: Config, names: Iterable[str]) -> list[Connector]:
    """The connectors of these names, built from their sections. Raises ConfigError or MissingPart."""
    built = []
    known = discovery.names("connectors")
    for name in names:
        if name not in known:
            raise config.error(f"connectors.{name}", "is no connector", valid=known)
        module = discovery.load("connectors", name)
        settings, secrets = config.section(f"connectors.{name}", module.Settings, secrets=module.SECRETS)
        built.append(module.create(name, settings, secrets))
    return built


def model(config: Config) -> Model:
    """The configured models, each made when it is first asked; the one of [model] answers. Raises ConfigError."""
    made = {DEFAULT_MODEL: _model(config, "model", config.model_backend)}
    for name, backend in config.models.items():
        if name == DEFAULT_MODEL:
            raise config.error(f"models.{name}", "is what the model of [model] is called; give this one another name")
        made[name] = _model(config, f"models.{name}", backend)
    return ChosenModel(made)


def _model(config: Config, section: str, backend: str) -> Model:
    known = discovery.names("models")
    if backend not in known:
        raise config.error(f"{section}.backend", f"names no backend: {backend!r} is none of {', '.join(known)}")
    module = discovery.load("models", backend)
    needed, optional = getattr(module, "SECRETS", ()), getattr(module, "OPTIONAL_SECRETS", ())
    settings, secrets = config.section(
        section, module.Settings, secrets=needed, optional_secrets=optional, drop={"backend"}
    )
    more = {"secrets": secrets} if needed or optional else {}
    models_folder = config.bot.data_folder / "models"
    return LateModel(lambda: module.create(settings, models_folder=models_folder, **more), name=backend)


def _commands() -> Mapping[str, Command]:
    found = [
        value
        for name in discovery.names("commands")
        for value in vars(discovery.load("commands", name)).values()
        if isinstance(value, Command)
    ]
    return {command.name: command for command in found}


@dataclass(slots=True, kw_only=True)
class App:
    """A joined bot. `run` is its life."""

    parts: Parts
    store: Store
    intake: Intake
    conversations: Conversations
    supervisor: Supervisor
    aside: Supervisor
    """Of what serves this machine: it ends with the platforms."""

    async def run(self) -> None:
        """Works until every connector has ended or failed, or until cancelled. Raises StoreError where it is not patient."""
        started = asyncio.Event()
        try:
            async with asyncio.TaskGroup() as group:
                queues = group.create_task(self.conversations.run(started))
                await started.wait()
                beside = [
                    queues,
                    group.create_task(self._warm()),
                    group.create_task(watch(self.parts.clock)),
                    group.create_task(self.aside.run(self.intake.inbox)),
                ]
                await self.supervisor.run(self.intake.inbox)
                for task in beside:
                    task.cancel()
        except BaseExceptionGroup as errors:
            if (reason := _reason(errors)) is not None:
                raise reason from None
            raise

    async def _warm(self) -> None:
        if not self.parts.warm:
            return
        try:
            info = await self.parts.model.info()
        except JarvisError as error:
            logger.error("model_missing", extra={"reason": error.user_message})
        else:
            logger.info("model_loaded", extra={"model": info.name, "context_tokens": info.context_tokens})

    @property
    def status_line(self) -> str:
        """How it is doing, in one line."""
        return self.conversations.reporting.status_line()

    @property
    def problems(self) -> tuple[str, ...]:
        """Why connectors cannot go on, one sentence each."""
        return tuple(status.problem for status in self.supervisor.status if status.line is Line.FAILED)


def _reason(error: BaseException) -> JarvisError | None:
    """The first failure of ours in a group of errors, however deep."""
    if isinstance(error, BaseExceptionGroup):
        return next((reason for inner in error.exceptions if (reason := _reason(inner)) is not None), None)
    return error if isinstance(error, JarvisError) else None


def assemble(config: Config, store: Store, parts: Parts) -> App:
    """Joins everything; nothing runs yet."""
    local = parts.local
    aside: Sequence[Connector] = (local,) if local is not None else ()
    by_name = {connector.name: connector for connector in (*parts.connectors, *aside)}
    if len(by_name) != len(parts.connectors) + len(aside):
        raise ConfigError("Two connectors have the same name; give each its own.")
    language_setting = None if config.bot.language == "auto" else config.bot.language
    toolbox = abilities.toolbox(config, parts.clock)
    catalogue = abilities.catalogue(config)
    for broken in catalogue.broken:
        logger.warning("skill_skipped", extra={"file": str(broken.file), "reason": " ".join(broken.problems)})
    chosen = parts.model if isinstance(parts.model, ChosenModel) else ChosenModel({DEFAULT_MODEL: parts.model})
    agent = Agent(
        model=chosen,
        toolbox=toolbox,
        router=Router(catalogue.skills),
        code=abilities.SkillModules(catalogue),
        limits=TurnLimits(
            rounds=config.limits.rounds,
            tool_calls=config.limits.tool_calls,
            strategy=config.limits.strategy,
            think_tokens=config.limits.think_tokens,
            answer_tokens=config.limits.answer_tokens,
        ),
        clock=parts.clock,
        chosen_language=language_setting,
    )

    def attended(at: Address, reply_to: str | None) -> bool:
        return local is None or at.connector != local.name or local.attended(reply_to)

    def ended(message: Inbound, end: Answered | Failed) -> None:
        parts.ended(end)
        if local is not None:
            local.ended(message, end)

    delivery = Delivery(
        store=store,
        connectors=by_name,
        clock=parts.clock,
        reached=parts.reached,
        patient=parts.patient,
        attended=attended,
    )
    supervisor = Supervisor(connectors=parts.connectors, clock=parts.clock, chance=parts.chance)
    commands = _commands()
    immediate = frozenset(name for name, command in commands.items() if command.immediate)

    def language(text: str) -> str:
        return agent.language(text, ())

    def zone() -> str:
        return config.bot.timezone or local_zone()

    pairing = Pairing(store=store, clock=parts.clock, language=language, enabled=config.access.pairing)
    access = Access(
        owners=config.access.owners,
        admins=config.access.admins,
        members=config.access.members,
        paired=pairing.members,
    )
    media = MediaFolder(config.bot.data_folder / "media")
    menu = [commands[name] for name in sorted(commands) if commands[name].role.rank <= Role.MEMBER.rank]
    notices = Notices(clock=parts.clock, connectors=by_name, language=language)
    reporting = Reporting(
        store=store,
        clock=parts.clock,
        began=parts.clock.monotonic(),
        models=chosen,
        connectors=lambda: supervisor.status,
    )
    conversations = Conversations(
        store=store,
        clock=parts.clock,
        access=access,
        pairing=pairing,
        turns=TurnRunner(
            media=media,
            store=store,
            clock=parts.clock,
            agent=agent,
            connectors=by_name,
            pauses=delivery.pauses,
            shown=delivery.shown,
            reached=parts.reached,
            ended=ended,
            patient=parts.patient,
            longest=timedelta(minutes=config.limits.turn_minutes),
            zone=zone,
        ),
        commanding=Commanding(
            store=store,
            clock=parts.clock,
            commands=commands,
            choices=StoredChoices(store=store, language=language_setting, zone=zone),
            abilities=abilities.offered(config, catalogue, toolbox),
            language=agent.language,
            notice=notices.add,
        ),
        delivery=delivery,
        connectors=by_name,
        immediate=immediate,
        parallel=config.limits.parallel_conversations,
        patient=parts.patient,
        reporting=reporting,
        unstored=notices.unstored,
    )
    intake = Intake(
        store=store,
        clock=parts.clock,
        access=access,
        pairing=pairing,
        media=media,
        conversations=conversations,
        notices=notices,
        immediate=immediate,
        menu=tuple((command.name, command.help) for command in menu),
        german_menu=tuple((command.name, command.german) for command in menu),
        limits=Limits(
            waiting_per_conversation=config.limits.waiting_per_conversation,
            waiting_per_user=config.limits.waiting_per_user,
            age=timedelta(minutes=config.limits.age_minutes),
        ),
        language=language,
        reached=parts.reached,
        heard=supervisor.heard,
    )
    if local is not None:
        local.reports = reporting.whole
    return App(
        parts=parts,
        store=store,
        intake=intake,
        conversations=conversations,
        supervisor=supervisor,
        aside=Supervisor(connectors=aside, clock=parts.clock, chance=parts.chance),
    )


@asynccontextmanager
async def open_app(config: Config, parts: Parts) -> AsyncIterator[App]:
    """An app on its data folder; closes the model and the store however it ends."""
    async with open_store(config) as store, working(config, store, parts) as app:
        yield app


@asynccontextmanager
async def open_store(config: Config) -> AsyncIterator[Store]:
    """The data folder's store, closed however it ends: until then no other process works there."""
    folder: Path = config.bot.data_folder
    store = await Store.open(folder)
    try:
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def working(config: Config, store: Store, parts: Parts) -> AsyncIterator[App]:
    """An app on an open store; closes the model however it ends."""
    try:
        yield assemble(config, store, parts)
    finally:
        await parts.model.close()
