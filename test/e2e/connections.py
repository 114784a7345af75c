"""How connections are kept: renewed at an age, spread over hosts of which one goes and comes back, and opened with a
password that a command prints."""

import json
import pathlib
import signal

import harness
from fault_proxy import FaultProxy
from harness import FAILURE, INTERRUPTED, SUCCESS, USAGE

WAREHOUSES = 2
CONNECTIONS = 4
TYPES = ("NewOrder", "Payment", "OrderStatus", "Delivery", "StockLevel")


class Connections(harness.ServerTestCase):

    WAREHOUSES_LOADED = WAREHOUSES

    def setUp(self):
        self.path = self.server.folder / "result.json"
        self.path.unlink(missing_ok=True)

    def result(self):
        return json.loads(self.path.read_text(encoding="utf-8"))

    def run_arguments(self, duration, connections=CONNECTIONS):
        return ("tpcc", "run", "-w", WAREHOUSES, "--no-delays", "--connections", connections, "--warmup", 0,
                "--duration", duration, "--json", self.path)


class EndedWhileIdle(Connections):

    def test_no_transaction_fails(self):
        self.server.sql("CREATE TABLE lone (number int)")
        script = self.server.folder / "lone.sql"
        script.write_text("INSERT INTO lone VALUES (1);\n", encoding="utf-8")
        # The server ends the session after each transaction, before the next one begins.
        command = harness.drover(
            "sql", "run", "--file", script, "--connections", 1, "--rate", 2, "--warmup", 0, "--duration", "3s",
            "--json", self.path, DROVER_DB=f"{self.server.conninfo} options='-c idle_session_timeout=100ms'")
        self.assertRegex(self.expect(command, SUCCESS).out, r"connections +\d+ lost \(\d+ of them while idle\)")
        document = self.result()
        self.assertGreater(document["availability"]["sessions_ended_idle"], 0)
        self.assertEqual(document["availability"]["outages"], [])
        for transaction in document["transactions"].values():
            self.assertEqual(transaction["failed_count"], 0)
            self.assertEqual(self.server.number("SELECT count(*) FROM lone"), transaction["ok_count"])


class Hosts(Connections):

    def setUp(self):
        super().setUp()
        self.target = f"{self.server.socket_folder}/.s.PGSQL.5432"
        self.proxies = [self.start_proxy() for _ in range(2)]
        hosts = ",".join(f"127.0.0.1:{proxy.port}" for proxy in self.proxies)
        self.hosts = hosts.split(",")
        self.uri = f"postgresql://drover@{hosts}/drover?connect_timeout=5"

    def start_proxy(self, port=0):
        proxy = FaultProxy(self.target, listen=("127.0.0.1", port)).start()
        self.addCleanup(proxy.stop)
        return proxy

    def begin(self, *arguments):
        command = harness.start_drover(*arguments, DROVER_DB=self.uri)
        self.addCleanup(command.kill)
        return command

    def end(self, command):
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        return self.result()

    def test_a_host_that_goes_and_comes_back(self):
        command = self.begin(*self.run_arguments("1h"), "--threads", 2, "--balance", "--affinity",
                             "--connection-max-age", "1s")
        half = CONNECTIONS // 2
        harness.wait_until(lambda: all(proxy.links >= half for proxy in self.proxies), "connections to both")
        self.server.wait_for_orders()
        port = self.proxies[1].port
        self.proxies[1].stop()
        harness.wait_until(lambda: self.proxies[0].links >= CONNECTIONS, "connections to move to the host that is left")
        self.server.wait_for_orders()
        self.proxies[1] = self.start_proxy(port)
        harness.wait_until(lambda: self.proxies[1].links >= half, "its share to come back")
        self.server.wait_for_orders()
        document = self.end(command)
        self.expect_every_count(document)
        self.assertTrue(document["ledger"]["exact"])
        self.assertEqual([host["name"] for host in document["hosts"]], self.hosts)
        for host in document["hosts"]:
            self.assertGreater(host["ok_count"], 0)
            self.assertEqual(host["service"]["histogram"]["count"], host["ok_count"])
        committed = sum(document["transactions"][name]["ok_count"] for name in TYPES)
        self.assertEqual(sum(host["ok_count"] for host in document["hosts"]), committed)
        self.assertGreater(document["availability"]["sessions_renewed"], 0)
        plan = document["plan"]
        self.assertTrue(plan["balance"] and plan["affinity"])
        self.assertEqual(plan["connection_max_age_s"], 1)
        self.assertIn("(--connection-max-age)", command.out)
        for host in self.hosts:
            self.assertIn(host, command.out)

    def test_reports_name_the_hosts(self):
        self.expect(self.begin(*self.run_arguments("2s"), "--balance").wait(), SUCCESS)
        for ending in ("html", "md"):
            page = self.server.folder / f"page.{ending}"
            self.expect(harness.drover("report", self.path, "--output", page), SUCCESS)
            for host in self.hosts:
                self.assertIn(host, page.read_text(encoding="utf-8"))

    def test_clients_of_scripts_and_of_ycsb(self):
        self.expect(self.server.drover("ycsb", "load", "--recordcount", 1000), SUCCESS)
        script = self.server.folder / "one.sql"
        script.write_text("SELECT 1;\n", encoding="utf-8")
        for arguments in (("ycsb", "run", "--workload", "a"), ("sql", "run", "--file", script)):
            self.expect(self.begin(*arguments, "--clients", 4, "--warmup", 0, "--duration", "6s", "--balance",
                                   "--connection-max-age", "1s", "--json", self.path).wait(), SUCCESS)
            document = self.result()
            self.assertEqual([host["name"] for host in document["hosts"]], self.hosts)
            self.assertGreater(document["availability"]["sessions_renewed"], 0)
            self.assertEqual(sum(one["failed_count"] for one in document["transactions"].values()), 0)

    def test_wrong_use(self):
        one = "postgresql://drover@127.0.0.1:5432/drover"
        many = "host=" + ",".join(f"h{i}" for i in range(65))
        for uri, words, expected in (
                (one, ("--balance",), "needs several hosts.*host1:5432,host2:5432"),
                ("", ("--balance",), "needs several hosts"),
                (many, ("--balance",), "at most 64"),
                (self.uri, ("--affinity",), "--affinity needs --balance"),
                (self.uri, ("--connection-max-age", "10ms"), "from 1s to 8760h"),
                (self.uri, ("--connection-max-age", "soon"), "--connection-max-age soon"),
                ("ydb://localhost:2136/local", ("--balance",), "--balance applies only to "
                                                               "PostgreSQL"),
                ("ydb://localhost:2136/local", ("--connection-max-age", "1m"), "applies only to PostgreSQL"),
                (self.uri, ("--balance", "--simulate-ms", "1"), "opens no connections")):
            command = harness.drover("tpcc", "run", "-w", 1, *words, DROVER_DB=uri,
                                     DROVER_DATA_HOME=str(self.server.root))
            self.expect_error(command, USAGE, expected)
        self.expect_error(harness.drover("sql", "run", "--file", "x", "--affinity", DROVER_DB=self.uri), USAGE,
                          "--affinity")


class Renewal(Connections):

    def test_nothing_fails_and_nothing_is_lost(self):
        self.expect(self.server.drover(*self.run_arguments("8s", 2), "--connection-max-age", "1s"), SUCCESS)
        document = self.result()
        availability = document["availability"]
        self.assertGreater(availability["sessions_renewed"], 0)
        self.assertEqual(availability["sessions_lost"], 0)
        self.assertEqual(availability["outages"], [])
        self.assertEqual(availability["interruptions"], 0)
        self.assertEqual(sum(document["transactions"][name]["failed_count"] for name in TYPES), 0)
        self.expect_every_count(document)
        self.assertNotIn("hosts", document)

    def test_without_it_nothing_is_said_of_it(self):
        command = self.expect(self.server.drover(*self.run_arguments("1s")), SUCCESS)
        self.assertNotIn("sessions_renewed", self.result()["availability"])
        self.assertNotIn("renewed", command.out)


class PasswordCommand(Connections):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        rules = cls.server.data / "pg_hba.conf"
        rules.write_text("local all tokened scram-sha-256\n" + rules.read_text(encoding="utf-8"), encoding="utf-8")
        cls.server.sql("CREATE ROLE tokened SUPERUSER LOGIN")
        cls.server.sql("SELECT pg_reload_conf()")

    def setUp(self):
        super().setUp()
        self.tokens = self.server.folder / "tokens"
        self.tokens.write_text("", encoding="utf-8")
        self.uri = f"host={self.server.socket_folder} user=tokened dbname=drover connect_timeout=60"
        self.hasty = f"{self.uri} connect_timeout=2"

    def begin(self, command, *arguments, uri=None):
        begun = harness.start_drover(*arguments, "--password-command", command, DROVER_DB=uri or self.uri)
        self.addCleanup(begun.kill)
        return begun

    def set_password(self, token):
        self.server.sql(f"ALTER ROLE tokened PASSWORD '{token}'")

    def issuer(self):
        """A command that gives the role another password each time, good for a minute, and keeps a list."""
        script = self.server.folder / "issuer.py"
        script.write_text(
            "import secrets, sys\n"
            f"sys.path.insert(0, {str(pathlib.Path(harness.__file__).parent)!r})\n"
            "import harness\n"
            "token = 'secret-' + secrets.token_hex(16)\n"
            f"with harness.Session({str(self.server.socket_folder)!r}) as session:\n"
            "    session.sql(f\"DO $$ BEGIN EXECUTE format('ALTER ROLE tokened PASSWORD %L VALID UNTIL %L', "
            "'{token}', now() + interval '60 s'); END $$\")\n"
            f"open({str(self.tokens)!r}, 'a').write(token + '\\n')\n"
            "print(token)\n", encoding="utf-8")
        return f"python3 {script}"

    def expect_no_secret(self, *texts):
        secrets = self.tokens.read_text(encoding="utf-8").split()
        self.assertGreater(len(secrets), 0)
        for secret in secrets:
            for text in texts:
                self.assertNotIn(secret, text)

    def test_a_token_for_each_connection(self):
        command = self.begin(self.issuer(), *self.run_arguments("1h", 1), "--threads", 1, "--connection-max-age", "1s")
        # One to prepare the run, one for its connection, one for what watches the checkpoints; the others for connections
        # in the place of that one, each when the one before it is up.
        harness.wait_until(lambda: len(self.tokens.read_text(encoding="utf-8").split()) >= 6, "six tokens")
        self.server.wait_for_orders()
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        document = self.result()
        self.assertGreater(document["availability"]["sessions_renewed"], 0)
        self.expect_every_count(document)
        self.expect_no_secret(command.out, command.err, self.path.read_text(encoding="utf-8"))

    def test_the_variable_says_the_same(self):
        self.set_password("the-same")
        self.expect(harness.drover("tpcc", "check", DROVER_DB=self.uri, DROVER_PASSWORD_COMMAND="echo the-same"),
                    SUCCESS)

    def test_a_command_that_fails_at_the_start(self):
        self.set_password("the-right-one")
        for command, expected in (
                ("exit 3", "--password-command: the command ended with exit code 3"),
                ("echo no such role >&2; exit 1", "exit code 1. Its output: no such role"),
                ("kill -TERM $$", "ended by signal 15"),
                ("true", "the first line of its output is empty"),
                ("echo; echo the-right-one", "the first line of its output is empty"),
                ("echo nearly there >&2", "is empty.* Its output: nearly there"),
                ("sleep 60", r"not ended within 2 s"),
                ("head -c 100000 /dev/zero | tr '\\0' x", "more than 65536 bytes"),
                ("echo not-the-right-one", "password authentication failed")):
            uri = self.hasty if command.startswith("sleep") else self.uri
            failed = self.begin(command, *self.run_arguments("1s"), uri=uri).wait()
            self.expect_error(failed, FAILURE, expected)
            self.assertNotIn("right-one", failed.err + failed.out)

    def test_what_it_printed_is_not_told_where_it_fails(self):
        for command in ("echo the-secret; echo the-secret >&2; exit 1", "set -x; echo the-secret; exit 1"):
            failed = self.begin(command, *self.run_arguments("1s")).wait()
            self.expect_error(failed, FAILURE, "exit code 1")
            self.assertNotIn("the-secret", failed.err + failed.out)

    def test_a_slow_command_is_ended_with_what_it_has_started(self):
        mark = "31415.92653"
        command = self.begin(f"sleep {mark} & sleep {mark}", *self.run_arguments("1s"), uri=self.hasty)
        self.expect_error(command.wait(), FAILURE, "not ended within")
        self.assertEqual(harness.processes(lambda arguments: mark in arguments), [])

    def test_ctrl_c_ends_the_command_too(self):
        mark = "31415.92654"
        command = self.begin(f"exec sleep {mark}", *self.run_arguments("1s"), uri=f"{self.uri} connect_timeout=3600")

        def running():
            return harness.processes(lambda arguments: mark in arguments)

        harness.wait_until(running, "the command to run")
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        self.assertEqual(running(), [])

    def test_a_command_that_fails_meanwhile(self):
        token = self.server.folder / "token"
        token.write_text("the-first\n", encoding="utf-8")
        self.set_password("the-first")
        command = self.begin(f"cat {token}", *self.run_arguments("1h", 1), "--threads", 1, "--connection-max-age", "1s",
                             "--ui", "plain")
        self.server.wait_for_orders()
        token.unlink()
        command.wait_for(r"--password-command: the command ended with exit code 1")
        token.write_text("the-second\n", encoding="utf-8")
        self.set_password("the-second")
        self.server.wait_for_orders()
        command.signal(signal.SIGINT)
        self.expect(command.wait(), INTERRUPTED)
        document = self.result()
        self.expect_every_count(document)
        self.assertTrue(any("--password-command" in outage["first_error"]
                            for outage in document["availability"]["outages"]))
        for secret in ("the-first", "the-second"):
            self.assertNotIn(secret, command.err + command.out + self.path.read_text(encoding="utf-8"))

    def test_wrong_use(self):
        for uri, expected in (
                ("postgresql://tokened:hidden@localhost/drover", "--db and --password-command both give a password"),
                ("", "--password-command needs --db"),
                ("ydb://localhost:2136/local", "--password-command applies only to "
                                               "PostgreSQL.*--ydb-token-file")):
            command = harness.drover("tpcc", "check", "--password-command", "echo x", DROVER_DB=uri,
                                     DROVER_DATA_HOME=str(self.server.root))
            self.expect_error(command, USAGE, expected)
            self.assertNotIn("hidden", command.err)


if __name__ == "__main__":
    harness.main()
