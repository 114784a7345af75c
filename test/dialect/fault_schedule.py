"""What goes wrong on command or by a schedule: at which commit or statement, and in which way."""

import dataclasses
import random
import re
import typing

MESSAGES = {
    "53300": "sorry, too many clients already",
    "57P01": "terminating connection due to administrator command",
    "57P03": "the database system is starting up",
}


@dataclasses.dataclass(frozen=True)
class Fault:
    """`how`: "error" (the transaction fails), "end" (FATAL, and the connection is closed), "lose" (closed without an
    answer), "unknown" (an error that does not say whether it was committed). `committed`: whether it was."""
    how: str
    sqlstate: str = ""
    message: str = ""
    committed: bool = False


@dataclasses.dataclass
class _Plan:
    where: str
    fault: Fault
    pattern: typing.Optional[str]
    due: typing.Callable
    left: typing.Optional[int]
    seen: int = 0


class Schedule:

    def __init__(self, dialect, seed=1):
        self._dialect = dialect
        self._choose = random.Random(seed)
        self._plans = []
        self.happened = []  # pairs of the place and the fault

    @property
    def is_empty(self):
        return not self._plans

    def add(self, where, fault, count=None, every=1, chance=None, pattern=None):
        """At the next `count` commits or statements in which the pattern is found, at each one that is a multiple of
        `every`, or by chance."""
        due = (lambda seen: self._choose.random() < chance) if chance is not None else (
            lambda seen: seen % every == 0)
        self._plans.append(_Plan(where, fault, pattern, due, count))

    def clear(self):
        self._plans.clear()

    def at(self, where, statement):
        """The fault that is due at this commit or statement, or None."""
        due = None
        for plan in list(self._plans):
            if plan.where != where or (plan.pattern and not re.search(plan.pattern, statement.words)):
                continue
            plan.seen += 1
            if due is None and plan.due(plan.seen):
                due = plan.fault
                if plan.left is not None:
                    plan.left -= 1
                    if plan.left == 0:
                        self._plans.remove(plan)
        if due:
            self.happened.append((where, due))
        return due

    def error(self, sqlstate, message=None):
        if message is None:
            message = self._dialect.conflict if sqlstate == "40001" else MESSAGES.get(sqlstate, f"error {sqlstate}")
        return Fault("error", sqlstate, message)
