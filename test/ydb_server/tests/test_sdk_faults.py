"""Each fault as the official SDK, or the bare protocol, sees it."""

from concurrent import futures

import grpc
import harness
import ydb

from ydb_server import protocol
from ydb_server.tests.server_test_case import INT32, BareClient, ServerTestCase, rows_of

_ONCE = {"count": 1}
_ACCOUNTS = 40
_query = protocol.query


class Faults(ServerTestCase):
    # Longer than whatever a busy machine needs for what happens meanwhile.
    options = ("--lock-timeout", "100")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        driver = ydb.Driver(endpoint=cls.server.endpoint, database=cls.server.database)
        cls.addClassCleanup(driver.stop)
        driver.wait(30, fail_fast=True)
        cls.sessions = ydb.QuerySessionPool(driver)
        cls.addClassCleanup(cls.sessions.stop)
        cls.sdk = driver
        cls.sessions.execute_with_retries(
            "CREATE TABLE t (k Int32 NOT NULL, v Utf8, PRIMARY KEY (k))")

    def setUp(self):
        super().setUp()
        self.sessions.execute_with_retries("DELETE FROM t")

    def keys(self):
        # With retries: after a fault of the transport the SDK has to connect anew.
        (rows,) = self.sessions.execute_with_retries("SELECT k FROM t ORDER BY k")
        return [row["k"] for row in rows.rows]

    def bare(self):
        client = BareClient(self.server)
        self.addCleanup(client.close)
        self.attached = client.open_session()
        return client

    def upsert(self, key):
        self.run_query(self.sessions, f"UPSERT INTO t (k) VALUES ({key})")

    # Answers instead of the request.

    def test_statuses(self):
        for fault, kind in (("overloaded", ydb.Overloaded), ("unavailable", ydb.Unavailable),
                            ("aborted", ydb.Aborted), ("bad_session", ydb.BadSession),
                            ("session_busy", ydb.SessionBusy),
                            ("session_expired", ydb.SessionExpired)):
            self.server.faults(**{fault: {"count": 1, "methods": ["ExecuteQuery"]}})
            before = self.given(fault)
            with self.assertRaises(kind, msg=fault):
                self.upsert(1)
            self.assertEqual(self.given(fault), before + 1)
            self.assertEqual(self.keys(), [], fault)

    def test_the_sdk_tries_again(self):
        for fault in ("unavailable", "aborted", "bad_session", "session_expired"):
            self.server.faults(**{fault: {"count": 1, "methods": ["ExecuteQuery"]}})
            before = self.given(fault)
            self.sessions.execute_with_retries("UPSERT INTO t (k) VALUES (1)")
            self.assertEqual(self.given(fault), before + 1)
        self.assertEqual(self.keys(), [1])

    def test_a_fault_ends_the_transaction(self):
        with self.sessions.checkout() as session:
            tx = session.transaction().begin()
            rows_of(tx.execute("UPSERT INTO t (k) VALUES (1)"))
            self.server.faults(overloaded=_ONCE)
            with self.assertRaises(ydb.Overloaded):
                rows_of(tx.execute("UPSERT INTO t (k) VALUES (2)"))
        self.assertEqual(self.server.state()["transactions"]["open"], 0)
        self.assertEqual(self.keys(), [])

    def test_a_bad_session_is_gone(self):
        client = self.bare()
        self.server.faults(bad_session=_ONCE)
        self.assertEqual(client.status_of("SELECT 1"), "BAD_SESSION")
        self.assertEqual(client.status_of("SELECT 1"), "BAD_SESSION")
        self.assertEqual(list(self.attached), [])
        self.server.faults(session_busy=_ONCE)
        client.open_session()
        self.assertEqual(client.status_of("SELECT 1"), "SESSION_BUSY")
        self.assertEqual(client.status_of("SELECT 1"), "SUCCESS")

    def test_create_session_and_bulk_upsert(self):
        client = BareClient(self.server)
        self.addCleanup(client.close)
        self.server.faults(overloaded={"count": 1, "methods": ["CreateSession"]})
        self.assertEqual(client.create_session().status, protocol.status.OVERLOADED)
        self.assertEqual(client.create_session().status, protocol.status.SUCCESS)
        self.server.faults(unavailable={"count": 1, "methods": ["BulkUpsert"]})
        columns = ydb.BulkUpsertColumns().add_column("k", INT32)
        upsert = lambda: self.sdk.table_client.bulk_upsert(  # noqa: E731
            f"{self.server.database}/t", [{"k": 5}], columns)
        with self.assertRaises(ydb.Unavailable):
            upsert()
        self.assertEqual(self.keys(), [])
        ydb.retry_operation_sync(upsert)
        self.assertEqual(self.keys(), [5])

    # The transport.

    def test_transport_before_and_after(self):
        for fault, left in (("transport_before", []), ("transport_after", [1])):
            self.server.faults(**{fault: {"count": 1, "methods": ["ExecuteQuery"]}})
            with self.assertRaises(ydb.Unavailable):
                self.upsert(1)
            self.assertEqual(self.keys(), left, fault)

    def test_transport_after_a_commit(self):
        client = self.bare()
        (*_, part) = client.execute("UPSERT INTO t (k) VALUES (1)", tx_control=client.begin())
        self.server.faults(transport_after={"count": 1, "methods": ["CommitTransaction"]})
        with self.assertRaises(grpc.RpcError) as caught:
            self.commit(client, part.tx_meta.id)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertEqual(self.keys(), [1])

    def commit(self, client, identity):
        return client.call("Ydb.Query.V1.QueryService/CommitTransaction",
                           _query.CommitTransactionRequest(session_id=client.session,
                                                           tx_id=identity),
                           _query.CommitTransactionResponse)

    def test_stream_cut_in_the_middle(self):
        self.server.settings(part_rows=1)
        self.addCleanup(self.server.settings, part_rows=1000)
        client = self.bare()
        self.server.faults(stream_cut=_ONCE)
        control = client.begin()
        control.commit_tx = True
        parts = client.execute("UPSERT INTO t (k) VALUES (1), (2); SELECT k FROM t",
                               tx_control=control)
        self.assertEqual(next(parts).status, protocol.status.SUCCESS)
        with self.assertRaises(grpc.RpcError) as caught:
            next(parts)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
        self.assertEqual(self.keys(), [])

    def test_error_in_the_last_part(self):
        client = self.bare()
        self.server.faults(late_error=_ONCE)
        parts = list(client.execute("UPSERT INTO t (k) VALUES (1); SELECT k FROM t"))
        self.assertEqual([part.status for part in parts],
                         [protocol.status.SUCCESS, protocol.status.ABORTED])
        self.assertEqual(len(parts[0].result_set.rows), 1)
        self.assertEqual(self.keys(), [])

    # Commits whose outcome is not said.

    def test_returning_that_is_wrong(self):
        """Servers before 2026 may have answered so: what was changed is another thing."""
        self.upsert(1)
        change = "UPDATE t SET v = 'a' WHERE k = {} RETURNING k, v"
        self.server.faults(returning_lost={"count": 2})
        for key, rows in ((1, []), (2, []), (1, [{"k": 1, "v": "a"}])):
            self.assertEqual(self.run_query(self.sessions, change.format(key)), [rows])
        self.server.faults(returning_invented=_ONCE)
        self.assertEqual(self.run_query(self.sessions, change.format(2)), [[{"k": 0, "v": None}]])
        self.assertEqual(self.keys(), [1])
        # Neither touches a SELECT.
        self.server.faults(returning_lost={}, returning_invented={})
        self.assertEqual(self.keys(), [1])

    def test_a_server_without_snapshots_for_writes(self):
        client = self.bare()
        mode = _query.TransactionSettings(snapshot_read_write=_query.SnapshotRWModeSettings())
        control = _query.TransactionControl(begin_tx=mode, commit_tx=True)
        self.server.settings(snapshot_writes=False)
        self.addCleanup(self.server.settings, snapshot_writes=True)
        *_, last = client.execute("UPDATE t SET v = 'a' WHERE k = 0", tx_control=control)
        self.assertEqual(last.status, protocol.status.BAD_REQUEST)
        self.assertEqual(last.issues[0].message, "Writes aren't supported for Snapshot Isolation")
        self.server.settings(snapshot_writes=True)
        self.assertEqual(client.status_of("UPDATE t SET v = 'a' WHERE k = 0", tx_control=control),
                         "SUCCESS")

    def test_undetermined(self):
        for fault, left in (("undetermined_lost", []), ("undetermined_committed", [1])):
            self.server.faults(**{fault: _ONCE})
            with self.assertRaises(ydb.Undetermined):
                self.upsert(1)
            self.assertEqual(self.keys(), left, fault)

    def test_undetermined_in_commit(self):
        for fault, left in (("undetermined_lost", []), ("undetermined_committed", [1])):
            with self.sessions.checkout() as session:
                tx = session.transaction().begin()
                rows_of(tx.execute("UPSERT INTO t (k) VALUES (1)"))
                self.server.faults(**{fault: _ONCE})
                with self.assertRaises(ydb.Undetermined):
                    tx.commit()
            self.assertEqual(self.keys(), left, fault)

    # Beside the answer.

    def test_close_hint(self):
        client = self.bare()
        self.server.faults(close_hint=_ONCE)
        for expected in (True, False):
            call = client.execute("SELECT 1 AS a")
            list(call)
            hints = [value for key, value in call.trailing_metadata()
                     if key == "x-ydb-server-hints"]
            self.assertEqual(hints, ["session-close"] if expected else [])

    def test_shutdown_hints(self):
        for fault in ("session_shutdown", "node_shutdown"):
            client = self.bare()
            self.server.faults(**{fault: _ONCE})
            self.assertEqual(client.status_of("SELECT 1"), "SUCCESS")
            state = next(self.attached)
            self.assertEqual((state.status, state.WhichOneof("session_hint")),
                             (protocol.status.SUCCESS, fault))

    def test_the_sdk_leaves_a_session_that_shuts_down(self):
        with self.sessions.checkout() as session:
            first = session.session_id
            self.server.action("session_shutdown")
            self.wait_until(lambda: not session.is_active)
        with self.sessions.checkout() as session:
            self.assertNotEqual(session.session_id, first)

    def test_attach_cut(self):
        client = self.bare()
        self.server.faults(attach_cut=_ONCE)
        self.assertEqual(client.status_of("SELECT 1"), "SUCCESS")
        with self.assertRaises(grpc.RpcError) as caught:
            next(self.attached)
        self.assertEqual(caught.exception.code(), grpc.StatusCode.UNAVAILABLE)
        self.wait_until(lambda: client.status_of("SELECT 1") == "BAD_SESSION")

    def wait_until(self, condition):
        """Polls: the other side acts when it gets to it."""
        harness.wait_until(condition, "what the server was told to do", 60)

    # Sessions.

    def test_a_session_does_one_thing_at_a_time(self):
        blocker, client = self.bare(), self.bare()
        (*_, part) = blocker.execute("UPSERT INTO t (k) VALUES (1)", tx_control=blocker.begin())
        waiting = client.execute("UPSERT INTO t (k) VALUES (1)")
        self.wait_until(lambda: self.server.state()["transactions"]["open"] == 2)
        self.assertEqual(client.status_of("SELECT 1"), "SESSION_BUSY")
        self.commit(blocker, part.tx_meta.id)
        self.assertIn(list(waiting)[-1].status,
                      (protocol.status.SUCCESS, protocol.status.ABORTED))
        self.assertEqual(client.status_of("SELECT 1"), "SUCCESS")

    def test_a_session_wants_to_be_attached(self):
        client = BareClient(self.server)
        self.addCleanup(client.close)
        client.create_session()
        self.assertEqual(client.status_of("SELECT 1"), "BAD_SESSION")

    def test_the_end_of_the_attach_stream_ends_the_session(self):
        client = self.bare()
        list(client.execute("UPSERT INTO t (k) VALUES (1)", tx_control=client.begin()))
        self.attached.cancel()
        self.wait_until(lambda: client.status_of("SELECT 1") == "BAD_SESSION")
        self.wait_until(lambda: self.server.state()["transactions"]["open"] == 0)
        self.assertEqual(self.keys(), [])

    def test_a_cancelled_query_gives_up_its_transaction(self):
        blocker, client = self.bare(), self.bare()
        (*_, part) = blocker.execute("UPSERT INTO t (k) VALUES (1)", tx_control=blocker.begin())
        waiting = client.execute("UPSERT INTO t (k) VALUES (1)", tx_control=client.begin())
        self.wait_until(lambda: self.server.state()["transactions"]["open"] == 2)
        waiting.cancel()
        self.wait_until(lambda: self.server.state()["transactions"]["open"] == 1)
        self.wait_until(lambda: client.status_of("SELECT 1") == "SUCCESS")
        self.commit(blocker, part.tx_meta.id)
        self.assertEqual(self.keys(), [1])

    def test_more_sessions_than_a_node_takes(self):
        self.server.settings(sessions_per_node=self.server.state()["sessions"]["open"])
        self.addCleanup(self.server.settings, sessions_per_node=1000)
        client = BareClient(self.server)
        self.addCleanup(client.close)
        self.assertEqual(client.create_session().status, protocol.status.OVERLOADED)

    def test_many_at_once_with_faults(self):
        """Transfers between rows: what is committed adds up, and nothing is left open."""
        self.sessions.execute_with_retries(
            "CREATE TABLE accounts (k Int32 NOT NULL, n Int64, PRIMARY KEY (k)); "
            "CREATE TABLE transfers (k Int64 NOT NULL, PRIMARY KEY (k))")
        rows = ", ".join(f"({key}, 0)" for key in range(_ACCOUNTS))
        self.sessions.execute_with_retries(f"UPSERT INTO accounts (k, n) VALUES {rows}")
        methods = ["ExecuteQuery", "CommitTransaction"]
        self.server.faults(**{name: {"probability": 0.03, "methods": methods} for name in (
            "overloaded", "unavailable", "aborted", "bad_session", "session_expired",
            "transport_before", "transport_after", "undetermined_committed", "undetermined_lost")},
            late_error={"probability": 0.03}, stream_cut={"probability": 0.03},
            session_shutdown={"probability": 0.03}, attach_cut={"probability": 0.03})
        with futures.ThreadPoolExecutor(6) as threads:
            outcomes = list(threads.map(self.transfer, range(150)))
        self.server.faults()
        state = self.server.state()
        self.assertGreater(sum(state["faults_given"].values()), 20)
        ((total,),) = self.run_query(self.pool(), "SELECT SUM(n) AS s FROM accounts")
        self.assertEqual(total["s"], 0)
        (done,) = self.run_query(self.pool(), "SELECT k FROM transfers")
        done = {row["k"] for row in done}
        for number, outcome in enumerate(outcomes):
            if outcome != "unknown":
                self.assertEqual(number in done, outcome == "committed", number)
        self.assertGreater(outcomes.count("committed"), 10)
        self.wait_until(lambda: self.server.state()["transactions"]["open"] == 0)

    def transfer(self, number):
        """One attempt in a session of its own: "committed", "failed" or "unknown"."""
        client = BareClient(self.server)
        identity = ""
        try:
            client.open_session()
            for key, change in ((number % _ACCOUNTS, -1), ((number + 7) % _ACCOUNTS, 1)):
                control = _query.TransactionControl(tx_id=identity) if identity \
                    else client.begin()
                parts = list(client.execute(
                    f"UPDATE accounts SET n = n + {change} WHERE k = {key} RETURNING n; "
                    f"UPSERT INTO transfers (k) VALUES ({number})", tx_control=control))
                if parts[-1].status != protocol.status.SUCCESS:
                    return "failed"
                identity = parts[-1].tx_meta.id
        except grpc.RpcError:
            client.close()
            return "failed"
        try:
            status = self.commit(client, identity).status
        except grpc.RpcError:
            return "unknown"
        finally:
            client.close()
        if status == protocol.status.SUCCESS:
            return "committed"
        return "unknown" if status == protocol.status.UNDETERMINED else "failed"

    # Index builds.

    def table_session(self):
        session = self.sdk.table_client.session().create()
        self.addCleanup(session.delete)
        return session

    def start_build(self, name):
        session = self.table_session()
        client = BareClient(self.server)
        self.addCleanup(client.close)
        request = protocol.table.AlterTableRequest(session_id=session.session_id,
                                                   path=f"{self.server.database}/t")
        request.operation_params.operation_mode = protocol.operation.OperationParams.ASYNC
        index = request.add_indexes.add(name=name, index_columns=["v"])
        index.global_index.SetInParent()
        answer = client.call("Ydb.Table.V1.TableService/AlterTable", request,
                             protocol.table.AlterTableResponse)
        return client, answer.operation

    def get_operation(self, client, identity):
        return client.call("Ydb.Operation.V1.OperationService/GetOperation",
                           protocol.operation.GetOperationRequest(id=identity),
                           protocol.operation.GetOperationResponse).operation

    def end_operation(self, client, verb, identity):
        module = protocol.operation
        kinds = {"Cancel": (module.CancelOperationRequest, module.CancelOperationResponse),
                 "Forget": (module.ForgetOperationRequest, module.ForgetOperationResponse)}
        request, response = kinds[verb]
        return protocol.status.StatusCode.Name(client.call(
            f"Ydb.Operation.V1.OperationService/{verb}Operation", request(id=identity),
            response).status)

    def test_slow_index_build(self):
        self.server.settings(index_polls=5)
        self.addCleanup(self.server.settings, index_polls=0)
        client, operation = self.start_build("slow")
        states = []
        while not operation.ready:
            metadata = protocol.table.IndexBuildMetadata()
            operation.metadata.Unpack(metadata)
            states.append((metadata.state, metadata.progress))
            with self.assertRaisesRegex(ydb.GenericError, "not ready"):
                self.run_query(self.sessions, "SELECT k FROM t VIEW slow")
            operation = self.get_operation(client, operation.id)
        operation.metadata.Unpack(metadata)
        states.append((metadata.state, metadata.progress))
        self.assertEqual(states, sorted(states))
        self.assertGreaterEqual(len(states), 6)
        self.assertEqual([states[0][0], states[-1]], [1, (4, 100.0)])
        self.assertEqual((metadata.description.path, metadata.description.index.name),
                         (f"{self.server.database}/t", "slow"))
        self.run_query(self.sessions, "SELECT k FROM t VIEW slow WHERE v = 'a'")
        self.assertEqual(self.end_operation(client, "Forget", operation.id), "SUCCESS")
        self.assertEqual(self.get_operation(client, operation.id).status, protocol.status.NOT_FOUND)

    def test_cancelled_index_build(self):
        self.server.settings(index_polls=1000)
        self.addCleanup(self.server.settings, index_polls=0)
        client, operation = self.start_build("cancelled")
        self.assertEqual(self.end_operation(client, "Forget", operation.id), "PRECONDITION_FAILED")
        self.assertEqual(self.end_operation(client, "Cancel", operation.id), "SUCCESS")
        operation = self.get_operation(client, operation.id)
        metadata = protocol.table.IndexBuildMetadata()
        operation.metadata.Unpack(metadata)
        self.assertEqual((operation.ready, operation.status, metadata.state),
                         (True, protocol.status.CANCELLED, 6))
        with self.assertRaises(ydb.SchemeError):
            self.run_query(self.sessions, "SELECT k FROM t VIEW cancelled")

    def test_index_by_the_sdk(self):
        session = self.table_session()
        path = f"{self.server.database}/t"
        session.alter_table(path, add_indexes=[ydb.TableIndex("by_v").with_index_columns("v")])
        self.assertIn("by_v", [index.name for index in session.describe_table(path).indexes])
        self.run_query(self.sessions, "SELECT k FROM t VIEW by_v WHERE v = 'a'")
        session.alter_table(path, drop_indexes=["by_v"])
        self.assertNotIn("by_v", [index.name for index in session.describe_table(path).indexes])

    def test_switches_that_are_wrong(self):
        for changes in ({"nonsense": {}}, {"overloaded": {"probability": 2}}):
            with self.assertRaises(ValueError):
                self.server.faults(**changes)
        with self.assertRaises(ValueError):
            self.server.settings(part_rows=0)
        for action in ({"name": "nonsense"}, {"name": "node_down", "node": 7}):
            with self.assertRaises(ValueError):
                self.server.action(**action)
