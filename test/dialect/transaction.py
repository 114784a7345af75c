"""What a transaction has done so far, as far as a relative of PostgreSQL limits it."""

import re

TOO_MANY_MUTATIONS = (
    "INVALID_ARGUMENT: The transaction contains too many mutations. Insert and update operations count with the "
    "multiplicity of the number of columns they affect.")
WEAK_ISOLATION = ("to use multi-statement transactions involving a schema change under weak isolation levels, enable the "
                  "autocommit_before_ddl setting")


def is_ddl(statement):
    return statement.kind == "ddl" or statement.kind == "truncate"


class Transaction:

    def __init__(self, dialect, now, isolation=None, explicit=False):
        self.dialect = dialect
        self.began = now
        self.isolation = isolation
        self.explicit = explicit
        self.ddl = 0
        self.others = 0
        self.writes = 0
        self.rows = 0
        self.bytes = 0
        self.mutations = 0
        self.indexes = []  # pairs of the id of a job and the name of an index that is still being built

    def refusal(self, statement, now, variables):
        """Of a statement that would be the next: a triple of SQLSTATE, message and hint, or None."""
        limit = self.dialect.limits.transaction_s
        if limit and now - self.began > limit and statement.kind != "rollback":
            return "54000", f"transaction age limit of {limit}s exceeded", None
        if self.dialect.ddl == "alone":
            return self._unless_alone(statement)
        if not is_ddl(statement) or statement.kind == "truncate":
            if self.dialect.ddl == "outside" and self.ddl and statement.touches_data:
                return "25000", "DDL statements are not allowed in mixed batches or transactions.", None
            return None
        if self.dialect.ddl == "outside" and self.explicit:
            return "25000", "DDL statements are only allowed outside explicit transactions.", None
        if self.dialect.ddl == "outside" and self.others:
            return "25000", "DDL statements are not allowed in mixed batches or transactions.", None
        if self.dialect.ddl == "serializable" and self.explicit and self.isolation != "serializable":
            if variables.get("autocommit_before_ddl", "off") in ("off", "false"):
                return "0A000", WEAK_ISOLATION, None
        return None

    def _unless_alone(self, statement):
        if is_ddl(statement) and self.ddl:
            return "0A000", "multiple ddl statements not supported in a transaction", None
        if (is_ddl(statement) and self.writes) or (statement.writes and self.ddl):
            return "0A000", "ddl and dml are not supported in the same transaction", None
        if statement.kind == "call" and self.explicit and statement.has(r"wait_for_job"):
            return "0A000", "CALL sys.wait_for_job not supported in transaction block", None
        return None

    def count(self, statement, tag, sent, tables):
        """What was done: how it was completed, how many bytes of it came, and of each table its numbers of columns and
        indexes."""
        if is_ddl(statement):
            self.ddl += 1
        elif statement.touches_data:
            self.others += 1
        if not statement.writes:
            return
        self.writes += 1
        self.bytes += sent
        rows = rows_of(tag)
        self.rows += rows
        self.mutations += rows * mutations_of_a_row(statement, tables)

    def over_limit(self):
        """A pair of SQLSTATE and message, or None."""
        limits = self.dialect.limits
        if limits.rows and self.rows > limits.rows:
            return "54000", "transaction row limit exceeded", None
        if limits.bytes and self.bytes > limits.bytes:
            if limits.mutations:
                return "P0001", "INVALID_ARGUMENT: The transaction exceeds the maximum commit size", None
            return "54000", f"transaction size limit {limits.bytes >> 20}mb exceeded", None
        if limits.mutations and self.mutations > limits.mutations:
            return "P0001", TOO_MANY_MUTATIONS, None
        return None


def rows_of(tag):
    found = re.match(r"(?:INSERT 0|UPDATE|DELETE|COPY|MERGE) (\d+)", tag)
    return int(found[1]) if found else 0


def mutations_of_a_row(statement, tables):
    """The cells that are written, and one for each index: https://cloud.google.com/spanner/quotas#note2"""
    table = statement.written_table()
    columns, indexes = tables.get(table, (1, 0))
    if statement.kind == "delete":
        return 1 + indexes
    if statement.kind == "update":
        assigned = statement.has(r" set (.*?)( where |$)")
        return (len(re.findall(r"(?:^|, )\w+ = ", assigned[1])) if assigned else 1) + indexes
    listed = statement.has(r"(?:into|copy) (?:\w+ \. )?\w+ \( ([\w\" ,]+?) \)")
    return (listed[1].count(",") + 1 if listed else columns) + indexes
