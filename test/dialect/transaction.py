"""The state of a transaction that the gate's rules depend on."""

import re

WEAK_ISOLATION = ("to use multi-statement transactions involving a schema change under weak isolation levels, enable the "
                  "autocommit_before_ddl setting")


class Transaction:

    def __init__(self, isolation, explicit):
        self.isolation = isolation
        self.explicit = explicit
        self.has_written = False

    def refusal(self, statement, dialect, variables):
        """Of a statement that would be the next: a triple of SQLSTATE, message and hint, or None."""
        is_weak = self.explicit and self.isolation != "serializable"
        if statement.kind != "ddl" or dialect.weak_ddl or not is_weak:
            return None
        if variables.get("autocommit_before_ddl", "off") in ("off", "false"):
            return "0A000", WEAK_ISOLATION, None
        return None


def rows_of(tag):
    found = re.match(r"(?:INSERT 0|UPDATE|DELETE|COPY|MERGE) (\d+)", tag)
    return int(found[1]) if found else 0
