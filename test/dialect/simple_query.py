"""Queries of the simple protocol: a text of one or several statements."""

import protocol
from statement import split
from transaction import is_ddl, rows_of

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
        await self._piece_by_piece(statements, len(body))

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

    async def _piece_by_piece(self, statements, size):
        """Several statements outside of BEGIN are one transaction, and so is a write that a limit may undo."""
        link = self.link
        wrapped = False
        held = b""
        for place, one in enumerate(statements):
            is_one_of_many = len(statements) > 1
            starts = link.status == b"I" and one.kind not in _OUTSIDE
            if starts and (is_one_of_many or (link.dialect.limits.of_writes and one.writes)):
                if not (link.dialect.ddl == "outside" and is_ddl(one)):
                    await link.ask("BEGIN")
                    wrapped = True
            await link.client.write(held)
            held = await self._piece(one, size if place == 0 else 0, wrapped)
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

    async def _piece(self, one, size, wrapped):
        """How it is completed, which the client is not told before that is sure; None if it has failed."""
        link = self.link
        link.gate.note(one)
        error = link.refused(one, link.refusal_in_transaction(one) or link.refusal_of_text(one))
        if error:
            return await self._fail(error)
        if wrapped and one.kind == "begin":
            link.done(one, link.translation(one), "BEGIN", 0)
            return protocol.complete("BEGIN")
        is_commit = one.kind == "commit" and link.status == b"T"
        fault = link.fault(one, is_commit or (one.writes and (link.status == b"I" or wrapped)))
        if fault:
            return await self._go_wrong(fault, one, is_commit)
        return await self._execute(one, link.translation(one), size)

    async def _fail(self, message):
        await self.link.client.write(message)
        await self.link.fail_transaction()
        return None

    async def _go_wrong(self, fault, one, is_commit):
        link = self.link
        if fault.committed:
            await self._execute(one, link.translation(one), 0)
            if link.status == b"T" and not is_commit:
                await link.ask("COMMIT")
        elif is_commit:
            await link.ask("ROLLBACK")
            link.transaction = None
        if fault.how in ("end", "lose"):
            await link.end_with(fault)
        return await self._fail(protocol.error(fault.sqlstate, fault.message))

    async def _execute(self, one, translation, size):
        link = self.link
        await link.server.write(protocol.query(translation.sql))
        held, tag = b"", ""
        sent = size
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
                sent += await link.copy_in()
            elif kind == b"C":
                tag = protocol.strings(body, 1)[0][0]
                held = protocol.complete(translation.tag or tag)
            elif kind == b"E":
                failed = True
                await link.client.write(protocol.message(kind, body))
            else:
                held = protocol.message(kind, body)
        return None if failed else await self._completed(one, translation, tag, held, sent)

    async def _completed(self, one, translation, tag, held, sent):
        link = self.link
        had_written = link.transaction is not None and link.transaction.writes > 0
        for sql in translation.then:
            failed = await link.ask(link.translation(split(sql)[0]).sql)
            if failed:
                await link.client.write(failed)
                return None
        job = link.done(one, translation, tag, sent)
        if job:
            held = protocol.row_description(["job_id"]) + protocol.data_row([job]) + held
        if link.transaction and one.writes:
            if _is_partitioned(link, one):
                link.transaction.mutations = link.transaction.bytes = 0
            error = link.refused(one, link.transaction.over_limit())
            if error:
                return await self._fail(error)
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


def _is_partitioned(link, one):
    """As PGAdapter: COPY outside of a transaction that need not be atomic."""
    return (one.kind == "copy from" and not link.transaction.explicit
            and link.variables.get("spanner.autocommit_dml_mode", "").lower() == "partitioned_non_atomic")
