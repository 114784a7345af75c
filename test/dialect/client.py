"""A client for tests: one session by TCP or a Unix socket, without any library. What it is answered is kept as messages,
so that two servers can be compared byte by byte."""

import socket
import struct

import protocol
from server_session import row

PATIENCE_S = 300


class SqlError(Exception):

    def __init__(self, found):
        super().__init__(f"{found.get('C')} {found.get('M')}")
        self.sqlstate = found.get("C")
        self.message = found.get("M")
        self.hint = found.get("H")
        self.is_fatal = found.get("V") == "FATAL"


class Closed(Exception):
    """The server has closed the connection."""


class Client:

    def __init__(self, address, user="drover", database="drover", **parameters):
        """`address`: a pair of host and port, or the path of a socket."""
        is_path = isinstance(address, str)
        self._socket = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET)
        self._socket.settimeout(PATIENCE_S)
        self._socket.connect(address)
        self._address = address
        self._received = bytearray()
        self._taken = 0
        self.parameters = {}
        self.notices = []
        self.tags = []
        self.columns = []
        self.key = b""
        self.status = None
        self._socket.sendall(protocol.startup({"user": user, "database": database, **parameters}))
        try:
            self._begin()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self._socket.close()

    def _begin(self):
        while True:
            kind, body = self.message()
            if kind == b"K":
                self.key = body
            elif kind == b"E":
                raise SqlError(protocol.fields(body))
            elif kind == b"Z":
                self.status = body
                return

    def send(self, data):
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise Closed(str(error)) from None

    def message(self):
        head = self._exactly(5)
        body = self._exactly(struct.unpack("!I", head[1:])[0] - 4)
        if head[:1] == b"S":
            (name, value), _ = protocol.strings(body, 2)
            self.parameters[name] = value
        elif head[:1] == b"N":
            self.notices.append(protocol.fields(body)["M"])
        return head[:1], body

    def _exactly(self, count):
        if self._taken > 1 << 20:
            del self._received[:self._taken]
            self._taken = 0
        while len(self._received) - self._taken < count:
            try:
                more = self._socket.recv(1 << 20)
            except ConnectionResetError:
                more = b""
            if not more:
                raise Closed("no more comes")
            self._received += more
        self._taken += count
        return bytes(self._received[self._taken - count:self._taken])

    def until_ready(self, copy=()):
        """All messages up to ReadyForQuery, pairs of type and body; sends the parts of `copy` when it is asked to."""
        found = []
        while True:
            kind, body = self.message()
            found.append((kind, body))
            if kind == b"G":
                for part in copy:
                    self.send(protocol.message(b"d", part))
                self.send(protocol.message(b"c"))
            elif kind == b"E" and protocol.fields(body).get("V") == "FATAL":
                raise SqlError(protocol.fields(body))
            elif kind == b"Z":
                self.status = body
                return found

    def rows(self, found):
        """Of the messages of an answer; raises the first error."""
        rows = []
        self.tags = []
        for kind, body in found:
            if kind == b"E":
                raise SqlError(protocol.fields(body))
            if kind == b"T":
                rows = []
                self.columns = _columns(body)
            elif kind == b"D":
                rows.append(row(body))
            elif kind == b"C":
                self.tags.append(protocol.strings(body, 1)[0][0])
        return rows

    def sql(self, text, copy=()):
        """By the simple protocol: the rows of the last statement."""
        self.send(protocol.query(text))
        return self.rows(self.until_ready(copy))

    def value(self, text):
        return self.sql(text)[0][0]

    def pipeline(self, *statements, copy=()):
        """By the extended protocol, with one Sync behind all of them: the rows of the last."""
        self.send(b"".join(prepared(sql) for sql in statements) + protocol.SYNC)
        found = self.until_ready(copy) if not copy else self._with_copy(copy)
        return self.rows(found)

    def _with_copy(self, copy):
        # The Sync behind the Execute does not count.
        found = []
        while True:
            kind, body = self.message()
            found.append((kind, body))
            if kind == b"G":
                self.send(b"".join(protocol.message(b"d", part) for part in copy) + protocol.message(b"c")
                          + protocol.SYNC)
            elif kind == b"Z":
                self.status = body
                return found

    def cancel(self):
        """Of the statement that it executes."""
        with socket.socket(self._socket.family) as other:
            other.connect(self._address)
            other.sendall(struct.pack("!II", 16, protocol.CANCEL) + self.key)
            other.recv(1)


def prepared(sql):
    """Parse, Bind, Describe and Execute of a statement without parameters."""
    return (protocol.parse("", sql) + protocol.bind() + protocol.message(b"D", b"P\0") + protocol.execute())


def _columns(body):
    (count,) = struct.unpack_from("!H", body)
    rest = body[2:]
    columns = []
    for _ in range(count):
        (name,), rest = protocol.strings(rest, 1)
        (oid,) = struct.unpack_from("!I", rest, 6)
        columns.append((name, oid))
        rest = rest[18:]
    return columns


def binary_rows(*rows):
    """Rows of integers of so many bytes each, as COPY BINARY has them: each row a list of pairs of a value and its size."""
    data = b"PGCOPY\n\xff\r\n\0" + struct.pack("!II", 0, 0)
    for values in rows:
        data += struct.pack("!H", len(values))
        for value, size in values:
            data += struct.pack("!I", size) + value.to_bytes(size, "big", signed=True)
    return data + b"\xff\xff"
