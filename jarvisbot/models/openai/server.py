"""What a server says of itself: its kind, the model, how much that reads, whether it reasons."""

from __future__ import annotations

import enum
import logging
from collections.abc import Mapping, Sequence
from urllib.parse import quote, urlsplit

import msgspec

from jarvisbot.errors import ModelError
from jarvisbot.models.openai.line import Line, Passing, Refused

__all__ = ["DEFAULT_CONTEXT_TOKENS", "Kind", "Server", "look_at"]

logger = logging.getLogger(__name__)

DEFAULT_CONTEXT_TOKENS = 8192
OLLAMA_CONTEXT_TOKENS = 4096
"""What Ollama gives a model that was not made with more; it drops the rest of a prompt without a word."""
MODELS_NAMED = 12


class Kind(enum.StrEnum):
    """Servers that say more, or take more, than all of them do."""

    LLAMA = "llama-server"
    VLLM = "vLLM"
    SGLANG = "SGLang"
    OLLAMA = "Ollama"
    LM_STUDIO = "LM Studio"
    OPENROUTER = "OpenRouter"
    OTHER = "other"


class Server(msgspec.Struct, frozen=True, kw_only=True):
    """A server as it described itself. `api` is where the chat API is, `root` where the rest of the server is."""

    api: str
    root: str
    kind: Kind
    model: str
    offers: tuple[str, ...]
    context_tokens: int | None
    """None: it does not say."""
    thinking: bool = False
    """The model is known to reason when asked to."""

    @property
    def name(self) -> str:
        """The model's name for people: a file's without its folder."""
        return self.model.rpartition("/")[2].removesuffix(".gguf") if self.model.endswith(".gguf") else self.model


async def look_at(line: Line, base_url: str, model: str | None) -> Server:
    """Asks the server. Raises Refused, Passing, ModelUnavailable, and ModelError where it is unclear which model is meant."""
    api, offers = await _models(line, base_url)
    names = tuple(offers)
    if model is None:
        if len(names) != 1:
            raise ModelError(_unclear(line, names))
        model = names[0]
    entry = offers.get(model) or (offers[names[0]] if len(names) == 1 else {})
    kind = _kind(api, entry, offers)
    root = api.removesuffix("/v1")
    server = Server(
        api=api,
        root=root,
        kind=kind,
        model=model,
        offers=names,
        context_tokens=_context_of(entry),
        thinking=_reasons(entry),
    )
    match kind:
        case Kind.LLAMA:
            return await _llama(line, server)
        case Kind.OLLAMA:
            return await _ollama(line, server)
        case Kind.LM_STUDIO:
            return await _lm_studio(line, server)
        case _:
            return server


Entry = Mapping[str, object]


async def _models(line: Line, base_url: str) -> tuple[str, dict[str, Entry]]:
    """The address of the API and the models it offers by name: none where it has no list of them."""
    versioned = base_url.endswith("/v1")
    candidates = (base_url,) if versioned else (f"{base_url}/v1", base_url)
    missing: Refused | None = None
    for api in candidates:
        try:
            answer = await line.ask(f"{api}/models")
        except Refused as refused:
            if refused.refusal.status not in (404, 405, 501):
                raise
            missing = missing or refused
            continue
        entries = answer.get("data", answer.get("models")) if isinstance(answer, dict) else answer
        found = entries if isinstance(entries, list) else []
        return api, {name: entry for entry in found if isinstance(entry, dict) and (name := _text(entry.get("id")))}
    logger.info("model_list_missing", extra={"server": line.place.origin})
    return candidates[0], {}


def _unclear(line: Line, names: Sequence[str]) -> str:
    if not names:
        return (
            f"The model server at {line.place.origin} lists no model: name one by `model` in the model's section of the "
            "config."
        )
    shown = ", ".join(names[:MODELS_NAMED])
    more = f" and {len(names) - MODELS_NAMED} more" if len(names) > MODELS_NAMED else ""
    return (
        f"The model server at {line.place.origin} has several models: set `model` in the model's section of the config to "
        f"one of {shown}{more}."
    )


def _kind(api: str, entry: Entry, offers: Mapping[str, Entry]) -> Kind:
    address = urlsplit(api)
    owner = _text(entry.get("owned_by")) or next((_text(known.get("owned_by")) for known in offers.values()), "")
    if (address.hostname or "").endswith("openrouter.ai"):
        return Kind.OPENROUTER
    by_owner = {"llamacpp": Kind.LLAMA, "vllm": Kind.VLLM, "sglang": Kind.SGLANG, "organization_owner": Kind.LM_STUDIO}
    if owner in by_owner:
        return by_owner[owner]
    return Kind.OLLAMA if owner == "library" or address.port == 11434 else Kind.OTHER


def _context_of(entry: Entry) -> int | None:
    """What an entry of the list says, by the names that vLLM, OpenRouter, Mistral, Groq and llama-server give it."""
    top, meta = entry.get("top_provider"), entry.get("meta")
    for table, key in (
        (entry, "max_model_len"),
        (top if isinstance(top, dict) else {}, "context_length"),
        (entry, "context_length"),
        (entry, "max_context_length"),
        (entry, "context_window"),
        (meta if isinstance(meta, dict) else {}, "n_ctx"),
    ):
        if (found := _count(table.get(key))) is not None:
            return found
    return None


def _reasons(entry: Entry) -> bool:
    parameters = entry.get("supported_parameters")
    return isinstance(parameters, list) and "reasoning" in parameters


async def _llama(line: Line, server: Server) -> Server:
    said = await _more(line, f"{server.root}/props")
    settings = _table(said.get("default_generation_settings"))
    template = _text(said.get("chat_template"))
    return msgspec.structs.replace(
        server,
        context_tokens=_count(settings.get("n_ctx")) or server.context_tokens,
        thinking="enable_thinking" in template or "</think>" in template or "reasoning_effort" in template,
    )


async def _ollama(line: Line, server: Server) -> Server:
    """The context that the model is loaded with, else the one that it would be: not the one that it was trained for."""
    shown = await _more(line, f"{server.root}/api/show", {"model": server.model})
    running = (await _more(line, f"{server.root}/api/ps")).get("models")
    loaded = next(
        (
            _count(each.get("context_length"))
            for each in (running if isinstance(running, list) else [])
            if isinstance(each, dict) and each.get("name") in (server.model, f"{server.model}:latest")
        ),
        None,
    )
    lines = (words.split() for words in _text(shown.get("parameters")).splitlines())
    chosen = next(
        (int(words[1]) for words in lines if len(words) == 2 and words[0] == "num_ctx" and words[1].isdigit()), None
    )
    trained = next(
        (_count(value) for key, value in _table(shown.get("model_info")).items() if key.endswith(".context_length")),
        None,
    )
    able = shown.get("capabilities")
    return msgspec.structs.replace(
        server,
        context_tokens=loaded or chosen or min(OLLAMA_CONTEXT_TOKENS, trained or OLLAMA_CONTEXT_TOKENS),
        thinking=isinstance(able, list) and "thinking" in able,
    )


async def _lm_studio(line: Line, server: Server) -> Server:
    said = await _more(line, f"{server.root}/api/v0/models/{quote(server.model)}")
    context = _count(said.get("loaded_context_length")) or _count(said.get("max_context_length"))
    return msgspec.structs.replace(server, context_tokens=context or server.context_tokens)


async def _more(line: Line, url: str, body: object | None = None) -> Entry:
    """What a server of this kind says besides; nothing where it does not, which it may be set up not to."""
    try:
        answer = await line.ask(url, body)
    except (Refused, Passing) as error:
        logger.info("model_server_silent", extra={"url": url, "reason": str(error)})
        return {}
    return _table(answer)


def _table(value: object) -> Entry:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
