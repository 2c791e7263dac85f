"""The host of model files: the Hugging Face hub, or a mirror that speaks as it does.

What is used of it, as huggingface_hub does: `GET /api/models/REPO/revision/REVISION?blobs=true` names the commit, the
licence and each file with its size and SHA-256; `/REPO/resolve/REVISION/FILE` redirects to where the bytes are, and
carries X-Repo-Commit, X-Linked-Size and X-Linked-ETag (the SHA-256). A mirror may lack the first.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import TypeVar
from urllib.parse import quote

import httpx
import msgspec

from jarvisbot.errors import ModelFileError
from jarvisbot.model_files.facts import RepositoryFacts, read_facts
from jarvisbot.model_files.reference import OnHost

__all__ = ["Broken", "Host", "HostFile", "Retrying"]

Got = TypeVar("Got")

HOPS = 6
SHA256 = re.compile(r"[0-9a-f]{64}")
PAUSES_S = (1.0, 2.0, 4.0, 8.0, 16.0)
LONGEST_PAUSE_S = 300.0
"""What a host may ask us to wait; more than that is told, not waited."""
TIMEOUT = httpx.Timeout(30.0, connect=15.0)
"""A line on which nothing comes for so long counts as broken."""
LOOPBACK = re.compile(r"localhost|127\.\d+\.\d+\.\d+|::1")


class Broken(Exception):
    """The line broke or the host stumbled: the same request may work later. `pause_s` is what the host asked for."""

    def __init__(self, why: str, *, pause_s: float | None = None) -> None:
        super().__init__(why)
        self.pause_s = pause_s


class HostFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file as the host describes it now. `sha256` is None where it names none, `licence` where it does not say."""

    reference: OnHost
    commit: str
    bytes: int
    sha256: str | None
    licence: str | None


class Retrying:
    """Tries again what broke, with growing pauses. `said` is told before each pause."""

    def __init__(self, *, tries: int, wait: Callable[[float], None], said: Callable[[str], None]) -> None:
        self._tries = tries
        self._wait = wait
        self._said = said
        self._failed = 0

    def progressed(self) -> None:
        """Counting begins anew: what broke was not for nothing."""
        self._failed = 0

    def after(self, trouble: Broken) -> None:
        """Waits as long as is due. Raises ModelFileError where it has been tried often enough."""
        self._failed += 1
        if trouble.pause_s is not None and trouble.pause_s > LONGEST_PAUSE_S:
            raise ModelFileError(
                f"{trouble}, and wants to be left alone for {trouble.pause_s / 60:.0f} minutes: try again then."
            )
        if self._failed >= self._tries:
            raise ModelFileError(f"{trouble}. Try again when the line is better; model.host can name a mirror.")
        pause = trouble.pause_s if trouble.pause_s is not None else PAUSES_S[min(self._failed, len(PAUSES_S)) - 1]
        self._said(f"{trouble}; trying again in {pause:.0f} s")
        self._wait(pause)


class Host:
    """One host. Its token goes to that address alone, however often a request is redirected."""

    def __init__(
        self,
        address: str,
        token: str | None = None,
        *,
        wait: Callable[[float], None] = time.sleep,
        said: Callable[[str], None] = lambda _: None,
        timeout: httpx.Timeout = TIMEOUT,
    ) -> None:
        try:
            self._address = httpx.URL(address)
        except httpx.InvalidURL as error:
            raise ModelFileError(f"model.host is no address: {error}.") from None
        self._client = httpx.Client(
            timeout=timeout, headers={"User-Agent": "jarvisbot", "Accept-Encoding": "identity"}, trust_env=True
        )
        self._token = token
        self._wait = wait
        self._said = said
        if token and self._address.scheme == "http" and not LOOPBACK.fullmatch(self._address.host):
            raise ModelFileError("model.host must be https where a token is sent: the token would travel in the clear.")

    def __enter__(self) -> Host:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    @property
    def name(self) -> str:
        """The host, as people know it."""
        return self._address.netloc.decode("ascii")

    def retrying(self, tries: int) -> Retrying:
        """A fresh count of tries with this host's patience."""
        return Retrying(tries=tries, wait=self._wait, said=self._said)

    def look_up(self, wanted: OnHost, *, tries: int = 3) -> HostFile:
        """What the host says of a file now. Raises ModelFileError where it has none such, or does not answer."""
        retrying = self.retrying(tries)
        while True:
            try:
                return self._described(wanted)
            except Broken as trouble:
                retrying.after(trouble)

    @contextlib.contextmanager
    def body(self, file: HostFile, *, offset: int = 0, etag: str | None = None) -> Iterator[httpx.Response]:
        """The answer to a request for the file from byte `offset` on, its body still to be read.

        With `etag` the host is to send all of it where it is another file by now. Raises Broken, also while the body is
        read, and ModelFileError.
        """
        headers = {"Range": f"bytes={offset}-"} if offset else {}
        if offset and etag:
            headers["If-Range"] = etag
        with self._answer("GET", self._place(file.reference, file.commit), headers) as response:
            if response.status_code not in (200, 206, 416):
                raise self._refusal(response, file.reference, None)
            yield response

    # ------------------------------------------------------------ what it says of a file

    def _described(self, wanted: OnHost) -> HostFile:
        facts = self._facts(wanted)
        known = facts.files.get(wanted.file) if facts is not None else None
        if facts is not None and known is None:
            raise self._no_such_file(wanted, facts)
        commit = facts.commit if facts is not None else wanted.revision
        with self._answer("HEAD", self._place(wanted, commit), {}, stay=True) as head:
            if head.status_code >= 400:
                raise self._refusal(head, wanted, facts)
            linked = _tag(head.headers.get("x-linked-etag") or head.headers.get("etag", ""))
            length = head.headers.get("x-linked-size") or head.headers.get("content-length", "")
            commit = head.headers.get("x-repo-commit", commit)
        told = {known.sha256 if known else None, linked if SHA256.fullmatch(linked) else None} - {None}
        sizes = {known.bytes if known else None, int(length) if length.isascii() and length.isdigit() else None} - {
            None
        }
        if len(told) > 1 or len(sizes) > 1:
            raise ModelFileError(f"{self.name} says two different things of {wanted.file}: try again later.")
        if not sizes:
            raise ModelFileError(f"{self.name} does not say how large {wanted.file} is.")
        return HostFile(
            reference=wanted,
            commit=commit,
            bytes=sizes.pop() or 0,
            sha256=told.pop() if told else None,
            licence=facts.licence if facts is not None else None,
        )

    def _facts(self, wanted: OnHost) -> RepositoryFacts | None:
        """What the host's API says of the repository; None where the host has no API."""
        url = self._url(f"/api/models/{wanted.repo}/revision/{quote(wanted.revision, safe='')}?blobs=true")
        with self._answer("GET", url, {}) as response:
            if response.status_code == 404 and "x-error-code" not in response.headers:
                return None
            if response.status_code != 200:
                raise self._refusal(response, wanted, None)
            with _told_as_broken(self.name):
                body = response.read()
        facts = read_facts(body)
        if facts is None:
            raise ModelFileError(f"What {self.name} says of {wanted.repo} cannot be understood: is model.host right?")
        return facts

    # ------------------------------------------------------------ requests

    def _url(self, path: str) -> httpx.URL:
        return httpx.URL(f"{self._address}".rstrip("/") + path)

    def _place(self, wanted: OnHost, revision: str) -> httpx.URL:
        return self._url(f"/{wanted.repo}/resolve/{quote(revision, safe='')}/{quote(wanted.file)}")

    @contextlib.contextmanager
    def _answer(
        self, method: str, url: httpx.URL, headers: Mapping[str, str], *, stay: bool = False
    ) -> Iterator[httpx.Response]:
        """The answer after all redirects; with `stay`, the first that describes a file or leads away from this host."""
        for _ in range(HOPS):
            ours = _origin(url) == _origin(self._address)
            token = {"Authorization": f"Bearer {self._token}"} if self._token and ours else {}
            with _told_as_broken(self.name):
                request = self._client.build_request(method, url, headers={**headers, **token})
                response = self._client.send(request, stream=True)
            with contextlib.closing(response):
                target = self._redirect(url, response)
                away = target is not None and _origin(target) != _origin(self._address)
                if target is None or (stay and (away or "x-linked-size" in response.headers)):
                    if response.status_code in (408, 429) or response.status_code >= 500:
                        raise Broken(
                            f"{self.name} answers with {response.status_code}", pause_s=_retry_after(response.headers)
                        )
                    with _told_as_broken(self.name):
                        yield response
                    return
            url = target
        raise ModelFileError(f"{self.name} redirects in circles: is model.host right?")

    def _redirect(self, url: httpx.URL, response: httpx.Response) -> httpx.URL | None:
        """Where the answer leads on to. Raises ModelFileError where that would be in the clear."""
        if not response.has_redirect_location:
            return None
        try:
            target = url.join(response.headers["location"])
        except httpx.InvalidURL:
            raise ModelFileError(f"{self.name} redirects to what is no address.") from None
        if target.scheme not in ("https", self._address.scheme):
            raise ModelFileError(f"{self.name} redirects to {target.host} without encryption; that is not followed.")
        return target

    # ------------------------------------------------------------ refusals

    def _refusal(self, response: httpx.Response, wanted: OnHost, facts: RepositoryFacts | None) -> ModelFileError:
        code = response.headers.get("x-error-code", "")
        if code == "GatedRepo" or response.status_code == 403:
            return ModelFileError(
                f"{wanted.repo} is only for those who accepted its terms at {self.name}: accept them there, "
                "then set model.token_env or model.token_file to your token."
            )
        if code == "RevisionNotFound":
            return ModelFileError(f"{wanted.repo} at {self.name} has no revision {wanted.revision!r}.")
        if code == "RepoNotFound" or response.status_code == 401:
            return ModelFileError(
                f"{self.name} has no {wanted.repo}, or only for those it knows: check the name, and model.token_env."
            )
        if response.status_code == 404:
            return self._no_such_file(wanted, facts)
        return ModelFileError(f"{self.name} answers with {response.status_code} to the request for {wanted.file}.")

    def _no_such_file(self, wanted: OnHost, facts: RepositoryFacts | None) -> ModelFileError:
        others = sorted(name for name in facts.files if name.endswith(".gguf")) if facts is not None else []
        there = f" There are: {', '.join(others)}." if others else ""
        return ModelFileError(f"{wanted.repo} at {self.name} has no file {wanted.file}.{there}")


@contextlib.contextmanager
def _told_as_broken(name: str) -> Iterator[None]:
    """Failures of the line as Broken, in words of ours."""
    try:
        yield
    except httpx.TimeoutException:
        raise Broken(f"{name} does not answer") from None
    except httpx.ConnectError as error:
        raise Broken(f"{name} cannot be reached ({error})") from None
    except httpx.TransportError:
        raise Broken(f"The line to {name} broke") from None
    except httpx.InvalidURL as error:
        raise ModelFileError(f"model.host is no address: {error}.") from None


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    ports = {"https": 443, "http": 80}
    return url.scheme, url.host, url.port or ports.get(url.scheme)


def _tag(etag: str) -> str:
    return etag.strip().strip('"').lower()


def _retry_after(headers: httpx.Headers) -> float | None:
    """The seconds that a host asks us to wait, given as a number or as a date (RFC 9110, 10.2.3)."""
    given = headers.get("retry-after", "").strip()
    if given.isascii() and given.isdigit():
        return float(given)
    try:
        then, now = parsedate_to_datetime(given), parsedate_to_datetime(headers.get("date", ""))
        return max(0.0, (then - now).total_seconds())
    except (ValueError, TypeError):
        return None
