"""A session of the gate's own with the server, and of a test's with the gate: statements as text, one at a time."""

import asyncio
import struct

import protocol


class Failed(Exception):
    """What the server refuses."""


class ServerSession:

    def __init__(self, stream, identity):
        self._stream = stream
        self._identity = identity
        self._turn = asyncio.Lock()

    async def begin(self):
        await self._stream.write(protocol.startup({**self._identity, "application_name": "gate"}))
        while True:
            kind, body = await self._stream.next()
            if kind == b"R" and struct.unpack_from("!I", body)[0] != 0:
                raise Failed("the gate has no password: let it in with `trust`")
            if kind == b"E":
                raise Failed(protocol.fields(body)["M"])
            if kind == b"Z":
                return

    async def ask(self, sql):
        """The rows of the last statement, each a tuple of strings."""
        async with self._turn:
            await self._stream.write(protocol.query(sql))
            rows, failed = [], None
            while True:
                kind, body = await self._stream.next()
                if kind == b"D":
                    rows.append(row(body))
                elif kind == b"E":
                    failed = protocol.fields(body)
                elif kind == b"Z":
                    if failed:
                        raise Failed(f"{failed['M']} ({sql[:100]})")
                    return rows

    def close(self):
        self._stream.close()


def row(body):
    """Of a DataRow: a tuple of strings, and None for each null."""
    (count,) = struct.unpack_from("!H", body)
    position = 2
    values = []
    for _ in range(count):
        (length,) = struct.unpack_from("!i", body, position)
        position += 4
        values.append(None if length < 0 else body[position:position + length].decode(errors="replace"))
        position += max(length, 0)
    return tuple(values)
