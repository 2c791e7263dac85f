"""Check of a Matrix message: tags, attributes, well-formedness and size.

https://spec.matrix.org/v1.15/client-server-api/#mroommessage-msgtypes and #size-limits.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

import html5lib

__all__ = ["check_message", "letters_of"]

_TAGS = {
    "del", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "p", "a", "ul", "ol", "sup", "sub", "li", "b", "i", "u", "strong",
    "em", "s", "code", "hr", "br", "div", "table", "thead", "tbody", "tr", "th", "td", "caption", "pre", "span", "img",
    "details", "summary",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "target"}, "ol": {"start"}, "code": {"class"}, "span": set(), "img": set()}
_SCHEMES = ("https://", "http://", "ftp://", "mailto:", "magnet:")
_BLOCKS = {"h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "p", "ul", "ol", "hr", "div", "table", "pre", "details"}
_MOST_DEPTH = 100
_EVENT = 65_536
_ENVELOPE = 2_000
"""Sender, room, hashes, signatures and the relation of an edit."""


def check_message(body: str, formatted: str) -> None:
    """Raises AssertionError where a homeserver would refuse the event, encrypted and as an edit too, or a client its HTML."""
    assert body.strip(), "an empty body"
    parser = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False)
    root = parser.parseFragment(formatted)
    assert not (root.text or "").strip(), "text outside of a block"
    for element, depth, inside in _walk(root, 0, ()):
        assert element.tag in _TAGS, element.tag
        assert set(element.attrib) <= _ATTRIBUTES.get(element.tag, set()), (element.tag, element.attrib)
        assert depth <= _MOST_DEPTH
        assert element.tag != "a" or ("a" not in inside and element.attrib["href"].lower().startswith(_SCHEMES))
        assert "class" not in element.attrib or re.fullmatch(r"language-[\w+#.-]+", element.attrib["class"])
        assert element.tag not in _BLOCKS or not {"p", "a", "strong", "em", "del", "code"} & set(inside)
        assert element.tag != "li" or inside[-1] in ("ul", "ol")
    content = {"body": body, "formatted_body": formatted, "format": "org.matrix.custom.html", "msgtype": "m.text"}
    edit = {**content, "m.new_content": content, "m.mentions": {}}
    encrypted = len(json.dumps(edit, ensure_ascii=False).encode()) * 4 / 3
    assert encrypted + _ENVELOPE <= _EVENT, "M_TOO_LARGE"


def letters_of(formatted: str) -> str:
    """The letters and digits that people see of HTML, the numbers of list items included."""
    root = html5lib.parseFragment(formatted, namespaceHTMLElements=False)
    return "".join(mark for mark in "".join(_seen(root)) if mark.isalnum())


def _seen(element: Element) -> Iterator[str]:
    yield element.text or ""
    for position, child in enumerate(element):
        if element.tag == "ol":
            yield str(int(element.attrib.get("start", "1")) + position)
        yield from _seen(child)
        yield child.tail or ""


def _walk(element: Element, depth: int, inside: tuple[str, ...]) -> Iterator[tuple[Element, int, tuple[str, ...]]]:
    for child in element:
        yield child, depth + 1, inside
        yield from _walk(child, depth + 1, (*inside, child.tag))
