"""Ydb.Table.V1.TableService: BulkUpsert, sessions, index builds, DescribeTable."""

import grpc

from ydb_server import catalog
from ydb_server import protocol
from ydb_server import reply
from ydb_server.yql import syntax_tree as tree
from ydb_server import values
from ydb_server.yql import yql_types as types
from ydb_server.bulk_upsert import bulk_upsert
from ydb_server.error import YdbError

_ASYNC = protocol.operation.OperationParams.ASYNC


class TableService(protocol.TableServicer):
    def __init__(self, server, node):
        self._server = server
        self._node = node

    async def _answer(self, context, method, work, kind):
        faults = self._server.faults
        try:
            await self._server.gate.enter(context, self._node, method)
            if faults.roll("transport_before", method):
                await context.abort(grpc.StatusCode.UNAVAILABLE, "transport_before, on purpose")
            fault = faults.status(method)
            if fault:
                raise YdbError(fault[1], f"{fault[0]}, on purpose")
            operation = await work()
            if faults.roll("transport_after", method):
                await context.abort(grpc.StatusCode.UNAVAILABLE, "transport_after, on purpose")
        except YdbError as error:
            self._server.counts[f"{method} {error.status}"] += 1
            operation = reply.failed(error)
        return kind(operation=operation)

    async def CreateSession(self, request, context):
        async def create():
            session = self._server.sessions.create(self._node, "table")
            return reply.done(protocol.table.CreateSessionResult(session_id=session.identity))
        return await self._answer(context, "Table.CreateSession", create,
                                  protocol.table.CreateSessionResponse)

    async def DeleteSession(self, request, context):
        async def delete():
            session = self._server.sessions.find(request.session_id, self._node, "table")
            await self._server.sessions.remove(session)
            return reply.done()
        return await self._answer(context, "Table.DeleteSession", delete,
                                  protocol.table.DeleteSessionResponse)

    async def KeepAlive(self, request, context):
        async def keep_alive():
            self._server.sessions.find(request.session_id, self._node, "table")
            return reply.done(protocol.table.KeepAliveResult(
                session_status=protocol.table.KeepAliveResult.SESSION_STATUS_READY))
        return await self._answer(context, "Table.KeepAlive", keep_alive,
                                  protocol.table.KeepAliveResponse)

    async def BulkUpsert(self, request, context):
        async def upsert():
            await bulk_upsert(self._server.postgres, self._table(request.table), request.rows)
            self._server.counts["bulk rows"] += len(request.rows.value.items)
            return reply.done(protocol.table.BulkUpsertResult())
        return await self._answer(context, "BulkUpsert", upsert, protocol.table.BulkUpsertResponse)

    def _table(self, path):
        if not path.startswith("/"):
            raise YdbError("BAD_REQUEST", f"the path of a table is absolute: {path}")
        return self._server.catalog.table(self._server.catalog.absolute(path))

    async def AlterTable(self, request, context):
        async def alter():
            self._server.sessions.find(request.session_id, self._node, "table")
            return await self._alter(request)
        return await self._answer(context, "AlterTable", alter, protocol.table.AlterTableResponse)

    async def _alter(self, request):
        others = {field.name for field, _ in request.ListFields()} - {
            "session_id", "path", "operation_params", "add_indexes", "drop_indexes"}
        if others or len(request.add_indexes) > 1 or request.add_indexes and request.drop_indexes:
            raise YdbError("UNSUPPORTED", "AlterTable: one index to add, or indexes to drop, and "
                           f"not: {', '.join(sorted(others)) or 'both, or several'}")
        table = self._table(request.path)
        for name in request.drop_indexes:
            await self._server.scheme.drop_index(table, name)
        if not request.add_indexes:
            return reply.done()
        is_polled = request.operation_params.operation_mode == _ASYNC
        build = self._server.scheme.build_index(table, _definition(request.add_indexes[0]),
                                                is_polled)
        if not is_polled:
            await build.finished.wait()
        return build.describe(polled=False)

    async def DescribeTable(self, request, context):
        async def describe():
            self._server.sessions.find(request.session_id, self._node, "table")
            return reply.done(_described(self._table(request.path),
                                         request.include_shard_key_bounds))
        return await self._answer(context, "DescribeTable", describe,
                                  protocol.table.DescribeTableResponse)


def _definition(index):
    # One without a type is a global one, as in the requests of the Python SDK.
    which = index.WhichOneof("type") or "global_index"
    if which not in ("global_index", "global_async_index"):
        raise YdbError("UNSUPPORTED", f"an index of the type {which}")
    if not index.name or not index.index_columns:
        raise YdbError("BAD_REQUEST", "an index has a name and columns")
    return tree.IndexDefinition(index.name, tuple(index.index_columns), tuple(index.data_columns),
                                which == "global_async_index")


def _described(table, with_bounds):
    result = protocol.table.DescribeTableResult()
    entry = getattr(result, "self")
    entry.name = table.path.rsplit("/", 1)[-1]
    entry.owner = "root"
    entry.type = protocol.scheme.Entry.TABLE
    for column in table.columns.values():
        meta = result.columns.add(name=column.name, not_null=column.not_null)
        types.to_proto(column.kind, meta.type)
    result.primary_key.extend(table.key)
    for index in table.indexes.values():
        one = result.indexes.add(name=index.name, index_columns=index.columns,
                                 data_columns=index.cover)
        kind = one.global_async_index if index.asynchronous else one.global_index
        kind.SetInParent()
        one.status = one.STATUS_READY if index.state == catalog.READY else one.STATUS_BUILDING
    _describe_partitioning(table.partitioning, result, with_bounds)
    return result


def _describe_partitioning(wanted, result, with_bounds):
    flag = protocol.feature
    settings = result.partitioning_settings
    settings.partitioning_by_size = flag.ENABLED if wanted.by_size else flag.DISABLED
    if wanted.by_size:
        settings.partition_size_mb = wanted.size_mb
    settings.partitioning_by_load = flag.ENABLED if wanted.by_load else flag.DISABLED
    settings.min_partitions_count = wanted.min_count
    settings.max_partitions_count = wanted.max_count
    result.key_bloom_filter = flag.ENABLED if wanted.bloom_filter else flag.DISABLED
    if with_bounds:
        for kind, point in wanted.at_keys:
            result.shard_key_bounds.append(values.typed(kind, point))
