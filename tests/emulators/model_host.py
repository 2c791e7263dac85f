"""An emulated host of model files: a loopback server that speaks as the Hugging Face hub does, with faults.

`/api/models/REPO/revision/REVISION` describes a repository, `/REPO/resolve/REVISION/FILE` redirects to `/cdn/…`, where
the bytes are, served in ranges. Contents are made from a seed as they are sent, so that a large file costs no memory.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar
from urllib.parse import urlsplit

__all__ = ["Asked", "Content", "Fault", "ModelHost"]

BLOCK = 1 << 16


class Content:
    """Bytes of a file: given ones, or `size` generated from a seed."""

    def __init__(self, data: bytes | None = None, *, size: int = 0, seed: int = 0) -> None:
        self._data = data
        self.size = len(data) if data is not None else size
        self._base = hashlib.sha256(str(seed).encode()).digest() * (BLOCK // 32)
        digest = hashlib.sha256()
        for piece in self.pieces(0, self.size):
            digest.update(piece)
        self.sha256 = digest.hexdigest()

    def pieces(self, start: int, end: int) -> Iterator[bytes]:
        """The bytes from `start` to before `end`, in blocks."""
        if self._data is not None:
            for at in range(start, end, BLOCK):
                yield self._data[at : min(at + BLOCK, end)]
            return
        while start < end:
            number, inside = divmod(start, BLOCK)
            block = number.to_bytes(8, "big") + self._base[8:]
            piece = block[inside : inside + end - start]
            yield piece
            start += len(piece)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What goes wrong with one request for a file's bytes, or with `kind` "head" or "api" for one of those.

    `cut_after` bytes of the body the line breaks; `status` answers with that and no body; `ignore_range` sends all of it
    with a 200; `shifted` starts so many bytes later than asked; `short` leaves so many bytes out and says nothing of it;
    `etag` is another one; `total` is another size in Content-Range.
    """

    kind: str = "bytes"
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    cut_after: int | None = None
    ignore_range: bool = False
    shifted: int = 0
    short: int = 0
    etag: str | None = None
    total: int | None = None
    stall: threading.Event | None = None
    """The body stops after `cut_after` bytes until this is set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A request as it came."""

    method: str
    path: str
    headers: Mapping[str, str]


class ModelHost:
    """The server; `files` and `faults` may be changed while it runs. Use it as a context manager."""

    def __init__(self, *, licence: str = "apache-2.0", has_api: bool = True) -> None:
        self.repo = "someone/Tiny-GGUF"
        self.files: dict[str, Content] = {}
        self.commit = "a" * 40
        self.licence = licence
        self.has_api = has_api
        self.needs_token: str | None = None
        self.wrong_sha256: str | None = None
        self.names_no_sha256 = False
        self.faults: deque[Fault] = deque()
        self.asked: list[Asked] = []
        self.sent_bytes = 0
        self.cdn: ModelHost | None = None
        """Another server that the bytes come from."""
        host = self

        class Handler(_Handler):
            serves = host

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)

    def __enter__(self) -> ModelHost:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def address(self) -> str:
        """What model.host is set to."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def fault(self, kind: str) -> Fault | None:
        """The next fault, taken out, if it is of that kind."""
        return self.faults.popleft() if self.faults and self.faults[0].kind == kind else None

    def named_sha256(self, name: str) -> str | None:
        """The hash that is told."""
        return None if self.names_no_sha256 else self.wrong_sha256 or self.files[name].sha256


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    serves: ClassVar[ModelHost]

    def log_message(self, format: str, *arguments: object) -> None:
        """Says nothing."""

    def do_HEAD(self) -> None:
        self._serve()

    def do_GET(self) -> None:
        self._serve()

    def _serve(self) -> None:
        host = self.serves
        path = urlsplit(self.path).path
        host.asked.append(Asked(method=self.command, path=self.path, headers=dict(self.headers.items())))
        if path.startswith("/cdn/"):
            self._bytes(path.removeprefix("/cdn/").partition("/")[2])
            return
        fault = host.fault("api" if path.startswith("/api/") else "head" if self.command == "HEAD" else "resolve")
        if fault is not None and fault.status is not None:
            self._end(fault.status, dict(fault.headers))
        elif host.needs_token and self.headers.get("Authorization") != f"Bearer {host.needs_token}":
            self._end(401, {"X-Error-Code": "GatedRepo"})
        elif path.startswith("/api/"):
            self._api(path)
        else:
            self._resolve(path)

    def _api(self, path: str) -> None:
        host = self.serves
        found = re.fullmatch(r"/api/models/([^/]+/[^/]+)/revision/([^/]+)", path)
        if not host.has_api or found is None:
            self._end(404, {})
        elif found[1] != host.repo:
            self._end(401, {"X-Error-Code": "RepoNotFound"})
        elif found[2] not in ("main", host.commit):
            self._end(404, {"X-Error-Code": "RevisionNotFound"})
        else:
            siblings = [
                {
                    "rfilename": name,
                    "size": content.size,
                    "lfs": {"sha256": host.named_sha256(name), "size": content.size, "pointerSize": 134},
                }
                for name, content in host.files.items()
            ]
            self._json(
                {
                    "id": host.repo,
                    "sha": host.commit,
                    "tags": ["gguf", f"license:{host.licence}"],
                    "cardData": {"license": host.licence},
                    "siblings": [{"rfilename": "README.md", "size": 12, "blobId": "0"}, *siblings],
                }
            )

    def _resolve(self, path: str) -> None:
        host = self.serves
        found = re.fullmatch(r"/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path)
        if found is None or found[1] != host.repo or found[3] not in host.files:
            self._end(404, {"X-Error-Code": "EntryNotFound"} if host.has_api else {})
            return
        sha256 = host.named_sha256(found[3])
        cdn = host.cdn.address if host.cdn else ""
        self._end(
            302,
            {
                "Location": f"{cdn}/cdn/signed/{found[3]}?signature=hush",
                "X-Repo-Commit": host.commit,
                "X-Linked-Size": str(host.files[found[3]].size),
                **({"X-Linked-ETag": f'"{sha256}"'} if sha256 else {}),
            },
        )

    def _bytes(self, name: str) -> None:
        host = self.serves
        content = host.files[name]
        fault = host.fault("bytes") or Fault()
        if fault.status is not None:
            self._end(fault.status, dict(fault.headers))
            return
        etag = fault.etag or f'"{content.sha256[:32]}"'
        start, status = 0, 200
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        if asked and not fault.ignore_range and self.headers.get("If-Range", etag) == etag:
            start, status = int(asked[1]) + fault.shifted, 206
        if status == 206 and start >= content.size:
            self._end(416, {"Content-Range": f"bytes */{content.size}"})
            return
        end = content.size - fault.short
        self.send_response(status)
        self.send_header("ETag", etag)
        self.send_header("Content-Length", str(end - start))
        if status == 206:
            self.send_header("Content-Range", f"bytes {start}-{end - 1}/{fault.total or content.size}")
        self.end_headers()
        self._body(content, start, end, fault)

    def _body(self, content: Content, start: int, end: int, fault: Fault) -> None:
        host = self.serves
        stop = end if fault.cut_after is None else min(end, start + fault.cut_after)
        try:
            for piece in content.pieces(start, stop):
                self.wfile.write(piece)
                host.sent_bytes += len(piece)
            self.wfile.flush()
            if fault.stall is not None:
                fault.stall.wait(30)
        except OSError:
            pass  # whoever asked is gone
        if stop < end:
            self.close_connection = True

    def _json(self, value: object) -> None:
        self._end(200, {"Content-Type": "application/json"}, json.dumps(value).encode())

    def _end(self, status: int, headers: dict[str, str], body: bytes = b"") -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)
