"""The server: its nodes, each with a port, and what they share."""

import asyncio
import collections

import grpc

from ydb_server import protocol
from ydb_server.catalog import Catalog
from ydb_server.faults import Faults
from ydb_server.gate import Gate
from ydb_server.operations import Operations
from ydb_server.postgres import Postgres
from ydb_server.programs import Programs
from ydb_server.query_service import QueryService
from ydb_server.scheme_changes import SchemeChanges
from ydb_server.sessions import Sessions
from ydb_server.settings import Settings
from ydb_server.small_services import (AuthService, DiscoveryService, OperationService,
                                       SchemeService)
from ydb_server.table_service import TableService

_MESSAGE_MAX = 64_000_000
_CHANNEL = (
    ("grpc.max_receive_message_length", _MESSAGE_MAX),
    ("grpc.max_send_message_length", _MESSAGE_MAX),
    # Two servers never share a port by mistake.
    ("grpc.so_reuseport", 0),
    # Pings of a client that has nothing to say are welcome.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_ping_interval_without_data_ms", 1000),
    ("grpc.http2.max_ping_strikes", 0),
)


class Node:
    """One port. Down, it answers nothing, and its sessions are lost; up again, it has the same."""

    def __init__(self, server, number, host, credentials):
        self._server = server
        self.number = number
        self.host = host
        self.port = 0
        self._credentials = credentials
        self._grpc = None

    @property
    def up(self):
        return self._grpc is not None

    @property
    def tls(self):
        return self._credentials is not None

    async def start(self):
        server = grpc.aio.server(options=_CHANNEL)
        for add, service in ((protocol.add_query, QueryService),
                             (protocol.add_table, TableService),
                             (protocol.add_scheme, SchemeService),
                             (protocol.add_operation, OperationService),
                             (protocol.add_discovery, DiscoveryService),
                             (protocol.add_auth, AuthService)):
            add(service(self._server, self.number), server)
        address = f"{self.host}:{self.port}"
        if self._credentials:
            self.port = server.add_secure_port(address, self._credentials)
        else:
            self.port = server.add_insecure_port(address)
        await server.start()
        self._grpc = server

    async def stop(self):
        if self._grpc:
            server, self._grpc = self._grpc, None
            await server.stop(None)
            await self._server.sessions.remove_node(self.number)


class Server:
    def __init__(self, options, credentials=None):
        self.settings = Settings()
        self.catalog = Catalog(options.database, options.schema)
        self.postgres = Postgres(options.pg, options.schema, options.pg_connections,
                                 options.lock_timeout)
        self.gate = Gate(options.database, options.user, options.password, self.settings,
                         options.seed)
        self.faults = Faults(options.seed)
        self.sessions = Sessions(self.settings)
        self.operations = Operations()
        self.programs = Programs(self.catalog)
        self.scheme = SchemeChanges(self)
        self.counts = collections.Counter()
        self.nodes = [Node(self, number, options.host, credentials)
                      for number in range(1, options.nodes + 1)]
        self._tasks = set()

    async def start(self):
        await self.postgres.prepare()
        for node in self.nodes:
            await node.start()

    async def stop(self):
        for node in self.nodes:
            await node.stop()
        await self.operations.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
        await self.postgres.close()

    def in_background(self, coroutine):
        """For what has to end although the request that began it was cancelled."""
        task = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def node(self, number):
        if not isinstance(number, int) or not 1 <= number <= len(self.nodes):
            raise ValueError(f"no node {number!r}; there are 1 to {len(self.nodes)}")
        return self.nodes[number - 1]

    def describe(self):
        """What the control port tells."""
        sessions = self.sessions.all()
        return {
            "nodes": [{"node": node.number, "port": node.port, "up": node.up,
                       "sessions": len(self.sessions.all(node=node.number)),
                       "peers": len(self.gate.peers.get(node.number, ()))}
                      for node in self.nodes],
            "requests": dict(self.gate.requests),
            "refused": dict(self.gate.refused),
            "build_infos": dict(self.gate.build_infos),
            "counts": dict(self.counts),
            "sessions": {"open": len(sessions), "made": self.sessions.made,
                         "attached": sum(one.attached for one in sessions)},
            "transactions": {"open": sum(len(one.transactions) for one in sessions),
                             "committed": self.counts["committed"]},
            "compiled": self.programs.compiled,
            "pg_connections": self.postgres.open_count,
            "faults": self.faults.describe(),
            "faults_given": {name: count for name, count in self.faults.given.items() if count},
            "settings": vars(self.settings),
        }
