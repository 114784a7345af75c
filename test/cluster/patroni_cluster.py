"""A PostgreSQL cluster that fails over: etcd, three nodes under Patroni, and HAProxy in front of them.

All of it are the programs of this machine's packages. It lives in a temporary folder and on free ports of
127.0.0.1, and goes away with the object. Where the tests run as root, the servers are the account `postgres`'s.

In a test:

    with Cluster(synchronous=True) as cluster:
        connect(cluster.conninfo)
        fault = cluster.kill_primary()
        print(cluster.promotion_after(fault))
        cluster.repair()

By hand, with a command a line (help lists them):

    python3 test/cluster/patroni_cluster.py --sync

A node is reached by ports of this program's only (network.py), so that it can be cut off from everybody, etcd
included.
"""

import argparse
import datetime
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from dataclasses import dataclass

from network import NodeNetwork, free_port

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

import harness  # noqa: E402  (it lies beside the end-to-end tests)
from harness import wait_until  # noqa: E402

PROGRAMS = ("etcd", "patroni", "haproxy")
ACCOUNT = "postgres"
NODES = ("n1", "n2", "n3")

# How fast Patroni is to see that a primary is gone. Its defaults (30, 10, 10) are for networks that falter; here
# somebody waits for each failover.
TTL_S = 8
LOOP_WAIT_S = 1
RETRY_TIMEOUT_S = 3
# What has not come by then does not come: no node may take over.
PROMOTION_PATIENCE_S = 120

_SUPERUSER = "postgres"
_PROMOTED = re.compile(r"^([\d-]+ [\d:,]+) INFO: promoted self to leader", re.MULTILINE)


def postgres_bindir():
    """The newest of Debian's versions; None if there is none."""
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"),
                   key=lambda path: float(path.parent.parent.name))
    return found[-1].parent if found else None


def program(name):
    return shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def what_is_missing():
    """Why there can be no cluster here; an empty text if there can."""
    missing = [name for name in PROGRAMS if not program(name)]
    if not postgres_bindir():
        missing.append("PostgreSQL in /usr/lib/postgresql")
    if missing:
        return f"not installed: {', '.join(missing)} (scripts/install-dependencies --tests)"
    return ""


@dataclass(frozen=True)
class Fault:
    """Something that ended a node's time as the primary, and when, in Unix time."""

    kind: str
    node: str
    at: float


@dataclass(frozen=True)
class Promotion:
    """What Patroni's log of a node says of becoming the primary, and when, in Unix time."""

    node: str
    at: float


class Program:
    """A process of the cluster, in a session of its own: what ends a test is not to end it first."""

    def __init__(self, arguments, log, environment):
        account = {}
        if os.geteuid() == 0:
            account = {"user": ACCOUNT, "group": ACCOUNT, "extra_groups": []}
        with open(log, "ab") as output:
            self.process = subprocess.Popen(
                [str(argument) for argument in arguments], env=environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **account)

    @property
    def pid(self):
        return self.process.pid

    def runs(self):
        return self.process.poll() is None

    def stop(self, how=signal.SIGTERM, patience_s=60):
        if self.runs():
            self.process.send_signal(how)
        try:
            self.process.wait(patience_s)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Node:
    """A machine: PostgreSQL, Patroni beside it, and the network that leads to both."""

    def __init__(self, cluster, name, lag_s):
        self.cluster = cluster
        self.name = name
        self.folder = cluster.folder / name
        self.data = self.folder / "data"
        self.log = self.folder / "patroni.log"
        self.server_port = free_port()
        self.rest_port = free_port()
        self.patroni = None
        self.network = NodeNetwork(self.server_port, self.rest_port, cluster.etcd_port, lag_s)

    def configuration(self):
        """Patroni's; its YAML is a superset of JSON."""
        cluster = self.cluster
        return {
            "scope": "drover",
            "name": self.name,
            "log": {"dir": str(self.folder), "level": "INFO"},
            "restapi": {"listen": f"127.0.0.1:{self.rest_port}",
                        "connect_address": f"127.0.0.1:{self.network.rest.port}"},
            # Not by the addresses that etcd tells: they would lead around the network.
            "etcd3": {"host": f"127.0.0.1:{self.network.etcd.port}", "use_proxies": True},
            "bootstrap": {"dcs": cluster.settings(),
                          "initdb": [{"encoding": "UTF8"}, {"locale": "C"}, "data-checksums"]},
            "postgresql": {
                "listen": f"127.0.0.1:{self.server_port}",
                "connect_address": f"127.0.0.1:{self.network.replication.port}",
                "data_dir": str(self.data),
                "bin_dir": str(cluster.bindir),
                "pgpass": str(self.folder / "pgpass"),
                "use_unix_socket": True,
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 trust",
                           "host replication all 127.0.0.1/32 trust"],
                "authentication": {"superuser": {"username": _SUPERUSER},
                                   "replication": {"username": "replicator"}},
                "parameters": {"unix_socket_directories": str(self.folder)}},
            "watchdog": {"mode": "off"}}

    def start(self):
        self.folder.mkdir(exist_ok=True)
        self.cluster.hand_over(self.folder)
        configuration = self.folder / "patroni.yml"
        configuration.write_text(json.dumps(self.configuration(), indent=1), encoding="utf-8")
        self.patroni = Program([program("patroni"), configuration], self.folder / "output.log",
                               self.cluster.environment)

    def runs(self):
        return self.patroni is not None and self.patroni.runs()

    def postmaster(self):
        """The id of the server's first process; None if it is not there."""
        for pid in harness.processes(lambda words: f"{self.data}" in words and "postgres" in words[0]):
            return pid
        return None

    def kill(self):
        """Every process of the node at once."""
        family = [self.patroni.pid, *harness.children(self.patroni.pid)]
        postmaster = self.postmaster()
        if postmaster:
            family += [postmaster, *harness.children(postmaster)]
        for pid in dict.fromkeys(family):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.patroni.process.wait()
        wait_until(lambda: self.postmaster() is None, f"the end of {self.name}")

    def ask(self, path, method="GET", body=None, seconds=2):
        """Status and text of what its Patroni answers; None if nothing does."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.network.rest.port}{path}",
                                         method=method, data=body and json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=seconds) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError:
            return None

    def is_primary(self):
        answer = self.ask("/primary")
        return answer is not None and answer[0] == 200

    def promotions(self):
        try:
            text = self.log.read_text(encoding="utf-8", errors="replace")
        except FileNotFoundError:
            return []
        return [Promotion(self.name, _unix_time(found)) for found in _PROMOTED.findall(text)]


def _unix_time(text):
    moment = datetime.datetime.strptime(text, "%Y-%m-%d %H:%M:%S,%f")
    return moment.replace(tzinfo=datetime.timezone.utc).timestamp()


class Cluster:

    def __init__(self, synchronous=False, lag_s=0.0, folder=None):
        """`lag_s`: what the WAL takes from node to node on top of what this machine takes."""
        reason = what_is_missing()
        if reason:
            raise RuntimeError(reason)
        self.synchronous = synchronous
        self.bindir = postgres_bindir()
        self._own_folder = folder is None
        self.folder = pathlib.Path(folder or tempfile.mkdtemp(prefix="drover-cluster-"))
        self.folder.mkdir(exist_ok=True)
        self.folder.chmod(0o755)
        self.environment = {"PATH": f"{self.bindir}:{os.environ.get('PATH', '/usr/bin')}",
                            "HOME": str(self.folder), "TZ": "UTC", "LC_ALL": "C.UTF-8"}
        self.etcd_port = free_port()
        self.port = free_port()  # HAProxy's: that of the primary, whoever it is
        self.nodes = {name: Node(self, name, lag_s) for name in NODES}
        self._etcd = None
        self._haproxy = None

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(self, kind, *_):
        if kind:
            print(self.last_words(), file=sys.stderr, flush=True)
        self.remove()

    def last_words(self, lines=40):
        """Of each node's Patroni: for who wants to know why something has not happened."""
        return "\n".join(
            f"--- {node.name}\n" + "\n".join(node.log.read_text(errors="replace").splitlines()[-lines:])
            for node in self.nodes.values() if node.log.exists())

    def settings(self):
        """What the nodes have in common, which Patroni keeps in etcd."""
        return {
            "ttl": TTL_S, "loop_wait": LOOP_WAIT_S, "retry_timeout": RETRY_TIMEOUT_S,
            "synchronous_mode": self.synchronous,
            # A standby that is so many bytes behind may still take over: that is what commits are lost by.
            "maximum_lag_on_failover": 16 << 20,
            "postgresql": {
                "use_pg_rewind": True,
                # Nobody crashes the machine here, only processes.
                "parameters": {"fsync": "off", "shared_buffers": "128MB", "max_connections": 100,
                               "max_wal_size": "1GB", "wal_keep_size": "512MB", "jit": "off",
                               "wal_log_hints": "on", "log_line_prefix": "%m [%p] ",
                               "log_timezone": "UTC"}}}

    def hand_over(self, folder):
        if os.geteuid() == 0:
            shutil.chown(folder, ACCOUNT, ACCOUNT)

    # Its life.

    def start(self):
        self.hand_over(self.folder)
        self._start_etcd()
        self._start_haproxy()
        # Who is first makes the data, and the others copy them.
        first, *others = self.nodes.values()
        first.start()
        wait_until(first.is_primary, "the first primary")
        for node in others:
            node.start()
        self.repair()

    def _start_etcd(self):
        client = f"http://127.0.0.1:{self.etcd_port}"
        peer = f"http://127.0.0.1:{free_port()}"
        self._etcd = Program(
            [program("etcd"), "--name", "e1", "--data-dir", self.folder / "etcd",
             "--listen-client-urls", client, "--advertise-client-urls", client,
             "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
             "--initial-cluster", f"e1={peer}"], self.folder / "etcd.log", self.environment)
        wait_until(lambda: _answers(f"{client}/health"), "etcd")

    def _start_haproxy(self):
        configuration = self.folder / "haproxy.cfg"
        configuration.write_text(self._haproxy_configuration(), encoding="utf-8")
        self._haproxy = Program([program("haproxy"), "-db", "-f", configuration],
                                self.folder / "haproxy.log", self.environment)

    def _haproxy_configuration(self):
        """As Patroni's manual has it, but for checks that are four times a second."""
        servers = "\n".join(
            f"  server {node.name} 127.0.0.1:{node.network.clients.port} "
            f"check port {node.network.rest.port}" for node in self.nodes.values())
        return ("global\n  maxconn 1000\n"
                "defaults\n  mode tcp\n  retries 1\n  timeout connect 1s\n  timeout check 1s\n"
                "  timeout client 30m\n  timeout server 30m\n"
                f"listen primary\n  bind 127.0.0.1:{self.port}\n"
                "  option httpchk OPTIONS /primary\n  http-check expect status 200\n"
                "  default-server inter 250ms fall 2 rise 1 on-marked-down shutdown-sessions\n"
                f"{servers}\n")

    def remove(self):
        # What is in their data is of no use any more.
        for node in self.nodes.values():
            if node.runs():
                node.kill()
        for one in (self._haproxy, self._etcd):
            if one:
                one.stop(signal.SIGKILL)
        for node in self.nodes.values():
            node.network.stop()
        if self._own_folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    # What it is like.

    def members(self):
        """What Patroni says of the nodes, by their names; empty if nobody answers."""
        for node in self.nodes.values():
            answer = node.ask("/cluster") if node.runs() else None
            if answer and answer[0] == 200:
                return {member["name"]: member for member in json.loads(answer[1])["members"]}
        return {}

    def primary(self):
        """The node that is the primary; None if there is none at the moment."""
        return next((node for node in self.nodes.values() if node.is_primary()), None)

    def is_sound(self):
        """Three nodes of one timeline, two of which follow the third; and HAProxy leads to that one."""
        members = list(self.members().values())
        leaders = [one for one in members if one["role"] == "leader"]
        if len(members) < len(self.nodes) or len(leaders) != 1:
            return False
        if any(one["state"] not in ("running", "streaming") for one in members):
            return False
        if len({one.get("timeline") for one in members}) > 1:
            return False
        if self.synchronous and all(one["role"] != "sync_standby" for one in members):
            return False
        return self._streams(self.nodes[leaders[0]["name"]])

    def _streams(self, primary):
        """The others have all but a moment's WAL of it, and clients are led to it."""
        wanted = ("SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' "
                  "AND pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn) < 1 << 20")
        try:
            return (primary.is_primary() and self.rows(wanted) == [(str(len(self.nodes) - 1),)])
        except subprocess.CalledProcessError:
            return False

    def wait_until_sound(self):
        wait_until(self.is_sound, f"a sound cluster: {self.members()}")

    # As a database.

    @property
    def conninfo(self):
        return f"host=127.0.0.1 port={self.port} user={_SUPERUSER} dbname=postgres connect_timeout=2"

    def rows(self, sql):
        """The rows of a statement on the primary, each a tuple of texts. It is psql that asks."""
        return psql(self.conninfo, sql, self.bindir / "psql")

    # Faults. Each returns when it has happened.

    def kill_primary(self):
        """As if it had lost its power: what it has sent and has not arrived never does."""
        node = self._wait_for_primary()
        at = time.time()
        node.network.partition()
        node.kill()
        node.network.heal()
        return Fault("kill", node.name, at)

    def partition_primary(self):
        """Nobody reaches it any more, and it reaches nobody; nothing is closed."""
        node = self._wait_for_primary()
        at = time.time()
        node.network.partition()
        return Fault("partition", node.name, at)

    def switch_over(self):
        """As a person asks for it."""
        node = self._wait_for_primary()
        at = time.time()
        answer = node.ask("/switchover", "POST", {"leader": node.name}, seconds=60)
        if answer is None or answer[0] != 200:
            raise AssertionError(f"no switchover from {node.name}: {answer}")
        return Fault("switchover", node.name, at)

    FAULTS = {"kill": kill_primary, "partition": partition_primary, "switchover": switch_over}

    def hold_replication(self):
        """The standbys get nothing more until repair(), and the primary goes on if it may."""
        node = self._wait_for_primary()
        node.network.replication.partition()

    def set_synchronous(self, synchronous):
        self.synchronous = synchronous
        answer = self._wait_for_primary().ask("/config", "PATCH", {"synchronous_mode": synchronous})
        if answer is None or answer[0] != 200:
            raise AssertionError(f"no other settings: {answer}")
        self.wait_until_sound()

    def _wait_for_primary(self):
        return wait_until(self.primary, "a primary")

    def promotion_after(self, fault):
        """By Patroni's own log: who became the primary after it, the first one."""
        def promotion():
            later = [one for node in self.nodes.values() for one in node.promotions()
                     if one.at >= fault.at]
            return min(later, key=lambda one: one.at, default=None)
        return wait_until(promotion, f"another primary after {fault}", PROMOTION_PATIENCE_S)

    def repair(self):
        """Whatever was cut off or killed is there again, and follows."""
        for node in self.nodes.values():
            node.network.heal()
            # pg_rewind asks for block after block.
            node.network.be_late(False)
            if not node.runs():
                node.start()
        self.wait_until_sound()
        for node in self.nodes.values():
            node.network.be_late(True)


def _answers(url):
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def psql(conninfo, sql, program_name="psql"):
    """The rows of a statement, each a tuple of texts."""
    answer = subprocess.run(
        [str(program_name), "-X", "-q", "-A", "-t", "-F", "\x1f", "-v", "ON_ERROR_STOP=1", "-d",
         conninfo], input=sql, env=harness.clean_environment(), text=True, check=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return [tuple(line.split("\x1f")) for line in answer.stdout.splitlines() if line]


# By hand.

def _status(cluster):
    return "\n".join(f"{name}: " + ", ".join(f"{key} {member.get(key, '-')}" for key in
                                             ("role", "state", "timeline", "lag"))
                     for name, member in cluster.members().items())


def _fail_over(cluster, kind):
    fault = Cluster.FAULTS[kind](cluster)
    promotion = cluster.promotion_after(fault)
    return (f"{fault.node} is the primary no more ({kind}); {promotion.node} was promoted after "
            f"{promotion.at - fault.at:.1f} s")


COMMANDS = {
    "status": ("what Patroni says of the nodes", _status),
    "kill": ("kills the primary's node", lambda cluster: _fail_over(cluster, "kill")),
    "partition": ("cuts the primary's node off", lambda cluster: _fail_over(cluster, "partition")),
    "switchover": ("asks for another primary", lambda cluster: _fail_over(cluster, "switchover")),
    "hold": ("keeps the WAL from the standbys, until repair", Cluster.hold_replication),
    "sync": ("commits wait for a standby from now on",
             lambda cluster: cluster.set_synchronous(True)),
    "async": ("they do not", lambda cluster: cluster.set_synchronous(False)),
    "repair": ("starts what was killed, heals what was cut off", Cluster.repair),
}


def main():
    parser = argparse.ArgumentParser(description="A PostgreSQL cluster that fails over.")
    parser.add_argument("--sync", action="store_true", help="commits wait for a standby")
    parser.add_argument("--lag-ms", type=float, default=0, help="that WAL is late to the standbys")
    parser.add_argument("--folder", type=pathlib.Path, help="an empty one, which is kept")
    options = parser.parse_args()
    with Cluster(options.sync, options.lag_ms / 1e3, options.folder) as cluster:
        print(f'--db "{cluster.conninfo}"\nlogs in {cluster.folder}\n{_status(cluster)}', flush=True)
        for line in sys.stdin:
            word = line.strip()
            if word == "quit":
                break
            if word in COMMANDS:
                print(COMMANDS[word][1](cluster) or f"{word}: done", flush=True)
            elif word:
                print("\n".join(f"{name:<12}{text}" for name, (text, _) in COMMANDS.items())
                      + f"\n{'quit':<12}ends all of it", flush=True)


if __name__ == "__main__":
    main()
