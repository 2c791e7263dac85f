"""The grammar of expressions, by recursive descent.

expression := term (("+" | "-") term)*
term       := signed (("*" | "/" | "%") signed | implicit)*
signed     := ("+" | "-")* power
power      := percent ("^" signed)?                  so -3^2 is -9 and 2^3^2 is 512
percent    := primary "%"* | primary "%" "of" signed    "%" is the remainder before a number, a name or a bracket
primary    := number | constant | "(" expression ")" | function "(" expression ("," expression)* ")"
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from jarvisbot.reading.arithmetic.faults import SumError, SumErrorKind
from jarvisbot.reading.arithmetic.functions import FUNCTIONS
from jarvisbot.reading.arithmetic.nodes import Binary, Call, Constant, Group, Node, Number, Percent, PercentOf, Signed
from jarvisbot.reading.arithmetic.tokens import Kind, Manner, Token

__all__ = ["DEPTH_LIMIT", "closed_brackets", "parse", "parse_from"]

DEPTH_LIMIT = 50

_REMAINDER_BEFORE = frozenset({Kind.NUMBER, Kind.CONSTANT, Kind.FUNCTION, Kind.NAME, Kind.OPEN, Kind.ROOT})
_IMPLICIT_BEFORE = frozenset({Kind.CONSTANT, Kind.FUNCTION, Kind.OPEN, Kind.ROOT})


@dataclass(slots=True)
class _Parser:
    """One reading of a list of tokens; `at` is the next one. In a message what cannot be read ends the expression."""

    source: str
    tokens: list[Token]
    manner: Manner
    at: int = 0
    depth: int = 0
    closed: frozenset[int] | None = None
    """In prose: the opening brackets that are closed somewhere."""

    @property
    def prose(self) -> bool:
        return self.manner is Manner.MESSAGE

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def is_operator(self, *operators: str) -> bool:
        return self.next.kind is Kind.OPERATOR and self.next.text in operators

    def fail(self, kind: SumErrorKind, detail: str | None = None) -> SumError:
        return SumError(kind, detail, lenient=self.manner is not Manner.STRICT)

    def unexpected(self) -> SumError:
        if self.next.kind is Kind.NAME:
            return self.fail(SumErrorKind.UNKNOWN_NAME, self.next.text)
        return self.fail(SumErrorKind.UNEXPECTED_CHARACTER, str(self.next.start))

    def closes(self, bracket: int) -> bool:
        """Whether it is worth reading on behind a bracket; outside prose the fault is named where it is found."""
        return self.closed is None or bracket in self.closed

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > DEPTH_LIMIT:
            raise self.fail(SumErrorKind.TOO_DEEP)

    def expression(self) -> Node:
        left = self.term()
        while self.is_operator("+", "-"):
            grown = self.joined(left, self.term)
            if grown is None:
                break
            left = grown
        return left

    def term(self) -> Node:
        left = self.signed()
        while True:
            if self.is_operator("*", "/", "%"):
                grown = self.joined(left, self.signed)
            elif self.manner is not Manner.STRICT and self.next.kind in _IMPLICIT_BEFORE and self.may_follow():
                grown = self.multiplied(left)
            else:
                return left
            if grown is None:
                return left
            left = grown

    def may_follow(self) -> bool:
        """Whether a multiplication sign may be left out here: in prose only where nothing separates the two."""
        return not self.prose or (
            self.next.kind is not Kind.FUNCTION and self.tokens[self.at - 1].end == self.next.start
        )

    def joined(self, left: Node, operand: Callable[[], Node]) -> Binary | None:
        """The operator with its right side, or None where prose goes on in another way."""
        before, depth, operator = self.at, self.depth, self.take()
        try:
            right = operand()
        except SumError:
            if not self.prose:
                raise
            self.at, self.depth = before, depth
            return None
        gap_before = self.tokens[before - 1].end < operator.start
        gap_after = operator.end < self.tokens[before + 1].start
        written = (" " if gap_before or operator.spelled else "") + operator.text
        written += " " if gap_after or operator.spelled else ""
        return Binary(
            operator=operator.text,
            left=left,
            right=right,
            text=left.text + written + right.text,
            tight=not gap_before and not gap_after,
            symbol=self.source[operator.start : operator.end],
        )

    def multiplied(self, left: Node) -> Binary | None:
        before, depth = self.at, self.depth
        try:
            right = self.power()
        except SumError:
            if not self.prose:
                raise
            self.at, self.depth = before, depth
            return None
        return Binary(
            operator="*", left=left, right=right, text=f"{left.text} * {right.text}", implicit=True, symbol="*"
        )

    def signed(self) -> Node:
        signs: list[Token] = []
        while self.is_operator("+", "-"):
            signs.append(self.take())
            if len(signs) > DEPTH_LIMIT:
                raise self.fail(SumErrorKind.TOO_DEEP)
        node = self.power()
        for sign in reversed(signs):
            node = Signed(negative=sign.text == "-", operand=node, text=sign.text + node.text)
        return node

    def power(self) -> Node:
        base = self.percent()
        if not self.is_operator("^"):
            return base
        self.deeper()
        raised = self.joined(base, self.signed)
        self.depth -= 1
        return raised or base

    def percent(self) -> Node:
        node = self.primary()
        while self.next.kind is Kind.PERCENT or self.is_operator("%"):
            following = self.tokens[self.at + 1]
            if (
                self.next.kind is Kind.OPERATOR
                and following.kind in _REMAINDER_BEFORE
                and not self.is_prose_name(following)
            ):
                return node
            before = self.at
            self.take()
            if following.kind in (Kind.OF, Kind.OFF) and self.manner is not Manner.STRICT:
                part = self.part_of(node, off=following.kind is Kind.OFF)
                if part is not None:
                    return part
                self.at = before + 1
            node = Percent(operand=node, text=node.text + "%")
        return node

    def is_prose_name(self, token: Token) -> bool:
        return self.prose and token.kind is Kind.NAME

    def part_of(self, rate: Node, *, off: bool) -> Node | None:
        word = self.take()
        if off and not self.prose:
            raise self.fail(SumErrorKind.UNKNOWN_NAME, word.text)
        depth = self.depth
        self.deeper()
        try:
            whole = self.signed()
        except SumError:
            if not self.prose:
                raise
            return None
        finally:
            self.depth = depth
        text = f"({whole.text} * (100 - {rate.text}) / 100)" if off else f"({whole.text} * {rate.text} / 100)"
        return PercentOf(rate=rate, whole=whole, off=off, text=text)

    def primary(self) -> Node:
        token = self.next
        match token.kind:
            case Kind.NUMBER:
                self.take()
                assert token.value is not None  # noqa: S101  a number has a value
                return Number(value=token.value, text=token.text, ambiguous=token.ambiguous)
            case Kind.CONSTANT:
                self.take()
                return Constant(name=token.text.lower(), text=token.text)
            case Kind.OPEN if self.closes(self.at):
                self.take()
                inner = self.bracketed()
                return Group(inner=inner[0], text=f"({inner[0].text})")
            case Kind.FUNCTION:
                return self.call()
            case Kind.ROOT:
                self.take()
                return self.root(token.text)
            case _:
                raise self.unexpected()

    def root(self, name: str) -> Node:
        self.deeper()
        operand = self.primary()
        self.depth -= 1
        text = operand.text if isinstance(operand, Group) else f"({operand.text})"
        return Call(name=name, arguments=(operand,), text=name + text)

    def call(self) -> Node:
        name = self.take()
        if self.next.kind is not Kind.OPEN or (self.prose and self.next.start > name.end) or not self.closes(self.at):
            raise self.fail(SumErrorKind.FUNCTION_WITHOUT_BRACKET, name.text)
        self.take()
        lower = name.text.lower()
        _, fewest, most = FUNCTIONS[lower]
        arguments = self.bracketed(most)
        if self.prose and fewest < most and len(arguments) == 1 and lower != "round":
            raise self.unexpected()
        return Call(name=lower, arguments=arguments, text=f"{name.text}({', '.join(each.text for each in arguments)})")

    def bracketed(self, most: int = 1) -> tuple[Node, ...]:
        """What stands before the closing bracket: `most` expressions at most."""
        self.deeper()
        found = [self.expression()]
        while self.next.kind is Kind.COMMA and len(found) < most:
            self.take()
            found.append(self.expression())
        if self.next.kind is not Kind.CLOSE:
            if self.prose or any(token.kind is Kind.CLOSE for token in self.tokens[self.at :]):
                raise self.unexpected()
            raise self.fail(SumErrorKind.UNCLOSED_BRACKET)
        self.take()
        self.depth -= 1
        return tuple(found)


def parse(source: str, tokens: Iterable[Token], manner: Manner) -> Node:
    """The whole text as one expression. Raises SumError for every fault of its form."""
    parser = _Parser(source=source, tokens=list(tokens), manner=manner)
    if len(parser.tokens) == 1:
        raise parser.fail(SumErrorKind.EMPTY_EXPRESSION)
    node = parser.expression()
    left = parser.next
    if left.kind is Kind.END:
        return node
    if left.kind is Kind.OTHER or (left.kind is Kind.NAME and manner is not Manner.STRICT):
        raise parser.unexpected()
    raise parser.fail(SumErrorKind.LEFTOVER_INPUT, source[left.start :].strip())


def closed_brackets(tokens: list[Token]) -> frozenset[int]:
    """The indices of the opening brackets that have a closing one and are not nested too deep to be read."""
    opened: list[int] = []
    heights = [0]  # of what each open bracket holds so far
    closed: set[int] = set()
    for index, token in enumerate(tokens):
        if token.kind is Kind.OPEN:
            opened.append(index)
            heights.append(0)
        elif token.kind is Kind.CLOSE and opened:
            height = heights.pop() + 1
            heights[-1] = max(heights[-1], height)
            if height <= DEPTH_LIMIT:
                closed.add(opened[-1])
            opened.pop()
    return frozenset(closed)


def parse_from(source: str, tokens: list[Token], start: int, closed: frozenset[int]) -> tuple[Node, int] | None:
    """The longest expression in prose that begins with token `start`, and the token after it; None if there is none.

    `closed` comes from `closed_brackets`, once for all starts.
    """
    parser = _Parser(source=source, tokens=tokens, manner=Manner.MESSAGE, at=start, closed=closed)
    try:
        return parser.expression(), parser.at
    except SumError:
        return None
