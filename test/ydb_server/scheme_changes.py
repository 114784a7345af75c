"""CREATE, ALTER and DROP TABLE, by query or by the Table service."""

import psycopg

from ydb_server import catalog
from ydb_server.yql import syntax_tree as tree
from ydb_server import table_definition
from ydb_server.error import YdbError
from ydb_server.operations import IndexBuild
from ydb_server.postgres import ydb_error


class SchemeChanges:
    def __init__(self, server):
        self._server = server
        self._catalog = server.catalog

    async def execute(self, program):
        for node in program.scheme:
            path = program.context.path(node.name, node.place)
            if isinstance(node, tree.CreateTable):
                await self._create(node, path, program.context)
            elif isinstance(node, tree.DropTable):
                await self._drop(node, path)
            else:
                await self._alter(node, self._catalog.table(path, node.place), program.context)

    async def _create(self, node, path, context):
        if path in self._catalog.tables or path in self._catalog.directories:
            if node.if_not_exists and path in self._catalog.tables:
                return
            raise YdbError("SCHEME_ERROR", f"Check failed: path: '{path}', error: path exist, "
                           "request accepts it", node.place)
        table = table_definition.define(node, path, self._catalog, context)
        self._catalog.make_directory(path.rsplit("/", 1)[0])
        await self._sql(table_definition.create_sql(table),
                        *(table_definition.index_sql(table, index)
                          for index in table.indexes.values()))
        self._catalog.add(table)

    async def _drop(self, node, path):
        if path not in self._catalog.tables and node.if_exists:
            return
        table = self._catalog.table(path, node.place)
        # First from the catalog: whoever compiles from now on does not find it.
        self._catalog.remove(path)
        await self._sql(f"DROP TABLE {table.postgres_name}")

    async def _alter(self, node, table, context):
        if node.settings:
            table_definition.apply_settings(table, node.settings, context)
        for name in node.drop_indexes:
            await self.drop_index(table, name)
        for definition in node.add_indexes:
            build = self.build_index(table, definition, is_polled=False)
            await build.finished.wait()
            answer = build.describe(polled=False)
            if answer.status != 400000:
                raise YdbError("GENERIC_ERROR", f"the build of index {definition.name} has failed",
                               node.place)
        self._catalog.changed()

    def build_index(self, table, definition, is_polled):
        """Starts it; the operation is among those of the server."""
        index = table_definition.add_index(table, definition, self._catalog, catalog.BUILDING)
        self._catalog.changed()
        return self._server.operations.add(IndexBuild(self._server, table, index, is_polled))

    async def drop_index(self, table, name):
        if name not in table.indexes:
            raise YdbError("SCHEME_ERROR", f"no index {name} of {table.path}")
        index = table.indexes.pop(name)
        self._catalog.changed()
        await self._sql(f'DROP INDEX IF EXISTS "{self._catalog.schema}"."{index.postgres_name}"')

    async def _sql(self, *statements):
        connection = await self._server.postgres.acquire()
        try:
            for statement in statements:
                await connection.execute(statement)
        except psycopg.Error as error:
            raise ydb_error(error, statement) from None
        finally:
            await self._server.postgres.discard(connection)
