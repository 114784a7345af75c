"""Citus: a coordinator and its workers, private servers in temporary folders on Unix sockets, where Citus is installed."""

import re
import sys

import harness

# What ctest takes for a skipped test.
SKIPPED = 77

def is_installed():
    """Whether the PostgreSQL that the tests start has the extension."""
    with harness.Server() as server:
        return bool(server.sql("SELECT 1 FROM pg_available_extensions WHERE name = 'citus'"))


class Node(harness.Server):
    SETTINGS = (*harness.Server.SETTINGS, "shared_preload_libraries=citus", "max_prepared_transactions=200",
                "max_connections=200", "citus.enable_statistics_collection=off")


class CitusCluster:
    """Its coordinator has no shards. `nodes` are all servers, the coordinator first."""

    def __init__(self, workers=2):
        self.nodes = [Node() for _ in range(workers + 1)]
        self.coordinator, *self.workers = self.nodes

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
            self.coordinator.sql(f"SELECT citus_add_node({self._address(worker)})")

    def remove(self):
        for node in self.nodes:
            node.remove()

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

    @staticmethod
    def _value(node, word):
        return re.search(rf"{word}=(\S+)", node.conninfo)[1]


def main():
    """Runs the tests of the program, or skips them all where there is no Citus."""
    if not is_installed():
        print("skipped: this PostgreSQL has no extension citus")
        sys.exit(SKIPPED)
    harness.main()
