"""What a rule of a dialect is made of, and the questions to a statement that take more than a pattern."""

import collections
import dataclasses
import re
import typing

from statement import list_within


@dataclasses.dataclass(frozen=True)
class Refusal:
    """Of statements in which the pattern is found (a regular expression over Statement.words), or of which the
    function says something true; {what} in the message is what it says."""
    when: typing.Union[str, typing.Callable]
    sqlstate: str
    message: str
    hint: typing.Optional[str] = None

    def of(self, statement):
        if isinstance(self.when, str):
            found = re.search(self.when, statement.words)
            what = found and (found.groups() or [""])[0]
        else:
            found = what = self.when(statement)
        return self.message.replace("{what}", str(what)) if found else None


@dataclasses.dataclass(frozen=True)
class Settings:
    """What SET, and a parameter at the start of a session, may name."""
    known: typing.Optional[frozenset] = None  # only these; None: whatever PostgreSQL knows
    refused: frozenset = frozenset()
    ignored: frozenset = frozenset()          # taken, and without effect
    own: typing.Mapping = dataclasses.field(default_factory=dict)  # which PostgreSQL does not know, and the defaults
    sqlstate: str = "42704"
    message: str = 'unrecognized configuration parameter "{name}"'
    refused_sqlstate: str = "0A000"
    refused_message: str = 'unimplemented: the configuration setting "{name}" is not supported'

    def refusal(self, name):
        """A pair of SQLSTATE and message, or None."""
        if name in self.refused:
            return self.refused_sqlstate, self.refused_message.replace("{name}", name)
        if self.known is not None and name not in self.known and name not in self.ignored and name not in self.own:
            return self.sqlstate, self.message.replace("{name}", name)
        return None


@dataclasses.dataclass(frozen=True)
class Limits:
    """None: there is no such limit. Of a transaction: rows and bytes that it writes, mutations, seconds. Of sessions:
    how many, new ones a second beyond a burst, seconds of each. Of a message: bytes."""
    rows: typing.Optional[int] = None
    bytes: typing.Optional[int] = None
    mutations: typing.Optional[int] = None
    transaction_s: typing.Optional[float] = None
    idle_in_transaction_s: typing.Optional[float] = None
    sessions: typing.Optional[int] = None
    sessions_per_s: typing.Optional[float] = None
    sessions_burst: typing.Optional[int] = None
    session_s: typing.Optional[float] = None
    message_bytes: typing.Optional[int] = None

    @property
    def of_writes(self):
        return self.rows or self.bytes or self.mutations


def table_parts(statement):
    """Of a CREATE TABLE: its name and its columns and constraints, a list of tokens each; or None."""
    if not statement.matches(r"create (\w+ )*?table\b"):
        return None
    tokens = statement.tokens
    opening = next((place for place, token in enumerate(tokens) if token.word == "("), None)
    if opening is None:
        return None
    return tokens[opening - 1].word, list_within(tokens, opening)


_CONSTRAINTS = {"constraint", "primary", "unique", "foreign", "check", "exclude", "like", "index", "inverted", "family"}


def columns(statement):
    """Of a CREATE TABLE: pairs of the name of a column and the words behind it."""
    found = table_parts(statement)
    return [(part[0].word, " ".join(token.word for token in part[1:]))
            for part in (found[1] if found else []) if part[0].word not in _CONSTRAINTS or part[0].kind == "quoted"]


def has_no_primary_key(statement):
    found = table_parts(statement)
    return found and not statement.has(r"\bprimary key\b") and found[0]


def type_among(*patterns):
    """The first type of a column that one of the patterns is found in."""
    def ask(statement):
        for _, words in columns(statement):
            for pattern in patterns:
                found = re.match(pattern, words)
                if found:
                    return re.sub(r" ([(),])", r"\1", found[0]).replace("( ", "(")
        return None
    return ask


def index_keys(statement):
    """Of a CREATE INDEX: the words of each key; empty for anything else."""
    if not statement.matches(r"create (unique )?index\b"):
        return []
    tokens = statement.tokens
    place = next((place for place, token in enumerate(tokens) if token.word == "("), None)
    return [] if place is None else [" ".join(t.word for t in part) for part in list_within(tokens, place)]


def sorted_index_key(statement):
    return any(re.search(r" (asc|desc)\b", key) for key in index_keys(statement))


def too_many_index_keys(statement):
    return len(index_keys(statement)) > 8


def twice_written_table(statement):
    """The table that one statement writes in two places."""
    if not statement.ctes_that_write:
        return None
    tables = re.findall(r"(?:\( |^|\) )(?:insert into|update|delete from) (\w+)", statement.words)
    return next((name for name, count in collections.Counter(tables).items() if count > 1), None)


def name_in(*names):
    wanted = frozenset(names)
    return lambda statement: statement.names(wanted)


def isolation_level(statement):
    """The level that a statement asks for, in lower case, or None."""
    if statement.kind not in ("begin", "set"):
        return None
    found = statement.has(r"isolation level (read committed|read uncommitted|repeatable read|serializable)\b")
    if found:
        return found[1]
    setting = statement.setting()
    if setting and setting[0] in ("transaction_isolation", "default_transaction_isolation"):
        return setting[1].lower()
    return None


def isolation_but(*levels):
    def ask(statement):
        level = isolation_level(statement)
        return level and level not in levels and level.upper()
    return ask

