"""What may be changed while the server runs, beside the faults."""

import dataclasses


@dataclasses.dataclass
class Settings:
    part_rows: int = 1000              # rows in a part of a result, at most
    part_bytes: int = 1_000_000        # bytes of rows in a part, at most; a request may say less
    transaction_in: str = "last"       # the parts that carry tx_meta: "first", "last", "every"
    discovery_polls: int = 0           # GetOperation calls until ListEndpoints is ready
    index_polls: int = 0               # the same until an index is built
    index_seconds: float = 0.0         # and how long it takes at least
    token_seconds: float = 43_200.0    # the life of a token of Login
    sessions_per_node: int = 1000
    snapshot_writes: bool = True       # whether transactions may be snapshot_read_write
    balance_sessions: bool = False     # a client that can be moved gets sessions of the next node
    load_factors: list = dataclasses.field(default_factory=list)  # of the nodes; 0 if not said

    def change(self, changes):
        """ValueError for what is no setting, or of another type."""
        kinds = {field.name: field.type for field in dataclasses.fields(self)}
        for name, value in changes.items():
            if name not in kinds:
                raise ValueError(f"no setting '{name}'; there are: {', '.join(kinds)}")
            kind = kinds[name]
            if kind is float and isinstance(value, int):
                value = float(value)
            if not isinstance(value, kind) or isinstance(value, bool) and kind is not bool:
                raise ValueError(f"{name} is a {kind.__name__}, not {value!r}")
            if kind in (int, float) and value < 0 or name.startswith("part_") and value < 1:
                raise ValueError(f"{name}: {value} is too small")
            if name == "transaction_in" and value not in ("first", "last", "every"):
                raise ValueError("transaction_in is first, last or every")
            changes[name] = value
        for name, value in changes.items():
            setattr(self, name, value)
