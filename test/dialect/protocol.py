"""Messages of PostgreSQL's protocol 3, and a side of a connection that speaks it.

A message is a pair of its type, one byte, and its body. A Stream reads whole messages, and for results and COPY as
many as have come, without looking into them.
"""

import asyncio
import struct

PROTOCOL = 3 << 16
CANCEL = 80877102
SSL = 80877103
GSSENC = 80877104

# Much more than that is not read before it is handed on.
READ_AHEAD = 4 << 20


def message(kind, body=b""):
    return kind + struct.pack("!I", len(body) + 4) + body


def text(value):
    return value.encode() + b"\0"


def query(sql):
    return message(b"Q", text(sql))


def parse(name, sql, types=b"\0\0"):
    return message(b"P", text(name) + text(sql) + types)


def bind(portal="", name="", *values):
    """The values are texts."""
    counted = b"".join(struct.pack("!I", len(value)) + value for value in values)
    return message(b"B", text(portal) + text(name) + struct.pack("!HH", 0, len(values)) + counted + b"\0\0")


def execute(portal=""):
    return message(b"E", text(portal) + b"\0\0\0\0")


FLUSH = message(b"H")
SYNC = message(b"S")


def ready(status):
    return message(b"Z", status)


def complete(tag):
    return message(b"C", text(tag))


def parameter_status(name, value):
    return message(b"S", text(name) + text(value))


def error(sqlstate, what, severity="ERROR", hint=None):
    body = b"".join(code + text(value) for code, value in (
        (b"S", severity), (b"V", severity), (b"C", sqlstate), (b"M", what), (b"H", hint)) if value is not None)
    return message(b"E", body + b"\0")


def messages(data):
    """Of whole messages: pairs of type and body."""
    place = 0
    while place < len(data):
        (length,) = struct.unpack_from("!I", data, place + 1)
        yield data[place:place + 1], data[place + 5:place + 1 + length]
        place += 1 + length


def fields(body):
    """Of an ErrorResponse or NoticeResponse: a dictionary by the letters of the fields."""
    return {part[:1].decode(): part[1:].decode(errors="replace") for part in body.split(b"\0") if part}


def strings(body, count):
    """The first strings of a body, and what follows on them."""
    *found, rest = body.split(b"\0", count)
    return [one.decode(errors="replace") for one in found], rest


def startup_parameters(body):
    words = body.decode(errors="replace").split("\0")
    return {name: value for name, value in zip(words[0::2], words[1::2]) if name}


def startup(parameters):
    body = struct.pack("!I", PROTOCOL) + b"".join(text(one) for pair in parameters.items() for one in pair) + b"\0"
    return struct.pack("!I", len(body) + 4) + body


class Gone(Exception):
    """The other side has closed the connection."""


class Stream(asyncio.Protocol):

    def __init__(self, changed=lambda: None):
        """`changed` is called when something has come, or will come no more."""
        self.buffer = bytearray()
        self.ended = False
        self.transport = None
        self._paused = False
        self.on_change = changed
        self._came = asyncio.Event()
        self._may_write = asyncio.Event()
        self._may_write.set()

    # What asyncio calls.

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.buffer += data
        if len(self.buffer) > READ_AHEAD and not self._paused:
            self._paused = True
            self.transport.pause_reading()
        self._changed()

    def connection_lost(self, exc):
        self.ended = True
        self._may_write.set()
        self._changed()

    def pause_writing(self):
        self._may_write.clear()

    def resume_writing(self):
        self._may_write.set()

    def _read_on(self):
        if self._paused and not self.ended:
            self._paused = False
            self.transport.resume_reading()

    def _changed(self):
        self._came.set()
        self.on_change()

    # What its owner calls.

    async def more(self):
        """Until more has come."""
        if self.ended:
            raise Gone()
        self._came.clear()
        if len(self.buffer) <= READ_AHEAD:
            self._read_on()
        await self._came.wait()

    async def exactly(self, count):
        while len(self.buffer) < count:
            await self.more()
        return self.take(count)

    def take(self, count):
        data = bytes(self.buffer[:count])
        del self.buffer[:count]
        if len(self.buffer) <= READ_AHEAD:
            self._read_on()
        return data

    def whole_message(self):
        """The next message if all of it has come, or None."""
        if len(self.buffer) < 5:
            return None
        (length,) = struct.unpack_from("!I", self.buffer, 1)
        if len(self.buffer) <= length:
            # One longer than what is read ahead.
            self._read_on()
            return None
        data = self.take(length + 1)
        return data[:1], data[5:]

    async def next(self):
        while (found := self.whole_message()) is None:
            await self.more()
        return found

    def poll(self, stops):
        """All whole messages that have come before one of these types, and that one, or None if it has not come."""
        end = 0
        size = len(self.buffer)
        while end + 5 <= size and self.buffer[end] not in stops:
            (length,) = struct.unpack_from("!I", self.buffer, end + 1)
            if end + 1 + length > size:
                break
            end += 1 + length
        passed = self.take(end) if end else b""
        is_stop = len(self.buffer) >= 5 and self.buffer[0] in stops
        found = self.whole_message() if is_stop else None
        if not passed and not found:
            self._read_on()
        return passed, found

    async def write(self, data):
        if self.ended:
            raise Gone()
        self.transport.write(data)
        await self._may_write.wait()

    def close(self):
        if self.transport:
            self.transport.close()

    def reset(self):
        if self.transport:
            self.transport.abort()
