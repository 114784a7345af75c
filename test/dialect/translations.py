"""What only a relative of PostgreSQL understands, in PostgreSQL's words: so what it means is really done.

Each function is given a statement and the translation so far, which it may change.
"""

import re

from statement import closing, list_within, statement


# A statement that does nothing, and answers no rows.
NOTHING = "SET drover_gate.nothing = on"


class Translation:

    def __init__(self, sql):
        self.sql = sql
        self.then = []            # statements behind it, in the same transaction
        self.tag = None           # what it is completed with, if not with what PostgreSQL says


def _without(tokens):
    """A change for edited(): these words, one behind the other, are left out."""
    return (tokens[0], tokens[-1]), ""


# ---- CockroachDB ----

def ints_are_int8(one, translation):
    # https://www.cockroachlabs.com/docs/v24.3/int: INT and INTEGER have 64 bits.
    if one.kind in ("set", "show"):
        return
    changes = [((token, token), "int8") for previous, token in zip([None, *one.tokens], one.tokens)
               if token.kind == "word" and token.word in ("int", "integer")
               and not (previous and previous.word == ".")]
    translation.sql = one.edited(changes)


def divide_to_decimal(one, translation):
    # https://www.cockroachlabs.com/docs/v24.3/functions-and-operators#operators: / of integers is DECIMAL, // is not.
    changes = []
    tokens = one.tokens
    for place, token in enumerate(tokens[:-1]):
        if token.word == "//":
            changes.append(((token, token), "/"))
        elif token.word == "/" and token.kind == "sign":
            last = tokens[_operand_end(tokens, place + 1)]
            changes.append(((last, last), last.text + "::numeric"))
    translation.sql = one.edited(changes)


def _operand_end(tokens, place):
    """The place of the last token of the operand that begins here, with its casts and subscripts."""
    if tokens[place].word in ("-", "+"):
        place += 1
    if tokens[place].word == "(":
        place = closing(tokens, place)
    else:
        while place + 2 < len(tokens) and tokens[place + 1].word == ".":
            place += 2
        if tokens[place].is_name and place + 1 < len(tokens) and tokens[place + 1].word == "(":
            place = closing(tokens, place + 1)
    while place + 1 < len(tokens):
        if tokens[place + 1].word == "[":
            place = closing(tokens, place + 1)
        elif tokens[place + 1].word == "::":
            place += 2
            if place + 1 < len(tokens) and tokens[place + 1].word == "(":
                place = closing(tokens, place + 1)
        else:
            break
    return place


def cockroach_tables(one, translation):
    # https://www.cockroachlabs.com/docs/v24.3/create-table: indexes and families within it; hash-sharded indexes.
    tokens = one.tokens
    if one.matches(r"alter (table|index) .* (split at|unsplit|scatter|configure zone)\b"):
        translation.sql = "SELECT ''::bytea AS key, ''::text AS pretty, now() AS split_enforced_until"
        return
    if one.kind != "ddl":
        return
    changes = []
    for place, token in enumerate(tokens[:-1]):
        if token.word == "using" and tokens[place + 1].word == "hash":
            changes.append(_without(tokens[place:place + 2]))
        elif token.word == "storing" and tokens[place + 1].word == "(":
            changes.append(((token, token), "INCLUDE"))
        elif token.word == "visible" or (token.word == "not" and tokens[place + 1].word == "visible"):
            changes.append(_without(tokens[place:place + 1]))
    if one.matches(r"create table\b"):
        _indexes_of_their_own(one, translation, changes)
    translation.sql = one.edited(changes)


def _indexes_of_their_own(one, translation, changes):
    tokens = one.tokens
    opening = next((place for place, token in enumerate(tokens) if token.word == "("), None)
    if opening is None:
        return
    table = one.sql[tokens[opening - 1].start:tokens[opening - 1].end]
    parts = list_within(tokens, opening)
    for before, part in zip([None, *parts], parts):
        word = part[0].word if part[0].kind == "word" else ""
        unique = word == "unique" and part[1].word == "index"
        if word not in ("index", "family") and not unique:
            continue
        # With the comma before it.
        changes.append(((before[-1], part[-1]), before[-1].text))
        if word == "family":
            continue
        del part[:2 if unique else 1]
        name = part[0].text if part[0].is_name else ""
        keys = next(place for place, token in enumerate(part) if token.word == "(")
        rest = one.sql[part[keys].start:part[-1].end]
        translation.then.append(f"CREATE {'UNIQUE ' if unique else ''}INDEX {name} ON {table} "
                                + re.sub(r"(?i)\busing hash\b", "", rest))


def cockroach_sessions(one, translation):
    # https://www.cockroachlabs.com/docs/v24.3/cancel-session, .../show-sessions, and .../table-expressions for a
    # statement in brackets
    for place, token in enumerate(one.tokens):
        words = [following.word for following in one.tokens[place:place + 5]]
        if words == ["[", "show", "cluster", "sessions", "]"]:
            translation.sql = one.edited([((token, one.tokens[place + 4]), "drover_gate.sessions")])
            return
    if one.matches(r"show (all )?(cluster |local )?sessions\b"):
        translation.sql, translation.tag = "SELECT * FROM drover_gate.sessions", "SHOW SESSIONS"
    elif one.matches(r"show session_id\b"):
        translation.sql, translation.tag = "SELECT drover_gate.session_id() AS session_id", "SHOW"
    elif one.matches(r"show databases\b"):
        translation.sql, translation.tag = "SELECT datname AS database_name FROM pg_database", "SHOW"
    elif one.matches(r"cancel (session|sessions|query|queries)\b"):
        tokens = one.tokens[1:]
        rest = one.sql[tokens[1].start:] if tokens[1].word not in ("if",) else one.sql[tokens[3].start:]
        how = "pg_terminate_backend" if tokens[0].word.startswith("session") else "pg_cancel_backend"
        ids = f"SELECT {rest}" if not rest.lower().startswith(("select", "(")) else rest
        translation.sql = f"SELECT {how}(drover_gate.pid_of(id::text)) FROM ({ids}) AS t(id)"
        translation.tag = "CANCEL " + tokens[0].word.upper() + (" 1" if tokens[0].word.endswith("s") else "")


def as_of_system_time(one, translation):
    # https://www.cockroachlabs.com/docs/v24.3/as-of-system-time: here it is read as of now.
    tokens = one.tokens
    for place, token in enumerate(tokens):
        if token.word == "as" and [t.word for t in tokens[place + 1:place + 3]] == ["of", "system"]:
            last = _operand_end(tokens, place + 4)
            translation.sql = one.edited([_without(tokens[place:last + 1])])
            if statement(translation.sql).words == "set transaction":
                translation.sql = NOTHING
            return


# ---- YugabyteDB ----

def yugabyte_tables(one, translation):
    # https://docs.yugabyte.com/stable/api/ysql/the-sql-language/statements/ddl_create_table/ and .../ddl_create_index/
    tokens = one.tokens
    if one.kind == "copy from":
        _without_batches(one, translation)
        return
    if not one.matches(r"(create (unlogged )?(table|(unique )?index)|alter table)\b"):
        return
    changes = []
    keys = _keys_of(tokens, is_index=bool(one.matches(r"create (unique )?index\b")))
    if keys:
        changes += _plain_keys(tokens, *keys)
    for place, token in enumerate(tokens[:-1]):
        following = tokens[place + 1].word
        if token.word == "split" and following in ("into", "at"):
            end = place + 3 if following == "into" else closing(tokens, place + 3)
            changes.append(_without(tokens[place:end + 1]))
        elif token.word == "nonconcurrently":
            changes.append(_without([token]))
        elif token.word == "using" and following == "lsm":
            changes.append(_without(tokens[place:place + 2]))
    translation.sql = one.edited(changes)


def _without_batches(one, translation):
    """COPY has options of its own, which say what to do with the rows and not what they are."""
    for opening, token in enumerate(one.tokens):
        if token.word == "(" and one.tokens[opening - 1].word in ("with", "stdin"):
            kept = [part for part in list_within(one.tokens, opening)
                    if part[0].word not in ("rows_per_transaction", "replace", "disable_fk_check", "skip")]
            texts = [one.sql[part[0].start:part[-1].end] for part in kept]
            new = f"({', '.join(texts)})" if texts else ""
            with_it = opening - (not texts and one.tokens[opening - 1].word == "with")
            translation.sql = one.edited([((one.tokens[with_it], one.tokens[closing(one.tokens, opening)]), new)])


def _keys_of(tokens, is_index):
    """The places of the brackets of the list of keys."""
    for place, token in enumerate(tokens[:-2]):
        if is_index and token.word == "(":
            return place, closing(tokens, place)
        if token.word == "primary" and tokens[place + 1].word == "key" and tokens[place + 2].word == "(":
            return place + 2, closing(tokens, place + 2)
    return None


def _plain_keys(tokens, opening, end):
    """Without HASH and the brackets of what is hashed together; a primary key has no direction in PostgreSQL."""
    is_primary = tokens[opening - 1].word == "key"
    changes = []
    if tokens[opening + 1].word == "(":
        hashed = closing(tokens, opening + 1)
        if hashed + 1 <= end and tokens[hashed + 1].word in ("hash", ",", ")"):
            changes += [_without([tokens[opening + 1]]), _without([tokens[hashed]])]
    for token in tokens[opening:end]:
        if token.word == "hash" or (is_primary and token.word in ("asc", "desc")):
            changes.append(_without([token]))
    return changes


# ---- Citus ----

def citus_extension(one, translation):
    if one.matches(r"create extension (if not exists )?citus\b"):
        translation.sql, translation.tag = NOTHING, "CREATE EXTENSION"


# ---- All ----

def settings_of_its_own(one, translation, settings, parameters):
    """What PostgreSQL knows no setting of is kept in one of its own; what is ignored is not set."""
    if one.kind == "show":
        name = one.words[5:].replace(" ", "")
        if name in parameters:
            translation.sql, translation.tag = f"SELECT '{parameters[name]}'::text AS {name}", "SHOW"
        elif name in settings.own:
            translation.sql = (f"SELECT coalesce(current_setting('drover_gate.{name}', true), '{settings.own[name]}') AS \"{name}\"")
            translation.tag = "SHOW"
        return
    setting = one.setting()
    if setting is None:
        return
    name, value = setting
    if name in settings.ignored:
        translation.sql = NOTHING
    elif name in settings.own:
        scope = "LOCAL" if one.tokens[1].word == "local" else ""
        value = settings.own[name] if one.tokens[0].word == "reset" or value == "default" else value
        translation.sql = f"SET {scope} drover_gate.{name} = '{value}'"


def current_setting_of(one, parameters):
    """The text with current_setting() of what the session was told answered."""
    changes = []
    tokens = one.tokens
    for place, token in enumerate(tokens[:-3]):
        if token.word == "current_setting" and tokens[place + 1].word == "(" and tokens[place + 2].kind == "string":
            if tokens[place + 2].string in parameters:
                changes.append(((token, tokens[closing(tokens, place + 1)]),
                                f"'{parameters[tokens[place + 2].string]}'::text"))
    return one.edited(changes)


def shadow_names(one, names):
    """The text with the names of functions and relations that the gate has in the place of the server's own. `names` are
    those of functions with a bracket behind them."""
    changes = []
    tokens = one.tokens
    for place, token in enumerate(tokens):
        if not token.is_name:
            continue
        is_call = place + 1 < len(tokens) and tokens[place + 1].word == "("
        new = names.get(token.word + ("(" if is_call else ""))
        if new is None:
            continue
        first = token
        if place >= 2 and tokens[place - 1].word == ".":
            if tokens[place - 2].word not in ("pg_catalog", "crdb_internal"):
                continue
            first = tokens[place - 2]
        changes.append(((first, token), new))
    return one.edited(changes)
