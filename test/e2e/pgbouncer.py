"""A PgBouncer before a private server, in a temporary folder, on a Unix socket."""

import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import harness

PROGRAM = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
PORT = 6432


class PgBouncer:

    def __init__(self, server, mode, pool_size=20):
        """Of the harness.Server; `mode` is session or transaction, `pool_size` how many of its processes it lends."""
        self.server = server
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-e2e-"))
        # As the server: it does not run as root.
        owner = os.stat(server.data)
        self._account = {"user": owner.st_uid, "group": owner.st_gid} if os.geteuid() == 0 else {}
        (self.folder / "users").write_text('"drover" ""\n', encoding="utf-8")
        (self.folder / "pgbouncer.ini").write_text(
            f"[databases]\ndrover = host={server.socket_folder} port=5432 dbname=drover user=drover\n"
            f"[pgbouncer]\nlisten_addr =\nlisten_port = {PORT}\nunix_socket_dir = {self.folder}\n"
            f"auth_type = trust\nauth_file = {self.folder}/users\npool_mode = {mode}\n"
            # It looks for the server again at once when that has gone.
            f"default_pool_size = {pool_size}\nmax_client_conn = 1000\nserver_login_retry = 0\n"
            f"logfile = {self.folder}/log\n", encoding="utf-8")
        if self._account:
            for path in (self.folder, *self.folder.iterdir()):
                os.chown(path, owner.st_uid, owner.st_gid)
        self._process = None

    @property
    def conninfo(self):
        return f"host={self.folder} port={PORT} user=drover dbname=drover"

    def start(self):
        self._process = subprocess.Popen([PROGRAM, "-q", self.folder / "pgbouncer.ini"], cwd="/",
                                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **self._account)
        harness.wait_until((self.folder / f".s.PGSQL.{PORT}").exists, "the socket of PgBouncer")

    def kill(self):
        if self._process:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
        # Its successor makes another one.
        (self.folder / f".s.PGSQL.{PORT}").unlink(missing_ok=True)

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def drover(self, *arguments):
        return self.begin(*arguments).wait()

    def begin(self, *arguments):
        return harness.start_drover(*arguments, DROVER_DB=self.conninfo)
