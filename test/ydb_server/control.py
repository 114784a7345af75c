"""The control port: HTTP with JSON on the loopback address, to switch faults and to count.

GET /state; PUT /faults (all anew), POST /faults (some), POST /settings, POST /actions.
"""

import asyncio
import json

_BODY_MAX = 1_000_000


class Control:
    def __init__(self, server):
        self._server = server
        self._listener = None
        self.port = 0

    async def start(self):
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._listener.sockets[0].getsockname()[1]

    async def stop(self):
        self._listener.close()

    async def _serve(self, reader, writer):
        try:
            code, answer = await self._answer(reader)
            body = json.dumps(answer).encode()
            writer.write(f"HTTP/1.1 {code} {'OK' if code == 200 else 'Error'}\r\n"
                         "Content-Type: application/json\r\nConnection: close\r\n"
                         f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, reader):
        request = (await reader.readline()).decode("latin-1").split()
        length = 0
        while (line := (await reader.readline()).strip()):
            name, _, value = line.decode("latin-1").partition(":")
            if name.lower() == "content-length":
                length = int(value)
        if len(request) < 2 or length > _BODY_MAX:
            return 400, {"error": "no request of HTTP, or one too large"}
        body = await reader.readexactly(length)
        try:
            return 200, await self._do(request[0], request[1], json.loads(body) if body else {})
        except (ValueError, KeyError, TypeError) as error:
            return 400, {"error": str(error)}

    async def _do(self, method, path, body):
        server = self._server
        if (method, path) == ("GET", "/state"):
            return server.describe()
        if not isinstance(body, dict):
            raise ValueError(f"a JSON object was expected, not {body!r}")
        if (method, path) == ("PUT", "/faults"):
            server.faults.clear()
            server.faults.set(body)
        elif (method, path) == ("POST", "/faults"):
            server.faults.set(body)
        elif (method, path) == ("POST", "/settings"):
            server.settings.change(body)
        elif (method, path) == ("POST", "/actions"):
            return await self._act(body)
        else:
            raise ValueError(f"no {method} {path}; there are: GET /state, PUT or POST /faults, "
                             "POST /settings, POST /actions")
        return {"faults": server.faults.describe(), "settings": vars(server.settings)}

    async def _act(self, body):
        """{"action": …, "node": n, "count": n}: says how many sessions it hit."""
        action = body.get("action")
        if action in ("node_down", "node_up"):
            node = self._server.node(body.get("node"))
            hit = len(self._server.sessions.all(node=node.number))
            if action == "node_down":
                await node.stop()
            elif not node.up:
                await node.start()
            return {"sessions": hit}
        acts = {"session_shutdown": lambda session: session.hint("session_shutdown"),
                "node_shutdown": lambda session: session.hint("node_shutdown"),
                "attach_cut": lambda session: session.cut(), "expire": None}
        if action not in acts:
            raise ValueError(f"no action {action!r}; there are: node_down, node_up, "
                             f"{', '.join(acts)}")
        sessions = self._server.sessions.all(node=body.get("node"))[:body.get("count")]
        for session in sessions:
            if action == "expire":
                await self._server.sessions.remove(session)
            else:
                acts[action](session)
        return {"sessions": len(sessions)}
