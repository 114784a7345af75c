"""python3 -m ydb_server: exit code 0 after SIGTERM or the end of stdin, 1 failure, 2 usage."""

import argparse
import asyncio
import json
import logging
import os
import pathlib
import re
import signal
import stat
import sys

import grpc
import psycopg

from ydb_server.control import Control
from ydb_server.error import YdbError
from ydb_server.server import Server

_EPILOG = """example:
  python3 -m ydb_server --pg "host=/run/postgresql dbname=test" --nodes 3 --database /Root/test

It prints one line of JSON when it is ready: {"ports": […], "control": port, "database": …}. It
makes the schema of --schema anew in the PostgreSQL database: whatever is in it is lost. It ends on
SIGTERM, on SIGINT, and when stdin is a pipe that is closed."""


class _Usage(Exception):
    pass


def _parser():
    parser = argparse.ArgumentParser(
        prog="ydb_server", description="Speaks YDB's protocol; executes on PostgreSQL.",
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pg", required=True, metavar="CONNINFO",
                        help="the PostgreSQL to execute on; its user may create a schema")
    parser.add_argument("--schema", default="ydb_server",
                        help="the schema that is made anew (default: %(default)s)")
    parser.add_argument("--pg-connections", type=int, default=200, metavar="N",
                        help="connections to PostgreSQL at most (default: %(default)s)")
    parser.add_argument("--lock-timeout", type=float, default=5, metavar="SECONDS",
                        help="how long a statement waits for another transaction, until it is "
                        "ABORTED (default: %(default)s)")
    parser.add_argument("--nodes", type=int, default=1, metavar="N", help="nodes, each with a port")
    parser.add_argument("--host", default="127.0.0.1", help="the address of all nodes")
    parser.add_argument("--database", default="/Root/test", metavar="PATH")
    parser.add_argument("--tls", nargs=2, metavar=("CERT", "KEY"), help="PEM files")
    parser.add_argument("--auth", metavar="USER:PASSWORD", help="ask for a token of Login")
    parser.add_argument("--seed", type=int, default=1, help="of the faults (default: %(default)s)")
    parser.add_argument("--faults", default="{}", metavar="JSON",
                        help="the faults from the beginning, as PUT /faults takes them")
    parser.add_argument("--settings", default="{}", metavar="JSON",
                        help="the settings from the beginning, as POST /settings takes them")
    return parser


def _options(arguments):
    options = _parser().parse_args(arguments)
    if not 1 <= options.nodes <= 100:
        raise _Usage(f"--nodes is 1 to 100, not {options.nodes}")
    if options.pg_connections < 1:
        raise _Usage("--pg-connections is at least 1")
    if not 0.001 <= options.lock_timeout <= 86400:
        raise _Usage("--lock-timeout is 0.001 to 86400 seconds")
    if not re.fullmatch(r"(/[A-Za-z0-9_.-]+)+", options.database):
        raise _Usage(f"--database is a path such as /Root/test, not '{options.database}'")
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", options.schema) or options.schema == "public":
        raise _Usage(f"--schema is a name in small letters and not public: '{options.schema}'")
    options.user, options.password = None, None
    if options.auth is not None:
        options.user, separator, options.password = options.auth.partition(":")
        if not separator or not options.user:
            raise _Usage("--auth is USER:PASSWORD")
    return options


def _credentials(options):
    if not options.tls:
        return None
    try:
        certificate, key = (pathlib.Path(path).read_bytes() for path in options.tls)
    except OSError as error:
        raise _Usage(f"--tls: {error}") from None
    return grpc.ssl_server_credentials([(key, certificate)])


def _apply_switches(options, server):
    for name, apply_it in (("faults", server.faults.set), ("settings", server.settings.change)):
        try:
            changes = json.loads(getattr(options, name))
            if not isinstance(changes, dict):
                raise ValueError("an object was expected")
            apply_it(changes)
        except ValueError as error:
            raise _Usage(f"--{name}: {error}") from None


async def _watch_stdin(ended):
    """Ends with the parent: when the pipe that is our stdin is closed."""
    if not stat.S_ISFIFO(os.fstat(0).st_mode):
        return
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(0, "rb", buffering=0))
    while await reader.read(4096):
        pass
    ended.set()


async def _run(options):
    server = Server(options, _credentials(options))
    _apply_switches(options, server)
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    control = Control(server)
    await server.start()
    await control.start()
    print(json.dumps({"ports": [node.port for node in server.nodes], "control": control.port,
                      "database": options.database, "tls": bool(options.tls)}), flush=True)
    watching = asyncio.create_task(_watch_stdin(ended))
    await ended.wait()
    watching.cancel()
    await control.stop()
    await server.stop()


def main(arguments):
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    try:
        asyncio.run(_run(_options(arguments)))
    except _Usage as error:
        print(f"ydb_server: error: {error} (--help tells more)", file=sys.stderr)
        return 2
    except (YdbError, psycopg.Error, OSError, RuntimeError) as error:
        print(f"ydb_server: error: {error}", file=sys.stderr)
        return 1
    return 0
