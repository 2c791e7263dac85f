"""Methods of the emulated Bot API, each with the server's rules and its own sentences of refusal.

Source: https://core.telegram.org/bots/api; error sentences as the server (tdlib/telegram-bot-api) writes them.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable
from typing import Any, TypeAlias

from telegram.constants import ChatAction, ReactionEmoji
from tests.emulators.telegram.chats import Chats, File, Message
from tests.emulators.telegram.entities import accepted_text, units
from tests.emulators.telegram.errors import ApiError, bad_request
from tests.emulators.telegram.parameters import Parameters

__all__ = ["Methods"]

Answer: TypeAlias = Any
_NOT_MODIFIED = (
    "message is not modified: specified new message content and reply markup are exactly the same as a current "
    "content and reply markup of the message"
)


class Methods:
    """The methods that answer at once; `getUpdates` waits and is the server's. `table` has them by their API name."""

    def __init__(self, chats: Chats) -> None:
        self._chats = chats
        self.webhook_secret = ""
        self.menus: dict[str, list[dict[str, Any]]] = {}
        self.reads_all = False
        self.callbacks: dict[str, str | None] = {}
        self.actions: list[tuple[int, str]] = []
        self.table: dict[str, Callable[[Parameters], Answer]] = {
            "getMe": self._get_me,
            "setWebhook": self._set_webhook,
            "deleteWebhook": self._delete_webhook,
            "getWebhookInfo": self._get_webhook_info,
            "sendMessage": self._send_message,
            "editMessageText": self._edit_message_text,
            "deleteMessage": self._delete_message,
            "sendChatAction": self._send_chat_action,
            "setMessageReaction": self._set_message_reaction,
            "getChat": self._get_chat,
            "setMyCommands": self._set_my_commands,
            "getMyCommands": self._get_my_commands,
            "answerCallbackQuery": self._answer_callback_query,
            "getFile": self._get_file,
            "sendDocument": self._send_document,
            "sendPhoto": self._send_photo,
        }

    def new_callback(self) -> str:
        """The id of a fresh callback query."""
        identity = str(secrets.randbits(60))
        self.callbacks[identity] = None
        return identity

    # ---------------------------------------------------------------- the bot itself

    def _get_me(self, _: Parameters) -> Answer:
        return self._chats.bot.json() | {
            "can_join_groups": True,
            "can_read_all_group_messages": self.reads_all,
            "supports_inline_queries": False,
            "can_connect_to_business": False,
            "has_main_web_app": False,
        }

    @property
    def webhook(self) -> str:
        return self._chats.webhook

    @webhook.setter
    def webhook(self, url: str) -> None:
        self._chats.webhook = url

    @property
    def commands(self) -> list[dict[str, Any]]:
        """The menu of everyone whose language has none of its own."""
        return self.menus.get("", [])

    def _set_webhook(self, parameters: Parameters) -> Answer:
        url, secret = parameters.text("url"), parameters.text("secret_token")
        if url and not url.startswith("https://"):
            raise bad_request("bad webhook: An HTTPS URL must be provided for webhook")
        if secret and not re.fullmatch(r"[A-Za-z0-9_-]{1,256}", secret):
            raise bad_request("secret token contains illegal characters")
        if parameters.has("allowed_updates"):
            self._chats.allowed_updates = parameters.strings("allowed_updates")
        self.webhook, self.webhook_secret = url, secret
        return True

    def _delete_webhook(self, parameters: Parameters) -> Answer:
        self.webhook = ""
        if parameters.flag("drop_pending_updates"):
            self._chats.confirm(self._chats.next_update_id)
        return True

    def _get_webhook_info(self, _: Parameters) -> Answer:
        pending = len(self._chats.pending())
        return {"url": self.webhook, "has_custom_certificate": False, "pending_update_count": pending}

    def _set_my_commands(self, parameters: Parameters) -> Answer:
        commands = parameters.objects("commands")
        if len(commands) > 100:
            raise bad_request("BOT_COMMANDS_TOO_MUCH")
        for command in commands:
            if not re.fullmatch(r"[a-z0-9_]{1,32}", str(command.get("command", ""))):
                raise bad_request("BOT_COMMAND_INVALID")
            if not 1 <= len(str(command.get("description", ""))) <= 256:
                raise bad_request("BOT_COMMAND_DESCRIPTION_INVALID")
        self.menus[self._language(parameters)] = commands
        return True

    def _get_my_commands(self, parameters: Parameters) -> Answer:
        return self.menus.get(self._language(parameters), [])

    @staticmethod
    def _language(parameters: Parameters) -> str:
        code = parameters.text("language_code")
        if code and not re.fullmatch(r"[a-z]{2}", code):
            raise bad_request("LANG_CODE_INVALID")
        return code

    # ---------------------------------------------------------------- messages

    def _send_message(self, parameters: Parameters) -> Answer:
        text, entities = self._text(parameters, too_long="message is too long")
        message = self._posted(parameters, text)
        message.entities = entities
        return message.json()

    def _send_document(self, parameters: Parameters) -> Answer:
        file = self._upload(parameters, "document", most=50_000_000)
        message = self._posted(parameters, None)
        message.fields["document"] = {
            "file_id": file.identity,
            "file_unique_id": file.identity,
            "file_name": file.name,
            "file_size": len(file.data),
        }
        return message.json()

    def _send_photo(self, parameters: Parameters) -> Answer:
        file = self._upload(parameters, "photo", most=10_000_000)
        if not file.data.startswith((b"\x89PNG", b"\xff\xd8")):
            raise bad_request("IMAGE_PROCESS_FAILED")
        message = self._posted(parameters, None)
        message.fields["photo"] = [
            {"file_id": file.identity, "file_unique_id": file.identity, "width": 90, "height": 90}
        ]
        return message.json()

    def _upload(self, parameters: Parameters, name: str, *, most: int) -> File:
        upload = parameters.file(name)
        if upload is None:
            raise bad_request(f"there is no {name} in the request")
        file_name, data = upload
        if not data:
            raise bad_request("file must be non-empty")
        if len(data) > most:
            raise ApiError(413, "Request Entity Too Large")
        file = File(identity=f"up{len(self._chats.files)}", data=data, name=file_name, told=len(data))
        self._chats.files[file.identity] = file
        return file

    def _get_file(self, parameters: Parameters) -> Answer:
        file = self._chats.files.get(parameters.text("file_id"))
        if file is None:
            raise bad_request("invalid file_id")
        if len(file.data) > 20 * 1024 * 1024:
            raise bad_request("file is too big")
        return {
            "file_id": file.identity,
            "file_unique_id": file.identity,
            "file_size": len(file.data),
            "file_path": file.path,
        }

    def _posted(self, parameters: Parameters, text: str | None) -> Message:
        chat_id = self._chat_id(parameters)
        thread = parameters.integer("message_thread_id", 0)
        if thread and (chat_id, thread) not in self._chats.threads:
            raise bad_request("message thread not found")
        reply = self._reply(parameters, chat_id)
        markup = self._markup(parameters)
        message = self._chats.add(chat_id, self._chats.bot, text)
        if reply is not None:
            message.fields["reply_to_message"] = {k: v for k, v in reply.json().items() if k != "reply_to_message"}
        if thread:
            message.fields |= {"message_thread_id": thread, "is_topic_message": True}
        if markup is not None:
            message.fields["reply_markup"] = markup
        if parameters.object("link_preview_options").get("is_disabled"):
            message.fields["link_preview_options"] = {"is_disabled": True}
        return message

    def _edit_message_text(self, parameters: Parameters) -> Answer:
        text, entities = self._text(parameters, too_long="MESSAGE_TOO_LONG")
        message = self._message(parameters, "edit")
        if message.sender.id != self._chats.bot.id:
            raise bad_request("message can't be edited")
        if message.text is None:
            raise bad_request("there is no text in the message to edit")
        markup = self._markup(parameters)
        if (message.text, message.entities, message.fields.get("reply_markup")) == (text, entities, markup):
            raise bad_request(_NOT_MODIFIED)
        message.texts.append(text)
        message.entities = entities
        message.edited = int(self._chats.clock())
        message.fields.pop("reply_markup", None)
        if markup is not None:
            message.fields["reply_markup"] = markup
        return message.json()

    def _delete_message(self, parameters: Parameters) -> Answer:
        message = self._message(parameters, "delete")
        if message.sender.id != self._chats.bot.id and message.chat["type"] != "private":
            raise bad_request("message can't be deleted")
        message.deleted = True
        return True

    def _send_chat_action(self, parameters: Parameters) -> Answer:
        chat_id = self._chat_id(parameters)
        action = parameters.text("action")
        if action not in set(ChatAction):
            raise bad_request("wrong parameter action in request")
        self.actions.append((chat_id, action))
        return True

    def _set_message_reaction(self, parameters: Parameters) -> Answer:
        message = self._message(parameters, "react")
        reactions = parameters.objects("reaction")
        if len(reactions) > 1:
            raise bad_request("REACTIONS_TOO_MANY")
        for reaction in reactions:
            if reaction.get("type") != "emoji" or reaction.get("emoji") not in set(ReactionEmoji):
                raise bad_request("REACTION_INVALID")
        message.reactions = [reaction["emoji"] for reaction in reactions]
        return True

    def _get_chat(self, parameters: Parameters) -> Answer:
        gifts = ("unlimited_gifts", "limited_gifts", "unique_gifts", "premium_subscription", "gifts_from_channels")
        return self._chats.chats[self._chat_id(parameters)] | {
            "accent_color_id": 0,
            "max_reaction_count": 11,
            "accepted_gift_types": dict.fromkeys(gifts, False),
        }

    def _answer_callback_query(self, parameters: Parameters) -> Answer:
        identity, text = parameters.text("callback_query_id"), parameters.text("text")
        if identity not in self.callbacks:
            raise bad_request("query is too old and response timeout expired or query ID is invalid")
        if units(text) > 200:
            raise bad_request("MESSAGE_TOO_LONG")
        self.callbacks[identity] = text
        return True

    # ---------------------------------------------------------------- common parameters

    def _text(self, parameters: Parameters, *, too_long: str) -> tuple[str, list[dict[str, Any]]]:
        if parameters.has("parse_mode"):
            raise bad_request("parse_mode is refused here: formatting travels as entities")
        return accepted_text(parameters.text("text"), parameters.objects("entities"), too_long=bad_request(too_long))

    def _chat_id(self, parameters: Parameters) -> int:
        chat_id = parameters.integer("chat_id")
        chat = self._chats.chats.get(chat_id)
        if chat is None:
            raise bad_request("chat not found")
        if (new := self._chats.migrated.get(chat_id)) is not None:
            raise ApiError(400, "Bad Request: group chat was upgraded to a supergroup chat", migrate_to_chat_id=new)
        if chat_id in self._chats.blocked:
            private = chat["type"] == "private"
            cause = "blocked by the user" if private else f"kicked from the {chat['type']} chat"
            raise ApiError(403, f"Forbidden: bot was {cause}")
        return chat_id

    def _message(self, parameters: Parameters, purpose: str) -> Message:
        chat_id = self._chat_id(parameters)
        message = self._chats.find(chat_id, parameters.integer("message_id"))
        if message is None:
            raise bad_request(f"message to {purpose} not found")
        return message

    def _reply(self, parameters: Parameters, chat_id: int) -> Message | None:
        wanted = parameters.object("reply_parameters")
        if not wanted:
            return None
        message = self._chats.find(int(wanted.get("chat_id", chat_id)), int(wanted["message_id"]))
        if message is None and not wanted.get("allow_sending_without_reply"):
            raise bad_request("message to be replied not found")
        return message

    def _markup(self, parameters: Parameters) -> dict[str, Any] | None:
        markup = parameters.object("reply_markup")
        for button in (button for row in markup.get("inline_keyboard", []) for button in row):
            if not button.get("text"):
                raise bad_request("can't parse inline keyboard button: text is empty")
            if len(button.get("callback_data", "").encode()) > 64:
                raise bad_request("BUTTON_DATA_INVALID")
            if not {"callback_data", "url"} & button.keys():
                raise bad_request(
                    "can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard"
                )
        return markup or None
