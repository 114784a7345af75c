"""A whole text: statements with a semicolon behind each."""

from ydb_server.yql import lexer
from ydb_server.yql import syntax_tree as tree
from ydb_server.error import refused, syntax_error
from ydb_server.yql.select_parser import SelectParser


def parse(text):
    return _StatementParser(text).query()


class _StatementParser(SelectParser):
    def query(self):
        prefix, prefix_place = None, None
        declarations = []
        statements = []
        while self.token.kind != lexer.END:
            if self.accept_sign(";"):
                continue
            place = self.place
            if statements and self.token.is_word("PRAGMA", "DECLARE"):
                raise self.refuse(f"{self.token.text} behind a statement")
            if self.accept("PRAGMA"):
                found = self._pragma()
                if found is not None:
                    prefix, prefix_place = found, place
            elif self.accept("DECLARE"):
                declarations.append(self._declare(place))
            else:
                statements.append(self._statement())
            if self.token.kind != lexer.END:
                self.expect_sign(";")
        return tree.Query(prefix, prefix_place, tuple(declarations), tuple(statements))

    def _pragma(self):
        name = self.name("a pragma")
        if name == "AnsiInForEmptyOrNullableItemsCollections":
            return None   # PostgreSQL's IN is the ANSI one
        if name.lower() != "tablepathprefix":
            raise self.refuse(f"PRAGMA {name}")
        if self.accept_sign("="):
            return self.string("a path")
        self.expect_sign("(")
        path = self.string("a path")
        self.expect_sign(")")
        return path

    def _declare(self, place):
        name = self.parameter_name()
        self.expect("AS")
        return tree.Declare(name, self.type(), place)

    def _statement(self):
        place = self.place
        if self.token.kind == lexer.PARAMETER:
            return self._assign(place)
        if self.at("SELECT"):
            return self.select()
        if self.token.is_word("UPSERT", "INSERT", "REPLACE"):
            return self._write(self.take().text.upper(), place)
        for word, parse_it in (("UPDATE", self._update), ("DELETE", self._delete),
                               ("CREATE", self._create), ("DROP", self._drop),
                               ("ALTER", self._alter)):
            if self.accept(word):
                return parse_it(place)
        raise refused(f"a statement that begins with {self.token.quoted()}", place)

    def _assign(self, place):
        name = self.parameter_name()
        if self.token.is_sign(","):
            raise self.refuse("several names on the left of '='")
        self.expect_sign("=")
        if self.at_select_in_brackets():
            value = self.select_in_brackets()
        else:
            value = self.select() if self.at("SELECT") else self.expression()
        return tree.Assign(name, value, place)

    def _returning(self):
        """Columns or *: no expressions and no aliases."""
        if not self.accept("RETURNING"):
            return ()
        place = self.place
        if self.accept_sign("*"):
            return (tree.SelectItem(tree.Star(None, place), None),)
        items = [self._returned_column()]
        while self.accept_sign(","):
            items.append(self._returned_column())
        return tuple(items)

    def _returned_column(self):
        place = self.place
        return tree.SelectItem(tree.Column(None, self.name("a column"), place), None)

    def _write(self, verb, place):
        if self.token.is_word("OR"):
            raise self.refuse(f"{verb} OR …")
        self.expect("INTO")
        table = self.name("a table")
        columns = self.names() if self.token.is_sign("(") else None
        rows, select = None, None
        if self.accept("VALUES"):
            if columns is None:
                raise syntax_error("VALUES wants the names of the columns before it", place)
            rows = [self._row()]
            while self.accept_sign(","):
                rows.append(self._row())
            rows = tuple(rows)
        else:
            select = self.select()
        return tree.Write(verb, table, columns, rows, select, self._returning(), place)

    def _row(self):
        self.expect_sign("(")
        return tuple(self.separated(self.expression, ")"))

    def _update(self, place):
        table = self.name("a table")
        if self.accept("ON"):
            columns = self.names() if self.token.is_sign("(") else None
            return tree.ChangeOn("UPDATE", table, columns, self.select(), self._returning(), place)
        self.expect("SET")
        changes = [self._change()]
        while self.accept_sign(","):
            changes.append(self._change())
        where = self.expression() if self.accept("WHERE") else None
        return tree.Update(table, tuple(changes), where, self._returning(), place)

    def _change(self):
        place = self.place
        column = self.name("a column")
        self.expect_sign("=")
        return column, self.expression(), place

    def _delete(self, place):
        self.expect("FROM")
        table = self.name("a table")
        if self.accept("ON"):
            columns = self.names() if self.token.is_sign("(") else None
            return tree.ChangeOn("DELETE", table, columns, self.select(), self._returning(), place)
        where = self.expression() if self.accept("WHERE") else None
        return tree.Delete(table, where, self._returning(), place)

    def _create(self, place):
        self.expect("TABLE")
        if_not_exists = self.accept("IF", "NOT", "EXISTS")
        name = self.name("a table")
        columns, keys, indexes = [], [], []
        self.expect_sign("(")
        self.separated(lambda: self._table_item(columns, keys, indexes), ")", comma_last=True)
        if self.at("PARTITION"):
            raise self.refuse("PARTITION BY")
        settings = ()
        if self.accept("WITH"):
            self.expect_sign("(")
            settings = tuple(self.separated(self._setting, ")"))
        if len(keys) != 1:
            raise syntax_error(f"a table has one PRIMARY KEY, and {name} has {len(keys)}", place)
        return tree.CreateTable(name, if_not_exists, tuple(columns), keys[0], tuple(indexes),
                                settings, place)

    def _table_item(self, columns, keys, indexes):
        place = self.place
        if self.accept("PRIMARY", "KEY"):
            keys.append(self.names())
        elif self.token.is_word("INDEX") and not self.ahead().is_word(*_TYPE_WORDS):
            self.take()
            indexes.append(self._index(place))
        elif self.token.is_word("FAMILY"):
            raise self.refuse("FAMILY")
        else:
            name = self.name("a column")
            kind = self.type()
            if self.accept("NULL"):
                not_null = False
            else:
                not_null = self.accept("NOT", "NULL")
            if self.token.is_word("DEFAULT", "FAMILY"):
                raise self.refuse(self.token.text)
            columns.append(tree.ColumnDefinition(name, kind, not_null, place))

    def _index(self, place):
        name = self.name("an index")
        self.expect("GLOBAL")
        if self.token.is_word("UNIQUE", "USING"):
            raise self.refuse(f"INDEX … GLOBAL {self.token.text}")
        asynchronous = self.accept("ASYNC")
        if not asynchronous:
            self.accept("SYNC")
        self.expect("ON")
        columns = self.names()
        cover = self.names() if self.accept("COVER") else ()
        return tree.IndexDefinition(name, columns, cover, asynchronous, place)

    def _setting(self):
        place = self.place
        name = self.name("a setting").upper()
        self.expect_sign("=")
        if self.token.kind in (lexer.NAME, lexer.QUOTED):
            return tree.Setting(name, self.take().text.upper(), place)
        if self.token.kind == lexer.NUMBER:
            return tree.Setting(name, self.integer(), place)
        if self.token.kind == lexer.STRING:
            return tree.Setting(name, self.string(), place)
        return tree.Setting(name, self._split_points(), place)

    def _split_points(self):
        """(1, 2), or tuples alone, ((1, 2), (3)), of literals: one list has one kind."""
        self.expect_sign("(")
        if not self.token.is_sign("("):
            return tuple(self.separated(self._literal, ")"))
        return tuple(self.separated(self._tuple_of_literals, ")"))

    def _tuple_of_literals(self):
        place = self.place
        self.expect_sign("(")
        return tree.TupleOf(tuple(self.separated(self._literal, ")")), place)

    def _literal(self):
        if self.token.kind not in (lexer.NUMBER, lexer.STRING):
            raise self.unexpected("a literal")
        return self._primary()

    def _drop(self, place):
        self.expect("TABLE")
        if_exists = self.accept("IF", "EXISTS")
        return tree.DropTable(self.name("a table"), if_exists, place)

    def _alter(self, place):
        self.expect("TABLE")
        name = self.name("a table")
        add, drop, settings = [], [], ()
        while True:
            if self.accept("ADD", "INDEX"):
                add.append(self._index(self.place))
            elif self.accept("DROP", "INDEX"):
                drop.append(self.name("an index"))
            elif self.accept("SET"):
                self.expect_sign("(")
                settings += tuple(self.separated(self._setting, ")"))
            else:
                raise refused(f"ALTER TABLE … {self.token.text}", self.place)
            if not self.accept_sign(","):
                return tree.AlterTable(name, tuple(add), tuple(drop), settings, place)


_TYPE_WORDS = ("INT8", "INT16", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64", "UTF8",
               "STRING", "TEXT", "BYTES", "BOOL", "DOUBLE", "FLOAT", "DECIMAL", "TIMESTAMP",
               "DATE", "DATETIME", "INTERVAL", "JSON")
