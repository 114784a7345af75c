"""What goes wrong, as YDB says it: a status and an issue with its place in the text."""


class YdbError(Exception):
    """A status other than SUCCESS. `place` is (row, column), from 1, of the query's text.

    `stage` is the name of the outer issue under which YDB puts what a compilation finds.
    """

    def __init__(self, status, message, place=None, stage=None, code=0):
        super().__init__(message)
        self.status = status
        self.message = message
        self.place = place
        self.stage = stage
        self.code = code

    def __str__(self):
        where = f"{self.place[0]}:{self.place[1]}: " if self.place else ""
        return f"{self.status}: {where}{self.message}"


# Numbers of issues, as YDB gives them.
PARSE = 0
TYPE_ANNOTATION = 1030
TABLE_NOT_FOUND = 2003
TRANSACTION_NOT_FOUND = 2015
LOCKS_INVALIDATED = 2001
CONSTRAINT_VIOLATION = 2012


def syntax_error(message, place):
    return YdbError("GENERIC_ERROR", message, place, stage="Parse Sql", code=PARSE)


def type_error(message, place):
    return YdbError("GENERIC_ERROR", message, place, stage="Type annotation", code=TYPE_ANNOTATION)


def refused(what, place):
    """For what YQL may well have, but this server does not: never a guess at what it means."""
    return YdbError("UNSUPPORTED", f"{what} is outside of the subset of YQL that this server "
                    "executes (README.md beside it lists the subset)", place, stage="Parse Sql")


def table_not_found(path, place=None):
    return YdbError("SCHEME_ERROR", f"Cannot find table 'db.[{path}]' because it does not exist or "
                    "you do not have access permissions. Please check correctness of table path "
                    "and user permissions.", place, stage="Type annotation", code=TABLE_NOT_FOUND)
