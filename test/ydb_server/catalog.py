"""The tables and directories of the database, by their absolute paths. In memory only: a server
that starts anew has an empty database."""

import dataclasses
import re

from ydb_server.error import YdbError, table_not_found

READY = "ready"
BUILDING = "building"


@dataclasses.dataclass
class Column:
    name: str
    kind: object      # Optional<…> where it may be NULL
    not_null: bool


@dataclasses.dataclass
class Index:
    name: str
    columns: tuple
    cover: tuple = ()
    asynchronous: bool = False
    state: str = READY
    postgres_name: str = ""


@dataclasses.dataclass
class Partitioning:
    by_size: bool = True
    size_mb: int = 2000
    by_load: bool = False
    min_count: int = 1
    max_count: int = 0          # 0: as many as come
    at_keys: list = dataclasses.field(default_factory=list)  # of (Tuple type, values)
    bloom_filter: bool = False


@dataclasses.dataclass
class Table:
    path: str
    postgres_name: str          # quoted, with its schema
    columns: dict               # name: Column, in the order of CREATE TABLE
    key: tuple
    indexes: dict = dataclasses.field(default_factory=dict)
    partitioning: Partitioning = dataclasses.field(default_factory=Partitioning)

    def column(self, name, place=None):
        if name not in self.columns:
            raise YdbError("GENERIC_ERROR", f"Member not found: {name}. The table {self.path} has: "
                           f"{', '.join(self.columns)}", place, "Type annotation", 1030)
        return self.columns[name]


class Catalog:
    def __init__(self, database, schema):
        self.database = database
        self.schema = schema
        self.tables = {}
        self.directories = {database}
        self.version = 0        # what was compiled for an older one is compiled again
        self._made = 0

    def changed(self):
        self.version += 1

    def absolute(self, name, prefix=None):
        if name.startswith("/"):
            path = name
        else:
            path = f"{prefix or self.database}/{name}"
        path = "/" + "/".join(part for part in path.split("/") if part)
        if path != self.database and not path.startswith(self.database + "/"):
            raise YdbError("SCHEME_ERROR", f"Path {path} is not in the database {self.database}",
                           code=2003)
        return path

    def table(self, path, place=None):
        if path not in self.tables:
            raise table_not_found(path, place)
        return self.tables[path]

    def new_postgres_name(self, path):
        """A name that no other table has, and from which a person sees which one it is."""
        self._made += 1
        base = re.sub(r"[^a-z0-9_]", "_", path.rsplit("/", 1)[-1].lower())[:40]
        return f"t{self._made}_{base}"

    def quoted(self, name):
        return f'"{self.schema}"."{name}"'

    def add(self, table):
        self.make_directory(table.path.rsplit("/", 1)[0])
        self.tables[table.path] = table
        self.changed()

    def remove(self, path):
        del self.tables[path]
        self.changed()

    def make_directory(self, path):
        """With those above it; a table in the way is an error."""
        parts = path[len(self.database):].strip("/").split("/")
        at = self.database
        for part in filter(None, parts):
            at += "/" + part
            if at in self.tables:
                raise YdbError("SCHEME_ERROR", f"{at} is a table and not a directory")
            self.directories.add(at)

    def remove_directory(self, path):
        if path not in self.directories or path == self.database:
            raise YdbError("SCHEME_ERROR", f"There is no directory {path} that can be removed")
        if self.children(path):
            raise YdbError("SCHEME_ERROR", f"The directory {path} is not empty")
        self.directories.remove(path)

    def children(self, path):
        """The paths right below a directory."""
        return sorted(one for one in (*self.tables, *self.directories)
                      if one.rpartition("/")[0] == path and one != self.database)
