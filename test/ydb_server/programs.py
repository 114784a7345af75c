"""Compiled texts, kept as YDB keeps them: the same text is compiled once for each scheme."""

import collections

from ydb_server.yql.statement_compiler import compile_text

_KEPT_MAX = 1000


class Programs:
    def __init__(self, catalog):
        self._catalog = catalog
        self._kept = collections.OrderedDict()
        self.compiled = 0

    def compile(self, text, parameter_types):
        key = (text, self._catalog.version,
               tuple(sorted((name, str(kind)) for name, kind in parameter_types.items())))
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        program = compile_text(text, self._catalog, parameter_types)
        self.compiled += 1
        # A statement of the scheme finds its tables when it runs, so it is not kept.
        if not program.scheme:
            self._kept[key] = program
            if len(self._kept) > _KEPT_MAX:
                self._kept.popitem(last=False)
        return program
