"""A private server, a streaming standby of it, and a pgpool-II before both, in temporary folders, on Unix sockets."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import harness

PROGRAM = shutil.which("pgpool") or shutil.which("pgpool", path="/usr/sbin")
PORT = 9999
DATABASE = "user=drover dbname=drover"


def _remove_shared_memory(creators):
    """System V's segments outlive who was killed: pgpool's are 137 MB each, until the machine has no memory left."""
    with open("/proc/sysvipc/shm", encoding="utf-8") as segments:
        columns = next(segments).split()
        for line in segments:
            segment = dict(zip(columns, line.split()))
            if int(segment["cpid"]) in creators and segment["nattch"] == "0":
                subprocess.run(["ipcrm", "-m", segment["shmid"]], check=True)


class PgpoolCluster:

    def __init__(self, **settings):
        """`settings` are of pgpool.conf, besides those below."""
        self.server = harness.Server()
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="drover-e2e-"))
        self.settings = settings
        self._account = {}
        self._standby = self._pgpool = None

    def start(self):
        self.start_primary()
        owner = os.stat(self.server.data)
        if os.geteuid() == 0:
            self._account = {"user": owner.st_uid, "group": owner.st_gid, "extra_groups": []}
            os.chown(self.folder, owner.st_uid, owner.st_gid)
        self._programs = pathlib.Path(os.readlink(f"/proc/{self.server.pid}/exe")).parent
        copy = self._begin(self._programs / "pg_basebackup", "-h", self.server.socket_folder, "-U", "drover", "-D",
                           self.data, "-R", "-c", "fast")
        if copy.wait() != 0:
            raise AssertionError(self.log)
        shutil.copy(self.server.data.parent / "drover.conf", self.folder)  # its postgresql.conf includes that
        self.start_standby()
        self.start_pgpool()

    def start_primary(self):
        self.server.start("wal_level=replica", "max_wal_senders=4")

    def start_standby(self):
        self._standby = self._begin(self._programs / "postgres", "-D", self.data, "-c", "listen_addresses=", "-c",
                                    f"unix_socket_directories={self.folder}", "-c", "port=5432", "-c", "fsync=off",
                                    "-c", "shared_buffers=64MB")
        harness.wait_until(self._standby_answers, "the standby")

    def start_pgpool(self):
        defaults = {
            "backend_clustering_mode": "streaming_replication", "listen_addresses": "", "pcp_listen_addresses": "",
            "port": PORT, "socket_dir": self.folder, "pcp_socket_dir": self.folder, "wd_ipc_socket_dir": self.folder,
            "pid_file_name": self.folder / "pid", "logdir": self.folder, "memqcache_oiddir": self.folder,
            "backend_hostname0": self.server.socket_folder, "backend_port0": 5432,
            "backend_data_directory0": self.server.data, "backend_weight0": 1,
            "backend_hostname1": self.folder, "backend_port1": 5432, "backend_data_directory1": self.data,
            "backend_weight1": 1,
            # Without a primary it is not to look for one for minutes.
            "search_primary_node_timeout": 1, "sr_check_user": "drover", "sr_check_database": "drover",
            "sr_check_period": 1, "num_init_children": 32,
        }
        (self.folder / "pgpool.conf").write_text(
            "".join(f"{name} = '{value}'\n" for name, value in {**defaults, **self.settings}.items()),
            encoding="utf-8")
        (self.folder / "empty").touch()
        self._pgpool = self._begin(PROGRAM, "-n", "-D", "-f", self.folder / "pgpool.conf", "-F", self.folder / "empty",
                                   "-a", self.folder / "empty")
        harness.wait_until((self.folder / f".s.PGSQL.{PORT}").exists, "the socket of pgpool")

    def kill_pgpool(self):
        self._kill(self._pgpool)
        for socket in self.folder.glob(".s.PGSQL.9*"):
            socket.unlink()
        (self.folder / "pid").unlink(missing_ok=True)

    def kill_standby(self):
        self._kill(self._standby)

    def remove(self):
        for process in (self._pgpool, self._standby):
            if process:
                self._kill(process)
        self.server.remove()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def data(self):
        """The standby's."""
        return self.folder / "data"

    @property
    def log(self):
        return (self.folder / "log").read_text(encoding="utf-8", errors="replace")

    @property
    def conninfo(self):
        return f"host={self.folder} port={PORT} {DATABASE}"

    @property
    def promotion(self):
        """A failover_command, should the primary be the node that has gone."""
        script = self.folder / "promote"
        script.write_text('#!/bin/sh\n[ "$1" != "$2" ] || '
                          f'exec {self._programs}/pg_ctl promote -D {self.data}\n', encoding="utf-8")
        script.chmod(0o755)
        return f"{script} %d %P"

    def standby(self):
        return harness.Session(self.folder)

    def _standby_answers(self):
        if self._standby.poll() is not None:
            raise AssertionError(self.log)
        try:
            with self.standby():
                return True
        except harness.SessionError:
            return False

    def _begin(self, *arguments):
        with open(self.folder / "log", "ab") as output:
            return subprocess.Popen([str(one) for one in arguments], cwd="/", stdin=subprocess.DEVNULL, stdout=output,
                                    stderr=subprocess.STDOUT, start_new_session=True, **self._account)

    @staticmethod
    def _kill(process):
        """With its children, as the kernel does when memory runs out."""
        family = [process.pid, *harness.children(process.pid)]
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)  # those, too, that pgpool has just started
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        harness.wait_until(lambda: not any(map(harness.is_alive, family)), "the end of the processes")
        _remove_shared_memory(family)

    def drover(self, *arguments):
        return self.begin(*arguments).wait()

    def begin(self, *arguments):
        return harness.start_drover(*arguments, DROVER_DB=self.conninfo)
