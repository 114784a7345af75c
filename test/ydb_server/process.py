"""The server as a process of a test, with its switches. Needs nothing but the standard library, so
that any test may import it; the server itself runs in the virtual environment of make_venv, which start()
makes if it has to.

    with YdbServer(postgres.conninfo, nodes=3) as server:
        drover("tpcc", "init", "--db", server.url)
        server.faults(overloaded={"probability": 0.1})
"""

import json
import os
import pathlib
import subprocess
import threading
import unittest
import urllib.error
import urllib.request

_HERE = pathlib.Path(__file__).resolve().parent
_DEFAULT_VENV = _HERE.parent.parent / "build" / "ydb_venv"
START_SECONDS = 120   # a machine that is busy with other tests


def interpreter():
    """Of the virtual environment; the variable YDB_VENV names another folder than the default."""
    return pathlib.Path(os.environ.get("YDB_VENV", _DEFAULT_VENV)) / "bin" / "python3"


def make_venv():
    """Where it is not there yet. Without a network the test is skipped if DROVER_OFFLINE is 1, and
    fails otherwise."""
    folder = interpreter().parent.parent
    made = subprocess.run([_HERE / "make_venv", folder], stderr=subprocess.PIPE, text=True)
    if made.returncode != 0:
        if os.environ.get("DROVER_OFFLINE") == "1":
            raise unittest.SkipTest(f"DROVER_OFFLINE=1, and {made.stderr}")
        raise AssertionError(made.stderr)


class YdbServer:
    def __init__(self, conninfo, *arguments, nodes=1, database="/Root/test", tls=None, auth=None,
                 seed=1, faults=None, settings=None):
        self.database = database
        self.tls = tls
        self._command = [str(interpreter()), "-B", "-m", "ydb_server", "--pg", conninfo,
                         "--nodes", str(nodes), "--database", database, "--seed", str(seed),
                         "--faults", json.dumps(faults or {}),
                         "--settings", json.dumps(settings or {}), *arguments]
        if tls:
            self._command += ["--tls", *map(str, tls)]
        if auth:
            self._command += ["--auth", auth]
        self.process = None
        self.ports = []

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self):
        make_venv()
        # Nothing of whoever runs the tests decides to which PostgreSQL it connects.
        environment = {name: value for name, value in os.environ.items()
                       if not name.startswith("PG")}
        environment.update(PYTHONPATH=str(_HERE.parent), GRPC_VERBOSITY="ERROR")
        self.process = subprocess.Popen(self._command, env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        # A server that hangs is killed, and then the line that it owes is empty.
        watchdog = threading.Timer(START_SECONDS, self.process.kill)
        watchdog.start()
        line = self.process.stdout.readline()
        watchdog.cancel()
        if not line:
            code = self.process.wait()
            self._close_pipes()
            raise AssertionError(f"the server of YDB's protocol has not started: exit code {code}")
        ready = json.loads(line)
        self.ports = ready["ports"]
        self._control = ready["control"]
        return self

    def stop(self):
        """Closes its stdin, at which it ends; returns its exit code."""
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self._close_pipes()

    def _close_pipes(self):
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()

    @property
    def endpoint(self):
        return f"{'grpcs' if self.tls else 'grpc'}://127.0.0.1:{self.ports[0]}"

    @property
    def url(self):
        """The connection string in YDB's manner."""
        return f"{self.endpoint}{self.database}"

    def state(self):
        return self._call("GET", "/state")

    def faults(self, **switches):
        """These and no others: name={"probability": p, "count": n, "skip": n, "methods": […]}."""
        return self._call("PUT", "/faults", switches)

    def settings(self, **changes):
        return self._call("POST", "/settings", changes)

    def action(self, name, **more):
        """node_down, node_up, session_shutdown, node_shutdown, attach_cut, expire."""
        return self._call("POST", "/actions", {"action": name, **more})

    def _call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self._control}{path}", data,
                                         method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise ValueError(json.load(error)["error"]) from None
