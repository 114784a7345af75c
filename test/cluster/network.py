"""The network of one node: every path to it, and its own to etcd, are proxies that can be cut.

A node has no address that others could reach around them: who wants PostgreSQL or Patroni's REST interface is told
the proxies' ports. What it is not: the path from this node to the others' ports, which a primary does not use.
"""

import pathlib
import random
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "e2e"))

from fault_proxy import DOWN, FaultProxy  # noqa: E402  (it lies beside the end-to-end tests)

# Below those that the kernel gives to whoever asks for any: nobody gets them by chance.
_PORTS = range(12_000, 31_000)


def free_port():
    for _ in range(1000):
        port = random.choice(_PORTS)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise OSError("no free port found")


class NodeNetwork:

    def __init__(self, server_port, rest_port, etcd_port, lag_s=0.0):
        """`lag_s`: how much later the WAL comes to those who follow this node."""
        local = "127.0.0.1"
        self.clients = FaultProxy((local, server_port)).start()
        self.replication = FaultProxy((local, server_port)).start()
        self.rest = FaultProxy((local, rest_port)).start()
        self.etcd = FaultProxy((local, etcd_port)).start()
        self._lag_s = lag_s

    def be_late(self, late):
        """What leads to this node is as slow as was asked for, or as fast as it can be."""
        self.replication.delay(self._lag_s if late else 0, DOWN)

    @property
    def _all(self):
        return (self.clients, self.replication, self.rest, self.etcd)

    def partition(self):
        for proxy in self._all:
            proxy.partition()

    def heal(self):
        for proxy in self._all:
            proxy.heal()

    def stop(self):
        for proxy in self._all:
            proxy.stop()
