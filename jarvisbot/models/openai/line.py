"""The line to a server: one HTTP client, its time limits, its failures in words, and everything ended by `close`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager

import httpx
import httpx_sse
import msgspec

from jarvisbot.clock import Clock
from jarvisbot.errors import ModelError, ModelUnavailable
from jarvisbot.models.openai.failures import Refusal, read, retry_after_s
from jarvisbot.models.openai.place import Place

__all__ = ["Line", "Passing", "Refused"]

ANSWER_LIMIT_BYTES = 8 << 20
"""More than any list of models or whole answer has; what is longer is no answer."""
ASKING_S = 15.0
"""A question about the server itself is answered at once, or not at all."""


class Refused(Exception):
    """The server answered with an error."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.words)
        self.refusal = refusal


class Passing(Exception):
    """The line broke, or the server does not answer; `message` says it in one sentence."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Line:
    """Talks to the server at `place`. Owns the HTTP client, which is made when it is first needed."""

    def __init__(
        self, place: Place, *, api_key: str | None, headers: Mapping[str, str], connect_s: float, clock: Clock
    ) -> None:
        self.place = place
        self.clock = clock
        self.closings = 0
        self._key = api_key
        self._headers = {"User-Agent": "jarvisbot", **headers}
        if api_key is not None:
            self._headers["Authorization"] = f"Bearer {api_key}"
        self._connect_s = connect_s
        self._client: httpx.AsyncClient | None = None
        self._waits: set[asyncio.Timeout] = set()

    # ------------------------------------------------------------ waiting

    def go_on(self, closings: int) -> None:
        """Raises ModelUnavailable where the line was closed since it was `closings` times."""
        if closings != self.closings:
            raise ModelUnavailable("The language model was closed.")

    @asynccontextmanager
    async def waiting(self, seconds: float | None, closings: int) -> AsyncIterator[None]:
        """A wait that ends after `seconds` with TimeoutError, and with ModelUnavailable when the line is closed."""
        self.go_on(closings)
        try:
            async with asyncio.timeout(seconds) as limit:
                self._waits.add(limit)
                try:
                    yield
                finally:
                    self._waits.discard(limit)
        except TimeoutError:
            self.go_on(closings)
            raise

    async def close(self) -> None:
        """Ends every wait; the line can be used again."""
        self.closings += 1
        now = asyncio.get_running_loop().time()
        for limit in tuple(self._waits):
            limit.reschedule(now)
        client, self._client = self._client, None
        if client is not None:
            await client.aclose()

    # ------------------------------------------------------------ asking

    async def ask(self, url: str, body: object | None = None) -> object:
        """The JSON that a GET, or a POST of `body`, is answered with. Raises Refused, Passing or ModelUnavailable."""
        content = None if body is None else _json(body)
        try:
            async with (
                self.waiting(ASKING_S, self.closings),
                self._http().stream("GET" if body is None else "POST", url, content=content, headers=_JSON) as answer,
            ):
                data = await self._whole(answer)
                if answer.is_error or answer.has_redirect_location:
                    raise self._refused(answer, data)
        except TimeoutError:
            raise Passing(f"{self._server} does not answer.") from None
        except httpx.HTTPError as error:
            raise self._broken(error) from None
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            raise Refused(Refusal(status=404, words="what came was no JSON")) from None

    async def events(
        self, url: str, body: object, *, first_s: float, next_s: float, closings: int
    ) -> AsyncGenerator[str, None]:
        """The data of each event of a stream; a JSON answer in place of a stream is one event.

        `first_s` and `next_s` are the longest waits for the first event and each later one. Raises Refused, Passing or
        ModelUnavailable. Closing the generator closes the connection, which is how a server learns that nobody listens.
        """
        wait_s = first_s
        try:
            async with self._streaming(url, body, first_s, closings) as answer:
                if "text/event-stream" not in answer.headers.get("content-type", ""):
                    async with self.waiting(first_s, closings):
                        data = await self._whole(answer)
                    yield data.decode("utf-8", "replace")
                    return
                async with aclosing(httpx_sse.EventSource(answer).aiter_sse()) as source:
                    while True:
                        async with self.waiting(wait_s, closings):
                            event = await anext(source, None)
                        if event is None:
                            return
                        if event.data:
                            yield event.data
                            wait_s = next_s
        except TimeoutError:
            raise Passing(f"{self._server} sent nothing for {wait_s:g} seconds.") from None
        except httpx.HTTPError as error:
            raise self._broken(error) from None

    @asynccontextmanager
    async def _streaming(self, url: str, body: object, first_s: float, closings: int) -> AsyncIterator[httpx.Response]:
        client = self._http()
        request = client.build_request("POST", url, content=_json(body), headers=_STREAM)
        async with self.waiting(first_s, closings):
            answer = await client.send(request, stream=True)
        try:
            if answer.is_error or answer.has_redirect_location:
                async with self.waiting(ASKING_S, closings):
                    raise self._refused(answer, await self._whole(answer))
            yield answer
        finally:
            await answer.aclose()

    # ------------------------------------------------------------ underneath

    def _http(self) -> httpx.AsyncClient:
        if self._client is None:
            # The environment's proxy is for what lies outside: words for a server at home do not take a detour.
            self._client = httpx.AsyncClient(
                headers=self._headers,
                timeout=httpx.Timeout(None, connect=self._connect_s, pool=None),
                trust_env=self.place.outside,
            )
        return self._client

    async def _whole(self, answer: httpx.Response) -> bytes:
        data = bytearray()
        async for piece in answer.aiter_bytes():
            data += piece
            if len(data) > ANSWER_LIMIT_BYTES:
                raise Passing(f"{self._server} sent more than an answer can be.")
        return bytes(data)

    @property
    def _server(self) -> str:
        return f"The model server at {self.place.origin}"

    def _refused(self, answer: httpx.Response, data: bytes) -> Refused:
        if answer.has_redirect_location:
            where = answer.headers.get("location", "")
            return Refused(Refusal(status=404, words=f"it points to another address: {where}"))
        refusal = self.hidden(read(answer.status_code, data))
        after_s = retry_after_s(answer.headers.get("retry-after"), self.clock.now())
        return Refused(msgspec.structs.replace(refusal, after_s=after_s))

    def hidden(self, refusal: Refusal) -> Refusal:
        """The refusal without the key, which some servers repeat."""
        if self._key and self._key in refusal.words:
            return msgspec.structs.replace(refusal, words=refusal.words.replace(self._key, "***"))
        return refusal

    def _broken(self, error: httpx.HTTPError) -> Passing:
        match error:
            case httpx.ConnectTimeout():
                what = f"does not answer within {self._connect_s:g} seconds"
            case httpx.ConnectError():
                what = f"cannot be reached ({str(error) or 'no connection'})"
            case _:
                what = f"broke the connection off ({str(error) or type(error).__name__})"
        return Passing(f"{self._server} {what}.")

    def failed(self, refusal: Refusal) -> ModelError:
        """The refusal in a sentence that says what to do; ModelUnavailable where the server may be well again soon."""
        match refusal.status:
            case 429:
                asks = f" and asks to wait {_duration(refusal.after_s)}" if refusal.after_s else ""
                return ModelError(f"{self._server} takes no more requests for now{asks} (429: {_words(refusal)}).")
            case status if refusal.passing:
                return ModelUnavailable(f"{self._server} is in trouble ({status}: {_words(refusal)}).")
            case 401 | 403:
                given = "refuses the api_key" if self._key else "wants an api_key"
                return ModelError(
                    f"{self._server} {given} ({refusal.status}: {_words(refusal)}); set api_key_env or api_key_file in the "
                    "model's section of the config."
                )
            case 402:
                return ModelError(f"{self._server} wants to be paid first (402): {_words(refusal)}.")
            case _:
                return ModelError(f"{self._server} refuses the request ({refusal.status}): {_words(refusal)}.")


_JSON = {"Content-Type": "application/json", "Accept": "application/json"}
_STREAM = {"Content-Type": "application/json", "Accept": "text/event-stream", "Cache-Control": "no-store"}


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{seconds:.0f} s" if seconds < 100 else f"{minutes} min" if minutes < 100 else f"{round(minutes / 60)} h"


def _words(refusal: Refusal) -> str:
    return refusal.shown or "no reason given"


def _json(body: object) -> bytes:
    return msgspec.json.encode(body)
