"""What goes wrong on purpose: switches with a probability, a number of times, and a seed."""

import dataclasses
import random

_STATUSES = {"overloaded": "OVERLOADED", "unavailable": "UNAVAILABLE", "aborted": "ABORTED",
             "bad_session": "BAD_SESSION", "session_busy": "SESSION_BUSY",
             "session_expired": "SESSION_EXPIRED"}

_IN_SESSION = ("ExecuteQuery", "BeginTransaction", "CommitTransaction")
_ANYWHERE = (*_IN_SESSION, "CreateSession", "BulkUpsert")
_COMMIT = ("ExecuteQuery", "CommitTransaction")

# Where each fault may happen; README.md says what each does.
METHODS = {
    "overloaded": _ANYWHERE, "unavailable": _ANYWHERE, "aborted": _IN_SESSION,
    "bad_session": _IN_SESSION, "session_busy": _IN_SESSION, "session_expired": _IN_SESSION,
    "transport_before": _ANYWHERE, "transport_after": _ANYWHERE,
    "stream_cut": ("ExecuteQuery",), "late_error": ("ExecuteQuery",),
    "undetermined_committed": _COMMIT, "undetermined_lost": _COMMIT,
    "close_hint": _IN_SESSION, "session_shutdown": _IN_SESSION, "node_shutdown": _IN_SESSION,
    "attach_cut": _IN_SESSION,
    "returning_lost": ("ExecuteQuery",), "returning_invented": ("ExecuteQuery",),
}


@dataclasses.dataclass
class _Switch:
    probability: float
    count: object       # how many times still, or None for ever
    skip: int           # how many occasions pass by first
    methods: tuple


class Faults:
    def __init__(self, seed):
        self._seed = seed
        self._switches = {}
        self._random = {}
        self.given = {name: 0 for name in METHODS}

    def set(self, changes):
        """{name: {"probability", "count", "skip", "methods"} or None}; ValueError if it is none."""
        found = {name: self._switch(name, one) for name, one in changes.items()}
        for name, switch in found.items():
            if switch is None:
                self._switches.pop(name, None)
            else:
                self._switches[name] = switch

    def clear(self):
        self._switches = {}

    @staticmethod
    def _switch(name, one):
        if name not in METHODS:
            raise ValueError(f"no fault '{name}'; there are: {', '.join(METHODS)}")
        if one is None:
            return None
        if not isinstance(one, dict) or set(one) - {"probability", "count", "skip", "methods"}:
            raise ValueError(f"{name}: an object with probability, count, skip, methods was "
                             f"expected, not {one!r}")
        switch = _Switch(one.get("probability", 1.0), one.get("count"), one.get("skip", 0),
                         tuple(one.get("methods", METHODS[name])))
        if not isinstance(switch.probability, (int, float)) or not 0 <= switch.probability <= 1:
            raise ValueError(f"{name}: the probability is 0 to 1")
        if switch.count is not None and (not isinstance(switch.count, int) or switch.count < 0):
            raise ValueError(f"{name}: count is a number, or null for ever")
        if not isinstance(switch.skip, int) or switch.skip < 0:
            raise ValueError(f"{name}: skip is a number")
        unknown = set(switch.methods) - set(METHODS[name])
        if unknown:
            raise ValueError(f"{name} does not happen in {', '.join(sorted(unknown))}, but in: "
                             f"{', '.join(METHODS[name])}")
        return switch

    def roll(self, name, method):
        """Whether the fault happens now."""
        switch = self._switches.get(name)
        if not switch or method not in switch.methods or switch.count == 0:
            return False
        if switch.skip > 0:
            switch.skip -= 1
            return False
        # Each fault has numbers of its own: one more switch does not change when others happen.
        source = self._random.setdefault(name, random.Random(f"{self._seed}:{name}"))
        if source.random() >= switch.probability:
            return False
        if switch.count is not None:
            switch.count -= 1
        self.given[name] += 1
        return True

    def status(self, method):
        """(name, status) of the fault with which the method is answered at once, or None."""
        for name, status in _STATUSES.items():
            if self.roll(name, method):
                return name, status
        return None

    def describe(self):
        return {name: dataclasses.asdict(switch) for name, switch in self._switches.items()}
