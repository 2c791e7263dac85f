"""A web hook called by POST, without following redirects."""

from __future__ import annotations

from http import HTTPStatus
from urllib.parse import urlsplit

import httpx

from jarvisbot.config import Action
from jarvisbot.errors import ToolError, ToolTimedOut

__all__ = ["run"]

_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol)


async def run(action: Action) -> str:
    """Nothing, once the address has answered with a status of success. Raises ToolError.

    Errors name the host and the status, never the path: whoever knows it can use the hook. The answer's body is not read.
    """
    host = urlsplit(action.webhook).netloc
    try:
        # No proxy and no .netrc of the environment: the address is the owner's own and often in the house.
        async with (
            httpx.AsyncClient(timeout=action.timeout_s, follow_redirects=False, trust_env=False) as client,
            client.stream("POST", action.webhook, headers=dict(action.headers), json=action.body) as response,
        ):
            status = response.status_code
    except _NOT_SENT as error:
        raise ToolError(f'"{action.name}" was not run: {host} could not be reached.') from error
    except httpx.TimeoutException as error:
        raise ToolTimedOut(
            f'{host} did not answer within {action.timeout_s:g} seconds: whether "{action.name}" was run is not known.'
        ) from error
    except httpx.HTTPError as error:
        raise ToolError(f'The line to {host} broke: whether "{action.name}" was run is not known.') from error
    if not 200 <= status < 300:
        moved = ", and redirects are not followed" if 300 <= status < 400 else ""
        raise ToolError(f'"{action.name}" failed: {host} answered {_named(status)}{moved}.')
    return ""


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)
