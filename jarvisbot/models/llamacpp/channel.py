"""The worker's end of the line: commands in, events out, apart from whatever the library prints."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator

from jarvisbot.models.llamacpp.protocol import (
    HEAD,
    Command,
    Event,
    body_length,
    read_command,
    write_event,
)

__all__ = ["Channel", "Closed"]


class Closed(Exception):
    """The parent has closed the line."""


class Channel:
    """Commands from one descriptor and events to another; owns both."""

    def __init__(self, commands: int, events: int) -> None:
        self._commands = commands
        self._events = events
        self._buffer = bytearray()
        self._poll = select.poll()
        self._poll.register(commands, select.POLLIN)

    @classmethod
    def over_standard_streams(cls) -> Channel:
        """Takes stdin and stdout for itself; prints go to stderr from now on, and stdin is empty."""
        channel = cls(os.dup(0), os.dup(1))
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        return channel

    def send(self, event: Event) -> None:
        """Writes the event; waits while the parent is behind. Raises Closed."""
        frame = memoryview(write_event(event))
        try:
            while frame:
                frame = frame[os.write(self._events, frame) :]
        except BrokenPipeError:
            raise Closed from None

    def receive(self, *, wait: bool) -> Iterator[Command]:
        """The commands that are there; with `wait`, at least one. Raises Closed, BadFrame."""
        while True:
            complete = list(self._complete())
            if complete or not (wait or self._poll.poll(0)):
                yield from complete
                return
            chunk = os.read(self._commands, 1 << 16)
            if not chunk:
                raise Closed
            self._buffer += chunk

    def _complete(self) -> Iterator[Command]:
        while len(self._buffer) >= HEAD.size:
            end = HEAD.size + body_length(self._buffer[: HEAD.size])
            if len(self._buffer) < end:
                return
            body = bytes(self._buffer[HEAD.size : end])
            del self._buffer[:end]
            yield read_command(body)
