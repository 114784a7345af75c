"""Switches of faults and settings, without a server."""

import unittest

from ydb_server.faults import Faults
from ydb_server.settings import Settings


def rolls(faults, name, count, method="ExecuteQuery"):
    return [faults.roll(name, method) for _ in range(count)]


class FaultsTest(unittest.TestCase):
    def test_nothing_happens_by_itself(self):
        faults = Faults(1)
        self.assertFalse(any(rolls(faults, "overloaded", 100)))
        self.assertIsNone(faults.status("ExecuteQuery"))

    def test_count_and_skip(self):
        faults = Faults(1)
        faults.set({"late_error": {"count": 2, "skip": 1}})
        self.assertEqual(rolls(faults, "late_error", 5), [False, True, True, False, False])
        self.assertEqual(faults.given["late_error"], 2)

    def test_the_same_seed_gives_the_same_run(self):
        runs = []
        for more in ({}, {"aborted": {"probability": 0.5}}):
            faults = Faults(7)
            faults.set({"overloaded": {"probability": 0.3}, **more})
            run = []
            for _ in range(200):
                run.append(faults.roll("overloaded", "ExecuteQuery"))
                faults.roll("aborted", "ExecuteQuery")
            runs.append(run)
        self.assertEqual(*runs)
        self.assertTrue(30 < sum(runs[0]) < 90, sum(runs[0]))
        other = Faults(8)
        other.set({"overloaded": {"probability": 0.3}})
        self.assertNotEqual(rolls(other, "overloaded", 200), runs[0])

    def test_methods(self):
        faults = Faults(1)
        faults.set({"overloaded": {"methods": ["BulkUpsert"]}})
        self.assertIsNone(faults.status("ExecuteQuery"))
        self.assertEqual(faults.status("BulkUpsert"), ("overloaded", "OVERLOADED"))

    def test_none_takes_a_switch_away(self):
        faults = Faults(1)
        faults.set({"overloaded": {}})
        faults.set({"overloaded": None})
        self.assertIsNone(faults.status("ExecuteQuery"))

    def test_bad_switches_change_nothing(self):
        faults = Faults(1)
        for changes in ({"nonsense": {}}, {"overloaded": 1}, {"overloaded": {"chance": 1}},
                        {"overloaded": {"probability": 2}}, {"overloaded": {"count": -1}},
                        {"overloaded": {"skip": "1"}}, {"late_error": {"methods": ["BulkUpsert"]}}):
            with self.assertRaises(ValueError, msg=str(changes)):
                faults.set({"aborted": {}, **changes})
        self.assertEqual(faults.describe(), {})


class SettingsTest(unittest.TestCase):
    def test_change(self):
        settings = Settings()
        settings.change({"part_rows": 2, "index_seconds": 1, "transaction_in": "every"})
        self.assertEqual((settings.part_rows, settings.index_seconds, settings.transaction_in),
                         (2, 1.0, "every"))

    def test_bad_settings_change_nothing(self):
        settings = Settings()
        for changes in ({"nonsense": 1}, {"part_rows": 0}, {"part_rows": "2"},
                        {"index_polls": -1}, {"transaction_in": "never"}, {"part_rows": True}):
            with self.assertRaises(ValueError, msg=str(changes)):
                settings.change({"part_bytes": 5, **changes})
        self.assertEqual(settings, Settings())


if __name__ == "__main__":
    unittest.main()
