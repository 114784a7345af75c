"""What Citus refuses because of how tables are distributed: statements that it cannot send to one shard, or to each."""

import re

# https://docs.citusdata.com/en/stable/develop/reference_workarounds.html
HINT = "Consider using an equality filter on the distributed table's partition column."
FOR_UPDATE = "could not run distributed query with FOR UPDATE/SHARE commands"
COMPLEX = ("complex joins are only supported when all distributed tables are co-located and joined on their distribution "
           "columns")

SUBQUERY_IN_INSERT = "subqueries are not supported within INSERT queries"
SUBQUERY_HINT = "Try rewriting your queries with 'INSERT INTO ... SELECT' syntax."
# planner/multi_router_planner.c refuses functions that are not immutable there: these are in use, and the cast of a time.
_NOT_IMMUTABLE = (r"(?:\b(?:concat|concat_ws|format|now|localtimestamp|current_timestamp|date_trunc|to_char)\b"
                  r"|\b(?:c_since|h_date|o_entry_d|ol_delivery_d) :: text\b)")
_REFUSED_IN_CHANGES = (
    (rf"\b(?:case|coalesce)\b(?:(?! end\b).)*{_NOT_IMMUTABLE}", "0A000",
     "non-IMMUTABLE functions are not allowed in CASE or COALESCE statements"),
    (rf"\breturning\b.*{_NOT_IMMUTABLE}", "0A000",
     "non-IMMUTABLE functions are not allowed in the RETURNING clause"))
# Tried on 13.2.2: the coordinator evaluates the comparisons of such a CASE, and the worker gets CASE 3 WHEN false.
_CASE_OF_PARAMETER = r"\bcase \$\d+ (?::: \w+ )?when\b"

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
        # VALUES, unnest(), CTEs and reference tables may be joined: seen on Citus 13.2.2.
        others = tables - {target}
        if joins and not all(_share_key(statement, distributed[target], distributed[other]) for other in others):
            return "0A000", COMPLEX, None
    if statement.kind in ("update", "delete") and target in distributed:
        for pattern, sqlstate, message in _REFUSED_IN_CHANGES:
            if statement.has(pattern):
                return sqlstate, message, None
        if statement.has(_CASE_OF_PARAMETER) and not _joins(statement):
            return "42883", "operator does not exist: integer = boolean", None
    if statement.kind == "update" and target in distributed and statement.has(
            rf"\bset (?:.*, )?{distributed[target]} = "):
        return "0A000", "modifying the partition value of rows is not allowed", None
    if statement.kind == "insert" and target in distributed:
        return _insert_refusal(statement, distributed[target])
    return _subselect_refusal(statement, distributed, without)


def _subselect_refusal(statement, distributed, without):
    """Refuses parts of a query of several shards that Citus 13.2 cannot send to them. As tried on a server."""
    for table in without:
        column = distributed[table]
        for place in re.finditer(rf"\bexists \( select from {table}\b([^()]*)", statement.words):
            if f"{column} = " not in place[1]:
                return "42601", 'a column definition list is required for functions returning "record"', None
        if statement.has(rf"\bfrom {table}\b[^()]* lateral \( values .*(?:\bformat \(|\w(?:date|since|_d) :: text)"):
            return "0A000", "cannot push down this subquery", None
        joined = statement.has(rf"\blateral \( select [^()]* from {table} where {column} = (\w+)")
        if joined and joined[1] not in distributed.values():
            return "0A000", COMPLEX, None
    return None


def refusal_of_generic_plan(statement, distributed):
    """The same of a statement that is executed with a generic plan. Seen on Citus 13.2.2: it plans with an unknown
    value of the distribution column only what goes to one table alone."""
    tables = {token.word for token in statement.tokens if token.is_name and token.word in distributed}
    if not tables or "$" not in statement.words:
        return None
    is_one_write = statement.kind in ("insert", "update", "delete") and not statement.has(r"\b(with|select)\b")
    known = all(re.search(rf"\b{distributed[table]} = -? ?\d", statement.words) for table in tables)
    is_simple = statement.kind == "select" and statement.has(
        rf"^select (?!.*\b(select|join)\b).* from (?:\w+ \. )?\w+ (?:(?:as )?\w+ )?where (?:.* and )?(?:\w+ \. )?"
        rf"(?:{'|'.join(distributed[table] for table in tables)}) = \$\d")
    if is_one_write or known or is_simple:
        return None
    return "0A000", "could not create distributed plan", None


def _share_key(statement, one, other):
    return statement.has(rf"\b{one} = (?:\w+ \. )?{other}\b|\b{other} = (?:\w+ \. )?{one}\b")


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
        return "22004", "cannot perform an INSERT without a partition column value", None
    if statement.has(r"\) values .*\( select\b"):
        return "0A000", SUBQUERY_IN_INSERT, SUBQUERY_HINT
    return None
