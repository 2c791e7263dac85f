"""The configuration: TOML, environment and flags, validated; secrets kept apart.

Precedence: flag > environment (JARVISBOT_<SECTION>__<KEY>) > file > default. What nobody can mean is refused with a
`ConfigError` of one sentence that names place, key and the nearest valid name.
"""

from jarvisbot.config.actions import Action
from jarvisbot.config.configuration import Config, find, load
from jarvisbot.config.secrets import Secrets
from jarvisbot.config.settings import REMOVED, Access, Bot, Limits, Policy, Setting, Switches, describe
from jarvisbot.config.sources import ENVIRONMENT_ALLOWED

__all__ = [
    "ENVIRONMENT_ALLOWED",
    "REMOVED",
    "Access",
    "Action",
    "Bot",
    "Config",
    "Limits",
    "Policy",
    "Secrets",
    "Setting",
    "Switches",
    "describe",
    "find",
    "load",
]
