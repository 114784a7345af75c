"""SELECT, with everything that may follow it."""

from ydb_server.yql import syntax_tree as tree
from ydb_server.yql.expression_parser import ExpressionParser
from ydb_server.error import refused, syntax_error

_JOINS = (("INNER", "JOIN"), ("LEFT", "SEMI", "JOIN"), ("LEFT", "ONLY", "JOIN"),
          ("LEFT", "OUTER", "JOIN"), ("LEFT", "JOIN"), ("RIGHT", "OUTER", "JOIN"),
          ("RIGHT", "JOIN"), ("FULL", "OUTER", "JOIN"), ("FULL", "JOIN"), ("CROSS", "JOIN"),
          ("JOIN",))


class SelectParser(ExpressionParser):
    def select(self):
        first = self._one_select()
        unions = []
        while self.at("UNION"):
            if not self.at("UNION", "ALL"):
                raise self.refuse("UNION without ALL")
            self.expect("UNION", "ALL")
            unions.append(self._one_select())
        if not unions:
            return first
        for one in (first, *unions[:-1]):
            if one.order_by or one.limit:
                raise syntax_error("ORDER BY and LIMIT stand behind the last select of a UNION ALL",
                                   one.place)
        last = unions[-1]
        if last.order_by or last.limit:
            raise refused("ORDER BY or LIMIT of a UNION ALL", last.place)
        return tree.Select(**{**vars(first), "unions": tuple(unions)})

    def _one_select(self):
        place = self.place
        self.expect("SELECT")
        distinct = self.accept("DISTINCT")
        items = [self._item()]
        while self.accept_sign(","):
            if self.at("FROM"):
                break
            items.append(self._item())
        source, joins = self._from()
        where = self.expression() if self.accept("WHERE") else None
        group_by = self._group_by()
        having = self.expression() if self.accept("HAVING") else None
        order_by = self._order_by()
        limit = self.expression() if self.accept("LIMIT") else None
        offset = self.expression() if limit and self.accept("OFFSET") else None
        if (where or group_by or order_by) and not source:
            raise syntax_error("a SELECT without FROM has rows to speak of", place)
        return tree.Select(tuple(items), distinct, source, joins, where, group_by, having, order_by,
                           limit, offset, (), place)

    def _item(self):
        expression = self.expression()
        return tree.SelectItem(expression, self.alias())

    def _group_keys(self):
        keys = [self._group_key()]
        while self.accept_sign(","):
            keys.append(self._group_key())
        return tuple(keys)

    def _group_key(self):
        key = self._item()
        if not key.alias and not isinstance(key.expression, tree.Column):
            raise refused("GROUP BY of an expression without an alias", self.place)
        return key

    def _from(self):
        if not self.accept("FROM"):
            return None, ()
        source = self._source()
        joins = []
        while True:
            if self.token.is_sign(","):
                raise self.refuse("a list of sources with commas (write CROSS JOIN)")
            join = self._join()
            if not join:
                return source, tuple(joins)
            joins.append(join)

    def _join(self):
        place = self.place
        for words in _JOINS:
            if self.accept(*words):
                kind = " ".join(word for word in words[:-1] if word != "OUTER") or "INNER"
                source = self._source()
                return tree.Join(kind, source, self._join_condition(kind), place)
        return None

    def _join_condition(self, kind):
        if kind == "CROSS":
            return None
        if self.accept("ON"):
            return self.expression()
        self.expect("USING")
        return self.names()

    def _source(self):
        place = self.place
        if self.token.is_sign("("):
            return tree.SelectSource(self.select_in_brackets(), self.alias(), place)
        if self.token.kind == "parameter":
            return tree.NamedSource(self.take().value, self.alias(), place)
        if self.token.is_word("AS_TABLE") and self.ahead().is_sign("("):
            self.take()
            self.expect_sign("(")
            rows = self.expression()
            self.expect_sign(")")
            return tree.RowsSource(rows, self.alias(), place)
        name = self.name("a table")
        view = self.name("an index") if self.accept("VIEW") else None
        return tree.TableSource(name, view, self.alias(), place)

    def _group_by(self):
        if not self.accept("GROUP", "BY"):
            return ()
        if self.token.is_word("ROLLUP", "CUBE", "GROUPING"):
            raise self.refuse(self.token.text)
        return self._group_keys()

    def _order_by(self):
        if not self.accept("ORDER", "BY"):
            return ()
        keys = [self._sort_key()]
        while self.accept_sign(","):
            keys.append(self._sort_key())
        return tuple(keys)

    def _sort_key(self):
        expression = self.expression()
        descending = self.accept("DESC")
        if not descending:
            self.accept("ASC")
        if self.at("NULLS"):
            raise self.refuse("NULLS FIRST or LAST")
        return tree.SortKey(expression, descending)
