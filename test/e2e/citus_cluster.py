"""Citus: a coordinator and its workers, private servers in temporary folders on Unix sockets, where Citus is installed."""

import functools
import re
import sys

import fault_proxy
import harness

# The exit code that ctest takes for a skipped test.
SKIPPED = 77


def is_installed():
    """Whether the PostgreSQL that the tests start has the extension."""
    with harness.Server() as server:
        return bool(server.sql("SELECT 1 FROM pg_available_extensions WHERE name = 'citus'"))


class Node(harness.Server):
    SETTINGS = (*harness.Server.SETTINGS, "shared_preload_libraries=citus", "max_prepared_transactions=200",
                "max_connections=200", "citus.enable_statistics_collection=off",
                "citus.node_conninfo=sslmode=prefer", "citus.shard_count=4")

    # Asked for once: a node keeps its place.
    conninfo = functools.cached_property(lambda self: self.status()["connection"])

    def sql(self, text):
        """Like Server.sql(), without the start of psql."""
        with self.session() as session:
            return [tuple(value or "" for value in row) for row in session.sql(text)]


class CitusCluster:
    """Its coordinator has no shards. `nodes` are all servers, the coordinator first. If `proxied`, the nodes reach each
    worker through one of `proxies`, in the order of the workers."""

    def __init__(self, workers=2, proxied=False):
        self.nodes = [Node() for _ in range(workers + 1)]
        self.coordinator, *self.workers = self.nodes
        self.proxied = proxied
        self.proxies = []

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.remove()

    def start(self, *settings):
        for node in self.nodes:
            node.start(*settings)
            node.sql("CREATE EXTENSION citus")
        self.coordinator.sql(f"SELECT citus_set_coordinator_host({self._address(self.coordinator)})")
        for worker in self.workers:
            address = self._through_a_proxy(worker) if self.proxied else self._address(worker)
            self.coordinator.sql(f"SELECT citus_add_node({address})")

    def remove(self):
        for proxy in self.proxies:
            proxy.stop()
        for node in self.nodes:
            node.remove()

    def workers_of_warehouses(self, warehouses):
        """The number of workers that have the shards of these warehouses."""
        return self.coordinator.number(
            f"SELECT count(DISTINCT (nodename, nodeport)) FROM citus_shards JOIN generate_series(1, {warehouses}) AS w "
            "ON shardid = get_shard_id_for_distribution_column('stock', w)")

    def drover(self, *arguments):
        """Executes a command that names its nodes itself, by `conninfo` for example."""
        return self.coordinator.drover(*arguments)

    @property
    def conninfo(self):
        """Names all nodes, the coordinator first."""
        own = {word: [self._value(node, word) for node in self.nodes] for word in ("host", "port")}
        lists = " ".join(f"{word}={','.join(values)}" for word, values in own.items())
        return " ".join([lists, *(f"{word}={self._value(self.coordinator, word)}" for word in ("dbname", "user"))])

    def _address(self, node):
        return f"'{self._value(node, 'host')}', {self._value(node, 'port')}"

    def _through_a_proxy(self, node):
        target = f"{self._value(node, 'host')}/.s.PGSQL.{self._value(node, 'port')}"
        self.proxies.append(fault_proxy.FaultProxy(target).start())
        return f"'127.0.0.1', {self.proxies[-1].port}"

    @staticmethod
    def _value(node, word):
        return re.search(rf"{word}=(\S+)", node.conninfo)[1]


def main():
    """Runs the tests of the program, or skips them all where there is no Citus."""
    if not is_installed():
        print("skipped: this PostgreSQL has no extension citus")
        sys.exit(SKIPPED)
    harness.main()
