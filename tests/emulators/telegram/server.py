"""Loopback Bot API server: real sockets, so the real SDK talks to it from this process or another one.

    async with TelegramEmulator() as telegram:
        alice = telegram.person(1001, "Alice")
        settings = {"api_url": telegram.api_url, "file_url": telegram.file_url}
        await telegram.say(alice, alice.id, "hello")
        await telegram.until(lambda: telegram.visible(alice.id) == ["hello", "Hello, Alice."])

Written from https://core.telegram.org/bots/api. Formatting is taken as entities only; `parse_mode` is refused.
"""

from __future__ import annotations

import asyncio
import itertools
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, assert_never

from aiohttp import ClientSession, web

from tests.emulators.telegram.chats import Chats, File, Message, User
from tests.emulators.telegram.errors import ApiError
from tests.emulators.telegram.faults import BlackHole, Cut, Delay, Fault, Flood, Gate, Plan, Refusal, ServerError
from tests.emulators.telegram.methods import Methods
from tests.emulators.telegram.parameters import Parameters

__all__ = ["TOKEN", "Call", "TelegramEmulator"]

TOKEN = "123456:AAE-emulated-token-emulated-token-000"
_CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"
_WEBHOOK_CONFLICT = (
    "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first"
)


@dataclass(slots=True, kw_only=True)
class Call:
    """One request. `order` and `answered` count on the same clock as `TelegramEmulator.tick`.

    `outcome` is "waiting", "ok", the description of an error, or what the fault did ("cut", "black hole", "502");
    `applied` says whether the method was carried out; `peer` is the client's port, one for each connection.
    """

    order: int
    method: str
    parameters: dict[str, Any]
    peer: int
    outcome: str = "waiting"
    applied: bool = False
    answered: int | None = None


class _Dropped(Exception):
    """The connection ends without an answer."""


class TelegramEmulator:
    """The server and the people on it. `clock` dates messages (seconds since the epoch) and may be virtual."""

    def __init__(self, *, token: str = TOKEN, clock: Callable[[], float] = time.time) -> None:
        self.token = token
        self.bot = User(id=int(token.split(":")[0]), first_name="Jarvis", username="jarvis_bot", is_bot=True)
        self.chats = Chats(bot=self.bot, clock=clock)
        self.methods = Methods(self.chats)
        self.calls: list[Call] = []
        self.port = 0
        self._plans: list[Plan] = []
        self._order = itertools.count(1)
        self._changed = asyncio.Condition()
        self._poll: asyncio.Event | None = None
        self._runner: web.AppRunner | None = None
        self._site: web.TCPSite | None = None

    # ---------------------------------------------------------------- the server

    @property
    def api_url(self) -> str:
        """What the SDK puts the token behind."""
        return f"http://127.0.0.1:{self.port}/bot"

    @property
    def file_url(self) -> str:
        return f"http://127.0.0.1:{self.port}/file/bot"

    async def __aenter__(self) -> TelegramEmulator:
        application = web.Application()
        application.router.add_route("*", "/bot{token}/{method}", self._answer)
        application.router.add_get("/file/bot{token}/{path:.+}", self._give_file)
        self._runner = web.AppRunner(application, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        await self.accept()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._runner is not None
        self._cut_connections()
        await self._runner.cleanup()

    async def accept(self) -> None:
        """Takes connections, on the same port as before where there was one."""
        assert self._runner is not None
        self._site = web.TCPSite(self._runner, "127.0.0.1", self.port, reuse_address=True)
        await self._site.start()
        self.port = self._runner.addresses[0][1]

    async def refuse(self) -> None:
        """Cuts all connections and refuses new ones until `accept`."""
        assert self._site is not None
        await self._site.stop()
        self._site = None
        self._cut_connections()
        await asyncio.sleep(0)  # an aborted transport closes its socket in the loop's next round

    @asynccontextmanager
    async def unreachable(self) -> AsyncIterator[None]:
        """Refuses connections inside the block."""
        await self.refuse()
        try:
            yield
        finally:
            await self.accept()

    def _cut_connections(self) -> None:
        assert self._runner is not None
        assert self._runner.server is not None
        for connection in self._runner.server.connections:
            if connection.transport is not None:
                connection.transport.abort()

    # ---------------------------------------------------------------- what tests look at

    def tick(self) -> int:
        """The next number of the order that requests are counted in: puts a test's own events among them."""
        return next(self._order)

    def called(self, method: str, **parameters: Any) -> list[Call]:
        """The requests of a method whose parameters have these values (compared as text), oldest first."""
        wanted = {name: str(value) for name, value in parameters.items()}
        return [
            call
            for call in self.calls
            if call.method == method and all(str(call.parameters.get(name)) == value for name, value in wanted.items())
        ]

    def visible(self, chat_id: int) -> list[str]:
        """The texts of a chat as people see them now, everybody's, oldest first."""
        return [message.text or "" for message in self.chats.shown(chat_id)]

    def answers(self, chat_id: int) -> list[str]:
        """The bot's own texts of a chat as people see them now."""
        shown = self.chats.shown(chat_id)
        return [message.text or "" for message in shown if message.sender.id == self.bot.id]

    def message(self, chat_id: int, message_id: int) -> Message:
        """A message, deleted ones too. Raises KeyError for one that never was."""
        return self.chats.messages[chat_id, message_id]

    def history(self, chat_id: int) -> dict[int, list[str]]:
        """Every text that each message of the bot ever had, deleted messages too, by message id."""
        return {
            message.id: list(message.texts)
            for (chat, _), message in self.chats.messages.items()
            if chat == chat_id and message.sender.id == self.bot.id
        }

    async def until(self, condition: Callable[[], bool], *, timeout_s: float = 10.0) -> None:
        """Waits for a condition on what happened here. Raises TimeoutError."""
        async with asyncio.timeout(timeout_s), self._changed:
            await self._changed.wait_for(condition)

    async def poke(self) -> None:
        """Lets everyone in `until` look again: for conditions on a test's own state."""
        async with self._changed:
            self._changed.notify_all()

    # ---------------------------------------------------------------- people

    def person(self, identity: int, name: str, *, username: str | None = None, is_bot: bool = False) -> User:
        """A new account that has opened a chat with the bot."""
        user = User(id=identity, first_name=name, username=username, is_bot=is_bot)
        self.chats.chats[identity] = {"id": identity, "type": "private", "first_name": name}
        return user

    def group(self, identity: int, title: str) -> int:
        """A new group with the bot in it, a supergroup where the id begins with -100; answers its id."""
        kind = "supergroup" if str(identity).startswith("-100") else "group"
        self.chats.chats[identity] = {"id": identity, "type": kind, "title": title}
        return identity

    async def migrate(self, old: int, new: int, *, told: bool = True) -> None:
        """A group becomes a supergroup; `told` says whether the service messages of it arrive."""
        self.group(new, self.chats.chats[old]["title"])
        self.chats.migrated[old] = new
        if told:
            for chat, fields in ((old, {"migrate_to_chat_id": new}), (new, {"migrate_from_chat_id": old})):
                message = self.chats.add(chat, User(id=1087968824, first_name="Group", is_bot=True))
                message.fields |= fields
                await self.push("message", message.json())

    async def open_topic(self, user: User, chat_id: int, name: str) -> Message:
        """Somebody opens a forum topic: its id is that of the service message which tells of it."""
        message = self.chats.add(chat_id, user)
        topic = {"name": name, "icon_color": 7322096}
        message.fields |= {"message_thread_id": message.id, "is_topic_message": True, "forum_topic_created": topic}
        self.chats.threads.add((chat_id, message.id))
        if user.id != self.bot.id:
            await self.push("message", message.json())
        return message

    def file(self, data: bytes, name: str, *, told: int | None = None) -> dict[str, Any]:
        """A file that somebody has uploaded, as the `document` of a message; `told` is the size that it tells."""
        identity = f"file{len(self.chats.files)}"
        file = File(identity=identity, data=data, name=name, told=told)
        self.chats.files[identity] = file
        body = {"file_id": identity, "file_unique_id": identity, "file_name": name}
        return body if told is None else {**body, "file_size": told}

    async def react(self, user: User, message: Message, *emojis: str) -> None:
        """A person puts these reactions on a message in place of their earlier ones."""
        before = message.people_reactions.get(user.id, [])
        message.people_reactions[user.id] = list(emojis)
        old, new = ([{"type": "emoji", "emoji": each} for each in side] for side in (before, emojis))
        body = {
            "chat": message.chat,
            "message_id": message.id,
            "user": user.json(),
            "date": int(self.chats.clock()),
            "old_reaction": old,
            "new_reaction": new,
        }
        await self.push("message_reaction", body)

    async def say(
        self, user: User, chat_id: int, text: str | None, *, date: float | None = None, **fields: Any
    ) -> Message:
        """A person writes: `fields` are more fields of the API's Message (`photo`, `caption`, `message_thread_id`)."""
        message = self.chats.add(chat_id, user, text, date=date)
        message.fields |= fields
        if "message_thread_id" in fields:
            self.chats.threads.add((chat_id, fields["message_thread_id"]))
        words = text if text is not None else fields.get("caption")
        if words is not None and "entities" not in fields:
            message.entities = _found_entities(words)
        message.entities += message.fields.pop("entities", [])
        await self.push("message", message.json())
        return message

    async def edit(self, message: Message, text: str) -> None:
        """A person changes a message of theirs."""
        message.texts.append(text)
        message.edited = int(self.chats.clock())
        await self.push("edited_message", message.json())

    async def press(self, user: User, message: Message, data: str) -> str:
        """A person presses a button; answers the id of the callback query."""
        rows = message.fields["reply_markup"]["inline_keyboard"]
        assert any(button.get("callback_data") == data for row in rows for button in row), "no such button"
        identity = self.methods.new_callback()
        body = {"id": identity, "from": user.json(), "message": message.json(), "chat_instance": "1", "data": data}
        await self.push("callback_query", body)
        return identity

    async def delete(self, message: Message) -> None:
        """A person takes a message away, for both sides."""
        message.deleted = True
        await self.poke()

    def block(self, chat_id: int) -> None:
        """The bot is blocked by a person, or thrown out of a group."""
        self.chats.blocked.add(chat_id)

    def unblock(self, chat_id: int) -> None:
        self.chats.blocked.discard(chat_id)

    async def push(self, kind: str, body: dict[str, Any]) -> int | None:
        """Queues any update; answers its id, or None where the bot did not ask for this kind."""
        update_id = self.chats.push(kind, body)
        await self.poke()
        return update_id

    # ---------------------------------------------------------------- faults

    def fail(
        self,
        method: str,
        fault: Fault,
        *,
        times: int | None = 1,
        when: Callable[[dict[str, Any]], bool] = lambda _: True,
    ) -> Plan:
        """Lets the next `times` requests of a method ("*": any) fail; None is until the plan's `heal()`.

        `when` looks at the parameters. Of several plans the first that fits strikes.
        """
        plan = Plan(method=method, fault=fault, times=times, when=when)
        self._plans.append(plan)
        return plan

    # ---------------------------------------------------------------- requests

    async def bring(self, port: int, *, secret: str | None = None, path: str | None = None) -> list[int]:
        """Brings every pending update to the webhook's server at `port`, as Telegram's servers would through a proxy.

        Answers the status of each; what was answered with 200 is confirmed.
        """
        path = path if path is not None else re.sub(r"https://[^/]+", "", self.methods.webhook)
        headers = {"X-Telegram-Bot-Api-Secret-Token": self.methods.webhook_secret if secret is None else secret}

        async def post(session: ClientSession, update: dict[str, Any]) -> int:
            async with session.post(f"http://127.0.0.1:{port}{path}", json=update, headers=headers) as answer:
                return answer.status

        updates = self.chats.pending()
        async with ClientSession() as session:
            statuses = await asyncio.gather(*(post(session, update) for update in updates))
        for update, status in zip(updates, statuses, strict=True):
            if status == 200:
                self.chats.take(update["update_id"])
        await self.poke()
        return list(statuses)

    async def _give_file(self, request: web.Request) -> web.Response:
        if request.match_info["token"] != self.token:
            return web.Response(status=401)
        path = request.match_info["path"]
        found = next((file for file in self.chats.files.values() if file.path == path), None)
        return web.Response(status=404) if found is None else web.Response(body=found.data)

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        method = request.match_info["method"]
        parameters = Parameters({**request.query, **await _body(request)})
        peer = 0 if request.transport is None else request.transport.get_extra_info("peername")[1]
        call = Call(order=self.tick(), method=method, parameters=parameters.as_dict(), peer=peer)
        self.calls.append(call)
        await self.poke()
        try:
            response = await self._outcome(request.match_info["token"], call, parameters)
        except ApiError as error:
            call.outcome = error.description
            body = {"ok": False, "error_code": error.code, "description": error.description}
            more = {"parameters": error.parameters} if error.parameters else {}
            response = web.json_response({**body, **more}, status=error.code)
        except _Dropped:
            call.outcome = "cut"
            if request.transport is not None:
                request.transport.abort()
            response = web.Response()
        except asyncio.CancelledError:
            call.outcome = "abandoned"
            raise
        finally:
            call.answered = self.tick()
            await asyncio.shield(self.poke())
        return response

    async def _outcome(self, token: str, call: Call, parameters: Parameters) -> web.Response:
        if not re.fullmatch(r"\d+:[\w-]{30,}", token):
            raise ApiError(404, "Not Found")
        if token != self.token:
            raise ApiError(401, "Unauthorized")
        if call.method != "getUpdates" and call.method not in self.methods.table:
            raise ApiError(404, "Not Found: method not found")
        plan = next((plan for plan in self._plans if plan.strikes(call.method, call.parameters)), None)
        if plan is None:
            return await self._carry_out(call, parameters)
        return await self._struck(plan.fault, call, lambda: self._carry_out(call, parameters))

    async def _carry_out(self, call: Call, parameters: Parameters) -> web.Response:
        if call.method == "getUpdates":
            result: Any = await self._get_updates(parameters)
        else:
            result = self.methods.table[call.method](parameters)
        call.applied = True
        call.outcome = "ok"
        await self.poke()
        return web.json_response({"ok": True, "result": result})

    async def _struck(self, fault: Fault, call: Call, carry_out: Callable[[], Awaitable[web.Response]]) -> web.Response:
        match fault:
            case Flood(retry_after=seconds):
                raise ApiError(429, f"Too Many Requests: retry after {seconds}", retry_after=seconds)
            case Refusal():
                raise ApiError(fault.code, fault.description, **fault.parameters)
            case ServerError():
                if fault.applied:
                    await carry_out()
                call.outcome = str(fault.status)
                return web.Response(status=fault.status, text=fault.page, content_type="text/html")
            case Cut(applied=applied):
                if applied:
                    await carry_out()
                raise _Dropped
            case BlackHole(applied=applied):
                if applied:
                    await carry_out()
                call.outcome = "black hole"
                await asyncio.Event().wait()
                raise _Dropped
            case Delay(seconds=seconds):
                await asyncio.sleep(seconds)
                return await carry_out()
            case Gate(opened=opened, applied=False):
                await opened.wait()
                return await carry_out()
            case Gate(opened=opened):
                response = await carry_out()
                await opened.wait()
                return response
            case _:
                assert_never(fault)

    async def _get_updates(self, parameters: Parameters) -> list[dict[str, Any]]:
        if self.methods.webhook:
            raise ApiError(409, _WEBHOOK_CONFLICT)
        offset = parameters.integer("offset", 0)
        limit = min(max(parameters.integer("limit", 100), 1), 100)
        timeout_s = parameters.integer("timeout", 0)
        if parameters.has("allowed_updates"):
            self.chats.allowed_updates = parameters.strings("allowed_updates")
        if self._poll is not None:
            self._poll.set()
        mine = self._poll = asyncio.Event()
        self.chats.confirm(offset)
        await self.poke()
        try:
            await self.until(lambda: bool(mine.is_set() or self.chats.pending()), timeout_s=timeout_s)
        except TimeoutError:
            return []
        finally:
            if self._poll is mine:
                self._poll = None
        if mine.is_set():
            raise ApiError(409, _CONFLICT)
        return self.chats.pending()[:limit]


async def _body(request: web.Request) -> dict[str, Any]:
    if not request.can_read_body:
        return {}
    if request.content_type == "application/json":
        value = await request.json()
        return value if isinstance(value, dict) else {}
    fields = await request.post()
    return {
        name: (value.filename, value.file.read()) if isinstance(value, web.FileField) else value
        for name, value in fields.items()
    }


def _found_entities(text: str) -> list[dict[str, Any]]:
    """What the server finds in a text by itself: commands and mentions, in UTF-16 units."""
    found = []
    for kind, pattern in (("bot_command", r"(?<![\w/@])/\w{1,64}(?:@\w{3,32})?"), ("mention", r"(?<![\w@/])@\w{3,32}")):
        for match in re.finditer(pattern, text):
            start = len(text[: match.start()].encode("utf-16-le")) // 2
            length = len(match[0].encode("utf-16-le")) // 2
            found.append({"type": kind, "offset": start, "length": length})
    return sorted(found, key=lambda entity: entity["offset"])
