"""Discovery, Auth, Scheme and Operation: the services of a few calls each."""

from ydb_server import protocol
from ydb_server import reply
from ydb_server.error import YdbError
from ydb_server.operations import Delayed

_Entry = protocol.scheme.Entry


class _Service:
    def __init__(self, server, node):
        self._server = server
        self._node = node

    async def _answer(self, context, method, work, kind, needs_ticket=True):
        try:
            await self._server.gate.enter(context, self._node, method, needs_ticket)
            operation = work()
        except YdbError as error:
            self._server.counts[f"{method} {error.status}"] += 1
            operation = reply.failed(error)
        return kind(operation=operation)


class DiscoveryService(_Service, protocol.DiscoveryServicer):
    async def ListEndpoints(self, request, context):
        def endpoints():
            if request.database != self._server.catalog.database:
                raise YdbError("NOT_FOUND", f"Unknown database: {request.database}")
            answer = reply.done(self._endpoints())
            polls = self._server.settings.discovery_polls
            if not polls:
                return answer
            delayed = self._server.operations.add(Delayed(answer, polls))
            return delayed.describe(polled=False)
        return await self._answer(context, "ListEndpoints", endpoints,
                                  protocol.discovery.ListEndpointsResponse)

    def _endpoints(self):
        result = protocol.discovery.ListEndpointsResult(self_location="here")
        factors = self._server.settings.load_factors
        for node in self._server.nodes:
            if not node.up:
                continue
            factor = factors[node.number - 1] if node.number <= len(factors) else 0.0
            result.endpoints.add(address=node.host, port=node.port, load_factor=factor,
                                 ssl=node.tls, location="here", node_id=node.number)
        return result


class AuthService(_Service, protocol.AuthServicer):
    async def Login(self, request, context):
        def login():
            token = self._server.gate.login(request.user, request.password)
            return reply.done(protocol.auth.LoginResult(token=token))
        return await self._answer(context, "Login", login, protocol.auth.LoginResponse,
                                  needs_ticket=False)


class SchemeService(_Service, protocol.SchemeServicer):
    def _entry(self, path):
        catalog = self._server.catalog
        name = path.rsplit("/", 1)[-1]
        if path in catalog.tables:
            return _Entry(name=name, owner="root", type=_Entry.TABLE)
        if path not in catalog.directories:
            raise YdbError("SCHEME_ERROR", f"Path not found: {path}")
        is_database = path == catalog.database
        return _Entry(name=path.lstrip("/") if is_database else name, owner="root",
                      type=_Entry.DATABASE if is_database else _Entry.DIRECTORY)

    async def ListDirectory(self, request, context):
        def listed():
            path = self._path(request)
            result = protocol.scheme.ListDirectoryResult()
            getattr(result, "self").CopyFrom(self._entry(path))
            if path in self._server.catalog.tables:
                raise YdbError("SCHEME_ERROR", f"{path} is a table")
            for child in self._server.catalog.children(path):
                result.children.append(self._entry(child))
            return reply.done(result)
        return await self._answer(context, "ListDirectory", listed,
                                  protocol.scheme.ListDirectoryResponse)

    async def DescribePath(self, request, context):
        def described():
            result = protocol.scheme.DescribePathResult()
            getattr(result, "self").CopyFrom(self._entry(self._path(request)))
            return reply.done(result)
        return await self._answer(context, "DescribePath", described,
                                  protocol.scheme.DescribePathResponse)

    async def MakeDirectory(self, request, context):
        def made():
            path = self._path(request)
            if path in self._server.catalog.tables:
                raise YdbError("SCHEME_ERROR", f"{path} is a table")
            self._server.catalog.make_directory(path)
            return reply.done()
        return await self._answer(context, "MakeDirectory", made,
                                  protocol.scheme.MakeDirectoryResponse)

    async def RemoveDirectory(self, request, context):
        def removed():
            self._server.catalog.remove_directory(self._path(request))
            return reply.done()
        return await self._answer(context, "RemoveDirectory", removed,
                                  protocol.scheme.RemoveDirectoryResponse)

    def _path(self, request):
        return self._server.catalog.absolute(request.path)


class OperationService(_Service, protocol.OperationServicer):
    async def GetOperation(self, request, context):
        def got():
            return self._server.operations.find(request.id).describe()
        return await self._answer(context, "GetOperation", got,
                                  protocol.operation.GetOperationResponse)

    async def CancelOperation(self, request, context):
        return await self._end(context, "CancelOperation",
                               lambda: self._server.operations.find(request.id).cancel(),
                               protocol.operation.CancelOperationResponse)

    async def ForgetOperation(self, request, context):
        return await self._end(context, "ForgetOperation",
                               lambda: self._server.operations.forget(request.id),
                               protocol.operation.ForgetOperationResponse)

    async def _end(self, context, method, work, kind):
        try:
            await self._server.gate.enter(context, self._node, method)
            work()
        except YdbError as error:
            return reply.top(kind, error)
        return kind(status=protocol.status.SUCCESS)
