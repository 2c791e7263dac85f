"""Refusals of the emulated Bot API, in the server's own sentences."""

from __future__ import annotations

__all__ = ["ApiError", "bad_request"]


class ApiError(Exception):
    """A method failed: HTTP status `code`, `description` for people, machine-readable `parameters`."""

    def __init__(self, code: int, description: str, **parameters: int) -> None:
        super().__init__(description)
        self.code = code
        self.description = description
        self.parameters = parameters


def bad_request(reason: str) -> ApiError:
    """A 400, the usual answer to a request that makes no sense."""
    return ApiError(400, f"Bad Request: {reason}")
