"""What the tests with a running server share: one PostgreSQL for a test program, a server of ours
for each class, the official SDK, and the bare protocol for what the SDK hides."""

import atexit
import os
import sys
import unittest

import grpc
import harness
import ydb

from ydb_server import protocol
from ydb_server.process import YdbServer

_postgres = []


def postgres():
    """The PostgreSQL of this program; it goes away at its end."""
    if not _postgres:
        if not os.access(harness.DROVER, os.X_OK):
            sys.exit("DROVER must name the drover binary, e.g. DROVER=build/release/drover")
        server = harness.Server()
        atexit.register(server.remove)
        server.start()
        _postgres.append(server)
    return _postgres[0]


def typed(kind, value):
    return ydb.TypedValue(value, kind)


INT32 = ydb.PrimitiveType.Int32
INT64 = ydb.PrimitiveType.Int64
UTF8 = ydb.PrimitiveType.Utf8
MONEY = ydb.DecimalType(22, 9)


def int32(value):
    return typed(INT32, value)


class ServerTestCase(unittest.TestCase):
    maxDiff = None
    nodes = 1
    options = ()
    arguments = {}
    credentials = None

    @classmethod
    def setUpClass(cls):
        cls.server = YdbServer(postgres().conninfo, *cls.options, nodes=cls.nodes, **cls.arguments)
        cls.server.start()
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        self.server.faults()

    def driver(self, **more):
        driver = ydb.Driver(endpoint=self.server.endpoint, database=self.server.database,
                            credentials=self.credentials, **more)
        self.addCleanup(driver.stop)
        driver.wait(30, fail_fast=True)
        return driver

    def pool(self, driver=None):
        pool = ydb.QuerySessionPool(driver or self.driver())
        self.addCleanup(pool.stop)
        return pool

    def run_query(self, pool, text, parameters=None):
        """The rows of each result set."""
        with pool.checkout() as session:
            return rows_of(session.execute(text, parameters))

    def given(self, fault):
        return self.server.state()["faults_given"].get(fault, 0)


def rows_of(results):
    """The rows of each result set; its parts are put together again."""
    sets = {}
    with results as parts:
        for part in parts:
            sets.setdefault(part.index, []).extend(dict(row) for row in part.rows)
    return [sets[index] for index in sorted(sets)]


class BareClient:
    """The stubs of the protocol on one channel, with metadata as they have to be."""

    def __init__(self, server, node=1, metadata=None):
        # A connection of its own, which shares neither peers nor failures with another channel.
        self.channel = grpc.insecure_channel(f"127.0.0.1:{server.ports[node - 1]}",
                                             [("grpc.use_local_subchannel_pool", 1)])
        self.metadata = metadata if metadata is not None else {
            "x-ydb-database": server.database, "x-ydb-sdk-build-info": "test/1"}
        self.session = ""
        self._attached = None

    def close(self):
        self.channel.close()

    def call(self, method, request, kind):
        """A unary call by its path."""
        function = self.channel.unary_unary(f"/{method}", type(request).SerializeToString,
                                            kind.FromString)
        return function(request, metadata=tuple(self.metadata.items()), timeout=60)

    def stream(self, method, request, kind):
        function = self.channel.unary_stream(f"/{method}", type(request).SerializeToString,
                                             kind.FromString)
        return function(request, metadata=tuple(self.metadata.items()), timeout=600)

    def create_session(self):
        query = protocol.query
        answer = self.call("Ydb.Query.V1.QueryService/CreateSession", query.CreateSessionRequest(),
                           query.CreateSessionResponse)
        self.session = answer.session_id
        return answer

    def attach(self):
        query = protocol.query
        self._attached = self.stream("Ydb.Query.V1.QueryService/AttachSession",
                                     query.AttachSessionRequest(session_id=self.session),
                                     query.SessionState)
        return next(self._attached), self._attached

    def open_session(self):
        self.create_session()
        state, stream = self.attach()
        assert state.status == protocol.status.SUCCESS
        return stream

    def execute(self, text, parameters=None, **more):
        """The call of a query, whose parts are to be read."""
        query = protocol.query
        request = query.ExecuteQueryRequest(session_id=self.session,
                                            exec_mode=query.EXEC_MODE_EXECUTE, **more)
        request.query_content.text = text
        for name, value in (parameters or {}).items():
            request.parameters[name].CopyFrom(value)
        return self.stream("Ydb.Query.V1.QueryService/ExecuteQuery", request,
                           query.ExecuteQueryResponsePart)

    def status_of(self, text, **more):
        """The name of the last part's status."""
        *_, last = self.execute(text, **more)
        return protocol.status.StatusCode.Name(last.status)

    def begin(self):
        return protocol.query.TransactionControl(
            begin_tx=protocol.query.TransactionSettings(
                serializable_read_write=protocol.query.SerializableModeSettings()))
