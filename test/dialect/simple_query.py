"""Queries of the simple protocol: a text of one or several statements."""

import protocol
from statement import split
from transaction import rows_of

_OUTSIDE = ("begin", "commit", "rollback")


class SimpleQueries:

    def __init__(self, link):
        self.link = link

    async def run(self, body):
        link = self.link
        statements = split(body.rstrip(b"\0").decode(errors="surrogateescape"))
        if link.is_transparent or not statements:
            for one in statements:
                link.gate.note(one)
            await self._unchanged(protocol.message(b"Q", body))
            return
        await link.gate.read_catalog()
        await self._piece_by_piece(statements)

    async def _unchanged(self, data):
        link = self.link
        await link.server.write(data)
        while True:
            passed, stop = await link.answer(b"GZ")
            await link.client.write(passed)
            if stop is None:
                continue
            if stop[0] == b"Z":
                await link.ready(stop[1])
                return
            await link.client.write(protocol.message(*stop))
            await link.copy_in()

    async def _piece_by_piece(self, statements):
        """Several statements outside of BEGIN are one transaction."""
        link = self.link
        wrapped = False
        held = b""
        for one in statements:
            if len(statements) > 1 and link.status == b"I" and one.kind not in _OUTSIDE:
                await link.ask("BEGIN")
                wrapped = True
            await link.client.write(held)
            held = await self._piece(one, wrapped)
            if held is None:
                break
            wrapped = wrapped and one.kind not in _OUTSIDE
        if wrapped:
            held = await self._unwrap(held)
        if held:
            await link.client.write(held)
        await link.ready(link.status)

    async def _unwrap(self, held):
        return await self.link.ask("ROLLBACK" if held is None else "COMMIT") or held

    async def _piece(self, one, wrapped):
        """How it is completed, which the client is not told before that is sure; None if it has failed."""
        link = self.link
        link.gate.note(one)
        error = link.refused(one, link.refusal_in_transaction(one) or link.refusal_of_text(one))
        if error:
            return await self._fail(error)
        if wrapped and one.kind == "begin":
            link.done(one, "BEGIN")
            return protocol.complete("BEGIN")
        is_commit = one.kind == "commit" and link.status == b"T"
        fault = link.fault(one, is_commit or (one.writes and (link.status == b"I" or wrapped)))
        if fault:
            return await self._go_wrong(fault, one, is_commit)
        return await self._execute(one, link.translation(one))

    async def _fail(self, message):
        await self.link.client.write(message)
        await self.link.fail_transaction()
        return None

    async def _go_wrong(self, fault, one, is_commit):
        link = self.link
        if fault.committed:
            await self._execute(one, link.translation(one))
            if link.status == b"T" and not is_commit:
                await link.ask("COMMIT")
        elif is_commit:
            await link.ask("ROLLBACK")
            link.transaction = None
        if fault.how in ("end", "lose"):
            await link.end_with(fault)
        return await self._fail(protocol.error(fault.sqlstate, fault.message))

    async def _execute(self, one, translation):
        link = self.link
        await link.server.write(protocol.query(translation.sql))
        held, tag = b"", ""
        failed = False
        while True:
            passed, stop = await link.answer(b"CEGIZ")
            await link.client.write(passed)
            if stop is None:
                continue
            kind, body = stop
            if kind == b"Z":
                link.status = body
                break
            if kind == b"G":
                await link.client.write(protocol.message(kind, body))
                await link.copy_in()
            elif kind == b"C":
                tag = protocol.strings(body, 1)[0][0]
                held = protocol.complete(translation.tag or tag)
            elif kind == b"E":
                failed = True
                await link.client.write(protocol.message(kind, body))
            else:
                held = protocol.message(kind, body)
        return None if failed else await self._completed(one, translation, tag, held)

    async def _completed(self, one, translation, tag, held):
        link = self.link
        had_written = link.transaction is not None and link.transaction.has_written
        for sql in translation.then:
            failed = await link.ask(link.translation(split(sql)[0]).sql)
            if failed:
                await link.client.write(failed)
                return None
        link.done(one, tag)
        if one.kind == "copy from" and link.dialect.copy_batches:
            await self._copied(one, tag, had_written)
        return held

    async def _copied(self, one, tag, had_written):
        """As YugabyteDB: COPY commits as it goes, unless its transaction has sent something before."""
        link = self.link
        option = one.has(r"rows_per_transaction (\d+)")
        batch = int(option[1] if option else link.variables[link.dialect.copy_batches])
        if batch == 0 or link.status != b"T":
            return
        if had_written:
            await link.client.write(protocol.error(
                "22023", "Batched COPY is not supported in transaction blocks. Defaulting to using one transaction for "
                "the entire copy.", "WARNING").replace(b"E", b"N", 1))
        elif rows_of(tag) > batch:
            link.gate.note_finding("copy_not_atomic", one)
            await link.ask("COMMIT")
            await link.ask("BEGIN")
