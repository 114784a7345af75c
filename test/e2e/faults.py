"""Twenty faults in one run, and then every count adds up with the data.

A run has to know before how long it is. Faults that do not fit into it, on a machine with much else to
do, go into another one. DROVER_FAULTS says how many there are (20 by default); fewer of them, as for a build
with sanitizers, are the first.
"""

import json
import os
import signal
import time

import fault_proxy
import harness
from fault_proxy import DOWN, UP
from harness import SUCCESS

FAULTS = int(os.environ.get("DROVER_FAULTS", "20"))
BEGIN_S = 3 * FAULTS  # in which faults begin
REST_S = 20  # to recover in, and for a machine that is late
WAREHOUSES = 4
CONNECTIONS = 32
# What each message takes on its way: so all connections have a transaction in hand all the time,
# and a good part of them a commit, at a rate that leaves the machine idle.
DELAY_S = 0.01


class Faults(harness.TestCase):

    def setUp(self):
        self.server = harness.Server(warehouses=WAREHOUSES)
        self.addCleanup(self.server.remove)
        self.server.start()
        self.proxy = fault_proxy.FaultProxy(f"{self.server.socket_folder}/.s.PGSQL.5432")
        self.proxy.start()
        self.addCleanup(self.proxy.stop)
        self.proxy.delay(DELAY_S)

    # The faults, each a method that has done it when it returns.

    def cut_all(self):
        self.proxy.cut()

    def cut_some(self):
        self.proxy.cut(CONNECTIONS // 3)

    def half_close_down(self):
        self.proxy.half_close(DOWN)

    def half_close_up(self):
        self.proxy.half_close(UP)

    def break_answers(self):
        self.proxy.break_message(DOWN)

    def break_requests(self):
        self.proxy.break_message(UP)

    def garbage_to_all(self):
        self.proxy.garbage()

    def garbage_to_some(self):
        self.proxy.garbage(count=CONNECTIONS // 4)

    def stall(self):
        self.proxy.stall(2)

    def commit_unheard(self):
        # The server does what it was asked, and its answers are lost.
        self.proxy.stall(1, DOWN)
        time.sleep(0.5)
        self.proxy.cut()

    def ask_unheard(self):
        self.proxy.stall(1, UP)
        time.sleep(0.5)
        self.proxy.cut()

    def slow_down(self):
        self.proxy.delay(0.25)
        time.sleep(2)
        self.proxy.delay(DELAY_S)

    def refuse(self):
        self.proxy.refuse(2)
        self.proxy.cut()

    def black_hole(self):
        self.proxy.black_hole(2)
        self.proxy.cut()

    def end_sessions(self):
        with self.server.session() as session:
            session.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                        "WHERE application_name = 'drover'")

    def kill_server(self):
        self.server.kill()
        self.server.start()

    def kill_a_backend(self):
        # The postmaster ends all others, and recovers.
        with self.server.session() as session:
            pid = session.number("SELECT max(pid) FROM pg_stat_activity "
                                 "WHERE application_name = 'drover'")
        os.kill(pid, signal.SIGKILL)

    def kill_server_unheard(self):
        self.proxy.stall(1, DOWN)
        time.sleep(0.5)
        self.kill_server()

    def all_faults(self):
        return [self.cut_all, self.kill_server, self.break_answers, self.commit_unheard,
                self.half_close_down, self.stall, self.garbage_to_all, self.refuse,
                self.kill_server_unheard, self.break_requests, self.cut_some, self.half_close_up,
                self.black_hole, self.end_sessions, self.kill_server, self.ask_unheard,
                self.garbage_to_some, self.slow_down, self.kill_a_backend, self.commit_unheard]

    # What the data say.

    def counts(self):
        with self.server.session() as session:
            (counts,) = session.sql(
                "SELECT (SELECT sum(d_next_o_id - 3001) FROM district), "
                f"(SELECT count(*) FROM oorder) - 30000 * {WAREHOUSES}, "
                f"(SELECT count(*) FROM history) - 30000 * {WAREHOUSES}, "
                "(SELECT (sum(w_ytd) * 100)::bigint FROM warehouse), "
                "(SELECT (sum(h_amount) * 100)::bigint FROM history)")
        return dict(zip(("next_o_id", "orders", "payments", "w_ytd", "cents"),
                        map(int, counts)))

    def wait_for_traffic(self, command):
        """Until New-Orders come in again."""
        def orders():
            self.assertFalse(command.ended(), str(command))
            try:
                with self.server.session() as session:
                    return session.number("SELECT sum(d_next_o_id) FROM district")
            except harness.SessionError:
                return None  # it recovers
        before = harness.wait_until(orders, "an answer")
        harness.wait_until(lambda: (orders() or 0) > before + CONNECTIONS, "New-Orders", 60)

    def run_through(self, faults):
        """A run, and as many of the faults as fit into it, which are taken from the list."""
        before = self.counts()
        path = self.server.folder / "faults.json"
        where = (f"host=127.0.0.1 port={self.proxy.port} user=drover dbname=drover "
                 "connect_timeout=2")
        command = self.server.begin(
            "tpcc", "run", "--db", where, "--no-delays", "--connections", CONNECTIONS, "--warmup",
            "0", "--duration", f"{BEGIN_S + REST_S}s", "--statement-timeout", "20s", "--json", path)
        self.addCleanup(command.kill)
        command.wait_for("terminals up", 60)
        began = time.monotonic()
        while faults and time.monotonic() - began < BEGIN_S:
            self.wait_for_traffic(command)
            fault = faults.pop(0)
            print(f"{time.monotonic() - began:6.1f} s: {fault.__name__}", flush=True)
            fault()
        self.wait_for_traffic(command)
        # Not interrupted, which would leave it a few seconds only to look up what is in doubt.
        self.expect(command.wait(BEGIN_S + 500), SUCCESS)
        document = json.loads(path.read_text(encoding="utf-8"))
        self.expect_that_all_adds_up(before, document)
        return document

    def test_twenty_faults(self):
        faults = self.all_faults()[:FAULTS]
        documents = []
        while faults:
            documents.append(self.run_through(faults))
        self.expect_that_faults_were_felt(documents)
        self.expect_consistent(self.server)

    def expect_that_faults_were_felt(self, documents):
        ambiguous = {name: [document["transactions"][name]["ambiguous"] for document in documents]
                     for name in documents[0]["transactions"]}
        # Some commits were under way at every fault.
        for name in ("NewOrder", "Payment"):
            self.assertGreater(sum(one["count"] for one in ambiguous[name]), 0)
        every = [one for of_type in ambiguous.values() for one in of_type]
        self.assertGreater(sum(one["committed"] for one in every), 0)
        self.assertGreater(sum(one["not_committed"] for one in every), 0)
        availability = [document["availability"] for document in documents]
        for name in ("sessions_lost", "sessions_reopened"):
            self.assertGreater(sum(one[name] for one in availability), CONNECTIONS)
        self.assertGreater(sum(len(one["outages"]) for one in availability), 0)

    def expect_that_all_adds_up(self, before, document):
        after = self.counts()
        done = {name: after[name] - before[name] for name in after}
        ledger = document["ledger"]
        ambiguous = {name: one["ambiguous"] for name, one in document["transactions"].items()}
        print("in the data", done, "reported", ledger, "ambiguous", ambiguous,
              "availability", {name: value for name, value in document["availability"].items()
                               if name != "outages"}, flush=True)
        self.assertEqual(done["next_o_id"], done["orders"])
        self.assertEqual(done["w_ytd"], done["cents"])
        for name, one in ambiguous.items():
            self.assertEqual(one["unresolved"], 0, name)
            self.assertEqual(one["count"], one["committed"] + one["not_committed"], name)
        self.assertEqual(ledger["new_orders"], done["orders"])
        self.assertEqual(ledger["payments"], done["payments"])
        self.assertEqual(ledger["payment_cents"], done["cents"])
        self.assertEqual(document["ledger_in_data"],
                         {"new_orders": done["orders"], "payment_cents": done["cents"],
                          "orders_delivered": ledger["orders_delivered"]})
        self.expect_counts_of_the_interval(document)
        self.assertTrue(all(one["end_s"] is not None
                            for one in document["availability"]["outages"]))
        self.assertFalse(document["interrupted"])

    def expect_counts_of_the_interval(self, document):
        for name, one in document["transactions"].items():
            self.assertEqual(one["all_count"], one["ok_count"] + one["failed_count"]
                             + one["user_aborted_count"], name)
            self.assertEqual(one["attempts"], one["all_count"] + one["retry_count"], name)
            self.assertGreaterEqual(one["failed_count"], one["ambiguous"]["count"], name)
        # Without a warm-up, only what was in flight at the end is outside of the interval.
        for name, total in (("NewOrder", "new_orders"), ("Payment", "payments")):
            one = document["transactions"][name]
            inside = one["ok_count"] + one["ambiguous"]["committed"]
            self.assertLessEqual(inside, document["ledger"][total])
            self.assertLessEqual(document["ledger"][total], inside + CONNECTIONS)


if __name__ == "__main__":
    harness.main()
