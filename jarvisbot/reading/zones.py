"""Time zones as people name them: IANA names, abbreviations in English and German, offsets from UTC."""

from __future__ import annotations

import re
from functools import cache
from zoneinfo import available_timezones

import msgspec

__all__ = ["SeveralMeanings", "ZoneName", "zone_named"]


class ZoneName(msgspec.Struct, frozen=True, kw_only=True):
    """A zone as it was named: `label` for people, `zone` for `jarvisbot.reading.clocks`."""

    label: str
    zone: str


class SeveralMeanings(msgspec.Struct, frozen=True, kw_only=True):
    """An abbreviation that several zones share; `meanings` are (in words, its zone)."""

    label: str
    meanings: tuple[tuple[str, str], ...]


_ABBREVIATIONS = {
    "UTC": "UTC",
    "GMT": "UTC",
    "Z": "UTC",
    "ZULU": "UTC",
    "WELTZEIT": "UTC",
    "MEZ": "Europe/Berlin",
    "MESZ": "Europe/Berlin",
    "CET": "Europe/Berlin",
    "CEST": "Europe/Berlin",
    "WEZ": "Europe/Lisbon",
    "WET": "Europe/Lisbon",
    "WEST": "Europe/Lisbon",
    "OEZ": "Europe/Helsinki",
    "OESZ": "Europe/Helsinki",
    "EET": "Europe/Helsinki",
    "EEST": "Europe/Helsinki",
    "MSK": "Europe/Moscow",
    "TRT": "Europe/Istanbul",
    "JST": "Asia/Tokyo",
    "KST": "Asia/Seoul",
    "HKT": "Asia/Hong_Kong",
    "SGT": "Asia/Singapore",
    "PHT": "Asia/Manila",
    "WIB": "Asia/Jakarta",
    "PKT": "Asia/Karachi",
    "NPT": "Asia/Kathmandu",
    "AEST": "Australia/Sydney",
    "AEDT": "Australia/Sydney",
    "ACST": "Australia/Adelaide",
    "ACDT": "Australia/Adelaide",
    "AWST": "Australia/Perth",
    "NZST": "Pacific/Auckland",
    "NZDT": "Pacific/Auckland",
    "PST": "America/Los_Angeles",
    "PDT": "America/Los_Angeles",
    "MDT": "America/Denver",
    "EST": "America/New_York",
    "EDT": "America/New_York",
    "AKST": "America/Anchorage",
    "AKDT": "America/Anchorage",
    "HST": "Pacific/Honolulu",
    "NDT": "America/St_Johns",
    "BRT": "America/Sao_Paulo",
    "ART": "America/Argentina/Buenos_Aires",
    "SAST": "Africa/Johannesburg",
    "EAT": "Africa/Nairobi",
    "CAT": "Africa/Maputo",
    "WAT": "Africa/Lagos",
    "EASTERN TIME": "America/New_York",
    "CENTRAL TIME": "America/Chicago",
    "MOUNTAIN TIME": "America/Denver",
    "PACIFIC TIME": "America/Los_Angeles",
    "CENTRAL EUROPEAN TIME": "Europe/Berlin",
    "COORDINATED UNIVERSAL TIME": "UTC",
    "GREENWICH MEAN TIME": "UTC",
    "MITTELEUROPÄISCHE ZEIT": "Europe/Berlin",
    "MITTELEUROPÄISCHER ZEIT": "Europe/Berlin",
}
"""A summer or winter name means the zone as it is at the time: who says CET in July means the clock on the wall."""
_SHARED = {
    "CST": (
        ("Central Standard Time (Chicago)", "America/Chicago"),
        ("China Standard Time (Shanghai)", "Asia/Shanghai"),
        ("Cuba Standard Time (Havana)", "America/Havana"),
    ),
    "CDT": (("Central Daylight Time (Chicago)", "America/Chicago"), ("Cuba Daylight Time (Havana)", "America/Havana")),
    "IST": (
        ("India Standard Time (Delhi)", "Asia/Kolkata"),
        ("Israel Standard Time (Jerusalem)", "Asia/Jerusalem"),
        ("Irish Standard Time (Dublin)", "Europe/Dublin"),
    ),
    "BST": (
        ("British Summer Time (London)", "Europe/London"),
        ("Bangladesh Standard Time (Dhaka)", "Asia/Dhaka"),
        ("Bougainville Standard Time (Arawa)", "Pacific/Bougainville"),
    ),
    "MST": (
        ("Mountain Standard Time (Denver)", "America/Denver"),
        ("Malaysia Standard Time (Kuala Lumpur)", "Asia/Kuala_Lumpur"),
    ),
    "AST": (("Atlantic Standard Time (Halifax)", "America/Halifax"), ("Arabia Standard Time (Riyadh)", "Asia/Riyadh")),
    "ADT": (
        ("Atlantic Daylight Time (Halifax)", "America/Halifax"),
        ("Arabia Daylight Time (Baghdad)", "Asia/Baghdad"),
    ),
    "GST": (("Gulf Standard Time (Dubai)", "Asia/Dubai"), ("South Georgia Time", "Atlantic/South_Georgia")),
    "AMT": (("Amazon Time (Manaus)", "America/Manaus"), ("Armenia Time (Yerevan)", "Asia/Yerevan")),
    "SST": (("Samoa Standard Time (Pago Pago)", "Pacific/Pago_Pago"), ("Singapore Standard Time", "Asia/Singapore")),
    "ECT": (
        ("Ecuador Time (Quito)", "America/Guayaquil"),
        ("Eastern Caribbean Time (San Juan)", "America/Puerto_Rico"),
    ),
    "WST": (("West Samoa Time (Apia)", "Pacific/Apia"), ("Western Standard Time (Perth)", "Australia/Perth")),
    "NST": (
        ("Newfoundland Standard Time (St. John's)", "America/St_Johns"),
        ("Nepal Standard Time (Kathmandu)", "Asia/Kathmandu"),
    ),
}
_OFFSET = re.compile(r"(?:UTC|GMT)\s?([+\-−–])\s?(\d{1,2})(?::?([0-5]\d))?", re.IGNORECASE)
_AROUND = re.compile(
    r"^(?:the |die |der |in |nach |zu |to )+|\s+(?:time ?zone|timezone|time|zeitzone|zeit)$", re.IGNORECASE
)
MOST_HOURS = 14

ABBREVIATIONS = frozenset(key for key in (*_ABBREVIATIONS, *_SHARED) if key.isalpha() and len(key) > 2)
"""What may stand alone in a message as the name of a zone; "WEST" and "ART" are words as well."""


def zone_named(name: str) -> ZoneName | SeveralMeanings | None:
    """The zone of an IANA name, an abbreviation or an offset; what it may mean where several share it; None for no zone."""
    plain = " ".join(name.split()).strip(" .,;?!")
    for written in (plain, _AROUND.sub("", plain)):
        key = written.upper()
        if key in _SHARED:
            return SeveralMeanings(label=key, meanings=_SHARED[key])
        if key in _ABBREVIATIONS:
            return ZoneName(label=key if key.isalpha() else written, zone=_ABBREVIATIONS[key])
        if found := _OFFSET.fullmatch(written):
            return _fixed(found)
    if "/" in plain and (zone := _iana().get(plain.replace(" ", "_").lower())):
        return ZoneName(label=zone, zone=zone)
    return None


def _fixed(found: re.Match[str]) -> ZoneName | None:
    hours, minutes = int(found[2]), int(found[3] or 0)
    if hours > MOST_HOURS:
        return None
    sign = "+" if found[1] == "+" else "-"
    zone = f"UTC{sign}{hours}" + (f":{minutes:02}" if minutes else "")
    return ZoneName(label=zone, zone="UTC" if not hours and not minutes else zone)


@cache
def _iana() -> dict[str, str]:
    return {name.lower(): name for name in available_timezones() if "/" in name}
