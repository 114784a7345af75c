"""The statements of examples/*.yql, which README.md shows, on a small load of TPC-C."""

import datetime
import decimal
import itertools

import ydb

from ydb_server import examples
from ydb_server.tests.server_test_case import (INT32, INT64, MONEY, UTF8, ServerTestCase, int32,
                                               rows_of, typed)

_PREFIX = "/Root/test/tpcc"
_NOW = datetime.datetime(2025, 1, 2, 3, 4, 5, 678901)
_TIME = ydb.PrimitiveType.Timestamp
_WAREHOUSES, _DISTRICTS, _CUSTOMERS, _ITEMS = (1, 2), (1, 2, 3), range(1, 7), range(1, 21)
_UNDELIVERED = 5      # orders from this one on
_numbers = itertools.count(1)


def money(text):
    return decimal.Decimal(text)


def cents(value):
    return typed(MONEY, decimal.Decimal(value))


def text(value):
    return typed(UTF8, value)


def _kind_of(value):
    if isinstance(value, decimal.Decimal):
        return MONEY
    if isinstance(value, datetime.datetime):
        return _TIME
    return UTF8 if isinstance(value, str) else INT32


def rows(dictionaries, **kinds):
    """List<Struct> of dictionaries with the same keys."""
    struct = ydb.StructType()
    for name, value in dictionaries[0].items():
        struct.add_member(name, kinds.get(name) or _kind_of(value))
    return typed(ydb.ListType(struct), dictionaries)


def tuples(values):
    kind = ydb.TupleType()
    for _ in values[0]:
        kind.add_element(INT32)
    return typed(ydb.ListType(kind), values)


class Load:
    """Two warehouses of three districts of six customers, with an order each."""

    def __init__(self, bulk):
        self._bulk = bulk

    def run(self):
        self._bulk("item", [{"i_id": i, "i_im_id": i, "i_name": f"item {i}",
                             "i_price": money(i), "i_data": "data"} for i in _ITEMS])
        for w_id in _WAREHOUSES:
            self._warehouse(w_id)

    def _warehouse(self, w_id):
        customers = len(_DISTRICTS) * len(_CUSTOMERS)
        self._bulk("warehouse", [{"w_id": w_id, "w_name": f"W{w_id}", "w_tax": money("0.1"),
                                  "w_ytd": money(10 * customers)}])
        self._bulk("stock", [{"s_w_id": w_id, "s_i_id": i, "s_quantity": 20 + i, "s_ytd": 0,
                              "s_order_cnt": 0, "s_remote_cnt": 0, "s_data": "data",
                              **{f"s_dist_{d:02}": f"dist {d}" for d in range(1, 11)}}
                             for i in _ITEMS], s_ytd=INT64)
        for d_id in _DISTRICTS:
            self._district(w_id, d_id)

    def _district(self, w_id, d_id):
        self._bulk("district", [{"d_w_id": w_id, "d_id": d_id, "d_name": f"D{d_id}",
                                 "d_tax": money("0.05"), "d_ytd": money(10 * len(_CUSTOMERS)),
                                 "d_next_o_id": len(_CUSTOMERS) + 1}])
        self._bulk("customer", [{
            "c_w_id": w_id, "c_d_id": d_id, "c_id": c, "c_first": f"F{9 - c}", "c_middle": "OE",
            "c_last": "BAR" if c % 2 else "ABLE", "c_credit": "BC" if c == 2 else "GC",
            "c_discount": money("0.1"), "c_balance": money(-10), "c_ytd_payment": money(10),
            "c_payment_cnt": 1, "c_delivery_cnt": 0, "c_data": "data", "c_since": _NOW}
            for c in _CUSTOMERS])
        self._bulk("history", [{
            "h_c_w_id": w_id, "h_c_nano_ts": next(_numbers), "h_c_id": c, "h_c_d_id": d_id,
            "h_d_id": d_id, "h_w_id": w_id, "h_date": _NOW, "h_amount": money(10), "h_data": "x"}
            for c in _CUSTOMERS], h_c_nano_ts=INT64)
        self._orders(w_id, d_id)

    def _orders(self, w_id, d_id):
        delivered = [{"o_w_id": w_id, "o_d_id": d_id, "o_id": o, "o_c_id": o, "o_entry_d": _NOW,
                      "o_carrier_id": 3, "o_ol_cnt": 2, "o_all_local": 1} for o in _CUSTOMERS]
        waiting = [{name: value for name, value in row.items() if name != "o_carrier_id"}
                   for row in delivered[_UNDELIVERED - 1:]]
        self._bulk("oorder", delivered[:_UNDELIVERED - 1])
        self._bulk("oorder", waiting)
        self._bulk("new_order", [{"no_w_id": w_id, "no_d_id": d_id, "no_o_id": o}
                                 for o in _CUSTOMERS if o >= _UNDELIVERED])
        lines = [{"ol_w_id": w_id, "ol_d_id": d_id, "ol_o_id": o, "ol_number": n, "ol_i_id": n + o,
                  "ol_supply_w_id": w_id, "ol_quantity": 5, "ol_dist_info": "dist",
                  "ol_amount": money(0) if o < _UNDELIVERED else money("12.34"),
                  "ol_delivery_d": _NOW} for o in _CUSTOMERS for n in (1, 2)]
        self._bulk("order_line", [row for row in lines if row["ol_o_id"] < _UNDELIVERED])
        self._bulk("order_line", [{name: value for name, value in row.items()
                                   if name != "ol_delivery_d"}
                                  for row in lines if row["ol_o_id"] >= _UNDELIVERED])


class Examples(ServerTestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sdk = ydb.Driver(endpoint=cls.server.endpoint, database=cls.server.database)
        cls.addClassCleanup(cls.sdk.stop)
        cls.sdk.wait(60, fail_fast=True)
        cls.sessions = ydb.QuerySessionPool(cls.sdk)
        cls.addClassCleanup(cls.sessions.stop)

    def setUp(self):
        super().setUp()
        tables = examples.requests("tables", _PREFIX)
        self.sessions.execute_with_retries(tables["drop_tables"])
        self.sessions.execute_with_retries(tables["create_tables"])
        Load(self.bulk).run()
        session = self.sdk.table_client.session().create()
        for table, name, columns in (
                ("customer", "idx_customer_name", ("c_w_id", "c_d_id", "c_last", "c_first")),
                ("oorder", "idx_order", ("o_w_id", "o_d_id", "o_c_id", "o_id"))):
            session.alter_table(f"{_PREFIX}/{table}", add_indexes=[
                ydb.TableIndex(name).with_index_columns(*columns)])
        session.delete()

    def bulk(self, table, dictionaries, **kinds):
        columns = ydb.BulkUpsertColumns()
        for name, value in dictionaries[0].items():
            columns.add_column(name, kinds.get(name) or _kind_of(value))
        self.sdk.table_client.bulk_upsert(f"{_PREFIX}/{table}", dictionaries, columns)

    def transaction(self, name, body, mode=None):
        """Runs body(request), where request(name, commit=False, **parameters) gives result sets."""
        texts = examples.requests(name, _PREFIX)
        committed = []
        with self.sessions.checkout() as session, session.transaction(mode) as tx:
            def request(which, commit=False, **parameters):
                committed.extend([True] * commit)
                return rows_of(tx.execute(texts[which], {f"${key}": value for key, value in
                                                         parameters.items()}, commit_tx=commit))
            result = body(request)
            if not committed:
                tx.rollback()
            return result

    def offenders(self, *but):
        """The conditions that do not hold."""
        found = {}
        for name, query in examples.requests("conditions", _PREFIX).items():
            parameters = {"$first": int32(1), "$last": int32(2)}
            if name == "condition_11":
                parameters["$delivered"] = typed(ydb.PrimitiveType.Uint64, _UNDELIVERED - 1)
            (rows_found,) = self.run_query(self.sessions, query, parameters)
            if rows_found and name not in but:
                found[name] = rows_found
        return found

    def rows(self, query):
        (found,) = self.run_query(self.sessions,
                                  f'PRAGMA TablePathPrefix("{_PREFIX}"); {query}')
        return found

    def test_conditions_hold_and_find(self):
        self.assertEqual(self.offenders(), {})
        for change, broken in (
                ("UPDATE warehouse SET w_ytd = w_ytd + Decimal('0.01', 22, 9) WHERE w_id = 1",
                 ["1", "8"]),
                ("UPDATE district SET d_next_o_id = 99 WHERE d_w_id = 2 AND d_id = 1", ["2"]),
                ("UPDATE district SET d_ytd = NULL WHERE d_w_id = 2 AND d_id = 2", ["1", "9"]),
                ("DELETE FROM new_order WHERE no_w_id = 1 AND no_d_id = 1 AND no_o_id = 5",
                 ["5", "11"]),
                ("UPSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (1, 1, 3)",
                 ["3", "5", "11"]),
                ("DELETE FROM order_line WHERE ol_w_id = 1 AND ol_o_id = 1 AND ol_number = 2 "
                 "AND ol_d_id = 1", ["4", "6"]),
                ("UPDATE order_line SET ol_delivery_d = NULL WHERE ol_w_id = 1 AND ol_o_id = 1 "
                 "AND ol_d_id = 1", ["7"]),
                ("UPDATE customer SET c_balance = c_balance + c_balance WHERE c_w_id = 1 "
                 "AND c_d_id = 1 AND c_id = 1", ["10", "12"])):
            self.sessions.execute_with_retries(f'PRAGMA TablePathPrefix("{_PREFIX}"); {change}')
            self.assertEqual(list(self.offenders()), [f"condition_{one}" for one in broken], change)
            self.sessions.execute_with_retries(examples.requests("tables", _PREFIX)["drop_tables"])
            self.sessions.execute_with_retries(
                examples.requests("tables", _PREFIX)["create_tables"])
            Load(self.bulk).run()

    def test_new_order_single(self):
        def body(request):
            home = {"w_id": int32(1), "d_id": int32(2)}
            (customer,), = request("get_customer", **home, c_id=int32(3))
            (warehouse,), = request("get_warehouse", w_id=int32(1))
            (district,), = request("get_district", **home)
            o_id = district["d_next_o_id"]
            request("set_next_order", **home, next_o_id=int32(o_id + 1))
            request("insert_new_order", **home, o_id=int32(o_id))
            request("insert_order", **home, o_id=int32(o_id), c_id=int32(3),
                    entry_d=typed(_TIME, _NOW), ol_cnt=int32(2), all_local=int32(0))
            for number, (i_id, supply) in enumerate(((7, 1), (8, 2)), 1):
                (item,), = request("get_item", i_id=int32(i_id))
                (stock,), = request("get_stock", w_id=int32(supply), i_id=int32(i_id),
                                    d_id=int32(2))
                request("update_stock", w_id=int32(supply), i_id=int32(i_id),
                        quantity=int32(stock["s_quantity"] - 4),
                        ytd=typed(INT64, stock["s_ytd"] + 4),
                        order_cnt=int32(stock["s_order_cnt"] + 1),
                        remote_cnt=int32(stock["s_remote_cnt"] + (supply != 1)))
                request("insert_line", number == 2, **home, o_id=int32(o_id), number=int32(number),
                        i_id=int32(i_id), supply_w_id=int32(supply), quantity=int32(4),
                        amount=cents(item["i_price"] * 4), dist_info=text(stock["s_dist"]))
            self.assertEqual((customer["c_last"], warehouse["w_tax"], district["d_tax"], o_id),
                             ("BAR", money("0.1"), money("0.05"), 7))
        self.transaction("new_order_single", body)
        self.check_new_order()

    def check_new_order(self):
        self.assertEqual(self.offenders("condition_11"), {})
        self.assertEqual(self.rows("SELECT ol_number, ol_amount, ol_dist_info, ol_delivery_d "
                                   "FROM order_line WHERE ol_w_id = 1 AND ol_d_id = 2 "
                                   "AND ol_o_id = 7 ORDER BY ol_number"),
                         [{"ol_number": n, "ol_amount": money(amount), "ol_dist_info": "dist 2",
                           "ol_delivery_d": None} for n, amount in ((1, 28), (2, 32))])
        self.assertEqual(self.rows("SELECT s_quantity, s_ytd, s_order_cnt, s_remote_cnt, s_data "
                                   "FROM stock WHERE s_w_id = 2 AND s_i_id = 8"),
                         [{"s_quantity": 24, "s_ytd": 4, "s_order_cnt": 1, "s_remote_cnt": 1,
                           "s_data": "data"}])

    def new_order_batched(self, request, i_ids):
        home = {"w_id": int32(1), "d_id": int32(2), "c_id": int32(3)}
        (customer,), (warehouse,), (district,), items = request(
            "begin", **home, i_ids=typed(ydb.ListType(INT32), i_ids))
        if len(items) < len(i_ids):
            return False
        self.assertEqual((customer["c_credit"], warehouse["w_tax"]), ("GC", money("0.1")))
        o_id = district["d_next_o_id"]
        prices = {item["i_id"]: item["i_price"] for item in items}
        supplies = dict(zip(i_ids, (1, 2)))
        (stock,) = request("order", **home, o_id=int32(o_id), entry_d=typed(_TIME, _NOW),
                           ol_cnt=int32(2), all_local=int32(0),
                           stock_keys=tuples([(w, i) for i, w in supplies.items()]))
        found = {one["s_i_id"]: one for one in stock}
        request("lines", True, stock=rows([{
            "s_w_id": w, "s_i_id": i, "s_quantity": found[i]["s_quantity"] - 4,
            "s_ytd": found[i]["s_ytd"] + 4, "s_order_cnt": found[i]["s_order_cnt"] + 1,
            "s_remote_cnt": found[i]["s_remote_cnt"] + (w != 1)} for i, w in supplies.items()],
            s_ytd=INT64), lines=rows([{
                "ol_w_id": 1, "ol_d_id": 2, "ol_o_id": o_id, "ol_number": n, "ol_i_id": i,
                "ol_supply_w_id": supplies[i], "ol_quantity": 4, "ol_amount": prices[i] * 4,
                "ol_dist_info": found[i]["s_dist"]} for n, i in enumerate(i_ids, 1)]))
        return True

    def test_new_order_batched(self):
        self.assertTrue(self.transaction(
            "new_order_batched", lambda request: self.new_order_batched(request, [7, 8])))
        self.check_new_order()

    def test_new_order_of_an_unused_item(self):
        self.assertFalse(self.transaction(
            "new_order_batched", lambda request: self.new_order_batched(request, [7, 999])))
        self.assertEqual(self.offenders(), {})
        self.assertEqual(self.rows("SELECT o_id FROM oorder WHERE o_id > 6"), [])

    def test_payment(self):
        def body(request):
            home = {"w_id": int32(1), "d_id": int32(1)}
            (warehouse,), = request("update_warehouse", w_id=int32(1), amount=cents("25.5"))
            (district,), = request("update_district", **home, amount=cents("25.5"))
            (named,) = request("find_by_name", **home, last=text("ABLE"))
            # Customers 2, 4, 6 with first names F7, F5, F3: the middle is 4.
            self.assertEqual([one["c_id"] for one in named], [6, 4, 2])
            for which, c_id in (("update_customer", named[1]["c_id"]), ("update_bad_customer", 2)):
                (customer,), = request("get_customer", **home, c_id=int32(c_id))
                more = {"data": text("2 1 1")} if which == "update_bad_customer" else {}
                amount = money("25.5") if not more else money(0)
                request(which, **home, c_id=int32(c_id),
                        balance=cents(customer["c_balance"] - amount),
                        ytd_payment=cents(customer["c_ytd_payment"] + amount),
                        payment_cnt=int32(customer["c_payment_cnt"] + 1), **more)
            request("insert_history", True, h_c_w_id=int32(1),
                    h_c_nano_ts=typed(INT64, next(_numbers)), h_c_id=int32(4), h_c_d_id=int32(1),
                    h_d_id=int32(1), h_w_id=int32(1), h_date=typed(_TIME, _NOW),
                    h_amount=cents("25.5"),
                    h_data=text(f"{warehouse['w_name']}    {district['d_name']}"))
        self.transaction("payment", body)
        self.assertEqual(self.offenders(), {})
        self.assertEqual(self.rows("SELECT c_id, c_balance, c_data FROM customer WHERE c_w_id = 1 "
                                   "AND c_d_id = 1 AND c_payment_cnt = 2 ORDER BY c_id"),
                         [{"c_id": 2, "c_balance": money(-10), "c_data": "2 1 1"},
                          {"c_id": 4, "c_balance": money("-35.5"), "c_data": "data"}])

    def test_order_status(self):
        def body(request):
            customer = {"w_id": int32(2), "d_id": int32(3), "c_id": int32(5)}
            (found,), = request("get_customer", **customer)
            (order,), = request("get_newest_order", **customer)
            (lines,) = request("get_lines", w_id=int32(2), d_id=int32(3),
                               o_id=int32(order["o_id"]))
            self.assertEqual(found["c_last"], "BAR")
            self.assertEqual(order, {"o_id": 5, "o_carrier_id": None, "o_entry_d": _NOW})
            self.assertEqual([line["ol_amount"] for line in lines], [money("12.34")] * 2)
        self.transaction("order_status", body, ydb.QuerySnapshotReadOnly())

    def deliver(self, request, w_id):
        """How many districts had an order."""
        oldest = []
        for d_id in _DISTRICTS:
            (found,) = request("oldest", w_id=int32(w_id), d_id=int32(d_id))
            oldest += [(w_id, d_id, one["no_o_id"]) for one in found]
        if not oldest:
            return 0
        orders, lines = request("orders", orders=tuples(oldest))
        amounts = {}
        for line in lines:
            amounts[line["ol_d_id"]] = amounts.get(line["ol_d_id"], 0) + line["ol_amount"]
        (customers,) = request("customers", customers=tuples(
            [(w_id, order["o_d_id"], order["o_c_id"]) for order in orders]))
        request("writes", True, delivered=rows([
            {"no_w_id": w, "no_d_id": d, "no_o_id": o} for w, d, o in oldest]),
            carriers=rows([{"o_w_id": w, "o_d_id": d, "o_id": o, "o_carrier_id": 9}
                           for w, d, o in oldest]),
            dates=rows([{"ol_w_id": w_id, "ol_d_id": line["ol_d_id"], "ol_o_id": line["ol_o_id"],
                         "ol_number": line["ol_number"], "ol_delivery_d": _NOW} for line in lines]),
            customers=rows([{"c_w_id": w_id, "c_d_id": one["c_d_id"], "c_id": one["c_id"],
                             "c_balance": one["c_balance"] + amounts[one["c_d_id"]],
                             "c_delivery_cnt": one["c_delivery_cnt"] + 1} for one in customers]))
        return len(oldest)

    def test_delivery(self):
        delivered = [self.transaction("delivery", lambda request: self.deliver(request, 1))
                     for _ in range(3)]
        self.assertEqual(delivered, [3, 3, 0])
        self.assertEqual(self.offenders("condition_11"), {})
        self.assertEqual(self.rows("SELECT c_balance, c_delivery_cnt FROM customer "
                                   "WHERE c_w_id = 1 AND c_d_id = 1 AND c_id = 5"),
                         [{"c_balance": money("14.68"), "c_delivery_cnt": 1}])

    def test_stock_level(self):
        def body(request):
            home = {"w_id": int32(1), "d_id": int32(1)}
            (district,), = request("get_next_order", **home)
            (count,), = request("count_low_stock", **home, threshold=int32(25),
                                next_o_id=int32(district["d_next_o_id"]))
            (at_once,), = request("count_low_stock_at_once", **home, threshold=int32(25))
            # Items 2 to 8 are in the orders; 2, 3 and 4 have a stock below 25.
            self.assertEqual((count, at_once), ({"low_stock": 3}, {"low_stock": 3}))
        self.transaction("stock_level", body)
