"""What a rule of a dialect is made of, and the questions to a statement that take more than a pattern."""

import collections
import dataclasses
import re
import typing


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

    def refusal(self, name):
        """A pair of SQLSTATE and message, or None."""
        if name in self.refused:
            return "0A000", f'unimplemented: the configuration setting "{name}" is not supported'
        if self.known is not None and name not in self.known and name not in self.ignored and name not in self.own:
            return "42704", f'unrecognized configuration parameter "{name}"'
        return None


def twice_written_table(statement):
    """The table that one statement writes in two places."""
    if not statement.ctes_that_write:
        return None
    tables = re.findall(r"(?:\( |^|\) )(?:insert into|update|delete from) (\w+)", statement.words)
    return next((name for name, count in collections.Counter(tables).items() if count > 1), None)


def name_in(*names):
    wanted = frozenset(names)
    return lambda statement: statement.names(wanted)
