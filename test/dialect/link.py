"""A client's session through the gate: how it begins, waits and ends, and what the gate thinks of its statements.

What a client says is handed to the server one message behind the other, and its answer is awaited wherever the gate may
have to say something else. Where it has nothing to say (the dialect `postgres`, no fault planned), only the types of
messages are looked at.
"""

import asyncio
import re
import struct

import distribution
import protocol
import translations
from extended_query import ExtendedQueries
from protocol import Gone
from simple_query import SimpleQueries
from statement import statement
from transaction import Transaction
from translations import Translation

# What no server understands: it fails the transaction that it is in.
NONSENSE = "drover_gate_refuses"

_STARTUP_LENGTH_MAX = 10_000


class Ended(Exception):
    """The gate has ended the session."""


class Link:

    def __init__(self, gate):
        self.gate = gate
        self.dialect = gate.dialect
        self.wake = asyncio.Event()
        self.client = protocol.Stream(self.wake.set)
        self.server = None
        self.status = b"I"
        self.variables = dict(self.dialect.settings.own)
        self.isolation = self.dialect.isolation or "read committed"
        self.transaction = None
        self.ending = None  # the message with which the session is to end
        self.simple = SimpleQueries(self)
        self.extended = ExtendedQueries(self)

    # How it begins and ends.

    async def run(self):
        try:
            if await self._start():
                await self._serve()
        except (Gone, Ended, ConnectionError):
            pass
        finally:
            for side in (self.client, self.server):
                if side:
                    side.close()

    async def _start(self):
        while True:
            (length,) = struct.unpack("!I", await self.client.exactly(4))
            if not 8 <= length <= _STARTUP_LENGTH_MAX:
                return False
            body = await self.client.exactly(length - 4)
            (code,) = struct.unpack_from("!I", body)
            if code in (protocol.SSL, protocol.GSSENC):
                await self.client.write(b"N")
            elif code == protocol.CANCEL:
                await self.gate.cancel(body)
                return False
            elif code >> 16 == 3:
                await self._begin_session(protocol.startup_parameters(body[4:]))
                return True
            else:
                await self.end("0A000", f"unsupported frontend protocol {code >> 16}.{code & 0xffff}")

    async def _begin_session(self, parameters):
        refusal = self.gate.refusal_of_session()
        if refusal:
            await self.end(*refusal)
        parameters = await self._server_parameters(parameters)
        self.server = await self.gate.connect(self.wake.set)
        await self.server.write(protocol.startup(parameters))
        while True:
            passed, stop = await self.answer(b"RKSEZ")
            await self.client.write(passed)
            if stop is None:
                continue
            kind, body = stop
            if kind == b"S" and protocol.strings(body, 1)[0][0] in self.dialect.parameters:
                continue
            if kind == b"Z":
                for name, value in self.dialect.parameters.items():
                    await self.client.write(protocol.parameter_status(name, value))
            await self.client.write(protocol.message(kind, body))
            if kind == b"R" and struct.unpack_from("!I", body)[0] not in (0, 12):
                await self.server.write(protocol.message(*await self.client_message()))
            elif kind == b"E":
                raise Ended()
            elif kind == b"Z":
                return

    async def _server_parameters(self, parameters):
        """What the server is told, of what the client has: who it is, is the gate's to say."""
        taken = {name: value for name, value in parameters.items()
                 if name not in ("user", "database", "options", "replication")}
        for name, value in re.findall(r"(?:-c\s*|--)([\w.]+)=((?:\\.|\S)*)", parameters.get("options", "")):
            taken[name.lower().replace("-", "_")] = value.replace("\\", "")
        settings = self.dialect.settings
        for name in list(taken):
            refusal = settings.refusal(name.lower())
            if refusal:
                await self.end(*refusal)
            if name in settings.ignored or name in settings.own:
                self.variables[name] = taken.pop(name)
        if "default_transaction_isolation" in taken:
            self.isolation = taken["default_transaction_isolation"]
        elif self.dialect.isolation:
            taken["default_transaction_isolation"] = self.dialect.isolation
        return {**taken, **self.gate.identity(parameters)}

    async def end(self, sqlstate, message, hint=None):
        await self.client.write(protocol.error(sqlstate, message, "FATAL", hint))
        raise Ended()

    async def end_with(self, fault):
        if fault.sqlstate:
            await self.end(fault.sqlstate, fault.message)
        self.client.reset()
        raise Ended()

    def end_soon(self, sqlstate, message):
        """Of another task: the client is told when it waits for nothing, or next says something."""
        self.ending = protocol.error(sqlstate, message, "FATAL")
        self.wake.set()

    # What it waits for.

    async def _serve(self):
        while True:
            kind, body = await self.client_message(idle=True)
            if kind == b"X":
                return
            if kind in b"dcf":
                continue  # of a COPY that has failed
            if kind == b"Q":
                await self.simple.run(body)
            elif kind == b"F":
                await self._hand_over(protocol.message(kind, body))
            else:
                await self.extended.take(kind, body)

    async def _hand_over(self, data):
        await self.server.write(data)
        while True:
            passed, stop = await self.answer(b"Z")
            await self.client.write(passed)
            if stop:
                await self.ready(stop[1])
                return

    async def client_message(self, idle=False):
        while True:
            self.wake.clear()
            if idle and self.ending:
                await self.client.write(self.ending)
                raise Ended()
            found = self.client.whole_message()
            if found:
                return found
            if self.client.ended or (self.server and self.server.ended and not self.server.buffer):
                raise Gone()
            if idle and self.server and self.server.buffer and not self.extended.expected:
                # What a server says of itself: a parameter, a notification, that it ends.
                passed, _ = self.server.poll(b"")
                await self.client.write(passed)
            await self.wake.wait()

    async def answer(self, stops):
        """Of the server: whole messages before one of these types, and that one or None."""
        while True:
            self.wake.clear()
            passed, found = self.server.poll(stops)
            if passed or found:
                return passed, found
            if self.server.ended or self.client.ended:
                raise Gone()
            await self.wake.wait()

    async def ask(self, sql):
        """Executes something of the gate's own between two statements; returns the ErrorResponse, or None. What the
        server says meanwhile that is no answer goes to the client."""
        await self.server.write(protocol.query(sql))
        failed = None
        while True:
            passed, stop = await self.answer(b"EZ")
            for kind, body in protocol.messages(passed):
                if kind in b"ANS":
                    await self.client.write(protocol.message(kind, body))
            if stop is None:
                continue
            if stop[0] == b"E":
                failed = protocol.message(*stop)
            else:
                self.status = stop[1]
                return failed

    async def copy_in(self):
        """Hands on what the client copies, until it has ended that or the server has failed."""
        while True:
            self.wake.clear()
            passed, stop = self.client.poll(b"cfXQPBE")
            if passed:
                await self.server.write(passed)
            if stop:
                await self.server.write(protocol.message(*stop))
                if stop[0] not in b"cf":
                    raise Gone()
                return
            if b"E"[0] == (self.server.buffer[:1] or b"\0")[0]:
                return
            if not passed:
                if self.client.ended or self.server.ended:
                    raise Gone()
                await self.wake.wait()

    async def ready(self, status):
        self.status = status
        if status == b"I":
            self.transaction = None
        await self.client.write(protocol.ready(status))

    async def fail_transaction(self):
        """Of a transaction that the server is in, between two statements."""
        if self.status == b"T":
            await self.ask(NONSENSE)

    # What the gate thinks of statements.

    @property
    def is_transparent(self):
        return self.dialect.is_plain and self.gate.faults.is_empty

    def current_transaction(self):
        if self.transaction is None:
            self.transaction = Transaction(self.isolation, explicit=False)
        return self.transaction

    def refusal_of_text(self, one):
        """Whatever came before: a triple of SQLSTATE, message and hint, or None."""
        if self.status == b"E":
            return None
        for refusal in self.dialect.refusals:
            message = refusal.of(one)
            if message:
                return refusal.sqlstate, message, refusal.hint
        function = one.calls(self.dialect.missing_functions)
        if function:
            return (*self.dialect.missing_functions[function], None)
        setting = one.setting()
        if setting and setting[0] and not one.matches(
                r"(re)?set (session |local )?(all|transaction|session characteristics|constraints|session authorization)\b"):
            refusal = self.dialect.settings.refusal(setting[0])
            if refusal:
                return (*refusal, None)
        if self.dialect.distributed:
            return distribution.refusal(one, self.gate.distributed)
        return None

    def refusal_in_transaction(self, one):
        """Because of what came before: a triple of SQLSTATE, message and hint, or None."""
        if self.status == b"E" or one.kind in ("commit", "rollback"):
            return None
        if self.dialect.distributed and self.variables["plan_cache_mode"] == "force_generic_plan":
            refusal = distribution.refusal_of_generic_plan(one, self.gate.distributed)
            if refusal:
                return refusal
        return self.current_transaction().refusal(one, self.dialect, self.variables)

    def refused(self, one, refusal):
        """The error that the client gets; None if the gate only notes what it would refuse."""
        if refusal is None:
            return None
        self.gate.note_refusal(one, *refusal[:2])
        return None if self.gate.tolerates else protocol.error(refusal[0], refusal[1], hint=refusal[2])

    def translation(self, one):
        result = Translation(one.sql)
        dialect = self.dialect
        if dialect.is_plain or self.status == b"E":
            return result
        for translate in dialect.translations:
            translate(statement(result.sql), result)
        translations.settings_of_its_own(statement(result.sql), result, dialect.settings, dialect.parameters)
        if dialect.parameters:
            result.sql = translations.current_setting_of(statement(result.sql), dialect.parameters)
        if dialect.shadowed or dialect.version:
            result.sql = translations.shadow_names(statement(result.sql), self.gate.shadowed)
        return result

    def fault(self, one, is_last_of_transaction):
        """The fault that is due, or None. A statement that is a transaction alone is its commit, too."""
        if self.gate.faults.is_empty or self.status == b"E":
            return None
        if is_last_of_transaction:
            return self.gate.faults.at("commit", one) or (
                self.gate.faults.at("statement", one) if one.touches_data else None)
        return self.gate.faults.at("statement", one) if one.touches_data else None

    def done(self, one, tag):
        """Keeps account of what the server has done."""
        if one.kind == "begin":
            self.transaction = Transaction(self._level(one) or self.isolation, explicit=True)
        elif tag in ("COMMIT", "ROLLBACK"):
            self.transaction = None
        else:
            self.current_transaction().has_written |= one.writes
        setting = one.setting()
        if setting and setting[0] in self.variables:
            self.variables[setting[0]] = setting[1] or self.dialect.settings.own.get(setting[0], "")
        if one.kind == "set" and self._level(one):
            if one.has(r"^set (session characteristics|default_transaction_isolation)"):
                self.isolation = self._level(one)
            elif self.transaction:
                self.transaction.isolation = self._level(one)
        if one.kind == "ddl" or one.has(r"\b(create_distributed_table|create_reference_table|undistribute_table)\b"):
            self.gate.catalog_is_old = True

    @staticmethod
    def _level(one):
        found = one.has(r"isolation level (read \w+|repeatable read|serializable)\b")
        if found:
            return found[1]
        setting = one.setting()
        return setting[1].lower() if setting and setting[0].endswith("transaction_isolation") else None
