"""What Citus refuses because of how tables are distributed: statements that it cannot send to one shard, or to each."""

import re

# https://docs.citusdata.com/en/stable/develop/reference_workarounds.html
HINT = "Consider using an equality filter on the distributed table's partition column."
FOR_UPDATE = "could not run distributed query with FOR UPDATE/SHARE commands"
COMPLEX = ("complex joins are only supported when all distributed tables are co-located and joined on their distribution "
           "columns")

_VALUE = r"(?:\$\d+|-? ?\d+|'s'|cast \( \$\d+)"


def has_one_value(statement, column):
    """Whether it is compared with one value: not with a column, nor as a part of an expression of columns."""
    return re.search(rf"\b{column} = {_VALUE}|{_VALUE}(?: :: \w+)? = (?:\w+ \. )?{column}\b", statement.words)


def refusal(statement, distributed):
    """A triple of SQLSTATE, message and hint, or None. `distributed` has the distribution column of each table."""
    tables = {token.word for token in statement.tokens if token.is_name and token.word in distributed}
    if not tables or statement.kind in ("ddl", "copy from", "copy to", "maintenance"):
        return None
    without = sorted(table for table in tables if not has_one_value(statement, distributed[table]))
    if without and re.search(r"\bfor (update|share|no key update|key share)\b", statement.words):
        return "0A000", FOR_UPDATE, HINT
    target = statement.written_table()
    if target in distributed and target in without:
        joins = (statement.kind == "update" and _joins(statement)) or (
            statement.kind == "delete" and statement.has(r"^delete from (?:\w+ \. )?\w+ (?:as \w+ )?using\b"))
        if joins:
            return "0A000", COMPLEX, None
    if statement.kind == "update" and target in distributed and statement.has(
            rf"\bset (?:.*, )?{distributed[target]} = "):
        return "0A000", "modifying the partition value of rows is not allowed", None
    if statement.kind == "insert" and target in distributed:
        return _insert_refusal(statement, distributed[target])
    return None


def _joins(statement):
    """Whether an UPDATE has a FROM of its own, and not one within brackets."""
    depth = 0
    for token in statement.tokens:
        depth += {"(": 1, ")": -1}.get(token.word, 0)
        if depth == 0 and token.word == "from":
            return True
    return False


def _insert_refusal(statement, column):
    listed = statement.has(r"^insert into (?:\w+ \. )?\w+ (?:as \w+ )?\( ([\w ,]+) \)")
    if listed and column not in listed[1].split(" , "):
        return "0A000", "cannot perform an INSERT without a partition column value", None
    return None
