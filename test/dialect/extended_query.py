"""The extended protocol: prepared statements, portals, and pipelines of them.

Parse, Bind, Describe and Close are gathered, and sent with the Execute or Sync behind them. After each Execute the
gate asks for what has come of it, so that it can take the next one back.
"""

import protocol
from statement import statement
from transaction import rows_of
from translations import Translation

_ANSWERS = {b"P": b"1E", b"B": b"2E", b"D": b"TnE", b"C": b"3E", b"E": b"CIsGE", b"S": b"ZE"}


class Prepared:

    def __init__(self, one, translation):
        self.statement = one
        self.translation = translation


class ExtendedQueries:

    def __init__(self, link):
        self.link = link
        self.prepared = {}
        self.portals = {}
        self.outgoing = bytearray()
        self.expected = []      # pairs of the type of a message and what it is about
        self.skips = False      # until Sync, after an error

    async def take(self, kind, body):
        data = protocol.message(kind, body)
        if kind == b"S":
            await self._sync(data)
        elif self.skips:
            return
        elif kind == b"P":
            await self._parse(body)
        elif kind == b"B":
            self._bind(body, data)
        elif kind == b"E":
            await self._execute(body, data)
        elif kind == b"D":
            what = self._named(body)
            self._send(data, kind, what)
        elif kind == b"C":
            self._send(data, kind, None)
        elif kind == b"H":
            self.outgoing += data
            await self._settle()
        else:
            await self.link.end("08P01", f"invalid frontend message type {kind[0]}")

    def _send(self, data, kind, what):
        self.outgoing += data
        self.expected.append((kind, what))

    def _named(self, body):
        (name,), _ = protocol.strings(body[1:], 1)
        return self.prepared.get(name) if body[:1] == b"S" else self.portals.get(name)

    async def _parse(self, body):
        link = self.link
        (name, sql), types = protocol.strings(body, 2)
        one = statement(sql)
        if link.is_transparent:
            self.prepared[name] = Prepared(one, Translation(sql))
            self._send(protocol.message(b"P", body), b"P", None)
            return
        await link.gate.read_catalog()
        await self._settle()
        if self.skips:
            return
        error = link.refused(one, link.refusal_of_text(one))
        if error:
            link.gate.note(one)
            await self._fail(error)
            return
        translation = link.translation(one)
        self.prepared[name] = Prepared(one, translation)
        self._send(protocol.parse(name, translation.sql, types), b"P", None)

    def _bind(self, body, data):
        (portal, name), _ = protocol.strings(body, 2)
        prepared = self.prepared.get(name)
        if prepared:
            self.portals[portal] = prepared
        self._send(data, b"B", None)

    async def _execute(self, body, data):
        link = self.link
        (portal,), _ = protocol.strings(body, 1)
        what = self.portals.get(portal)
        if what:
            link.gate.note(what.statement)
        if link.is_transparent or what is None:
            self._send(data, b"E", what)
            return
        await self._settle()
        if self.skips:
            return
        one = what.statement
        error = link.refused(one, link.refusal_in_transaction(one))
        if error:
            await self._fail(error)
            return
        is_explicit = link.transaction is not None and link.transaction.explicit
        is_commit = one.kind == "commit" and is_explicit
        fault = link.fault(one, is_commit or (one.writes and not is_explicit))
        if fault:
            await self._go_wrong(fault, what, data, is_commit)
        else:
            await self._done(data, what)

    async def _done(self, data, what):
        self._send(data, b"E", what)
        self.outgoing += protocol.FLUSH
        await self._settle()

    async def _sync(self, data):
        self._send(data, b"S", None)
        await self._settle()

    async def _settle(self):
        """Sends what is gathered, and hands on the answers to it."""
        link = self.link
        if not self.outgoing:
            return
        if self.expected and self.expected[-1][0] != b"S" and not self.outgoing.endswith(protocol.FLUSH):
            self.outgoing += protocol.FLUSH
        await link.server.write(bytes(self.outgoing))
        self.outgoing.clear()
        while self.expected:
            kind, what = self.expected.pop(0)
            await self._answer_to(kind, what)

    async def _answer_to(self, kind, what):
        link = self.link
        while True:
            passed, stop = await link.answer(_ANSWERS[kind])
            await link.client.write(passed)
            if stop is None:
                continue
            answer, body = stop
            if answer == b"E":
                await link.client.write(protocol.message(answer, body))
                self._failed()
                if kind != b"S":
                    return
            elif answer == b"Z":
                self.skips = False
                await link.ready(body)
                return
            elif answer == b"G":
                await self._copy(body)
            else:
                await self._answered(kind, answer, body, what)
                return

    def _failed(self):
        """What is behind it is not answered, up to the next Sync."""
        self.skips = True
        while self.expected and self.expected[0][0] != b"S":
            self.expected.pop(0)

    async def _copy(self, body):
        await self.link.client.write(protocol.message(b"G", body))
        # A Sync that came with it counts for nothing: the client says it again behind the data.
        self.expected.clear()
        await self.link.copy_in()
        await self.link.server.write(protocol.FLUSH)

    async def _answered(self, kind, answer, body, what):
        link = self.link
        is_execute = kind == b"E"
        if not is_execute or answer != b"C" or what is None or link.dialect.is_plain:
            if is_execute and what and answer == b"C":
                link.done(what.statement, protocol.strings(body, 1)[0][0])
            await link.client.write(protocol.message(answer, body))
            return
        await self._completed(what, protocol.strings(body, 1)[0][0])

    async def _completed(self, what, tag):
        link = self.link
        one = what.statement
        had_written = link.transaction is not None and link.transaction.has_written
        for sql in what.translation.then:
            if not await self._privately(sql):
                return
        link.done(one, tag)
        if one.kind == "copy from" and link.dialect.copy_batches and not had_written:
            batch = int(link.variables[link.dialect.copy_batches])
            if batch and rows_of(tag) > batch:
                link.gate.note_finding("copy_not_atomic", one)
        await link.client.write(protocol.complete(what.translation.tag or tag))

    async def _privately(self, sql):
        """Executes a statement of the gate's own; if it fails, that is the client's error."""
        link = self.link
        name = "drover_gate"
        await link.server.write(protocol.parse(name, sql) + protocol.bind("", name) + protocol.execute()
                                + protocol.message(b"C", b"S" + protocol.text(name)) + protocol.FLUSH)
        while True:
            _, stop = await link.answer(b"3E")
            if stop is None:
                continue
            if stop[0] == b"E":
                await link.client.write(protocol.message(*stop))
                self._failed()
                return False
            return True

    async def _fail(self, message):
        """In the place of what was gathered last; the transaction fails."""
        link = self.link
        await link.server.write(protocol.parse("", "drover_gate_refuses") + protocol.FLUSH)
        while (await link.answer(b"E"))[1] is None:
            pass
        await link.client.write(message)
        self._failed()

    async def _go_wrong(self, fault, what, data, is_commit):
        link = self.link
        if fault.committed:
            await link.server.write(data + (protocol.FLUSH if is_commit else protocol.SYNC))
            while (await link.answer(b"C" if is_commit else b"Z"))[1] is None:
                pass
            link.transaction = None
        elif is_commit:
            await self._privately("ROLLBACK")
            link.transaction = None
        if fault.how in ("end", "lose"):
            await link.end_with(fault)
        if fault.committed or is_commit:
            await link.client.write(protocol.error(fault.sqlstate, fault.message))
            self._failed()
        else:
            await self._fail(protocol.error(fault.sqlstate, fault.message))
