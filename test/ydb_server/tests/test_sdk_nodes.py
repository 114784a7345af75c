"""Nodes, discovery, the scheme, metadata, tokens, TLS."""

import base64
import contextlib
import io
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import grpc
import harness
import ydb

from ydb_server import command_line
from ydb_server import process
from ydb_server import protocol
from ydb_server.process import YdbServer
from ydb_server.tests.server_test_case import BareClient, ServerTestCase, postgres

_DATABASE = "/Root/test"


def endpoints(client):
    answer = client.call("Ydb.Discovery.V1.DiscoveryService/ListEndpoints",
                         protocol.discovery.ListEndpointsRequest(database=_DATABASE),
                         protocol.discovery.ListEndpointsResponse)
    return answer.operation


def unpacked(operation, kind):
    result = kind()
    operation.result.Unpack(result)
    return result


class Nodes(ServerTestCase):
    nodes = 3

    def bare(self, node=1, metadata=None):
        client = BareClient(self.server, node, metadata)
        self.addCleanup(client.close)
        return client

    def listed(self, operation):
        return [(one.node_id, one.address, one.port, one.ssl, one.load_factor) for one in
                unpacked(operation, protocol.discovery.ListEndpointsResult).endpoints]

    def test_discovery(self):
        self.server.settings(load_factors=[0.5])
        self.addCleanup(self.server.settings, load_factors=[])
        expected = [(number + 1, "127.0.0.1", port, False, 0.0 if number else 0.5)
                    for number, port in enumerate(self.server.ports)]
        for node in (1, 2, 3):
            self.assertEqual(self.listed(endpoints(self.bare(node))), expected)

    def test_discovery_that_is_not_ready(self):
        self.server.settings(discovery_polls=2)
        self.addCleanup(self.server.settings, discovery_polls=0)
        client = self.bare()
        operation = endpoints(client)
        self.assertFalse(operation.ready)
        ready = []
        for _ in range(3):
            operation = client.call("Ydb.Operation.V1.OperationService/GetOperation",
                                    protocol.operation.GetOperationRequest(id=operation.id),
                                    protocol.operation.GetOperationResponse).operation
            ready.append(operation.ready)
        self.assertEqual(ready, [False, True, True])
        self.assertEqual(len(self.listed(operation)), 3)

    def test_sessions_that_are_moved(self):
        """Of a client alone that says that it finds them there."""
        self.server.settings(balance_sessions=True)
        self.addCleanup(self.server.settings, balance_sessions=False)
        plain = self.bare(3)
        able = self.bare(3, {**plain.metadata, "x-ydb-client-capabilities": "session-balancer"})
        self.assertEqual(plain.create_session().node_id, 3)
        self.assertEqual(able.create_session().node_id, 1)

    def test_a_session_is_of_one_node(self):
        home, other = self.bare(1), self.bare(2)
        home.open_session()
        self.assertEqual(home.status_of("SELECT 1"), "SUCCESS")
        other.session = home.session
        self.assertEqual(other.status_of("SELECT 1"), "BAD_SESSION")

    def test_the_sdk_uses_all_nodes(self):
        pool = self.pool(self.driver(use_all_nodes=True))
        # Connections to the others are made in the background.
        harness.wait_until(lambda: len(pool._driver._store.connections_by_node_id) == 3,
                           "connections to all nodes", 60)
        held = [pool.acquire() for _ in range(12)]
        self.assertGreater(len({session.node_id for session in held}), 1)
        for session in held:
            pool.release(session)

    def test_a_node_goes_and_comes_back(self):
        home = self.bare(3)
        attached = home.open_session()
        list(home.execute("SELECT 1", tx_control=home.begin()))
        self.assertEqual(self.server.action("node_down", node=3), {"sessions": 1})
        self.assertEqual([one[0] for one in self.listed(endpoints(self.bare()))], [1, 2])
        with self.assertRaises(grpc.RpcError):
            list(attached)
        with self.assertRaises(grpc.RpcError) as caught:
            home.create_session()
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
        state = self.server.state()
        self.assertEqual((state["nodes"][2]["up"], state["nodes"][2]["sessions"],
                          state["transactions"]["open"]), (False, 0, 0))
        self.server.action("node_up", node=3)
        back = self.bare(3)
        back.session = home.session
        self.assertEqual(back.status_of("SELECT 1"), "BAD_SESSION")
        back.open_session()
        self.assertEqual(back.status_of("SELECT 1"), "SUCCESS")

    def test_peers_are_counted(self):
        before = self.server.state()["nodes"][1]["peers"]
        for _ in range(2):
            endpoints(self.bare(2))
        self.assertEqual(self.server.state()["nodes"][1]["peers"], before + 2)

    def test_metadata(self):
        build = {"x-ydb-sdk-build-info": "test/1"}
        for metadata, status in ((build, protocol.status.BAD_REQUEST),
                                 ({**build, "x-ydb-database": "/Root/other"},
                                  protocol.status.NOT_FOUND),
                                 ({"x-ydb-database": _DATABASE}, protocol.status.BAD_REQUEST),
                                 ({**build, "x-ydb-database": _DATABASE},
                                  protocol.status.SUCCESS)):
            self.assertEqual(endpoints(self.bare(metadata=metadata)).status, status, metadata)
        self.assertGreater(self.server.state()["build_infos"]["test/1"], 0)

    def test_scheme(self):
        driver = self.driver()
        scheme = driver.scheme_client
        scheme.make_directory(f"{_DATABASE}/a/b")
        self.pool(driver).execute_with_retries(
            "CREATE TABLE `a/c/t` (k Int32 NOT NULL, PRIMARY KEY (k))")
        listed = scheme.list_directory(f"{_DATABASE}/a")
        self.assertEqual([(one.name, one.type.name) for one in listed.children],
                         [("b", "DIRECTORY"), ("c", "DIRECTORY")])
        for path, kind in (("", "DATABASE"), ("/a", "DIRECTORY"), ("/a/c/t", "TABLE")):
            self.assertEqual(scheme.describe_path(_DATABASE + path).type.name, kind)
        with self.assertRaises(ydb.SchemeError):
            scheme.remove_directory(f"{_DATABASE}/a")
        scheme.remove_directory(f"{_DATABASE}/a/b")
        for path in ("/a/b", "/none"):
            with self.assertRaises(ydb.SchemeError):
                scheme.describe_path(_DATABASE + path)
        with self.assertRaises(ydb.SchemeError):
            scheme.make_directory("/Other/x")

    def test_description_of_a_table(self):
        driver = self.driver()
        self.pool(driver).execute_with_retries("""
            CREATE TABLE described (
                a Int32 NOT NULL, b Int64 NOT NULL, c Utf8, d Decimal(12,2) NOT NULL,
                PRIMARY KEY (a, b), INDEX by_c GLOBAL ON (c, a) COVER (d)
            ) WITH (AUTO_PARTITIONING_BY_LOAD = ENABLED, AUTO_PARTITIONING_PARTITION_SIZE_MB = 500,
                    AUTO_PARTITIONING_MIN_PARTITIONS_COUNT = 3,
                    AUTO_PARTITIONING_MAX_PARTITIONS_COUNT = 6, PARTITION_AT_KEYS = ((10), (20, 5)))
            """)
        session = driver.table_client.session().create()
        table = session.describe_table(
            f"{_DATABASE}/described",
            ydb.DescribeTableSettings().with_include_shard_key_bounds(True))
        session.delete()
        self.assertEqual(table.primary_key, ["a", "b"])
        self.assertEqual([(column.name, str(column.type)) for column in table.columns],
                         [("a", "Int32"), ("b", "Int64"), ("c", "Utf8?"), ("d", "Decimal(12,2)")])
        (index,) = table.indexes
        self.assertEqual((index.name, index.index_columns), ("by_c", ["c", "a"]))
        settings = table.partitioning_settings
        self.assertEqual((settings.partition_size_mb, settings.min_partitions_count,
                          settings.max_partitions_count), (500, 3, 6))
        self.assertEqual(len(table.shard_key_ranges), 3)


class Tokens(ServerTestCase):
    arguments = {"auth": "root:secret"}

    def login(self, user, password):
        client = BareClient(self.server)
        self.addCleanup(client.close)
        answer = client.call("Ydb.Auth.V1.AuthService/Login",
                             protocol.auth.LoginRequest(user=user, password=password),
                             protocol.auth.LoginResponse)
        return client, answer.operation

    def test_the_sdk_logs_in(self):
        self.credentials = ydb.StaticCredentials.from_user_password("root", "secret")
        self.assertEqual(self.run_query(self.pool(), "SELECT 1 AS a"), [[{"a": 1}]])

    def test_wrong_names_and_passwords(self):
        for user, password in (("root", "wrong"), ("nobody", "secret")):
            _, operation = self.login(user, password)
            self.assertEqual(operation.status, protocol.status.UNAUTHORIZED)

    def unauthenticated(self, client):
        with self.assertRaises(grpc.RpcError) as caught:
            client.create_session()
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAUTHENTICATED)
        return caught.exception.details()

    def test_no_token_or_a_wrong_one(self):
        client, operation = self.login("root", "secret")
        token = unpacked(operation, protocol.auth.LoginResult).token
        self.assertIn("without user token", self.unauthenticated(client))
        for wrong in ("x", token[:-4], token[4:], "a.b.c"):
            client.metadata["x-ydb-auth-ticket"] = wrong
            self.unauthenticated(client)
        client.metadata["x-ydb-auth-ticket"] = token
        self.assertEqual(client.create_session().status, protocol.status.SUCCESS)

    def test_a_token_expires(self):
        self.server.settings(token_seconds=0.0)
        self.addCleanup(self.server.settings, token_seconds=43_200.0)
        client, operation = self.login("root", "secret")
        client.metadata["x-ydb-auth-ticket"] = unpacked(operation, protocol.auth.LoginResult).token
        self.assertIn("expired", self.unauthenticated(client))

    def test_a_token_is_like_a_jwt(self):
        _, operation = self.login("root", "secret")
        header, payload, _ = unpacked(operation, protocol.auth.LoginResult).token.split(".")
        content = [json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
                   for part in (header, payload)]
        self.assertEqual(content[0]["typ"], "JWT")
        self.assertEqual(content[1]["exp"] - content[1]["iat"], 43_200)


class Tls(unittest.TestCase):
    def test_by_the_sdk(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="ydb-tls-"))
        self.addCleanup(shutil.rmtree, folder)
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-keyout", key,
                        "-out", certificate, "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1,DNS:localhost"],
                       check=True, capture_output=True)
        with YdbServer(postgres().conninfo, tls=(certificate, key)) as server:
            self.assertTrue(server.endpoint.startswith("grpcs://"))
            with ydb.Driver(endpoint=server.endpoint, database=server.database,
                            root_certificates=certificate.read_bytes()) as driver:
                driver.wait(60, fail_fast=True)
                with ydb.QuerySessionPool(driver) as pool:
                    (result,) = pool.execute_with_retries("SELECT 1 AS a")
                    self.assertEqual(result.rows[0]["a"], 1)
            channel = grpc.insecure_channel(f"127.0.0.1:{server.ports[0]}")
            with self.assertRaises(grpc.RpcError):
                channel.unary_unary("/Ydb.Discovery.V1.DiscoveryService/ListEndpoints")(
                    b"", timeout=60)
            channel.close()


class CommandLine(unittest.TestCase):
    def run_server(self, *arguments):
        environment = {**os.environ, "PYTHONPATH": str(pathlib.Path(__file__).parents[2])}
        return subprocess.run([process.interpreter(), "-B", "-m", "ydb_server", *arguments],
                              env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=120)

    def test_wrong_use(self):
        for arguments, words in (
                ((), "--pg"), (("--pg", "x", "--nodes", "0"), "--nodes is 1 to 100"),
                (("--pg", "x", "--database", "test"), "a path such as"),
                (("--pg", "x", "--auth", "root"), "USER:PASSWORD"),
                (("--pg", "x", "--schema", "public"), "--schema"),
                (("--pg", "x", "--lock-timeout", "0"), "--lock-timeout"),
                (("--pg", "x", "--tls", "/none", "/none"), "--tls"),
                (("--pg", "x", "--faults", '{"nonsense": {}}'), "no fault 'nonsense'"),
                (("--pg", "x", "--settings", "[]"), "--settings")):
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                try:
                    code = command_line.main(arguments)
                except SystemExit as exit_of_argparse:
                    code = exit_of_argparse.code
            self.assertEqual(code, 2, (arguments, errors.getvalue()))
            self.assertIn(words, errors.getvalue())

    def test_no_postgresql(self):
        ended = self.run_server("--pg", "host=/nowhere dbname=x")
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertRegex(ended.stderr, "^ydb_server: error: .*PostgreSQL")

    def test_ends_with_its_parent_and_on_a_signal(self):
        server = YdbServer(postgres().conninfo).start()
        self.assertEqual(server.stop(), 0)
        server.start()
        server.process.send_signal(signal.SIGTERM)
        self.assertEqual(server.process.wait(120), 0)
        server.stop()


if __name__ == "__main__":
    unittest.main()
