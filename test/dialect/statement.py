"""A statement as far as the gate understands it: its words, what kind it is, and what stands in it.

It does not parse SQL: it cuts it up, so that no word within a string, a comment or a quoted name is taken for
another, and matches what is left.
"""

import functools
import re

_TOKEN = re.compile(r"""
    (?P<space>(?:\s+|--[^\n]*|/\*.*?\*/)+)
  | (?P<string>[eE]'(?:[^'\\]|\\.|'')*'|[bBxXnN]?'(?:[^']|'')*'|\$(?P<tag>\w*)\$.*?\$(?P=tag)\$)
  | (?P<quoted>"(?:[^"]|"")*")
  | (?P<parameter>\$\d+)
  | (?P<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)
  | (?P<word>[^\W\d][\w$]*)
  | (?P<sign>::|:=|=>|//|[-+*/<>=~!@\#%^&|`?]|.)
""", re.VERBOSE | re.DOTALL)

_PLAIN_NAME = re.compile(r"[a-z_][a-z0-9_$]*\Z")

_BEGIN = re.compile(r"(begin|start transaction)\b")
_KINDS = (
    ("begin", _BEGIN),
    ("commit", re.compile(r"(commit|end)\b(?! prepared)")),
    ("rollback to", re.compile(r"rollback (work |transaction )?to\b")),
    ("rollback", re.compile(r"(rollback|abort)\b(?! prepared)")),
    ("savepoint", re.compile(r"savepoint\b")),
    ("release", re.compile(r"release\b")),
    ("copy from", re.compile(r"copy .* from (stdin|'s')")),
    ("copy to", re.compile(r"copy\b")),
    ("set", re.compile(r"(set|reset)\b")),
    ("show", re.compile(r"show\b")),
    ("ddl", re.compile(r"(create|alter|drop|comment|grant|revoke|reindex|cluster|refresh)\b")),
    ("truncate", re.compile(r"truncate\b")),
    ("maintenance", re.compile(r"(vacuum|analyze|checkpoint)\b")),
    ("lock", re.compile(r"lock\b")),
    ("call", re.compile(r"(call|do)\b")),
    ("cursor", re.compile(r"(declare|fetch|close|move)\b")),
    ("insert", re.compile(r"insert\b")),
    ("update", re.compile(r"update\b")),
    ("delete", re.compile(r"delete\b")),
    ("merge", re.compile(r"merge\b")),
    ("select", re.compile(r"(select|with|values|table|explain)\b|\(")),
)
_WRITES = {"insert", "update", "delete", "merge"}


class Token:
    __slots__ = ("kind", "text", "word", "start", "end")

    def __init__(self, kind, match):
        self.kind = kind
        self.text = match.group()
        self.start, self.end = match.span()
        self.word = self.text
        if kind == "word":
            self.word = self.text.lower()
        elif kind == "quoted":
            name = self.text[1:-1].replace('""', '"')
            self.word = name if _PLAIN_NAME.match(name) else self.text
        elif kind == "string":
            self.word = "'s'"

    @property
    def string(self):
        """What a string says."""
        return self.text[self.text.index("'") + 1:-1].replace("''", "'")

    @property
    def is_name(self):
        return self.kind in ("word", "quoted")


class Statement:

    def __init__(self, sql, tokens):
        self.sql = sql
        self.tokens = tokens
        # Words in lower case, names without quotes where they need none, strings without what they say.
        self.words = " ".join(token.word for token in tokens)
        self.kind = next((kind for kind, pattern in _KINDS if pattern.match(self.words)), "other")
        self.ctes_that_write = sum(
            token.word in _WRITES and previous.word == "(" for previous, token in zip(tokens, tokens[1:]))
        if self.kind == "select" and self.words.startswith("with "):
            self.kind = self._verb_behind_with()

    def _verb_behind_with(self):
        depth = 0
        for token in self.tokens[1:]:
            depth += {"(": 1, ")": -1}.get(token.word, 0)
            if depth == 0 and (token.word in _WRITES or token.word == "select"):
                return token.word
        return "select"

    @property
    def writes(self):
        return self.kind in _WRITES or self.kind == "copy from" or self.ctes_that_write > 0

    @property
    def touches_data(self):
        return self.writes or self.kind in ("select", "copy to", "truncate", "cursor")

    def matches(self, pattern):
        return re.match(pattern, self.words)

    def has(self, pattern):
        return re.search(pattern, self.words)

    def calls(self, names):
        """The first of these functions that it calls, or None."""
        for token, following in zip(self.tokens, self.tokens[1:]):
            if following.word == "(" and token.is_name and token.word in names:
                return token.word
        return None

    def names(self, names):
        """The first of these names that stands in it, or None."""
        return next((token.word for token in self.tokens if token.is_name and token.word in names), None)

    def setting(self):
        """The name of what it sets, in lower case, and the value as it is written; None if it sets nothing by name."""
        tokens = self.tokens[1:]
        if self.kind != "set" or not tokens:
            return None
        if tokens[0].word in ("session", "local"):
            del tokens[0]
        words = [token.word for token in tokens]
        if words[:2] == ["time", "zone"]:
            return "timezone", tokens[-1].string if tokens[-1].kind == "string" else words[-1]
        end = next((place for place, word in enumerate(words) if word in ("=", "to")), len(words))
        name = "".join(words[:end])
        value = "".join(token.string if token.kind == "string" else token.word for token in tokens[end + 1:])
        return name.lower(), value

    def written_table(self):
        """The table of an INSERT, UPDATE, DELETE or COPY; None if it is none of these."""
        found = self.has(r"\b(?:insert into|update(?: only)?|delete from(?: only)?|copy) (?:\w+ \. )?(\w+)")
        return found[1] if found else None

    def edited(self, changes):
        """The text with some of its parts replaced: pairs of a token, or two of them, and a text."""
        text = self.sql
        for (first, last), new in sorted(changes, key=lambda change: -change[0][0].start):
            text = text[:first.start] + new + text[last.end:]
        return text


def _cut(sql):
    tokens = []
    for match in _TOKEN.finditer(sql):
        if match.lastgroup == "tag":
            tokens.append(Token("string", match))
        elif match.lastgroup != "space":
            tokens.append(Token(match.lastgroup, match))
    return tokens


@functools.lru_cache(maxsize=5000)
def statement(sql):
    """One statement."""
    tokens = _cut(sql)
    while tokens and tokens[-1].word == ";":
        tokens.pop()
    return Statement(sql, tokens)


def split(sql):
    """The statements of a text, each without the semicolon behind it."""
    found = []
    begins = None
    last = None
    depth = 0
    for token in _cut(sql):
        depth += {"(": 1, ")": -1}.get(token.word, 0)
        if token.word == ";" and depth <= 0:
            if begins is not None:
                found.append(statement(sql[begins:last]))
            begins = None
            continue
        if begins is None:
            begins = token.start
        last = token.end
    if begins is not None:
        found.append(statement(sql[begins:last]))
    return found


def closing(tokens, opening):
    """The place of the bracket that closes the one at this place."""
    depth = 0
    for place in range(opening, len(tokens)):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(tokens[place].word, 0)
        if depth == 0:
            return place
    return len(tokens) - 1


def list_within(tokens, opening):
    """The parts, between commas, of what stands in brackets: a list of lists of tokens."""
    end = closing(tokens, opening)
    parts = [[]]
    depth = 0
    for token in tokens[opening + 1:end]:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.word, 0)
        if token.word == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [part for part in parts if part]
