"""The fault proxy does what it says, seen from both of its sides."""

import contextlib
import os
import random
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import fault_proxy
from fault_proxy import DOWN, UP, FaultProxy

READY = b"Z\0\0\0\x05I"
SYNC = b"S\0\0\0\x04"
COMPLETE = b"C\0\0\0\x0bCOMMIT\0"


def receive(end, count):
    """Exactly that many bytes."""
    data = b""
    while len(data) < count:
        more = end.recv(count - len(data))
        if not more:
            raise AssertionError(f"the end after {data!r}")
        data += more
    return data


def is_reset(end):
    """Whether the other side has sent a RST; waits for the end of what it says."""
    try:
        while end.recv(1000):
            pass
        return False
    except ConnectionResetError:
        return True


class Faults(unittest.TestCase):

    # All of them by TCP, and some by a Unix socket as well.
    family = socket.AF_INET

    def setUp(self):
        self.server = self.listen()
        self.addCleanup(self.server.close)
        self.proxy = FaultProxy(self.server.getsockname())
        self.proxy.start()
        self.addCleanup(self.proxy.stop)

    def listen(self):
        server = socket.create_server(("127.0.0.1", 0))
        server.settimeout(30)
        return server

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.proxy.port), timeout=30)
        self.addCleanup(client.close)
        return client

    def link(self):
        """Both ends of a link that has said something either way."""
        client = self.connect()
        server, _ = self.server.accept()
        server.settimeout(30)
        self.addCleanup(server.close)
        client.sendall(SYNC)
        receive(server, len(SYNC))
        server.sendall(READY)
        receive(client, len(READY))
        return client, server

    def test_cuts_at_a_request(self):
        for answered in (False, True):
            client, server = self.link()
            self.proxy.cut_at(b"COMMIT", answered, 1)
            if answered:
                client.sendall(COMPLETE)
                self.assertEqual(receive(server, len(COMPLETE)), COMPLETE)
                server.sendall(READY)
            else:
                client.sendall(COMPLETE)
            self.assertTrue(is_reset(client))
            self.assertEqual(self.proxy.cuts, 1)
            other, server = self.link()
            other.sendall(COMPLETE)
            self.assertEqual(receive(server, len(COMPLETE)), COMPLETE)

    def test_hands_everything_on(self):
        client, server = self.link()
        data = os.urandom(3_000_000)
        sender = threading.Thread(target=client.sendall, args=(data,))
        sender.start()
        self.assertEqual(receive(server, len(data)), data)
        sender.join()
        server.sendall(b"end")
        server.close()
        self.assertEqual(receive(client, 3), b"end")
        self.assertEqual(client.recv(1), b"")
        client.close()
        self.wait_for_links(0)

    def wait_for_links(self, count):
        deadline = time.monotonic() + 30
        while self.proxy.links != count:
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)

    def test_cut(self):
        ends = [self.link() for _ in range(3)]
        self.assertEqual(self.proxy.cut(1), 1)
        self.assertEqual(self.proxy.links, 2)
        self.assertEqual(self.proxy.cut(), 2)
        for client, server in ends:
            self.assertTrue(is_reset(client))
            self.assertTrue(is_reset(server) or self.family == socket.AF_UNIX)
        self.link()
        self.assertEqual(self.proxy.accepted, 4)

    def test_half_close(self):
        client, server = self.link()
        self.assertEqual(self.proxy.half_close(DOWN), 1)
        self.assertEqual(client.recv(1), b"")
        server.sendall(b"lost")
        client.sendall(b"still heard")
        self.assertEqual(receive(server, 11), b"still heard")
        client, server = self.link()
        self.proxy.half_close(UP, 2)
        self.assertEqual(server.recv(1), b"")
        server.sendall(b"still heard")
        self.assertEqual(receive(client, 11), b"still heard")

    def test_break_message(self):
        for keep in range(1, len(COMPLETE)):
            client, server = self.link()
            self.proxy.break_message(DOWN, 1, keep)
            server.sendall(COMPLETE)
            self.assertEqual(receive(client, keep), COMPLETE[:keep])
            self.assertTrue(is_reset(client))
        client, server = self.link()
        self.proxy.break_message(UP, 1)
        client.sendall(COMPLETE + SYNC)
        self.assertTrue(is_reset(client))
        self.wait_for_links(0)
        self.assertEqual(self.proxy.broken, len(COMPLETE))

    def test_garbage(self):
        client, server = self.link()
        self.proxy.garbage()
        self.assertEqual(receive(client, 105)[:5], b"\xfe\xff\xff\xff\xff")
        self.proxy.garbage(b"nonsense")
        self.assertEqual(receive(client, 8), b"nonsense")
        server.sendall(b"as ever")
        self.assertEqual(receive(client, 7), b"as ever")

    def test_delay_and_stall(self):
        client, server = self.link()
        self.proxy.delay(0.2)
        began = time.monotonic()
        client.sendall(b"late")
        receive(server, 4)
        self.assertGreater(time.monotonic() - began, 0.19)
        self.proxy.delay(0)
        self.proxy.stall(0.3, DOWN)
        began = time.monotonic()
        server.sendall(b"later")
        client.sendall(b"in time")
        receive(server, 7)
        receive(client, 5)
        self.assertGreater(time.monotonic() - began, 0.29)

    def test_refuse(self):
        client, server = self.link()
        began = time.monotonic()
        self.proxy.refuse(3)
        with self.assertRaises(ConnectionRefusedError):
            self.connect()
        server.sendall(b"lives")
        self.assertEqual(receive(client, 5), b"lives")
        while True:
            with contextlib.suppress(ConnectionRefusedError):
                self.connect()
                break
            self.assertLess(time.monotonic() - began, 300)
            time.sleep(0.01)
        self.assertGreater(time.monotonic() - began, 2.9)
        self.wait_for_links(2)

    def test_black_hole(self):
        client, server = self.link()
        self.proxy.black_hole(60)
        silent = self.connect()
        silent.settimeout(0.2)
        silent.sendall(b"anybody?")
        with self.assertRaises(socket.timeout):
            silent.recv(1)
        server.sendall(b"lives")
        self.assertEqual(receive(client, 5), b"lives")
        self.proxy.black_hole(0)
        self.connect().sendall(b"heard")
        server, _ = self.server.accept()
        self.assertEqual(receive(server, 5), b"heard")
        server.close()

    def test_partition(self):
        client, server = self.link()
        self.proxy.partition()
        silent = self.connect()
        for end in (client, silent):
            end.settimeout(0.2)
            end.sendall(b"anybody?")
        server.sendall(b"nobody")
        server.close()  # which the client is not told either
        for end in (client, silent):
            with self.assertRaises(socket.timeout):
                end.recv(1)
        self.proxy.heal()
        for end in (client, silent):
            end.settimeout(30)
            self.assertTrue(is_reset(end))
        self.connect().sendall(b"heard")
        server, _ = self.server.accept()
        self.assertEqual(receive(server, 5), b"heard")
        server.close()

    def test_a_server_that_is_down(self):
        self.server.close()
        # The reset may come before connect() has returned.
        with contextlib.suppress(ConnectionResetError):
            client = self.connect()
            self.assertTrue(is_reset(client))
        self.wait_for_links(0)


class FaultsByUnixSocket(Faults):

    family = socket.AF_UNIX

    def listen(self):
        folder = tempfile.TemporaryDirectory(prefix="drover-e2e-")
        self.addCleanup(folder.cleanup)
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.settimeout(30)
        server.bind(os.path.join(folder.name, "socket"))
        server.listen(10)
        return server


class Parts(unittest.TestCase):

    def test_messages(self):
        self.assertEqual(fault_proxy.message_ends(COMPLETE + READY), [12, 18])
        self.assertEqual(fault_proxy.message_ends(COMPLETE + b"D\0\0\1\0x"), [12, 269])
        self.assertEqual(fault_proxy.message_ends(b"D\0\0"), [])
        choose = random.Random(5)
        data = COMPLETE + READY + b"D\0\0\1\0xyz"
        whole = {0, len(COMPLETE), len(COMPLETE + READY), len(data)}
        places = {fault_proxy.place_in_a_message(data, choose) for _ in range(1000)}
        self.assertEqual(places, set(range(1, len(data))) - whole)

    def test_by_hand(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            process = subprocess.Popen(
                [sys.executable, fault_proxy.__file__, "--to",
                 f"127.0.0.1:{server.getsockname()[1]}"],
                text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            port = int(process.stdout.readline().split()[1])
            with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
                accepted, _ = server.accept()
                with accepted:
                    out, _ = process.communicate(
                        "links\nstall 0.01 up\nstall up soon\nfrobnicate\ncut\nlinks\nquit\n", 30)
                    self.assertTrue(is_reset(client))
        lines = out.splitlines()
        self.assertEqual(lines[:3], ["links: 1 links", "stall: done",
                                     "expected: stall SECONDS [up|down]"])
        self.assertIn("half-close up|down [COUNT]", lines)
        self.assertEqual(lines[-2:], ["cut: 1 links", "links: 0 links"])
        self.assertEqual(process.returncode, 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
