"""Counts the commits of a run that were acknowledged and are not in the tables: with psql, and without Drover.

    python3 test/cluster/lost_commits.py --db CONNINFO before.json                # before the run
    drover tpcc run --db CONNINFO … --json result.json
    python3 test/cluster/lost_commits.py --db CONNINFO before.json result.json

What was acknowledged is what the result says (`ledger`). What is there, the tables say, and by other columns than
those that Drover adds up: rows of oorder, of history, and of order_line by its delivery date. Each commit that the
result names as lost is looked for, too. Nobody else may have written to the tables meanwhile.

Exit code 0 if the result has named exactly what is missing, 1 if not.
"""

import argparse
import json
import pathlib
import sys

from patroni_cluster import psql

# Rows that never go: each New-Order makes one of oorder, each Payment one of history, and each order that is
# delivered has a carrier from then on.
_TOTALS = """
SELECT (SELECT count(*) FROM oorder),
       (SELECT count(*) FROM history),
       (SELECT round(sum(h_amount::numeric) * 100)::int8 FROM history),
       (SELECT count(*) FROM oorder WHERE o_carrier_id IS NOT NULL)
"""
NAMES = ("new_orders", "payments", "payment_cents", "orders_delivered")


def totals(conninfo):
    (row,) = psql(conninfo, _TOTALS)
    return dict(zip(NAMES, map(int, row)))


def missing(before, after, ledger):
    """Of each how many were acknowledged, or found afterwards, and are not in the tables."""
    return {name: ledger[name] - (after[name] - before[name]) for name in NAMES}


def _microseconds(column, mark):
    return f"(extract(microseconds FROM {column})::int8 % 1000000 = {mark})"


def _trace(commit):
    """A condition that holds of the tables if the commit is in them after all."""
    w_id = commit["w_id"]
    if commit["transaction"] == "NewOrder":
        # Another one may have its number, and was entered after this one had been answered.
        return (f"EXISTS (SELECT FROM oorder WHERE o_w_id = {w_id} AND o_d_id = {commit['d_id']} "
                f"AND o_id = {commit['o_id']} AND o_c_id = {commit['c_id']} "
                f"AND o_entry_d AT TIME ZONE 'UTC' <= to_timestamp({commit['answered_ts']}))")
    if commit["transaction"] == "Payment":
        return (f"EXISTS (SELECT FROM history WHERE h_w_id = {w_id} AND h_d_id = {commit['d_id']} "
                f"AND round(h_amount::numeric * 100) = {commit['amount_cents']} "
                f"AND {_microseconds('h_date', commit['mark'])})")
    return (f"EXISTS (SELECT FROM order_line WHERE ol_w_id = {w_id} "
            f"AND {_microseconds('ol_delivery_d', commit['mark'])} "
            f"AND ol_delivery_d AT TIME ZONE 'UTC' BETWEEN to_timestamp({commit['answered_ts']}) "
            f"- interval '1 minute' AND to_timestamp({commit['answered_ts']}) + interval '1 second')")


def still_there(conninfo, commits):
    """Those of the commits that are in the tables."""
    if not commits:
        return []
    conditions = " UNION ALL ".join(f"SELECT {i} WHERE {_trace(commit)}"
                                    for i, commit in enumerate(commits))
    return [commits[int(i)] for (i,) in psql(conninfo, conditions)]


def named(result):
    """What the result itself says is lost."""
    lost = result["lost_commits"]
    return {name: lost[name] for name in NAMES}


def problems(conninfo, before, result):
    """What is missing of each, and sentences about what the result has not right."""
    found = missing(before, totals(conninfo), result["ledger"])
    lost = result["lost_commits"]
    if lost is None:
        return found, ["the result does not say what is lost"]
    wrong = []
    if named(result) != found:
        wrong.append(f"the result says that {named(result)} are lost")
    if not lost["complete"]:
        wrong.append("the result says that it does not know all of it")
    of_type = {"NewOrder": lost["new_orders"], "Payment": lost["payments"],
               "Delivery": lost["deliveries"]}
    for name, count in of_type.items():
        if sum(one["transaction"] == name for one in lost["commits"]) != count:
            wrong.append(f"not {count} commits of {name} are named")
    wrong += [f"this is in the tables: {one}" for one in still_there(conninfo, lost["commits"])]
    return found, wrong


def main():
    parser = argparse.ArgumentParser(description="Counts lost commits without Drover.")
    parser.add_argument("--db", required=True, metavar="CONNINFO")
    parser.add_argument("before", type=pathlib.Path)
    parser.add_argument("result", type=pathlib.Path, nargs="?")
    options = parser.parse_args()
    if options.result is None:
        options.before.write_text(json.dumps(totals(options.db)), encoding="utf-8")
        return 0
    before = json.loads(options.before.read_text(encoding="utf-8"))
    result = json.loads(options.result.read_text(encoding="utf-8"))
    found, wrong = problems(options.db, before, result)
    print("not in the tables: " + ", ".join(f"{count} {name}" for name, count in found.items()))
    for sentence in wrong:
        print(sentence)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
