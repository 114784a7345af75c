"""Expressions, in the precedence of YQL's grammar, from OR down to `a.b`."""

from ydb_server.yql import lexer
from ydb_server.yql import syntax_tree as tree
from ydb_server.error import syntax_error
from ydb_server.yql.token_stream import NO_COLUMNS, RESERVED, TokenStream


class ExpressionParser(TokenStream):
    def expression(self):
        return self._chain(self._and, ("OR",), ())

    def _and(self):
        return self._chain(self._xor, ("AND",), ())

    def _xor(self):
        return self._chain(self._condition, ("XOR",), ())

    def _chain(self, operand, words, signs):
        left = operand()
        while self.token.is_word(*words) or self.token.is_sign(*signs):
            token = self.take()
            left = tree.Binary(token.text.upper(), left, operand(), token.place)
        return left

    def _condition(self):
        """At most one IS NULL, IN, BETWEEN or LIKE, or equalities: `a IS NULL = b` is none."""
        left = self._order()
        place = self.place
        if self.accept("IS"):
            negated = self.accept("NOT")
            self.expect("NULL")
            return tree.IsNull(left, negated, place)
        if self.token.is_word("IN", "BETWEEN", "LIKE") or self.at("NOT", "IN") or \
                self.at("NOT", "BETWEEN") or self.at("NOT", "LIKE"):
            return self._range_condition(left, self.accept("NOT"), place)
        while self.token.is_sign("=", "==", "!=", "<>"):
            place = self.place
            sign = {"==": "=", "!=": "<>"}.get(self.token.text, self.token.text)
            self.take()
            left = tree.Binary(sign, left, self._order(), place)
        return left

    def _range_condition(self, left, negated, place):
        if self.accept("IN"):
            if self.accept("COMPACT"):
                raise self.refuse("IN COMPACT")
            among = self.select_in_brackets() if self.at_select_in_brackets() else self._operand()
            return tree.In(left, among, negated, place)
        if self.accept("LIKE"):
            return tree.Like(left, self._order(), negated, place)
        self.expect("BETWEEN")
        low = self._order()
        self.expect("AND")
        return tree.Between(left, low, self._order(), negated, place)

    def _order(self):
        return self._chain(self._default, (), ("<", "<=", ">", ">="))

    def _default(self):
        left = self._sum()
        place = self.place
        if self.accept_sign("??"):
            return tree.Binary("??", left, self._default(), place)
        if self.token.is_sign("|", "&", "^"):
            raise self.refuse(f"'{self.token.text}'")
        return left

    def _sum(self):
        return self._chain(self._product, (), ("+", "-"))

    def _product(self):
        return self._chain(self._concatenation, (), ("*", "/", "%"))

    def _concatenation(self):
        return self._chain(self._unary, (), ("||",))

    def _unary(self):
        """One sign at most, and NOT is one, as tight: `NOT a = b` is `(NOT a) = b`."""
        place = self.place
        if self.accept("NOT"):
            return tree.Unary("NOT", self._operand(), place)
        if self.token.is_sign("-", "+"):
            return tree.Unary(self.take().text, self._operand(), place)
        if self.token.is_sign("~"):
            raise self.refuse("'~'")
        return self._operand()

    def _operand(self):
        expression = self._primary()
        while self.token.is_sign(".", "["):
            raise self.refuse("access to a member or an item")
        return expression

    def _primary(self):
        token = self.token
        if token.kind == lexer.NUMBER:
            value, suffix = self.take().value
            kind = "integer" if isinstance(value, int) else "float"
            return tree.Literal(value, kind, suffix, token.place)
        if token.kind == lexer.STRING:
            value, suffix = self.take().value
            return tree.Literal(value, "string", suffix, token.place)
        if token.kind == lexer.PARAMETER:
            if self.ahead().is_sign("("):
                raise self.refuse("a lambda")
            return tree.Parameter(self.take().value, token.place)
        if token.is_sign("("):
            return self._in_brackets()
        if token.is_sign("*"):
            self.take()
            return tree.Star(None, token.place)
        if token.kind in (lexer.NAME, lexer.QUOTED):
            return self._word(token)
        raise self.unexpected("an expression")

    def _in_brackets(self):
        place = self.place
        if self.at_select_in_brackets():
            raise syntax_error("a select inside of an expression: give it a name, $x = (SELECT …), "
                               "and use that (before the language version 2025.04 this is no YQL)",
                               place)
        self.expect_sign("(")
        items = [self.expression()]
        is_tuple = False
        while self.accept_sign(","):
            is_tuple = True
            if not self.token.is_sign(")"):
                items.append(self.expression())
        self.expect_sign(")")
        return tree.TupleOf(tuple(items), place) if is_tuple else items[0]

    def _word(self, token):
        place = token.place
        if self.accept("NULL"):
            return tree.Literal(None, "null", "", place)
        if self.token.is_word("TRUE", "FALSE"):
            return tree.Literal(self.take().text.upper() == "TRUE", "bool", "", place)
        if self.accept("CASE"):
            return self._case(place)
        if self.accept("CAST"):
            return self._cast(place)
        if self.accept("EXISTS"):
            return tree.Exists(self.select_in_brackets(), place)
        if token.kind == lexer.NAME and token.text.upper() in NO_COLUMNS:
            raise self.unexpected("an expression")
        name = self.name("an expression")
        if token.kind == lexer.NAME and self.token.is_sign("::"):
            self.take()
            name += "::" + self.name("a function")
        if token.kind == lexer.NAME and self.accept_sign("("):
            return self._call(name, place)
        if self.accept_sign("."):
            if self.accept_sign("*"):
                return tree.Star(name, place)
            return tree.Column(name, self.name("a column"), place)
        return tree.Column(None, name, place)

    def _case(self, place):
        operand = None if self.at("WHEN") else self.expression()
        branches = []
        while self.accept("WHEN"):
            condition = self.expression()
            self.expect("THEN")
            branches.append((condition, self.expression()))
        if not branches:
            raise self.unexpected("WHEN")
        if self.at("END"):
            raise syntax_error("ELSE is required", self.place)
        self.expect("ELSE")
        otherwise = self.expression()
        self.expect("END")
        return tree.Case(operand, tuple(branches), otherwise, place)

    def _cast(self, place):
        self.expect_sign("(")
        operand = self.expression()
        self.expect("AS")
        kind = self.type()
        self.expect_sign(")")
        return tree.Cast(operand, kind, place)

    def _call(self, name, place):
        distinct = self.accept("DISTINCT")
        if self.accept_sign(")"):
            return tree.Call(name, (), distinct, place)
        arguments = self.separated(self._argument, ")", comma_last=True)
        if self.at("OVER"):
            raise self.refuse("a window function")
        return tree.Call(name, tuple(arguments), distinct, place)

    def _argument(self):
        expression = self.expression()
        return expression, self.name() if self.accept("AS") else None

    def alias(self):
        """AS name, or None; YQL's other way, without AS, is not in the subset."""
        if self.accept("AS"):
            return self.name("an alias")
        token = self.token
        if token.kind == lexer.QUOTED or \
                (token.kind == lexer.NAME and token.text.upper() not in RESERVED):
            raise self.refuse(f"an alias without AS ('{token.text}')")
        return None

    def at_select_in_brackets(self):
        return self.token.is_sign("(") and self.ahead().is_word("SELECT")

    def select_in_brackets(self):
        self.expect_sign("(")
        select = self.select()
        self.expect_sign(")")
        return select

    def select(self):
        raise NotImplementedError
