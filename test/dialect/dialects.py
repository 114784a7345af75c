"""What each relative of PostgreSQL is like: what it says of itself, refuses, and has of its own.

The source of a message or a limit stands above it. Citus was tried; CockroachDB and YugabyteDB were not. Their rules come
from their documentation, their source code and reports of their users. The gate lets through what no source refuses.
Not imitated: how they plan, how long they take, which of two transactions that are in each other's way wins.
"""

import dataclasses
import typing

import rules
import shadow
import translations
from rules import Refusal, Settings
from statement import list_within


@dataclasses.dataclass(frozen=True)
class Dialect:
    name: str
    version: typing.Optional[str] = None          # what version() says; None: what the server says
    parameters: typing.Mapping = dataclasses.field(default_factory=dict)  # which the session is told at its start
    refusals: tuple = ()
    missing_functions: typing.Mapping = dataclasses.field(default_factory=dict)  # to a pair of SQLSTATE and message
    settings: Settings = Settings()
    weak_ddl: bool = True  # false: refuses DDL within BEGIN below serializable isolation
    isolation: typing.Optional[str] = None         # of a session that asks for none
    translations: tuple = ()
    shadow: str = ""                               # what the gate makes in the server, in a schema of its own
    shadowed: typing.Mapping = dataclasses.field(default_factory=dict)  # names that stand for something in there
    # Whether COPY commits every so many rows unless a setting is 0: the name of the setting.
    copy_batches: typing.Optional[str] = None
    distributed: bool = False
    conflict: str = "could not serialize access due to concurrent update"
    # SQLSTATE and message of a COMMIT of which the server cannot say whether it was done.
    unknown_commit: typing.Optional[tuple] = ("40003", "result is ambiguous: error=rpc error: code = Unavailable")

    @property
    def is_plain(self):
        return self.name == "postgres"


def all_of(names, sqlstate, message):
    return {name: (sqlstate, message.replace("{name}", name)) for name in names}


POSTGRES = Dialect("postgres")

# ---- CockroachDB ----
# https://www.cockroachlabs.com/docs/v24.3/postgresql-compatibility
# https://www.cockroachlabs.com/docs/v24.3/functions-and-operators: what is not there is unknown.
# Lists of settings: pkg/sql/unsupported_vars.go and vars.go of github.com/cockroachdb/cockroach.
_COCKROACH_FUNCTIONS = (
    "pg_terminate_backend", "pg_export_snapshot", "pg_advisory_unlock_shared", "pg_relation_size", "hashtext",
    "pg_stat_reset", "pg_current_wal_lsn", "pg_prewarm", "pg_size_pretty", "hash_record_extended")
COCKROACHDB = Dialect(
    "cockroachdb",
    version="CockroachDB CCL v24.3.8 (x86_64-pc-linux-gnu, built 2025/03/10 18:32:23, go1.22.8 X:nocoverageredesign)",
    parameters={"server_version": "13.0.0", "crdb_version": "CockroachDB CCL v24.3.8"},
    refusals=(
        # https://www.cockroachlabs.com/docs/v24.3/sql-grammar: there is no such statement.
        Refusal(r"^(lock|vacuum)\b", "42601",
                'at or near "{what}": syntax error'),
        Refusal(r"^(set) transaction snapshot\b", "42601", 'at or near "snapshot": syntax error'),
        # pkg/sql/copy_to.go; https://github.com/cockroachdb/cockroach/issues/97180
        Refusal(r"^copy .* to stdout.*\bbinary\b", "0A000", "unimplemented: binary format for COPY TO not implemented"),
        # https://www.cockroachlabs.com/docs/v24.3/temporary-tables
        Refusal(r"^create (local |global )?temp(orary)? ", "0A000",
                "temporary tables are only supported experimentally"),
        # https://www.cockroachlabs.com/docs/v24.3/common-table-expressions; issue 70731
        Refusal(rules.twice_written_table, "0A000",
                "multiple mutations of the same table \"{what}\" are not supported unless they all use INSERT without "
                "ON CONFLICT"),
        # https://www.cockroachlabs.com/docs/v24.3/postgresql-compatibility: no such system column.
        Refusal(rules.name_in("ctid", "xmin", "xmax", "cmin", "cmax"), "42703", 'column "{what}" does not exist'),
        # https://www.cockroachlabs.com/docs/v24.3/functions-and-operators: advisory locks take one INT.
        Refusal(lambda statement: _two_keys(statement), "42883", "unknown signature: {what}(int, int)"),
    ),
    missing_functions=all_of(_COCKROACH_FUNCTIONS, "42883", "unknown function: {name}()"),
    settings=Settings(
        refused=frozenset((
            "work_mem", "maintenance_work_mem", "max_parallel_workers", "max_parallel_workers_per_gather", "enable_sort",
            "enable_bitmapscan", "enable_hashagg", "enable_hashjoin", "enable_indexonlyscan", "enable_indexscan",
            "enable_material", "enable_mergejoin", "enable_nestloop", "enable_tidscan", "random_page_cost",
            "seq_page_cost", "effective_cache_size", "default_statistics_target", "join_collapse_limit",
            "from_collapse_limit", "session_replication_role", "temp_buffers", "commit_delay", "deadlock_timeout",
            "log_statement", "log_min_duration_statement", "tcp_keepalives_idle", "track_io_timing",
            "wal_compression")),
        known=frozenset((
            "application_name", "bytea_output", "client_encoding", "client_min_messages", "database", "datestyle",
            "default_transaction_isolation", "default_transaction_read_only", "enable_seqscan", "escape_string_warning",
            "extra_float_digits", "idle_in_transaction_session_timeout", "idle_session_timeout", "intervalstyle",
            "lock_timeout", "plan_cache_mode", "row_security", "search_path", "standard_conforming_strings",
            "statement_timeout", "synchronize_seqscans", "timezone", "transaction_isolation", "transaction_read_only",
            "transaction_timeout", "xmloption")),
        # "Dummy" variables of unsupported_vars.go.
        ignored=frozenset(("synchronous_commit", "enable_seqscan")),
        own={"autocommit_before_ddl": "off", "default_int_size": "8", "experimental_enable_temp_tables": "off",
             "default_transaction_priority": "normal", "default_transaction_use_follower_reads": "off",
             "enable_durable_locking_for_serializable": "off", "enable_implicit_select_for_update": "on",
             "kv_transaction_buffered_writes_enabled": "off", "serial_normalization": "rowid",
             "transaction_rows_written_err": "0", "transaction_rows_read_err": "0", "vectorize": "on",
             "distsql": "auto", "reorder_joins_limit": "8", "copy_from_atomic_enabled": "on",
             "enable_multiple_modifications_of_table": "off", "enable_shared_locking_for_serializable": "off"}),
    # https://www.cockroachlabs.com/docs/v24.3/read-committed#limitations: schema changes within transactions.
    weak_ddl=False,
    isolation="serializable",
    translations=(translations.ints_are_int8, translations.divide_to_decimal, translations.cockroach_tables,
                  translations.cockroach_sessions, translations.as_of_system_time),
    shadow=shadow.COCKROACHDB,
    shadowed=shadow.COCKROACHDB_NAMES,
    conflict="restart transaction: TransactionRetryWithProtoRefreshError: WriteTooOldError",
    # https://www.cockroachlabs.com/docs/v24.3/common-errors#result-is-ambiguous
    unknown_commit=("40003", "result is ambiguous: error=rpc error: code = Unavailable"),
)


def _two_keys(statement):
    """The advisory lock that is called with two keys."""
    for place, token in enumerate(statement.tokens[:-1]):
        if token.word.startswith(("pg_advisory_", "pg_try_advisory_")) and statement.tokens[place + 1].word == "(":
            if len(list_within(statement.tokens, place + 1)) > 1:
                return token.word
    return None


# ---- YugabyteDB ----
# https://docs.yugabyte.com/stable/api/ysql/ and https://docs.yugabyte.com/stable/reference/configuration/yb-tserver/
YUGABYTEDB = Dialect(
    "yugabytedb",
    version="PostgreSQL 15.12-YB-2025.2.0.0-b0 on x86_64-pc-linux-gnu, compiled by clang version 17.0.6, 64-bit",
    parameters={"server_version": "15.12-YB-2025.2.0.0-b0"},
    refusals=(
        # https://docs.yugabyte.com/stable/develop/postgresql-compatibility/#unsupported-postgresql-features
        Refusal(r"^lock .*\bin (?!access share)", "0A000", "lock mode not supported yet",
                "Please report the issue on https://github.com/YugaByte/yugabyte-db/issues"),
        Refusal(rules.name_in("ctid", "cmin", "cmax", "xmin", "xmax"), "0A000",
                'System column "{what}" is not supported yet'),
        Refusal(r"^cluster\b", "0A000", "CLUSTER not supported yet"),
        Refusal(r"^(alter table .* inherit|create table .* inherits)\b", "0A000", "INHERITS not supported yet"),
    ),
    # https://docs.yugabyte.com/stable/explore/ysql-language-features/advanced-features/snapshot-exporting: behind
    # the flag ysql_enable_pg_export_snapshot, which is off.
    missing_functions=all_of(("pg_export_snapshot",), "0A000", "cannot export or import snapshot when "
                             "ysql_enable_pg_export_snapshot is disabled"),
    # https://docs.yugabyte.com/stable/reference/configuration/yb-tserver/#ysql-flags
    settings=Settings(own={
        "yb_default_copy_from_rows_per_transaction": "20000", "yb_enable_upsert_mode": "off",
        "yb_disable_transactional_writes": "off", "yb_read_from_followers": "off", "yb_bnl_batch_size": "1024",
        "yb_enable_base_scans_cost_model": "off", "yb_enable_cbo": "off", "yb_use_hash_splitting_by_default": "on",
        "yb_lock_pk_single_rpc": "off", "yb_transaction_priority_lower_bound": "0",
        "yb_non_ddl_txn_for_sys_tables_allowed": "off"}),
    translations=(translations.yugabyte_tables,),
    # https://docs.yugabyte.com/stable/api/ysql/the-sql-language/statements/cmd_copy/ and src/backend/commands/copyfrom.c:
    # not where the transaction has sent data before.
    copy_batches="yb_default_copy_from_rows_per_transaction",
    conflict="could not serialize access due to concurrent update (query layer retry isn't possible)",
    unknown_commit=None,  # no source names such an error
)

# ---- Citus ----
# Citus 13.2.2 was tried. https://docs.citusdata.com/en/stable/develop/reference_workarounds.html and
# https://docs.citusdata.com/en/stable/reference/common_errors.html. What depends on how tables are distributed is in
# distribution.py.
CITUS = Dialect(
    "citus",
    refusals=(
        # src/backend/distributed/commands/utility_hook.c
        Refusal(r"^create (local |global )?temp(orary)? table\b.*\bcreate_distributed_table\b", "0A000",
                "cannot distribute a temporary table"),
    ),
    # The gate applies it itself (distribution.py).
    settings=Settings(own={"plan_cache_mode": "auto"}),
    translations=(translations.citus_extension,),
    shadow=shadow.CITUS,
    shadowed=shadow.CITUS_NAMES,
    distributed=True,
    # Seen on Citus 13.2.2, whose worker had lost its connection: nothing was done, or all of it.
    unknown_commit=("XX000", "could not commit transaction for shard 102008 on any active node"),
)

DIALECTS = {dialect.name: dialect for dialect in (POSTGRES, COCKROACHDB, YUGABYTEDB, CITUS)}
