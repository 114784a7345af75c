"""What every part of the parser stands on: looking at the next token, and taking it."""

from ydb_server.yql import lexer
from ydb_server.yql import yql_types as types
from ydb_server.error import refused, syntax_error

# Words that end an expression or a source where an alias might stand; never names unless quoted.
RESERVED = frozenset("""
    ALL AND AS ASC BETWEEN BY CASE CAST CROSS DECLARE DELETE DESC DISTINCT ELSE END EXISTS FROM FULL
    GROUP HAVING IN INNER INSERT INTO IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER PRAGMA
    REPLACE RETURNING RIGHT SELECT SET THEN UNION UPDATE UPSERT USING VALUES VIEW WHEN WHERE WITH
    XOR TRUE FALSE ONLY SEMI
    ANY ASSUME ASYMMETRIC BITCAST COLUMN CUBE CURRENT_DATE CURRENT_TIME CURRENT_TIMESTAMP
    EMPTY_ACTION ERASE EXCEPT HOP INTERSECT JSON_EXISTS JSON_QUERY JSON_VALUE PROCESS REDUCE RETURN
    ROLLUP STREAM SYMMETRIC UNBOUNDED WINDOW WITHOUT""".split())

# Words of types: names after AS and behind a dot, but no expression begins with them.
NO_COLUMNS = frozenset("""
    CALLABLE DICT ENUM FLOW LIST OPTIONAL RESOURCE STRUCT TAGGED TUPLE VARIANT""".split())


class TokenStream:
    def __init__(self, text):
        self._tokens = lexer.tokens_of(text)
        self._next = 0

    @property
    def token(self):
        return self._tokens[self._next]

    def ahead(self, distance=1):
        return self._tokens[min(self._next + distance, len(self._tokens) - 1)]

    @property
    def place(self):
        return self.token.place

    def take(self):
        token = self.token
        if token.kind != lexer.END:
            self._next += 1
        return token

    def at(self, *words):
        """Whether the next tokens are these words, one after the other."""
        return all(self.ahead(distance).is_word(word) for distance, word in enumerate(words))

    def accept(self, *words):
        if not self.at(*words):
            return False
        self._next += len(words)
        return True

    def expect(self, *words):
        for word in words:
            if not self.accept(word):
                raise self.unexpected(word)

    def accept_sign(self, sign):
        if not self.token.is_sign(sign):
            return False
        self._next += 1
        return True

    def expect_sign(self, sign):
        if not self.accept_sign(sign):
            raise self.unexpected(f"'{sign}'")

    def unexpected(self, wanted):
        return syntax_error(f"{wanted} was expected, not {self.token.quoted()}", self.place)

    def refuse(self, what):
        return refused(what, self.place)

    def name(self, what="a name"):
        token = self.token
        if token.kind == lexer.QUOTED:
            return self.take().value
        if token.kind == lexer.NAME and token.text.upper() not in RESERVED:
            return self.take().text
        raise self.unexpected(what)

    def names(self, what="a column"):
        """(a, b, …)"""
        self.expect_sign("(")
        return tuple(self.separated(lambda: self.name(what), ")"))

    def parameter_name(self):
        if self.token.kind != lexer.PARAMETER:
            raise self.unexpected("a name with $")
        return self.take().value

    def string(self, what="a string"):
        if self.token.kind != lexer.STRING:
            raise self.unexpected(what)
        return self.take().value[0]

    def integer(self, what="a number"):
        token = self.token
        if token.kind != lexer.NUMBER or not isinstance(token.value[0], int) or token.value[1]:
            raise self.unexpected(what)
        return self.take().value[0]

    def separated(self, one, end, comma_last=False):
        """What `one` parses, separated by commas, up to the sign `end`. Few lists of YQL may have
        one more comma at their end."""
        found = [one()]
        while self.accept_sign(","):
            if comma_last and self.token.is_sign(end):
                break
            found.append(one())
        self.expect_sign(end)
        return found

    def type(self):
        place = self.place
        kind = self._plain_type(self.name("a type"), place)
        while self.accept_sign("?"):
            kind = types.Optional(kind)
        return kind

    def _plain_type(self, name, place):
        if name in types.PRIMITIVES:
            return types.PRIMITIVES[name]
        if name in types.ALIASES:
            return types.ALIASES[name]
        try:
            if name == "Decimal":
                self.expect_sign("(")
                precision = self.integer("a precision")
                self.expect_sign(",")
                scale = self.integer("a scale")
                self.expect_sign(")")
                return types.decimal(precision, scale)
            if name in ("Optional", "List", "Tuple", "Struct"):
                return self._container(name)
        except ValueError as error:
            raise syntax_error(str(error), place) from None
        raise refused(f"the type '{name}'", place)

    def _container(self, name):
        self.expect_sign("<")
        if name == "Struct":
            return types.struct(self.separated(self._member, ">", comma_last=True))
        items = self.separated(self.type, ">", comma_last=name == "Tuple")
        if name == "Tuple":
            return types.Tuple(tuple(items))
        if len(items) != 1:
            raise self.unexpected(f"one type in {name}<>")
        return types.Optional(items[0]) if name == "Optional" else types.List(items[0])

    def _member(self):
        token = self.token
        name = self.take().value[0] if token.kind == lexer.STRING else self.name("a member")
        self.expect_sign(":")
        return name, self.type()
