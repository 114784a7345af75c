"""What each relative of PostgreSQL is like: what it says of itself, refuses, limits, and has of its own.

Where a message or a limit comes from stands above it. None of these databases was at hand: what its users have
measured and written down counts for more than what its documentation leaves open, and what neither says is let through.
Not imitated: how they plan, how long they take, which of two transactions that are in each other's way wins.
"""

import dataclasses
import typing

import rules
import shadow
import translations
from rules import Limits, Refusal, Settings


@dataclasses.dataclass(frozen=True)
class Dialect:
    name: str
    version: typing.Optional[str] = None          # what version() says; None: what the server says
    parameters: typing.Mapping = dataclasses.field(default_factory=dict)  # which the session is told at its start
    refusals: tuple = ()
    missing_functions: typing.Mapping = dataclasses.field(default_factory=dict)  # to a pair of SQLSTATE and message
    settings: Settings = Settings()
    # Of DDL: "free", "alone" (one statement a transaction and nothing beside it), "outside" (of BEGIN), or
    # "serializable" (within BEGIN only at that level).
    ddl: str = "free"
    limits: Limits = Limits()
    isolation: typing.Optional[str] = None         # of a session that asks for none
    translations: tuple = ()
    shadow: str = ""                               # what the gate makes in the server, in a schema of its own
    shadowed: typing.Mapping = dataclasses.field(default_factory=dict)  # names that stand for something in there
    ends_idle_with: str = "25P03"
    # Whether COPY commits every so many rows unless a setting is 0: the name of the setting.
    copy_batches: typing.Optional[str] = None
    async_indexes: bool = False
    distributed: bool = False
    cancels: bool = True
    conflict: str = "could not serialize access due to concurrent update"
    user: typing.Optional[str] = None              # the only one
    database: typing.Optional[str] = None          # the only one
    ends_with: typing.Optional[str] = "57P01"      # how a session that has become too old is told; None: it is not

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
        Refusal(r"^(lock|vacuum|cluster|checkpoint|load|listen|notify|unlisten|do(?= \$|$))\b", "42601",
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
    ddl="serializable",
    isolation="serializable",
    translations=(translations.ints_are_int8, translations.divide_to_decimal, translations.cockroach_tables,
                  translations.cockroach_sessions, translations.as_of_system_time),
    shadow=shadow.COCKROACHDB,
    shadowed=shadow.COCKROACHDB_NAMES,
    conflict="restart transaction: TransactionRetryWithProtoRefreshError: WriteTooOldError",
)


def _two_keys(statement):
    """The advisory lock that is called with two keys."""
    for place, token in enumerate(statement.tokens[:-1]):
        if token.word.startswith(("pg_advisory_", "pg_try_advisory_")) and statement.tokens[place + 1].word == "(":
            if len(rules.list_within(statement.tokens, place + 1)) > 1:
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
)

# ---- Citus ----
# https://docs.citusdata.com/en/stable/develop/reference_workarounds.html and
# https://docs.citusdata.com/en/stable/reference/common_errors.html. What depends on how tables are distributed is in
# distribution.py.
CITUS = Dialect(
    "citus",
    refusals=(
        # src/backend/distributed/commands/utility_hook.c
        Refusal(r"^create (local |global )?temp(orary)? table\b.*\bcreate_distributed_table\b", "0A000",
                "cannot distribute a temporary table"),
    ),
    translations=(translations.citus_extension,),
    shadow=shadow.CITUS,
    shadowed=shadow.CITUS_NAMES,
    distributed=True,
    conflict="could not serialize access due to concurrent update",
)

# ---- Aurora DSQL ----
# https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-postgresql-compatibility-unsupported-features.html
# Messages and SQLSTATEs as answered by clusters in 2026: the recordings of github.com/Dreamescaper/dsql-emulator
# (test/conformance/golden), and https://docs.aws.amazon.com/aurora-dsql/latest/userguide/CHAP_quotas.html.
_DSQL_FUNCTIONS = (
    # Seen of pg_advisory_lock; there is nothing that waits.
    "pg_advisory_lock", "pg_advisory_lock_shared", "pg_advisory_unlock", "pg_advisory_unlock_shared",
    "pg_advisory_xact_lock", "pg_advisory_xact_lock_shared", "pg_try_advisory_lock", "pg_try_advisory_lock_shared",
    "pg_try_advisory_xact_lock", "pg_advisory_unlock_all",
    # Of processes and snapshots of one server, of which there is none.
    "pg_terminate_backend", "pg_cancel_backend", "pg_export_snapshot", "pg_relation_size", "pg_postmaster_start_time",
    "pg_current_wal_lsn")
DSQL = Dialect(
    "dsql",
    version="PostgreSQL 16",
    parameters={"server_version": "16.15"},
    user="admin",
    database="postgres",
    refusals=(
        Refusal(r"^savepoint\b", "0A000", "unsupported transaction statement: SAVEPOINT"),
        Refusal(r"^release\b", "0A000", "unsupported transaction statement: RELEASE"),
        Refusal(r"^rollback (work |transaction )?to\b", "0A000", "unsupported transaction statement: ROLLBACK TO"),
        Refusal(r"^(prepare transaction|commit prepared|rollback prepared)\b", "0A000",
                "unsupported transaction statement: PREPARE"),
        Refusal(r"^truncate\b", "0A000", "unsupported statement: Truncate"),
        Refusal(r"^vacuum\b", "0A000", "unsupported VACUUM statement"),
        Refusal(r"^merge\b", "0A000", "unsupported statement type: MERGE"),
        Refusal(r"^lock\b", "0A000", "unsupported statement: Lock"),
        Refusal(r"^do\b", "0A000", "unsupported statement: Do"),
        Refusal(r"^listen\b", "0A000", "unsupported statement: Listen"),
        Refusal(r"^notify\b", "0A000", "unsupported statement: Notify"),
        Refusal(r"^create (local |global )?temp(orary)? table\b", "0A000",
                "TEMPORARY or TEMP table not supported for CREATE TABLE"),
        Refusal(r"^create unlogged table\b", "0A000", "UNLOGGED table not supported for CREATE TABLE"),
        Refusal(r"^create table (if not exists )?\S+ as\b", "0A000", "unsupported statement: CreateTableAs"),
        Refusal(r"^create materialized view\b", "0A000", "unsupported statement: CreateTableAs"),
        Refusal(r"^create extension\b", "0A000", "unsupported statement: CreateExtension"),
        Refusal(r"^create (or replace )?trigger\b", "0A000", "CREATE TRIGGER not supported"),
        Refusal(r"^create database\b", "0A000", "unsupported statement: Createdb"),
        Refusal(r"^create type\b", "0A000", "CREATE TYPE not supported"),
        Refusal(r"^create (?:or replace )?(?:function|procedure)\b.*\blanguage (plpgsql|c|internal)\b", "0A000",
                "CREATE FUNCTION with language {what} not supported"),
        Refusal(r"^create tablespace\b", "0A000", "unsupported statement: CreateTableSpace"),
        Refusal(r"^create table\b.*\bpartition (?:by|of)\b", "0A000", "PARTITION not supported for CREATE TABLE"),
        Refusal(r"^create table\b.*\binherits\b", "0A000", "INHERITS not supported for CREATE TABLE"),
        Refusal(rules.type_among(r"(small|big)?serial\b"), "42704", 'type "{what}" does not exist'),
        Refusal(rules.type_among(r"(?:money|xml|inet|cidr|macaddr8?|point|box|tsvector|tsquery|bit|varbit)\b",
                                 r"\w+(?: \( \d+ \))? \[ \]"),
                "0A000", "datatype {what} not supported"),
        # An index: its own recordings, and https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-create-index-async.html
        Refusal(r"^create (?:unique )?index (?:async )?(?:if not exists )?\w+ \. ", "42601",
                'syntax error at or near "."'),
        Refusal(r"^create (?:unique )?index (?:async )?concurrently\b", "0A000",
                "CONCURRENTLY not supported for CREATE INDEX"),
        Refusal(r"^create (?:unique )?index .* using (?!btree_index)\w+ \(", "0A000",
                "USING not supported for CREATE INDEX"),
        Refusal(r"^create (?:unique )?index (?!async)", "0A000", "unsupported mode. please use CREATE INDEX ASYNC."),
        Refusal(rules.sorted_index_key, "0A000", "specifying sort order not supported for index keys"),
        Refusal(rules.too_many_index_keys, "54011", "more than 8 column keys in an index are not supported"),
        Refusal(r"^alter table .* add (?:constraint \S+ )?primary key\b.*not valid", "0A000",
                "PRIMARY KEY constraints cannot be marked NOT VALID"),
        Refusal(r"^alter table .* add (?:constraint \S+ )?(?:primary key|unique \()", "0A000",
                "unsupported ALTER TABLE ADD CONSTRAINT statement"),
        Refusal(r"^alter table .* add (?:constraint \S+ )?(?:foreign key|check)\b(?!.*not valid)", "0A000",
                "unsupported ALTER TABLE ADD CONSTRAINT statement"),
        Refusal(r"^alter table (?!async).* validate constraint\b", "0A000",
                "unsupported ALTER TABLE VALIDATE CONSTRAINT statement"),
        Refusal(r"^alter table .* add column .*\b(?:default|not null|check|references|unique)\b", "0A000",
                "ALTER TABLE ADD COLUMN with constraint not supported"),
        Refusal(r"^alter table .* alter (?:column )?\S+ (?:set data )?type\b", "0A000",
                "unsupported ALTER TABLE ALTER COLUMN ... SET DATA TYPE statement"),
        Refusal(r"^alter table .* set not null\b", "0A000",
                "unsupported ALTER TABLE ALTER COLUMN ... SET NOT NULL statement"),
        Refusal(r"^alter system\b", "0A000", "unsupported statement: AlterSystem"),
        Refusal(r"\bfor (?:share|no key update)\b", "0A000",
                "locking clauses other than FOR UPDATE/FOR KEY SHARE are not supported"),
        Refusal(rules.isolation_but("repeatable read"), "0A000", "Unsupported isolation level: {what}"),
        Refusal(r"^set (?:local )?(?:session characteristics|transaction)\b", "0A000",
                'setting configuration parameter "TRANSACTION" not supported'),
        # https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-systems-tables.html lists what is there.
        Refusal(lambda statement: statement.has(r"\b(pg_stat_(?!s\b)\w+)\b") and statement.has(
            r"\b(pg_stat_(?!s\b)\w+)\b")[1], "42P01", 'relation "{what}" does not exist'),
        Refusal(rules.name_in("pg_extension", "pg_locks", "pg_prepared_xacts"), "42P01",
                'relation "{what}" does not exist'),
        # Tables are organised by their keys; no row has an address.
        Refusal(rules.name_in("ctid", "xmin", "xmax"), "42703", 'column "{what}" does not exist'),
    ),
    missing_functions=all_of(_DSQL_FUNCTIONS, "0A000", "function {name} not supported"),
    # https://docs.aws.amazon.com/aurora-dsql/latest/userguide/accessing.html#accessing-session-parameters
    settings=Settings(
        known=frozenset((
            "application_name", "client_encoding", "datestyle", "extra_float_digits", "intervalstyle", "timezone",
            "search_path", "enable_bitmapscan", "enable_hashjoin", "enable_indexonlyscan", "enable_indexscan",
            "enable_material", "enable_mergejoin", "enable_nestloop", "enable_seqscan", "role")),
        own={"dsql.enable_batched_nestloop": "on", "disable_sync_create_index": "on"},
        sqlstate="0A000", message='setting configuration parameter "{name}" not supported'),
    ddl="alone",
    isolation="repeatable read",
    # https://docs.aws.amazon.com/aurora-dsql/latest/userguide/CHAP_quotas.html. A longer message has the connection
    # closed, and no error comes.
    limits=Limits(rows=3000, bytes=10 << 20, transaction_s=300, sessions=10_000, sessions_per_s=100,
                  sessions_burst=1000, session_s=3600, message_bytes=10 << 20),
    translations=(translations.async_index, translations.async_alter_table),
    shadow=shadow.DSQL,
    async_indexes=True,
    cancels=False,
    conflict="change conflicts with another transaction, please retry: (OC000)",
    ends_with=None,
)

# ---- Spanner through PGAdapter ----
# https://cloud.google.com/spanner/docs/reference/postgresql/overview, .../data-definition-language, .../dml-syntax,
# .../query-syntax; https://github.com/GoogleCloudPlatform/pgadapter/tree/postgresql-dialect/docs. Errors of Spanner
# come with P0001 (PGExceptionFactory), those of PGAdapter with what it chose.
_SPANNER_FUNCTIONS = (
    "pg_advisory_lock", "pg_advisory_lock_shared", "pg_advisory_unlock", "pg_advisory_unlock_shared",
    "pg_advisory_xact_lock", "pg_try_advisory_lock", "pg_try_advisory_xact_lock", "pg_export_snapshot",
    "pg_terminate_backend", "pg_cancel_backend", "pg_relation_size", "hashtext", "pg_postmaster_start_time",
    "hash_record_extended")
SPANNER = Dialect(
    "spanner",
    # src/main/java/com/google/cloud/spanner/pgadapter/metadata/OptionsMetadata.java
    version="PostgreSQL 14.1",
    parameters={"server_version": "14.1"},
    refusals=(
        # .../data-definition-language#create_table: every table has one.
        Refusal(rules.has_no_primary_key, "P0001",
                "INVALID_ARGUMENT: Primary key must be defined for table \"{what}\"."),
        # .../data-types: there are varchar, text, bigint, numeric without a precision, timestamptz.
        Refusal(rules.type_among(r"char(?:acter)?(?! varying)\b(?: \( \d+ \))?", r"smallint\b|int2\b",
                                 r"timestamp\b(?! with time zone)(?: \( \d+ \))?(?: without time zone)?", r"time\b",
                                 r"money\b|xml\b|inet\b|bit\b|json\b"),
                "P0001", "INVALID_ARGUMENT: Type <{what}> is not supported."),
        Refusal(rules.type_among(r"(?:numeric|decimal) \( .*?\)"), "P0001",
                "INVALID_ARGUMENT: Type modifiers are not supported for <{what}>."),
        Refusal(r"^create (local |global )?(?:temp(orary)?|unlogged) table\b", "P0001",
                "INVALID_ARGUMENT: Only default relpersistence is supported in <CREATE TABLE> statement."),
        Refusal(r"^create table (if not exists )?\S+ as\b", "P0001",
                "INVALID_ARGUMENT: Statement is not supported: CREATE TABLE AS"),
        Refusal(r"^alter table .* (?:add|drop) (?:constraint \S+ )?primary key\b", "P0001",
                "INVALID_ARGUMENT: <PRIMARY KEY> constraint type is not supported in <ALTER TABLE> statement."),
        Refusal(r"^create (?:unique )?index .*\bconcurrently\b", "P0001",
                "INVALID_ARGUMENT: <CONCURRENTLY> clause is not supported in <CREATE INDEX> statement."),
        Refusal(r"^create (?:extension|type|(?:or replace )?(?:function|procedure|trigger)|rule|domain)\b", "P0001",
                "INVALID_ARGUMENT: Statement is not supported."),
        Refusal(r"^drop table \S+ , ", "P0001",
                "INVALID_ARGUMENT: <DROP TABLE> statement only supports a single table."),
        Refusal(r"^drop table .* cascade\b", "P0001",
                "INVALID_ARGUMENT: Only <RESTRICT> behavior is supported by <DROP> statement."),
        # .../data-definition-language#analyze: it names no table. PGAdapter makes DELETE of TRUNCATE, and passes VACUUM by.
        Refusal(r"^analyze \S", "P0001", "INVALID_ARGUMENT: ANALYZE takes no table"),
        Refusal(r"^(lock|cluster|do|listen|notify|merge|call)\b", "P0001", "INVALID_ARGUMENT: Unknown statement: {what}"),
        Refusal(r"^set transaction snapshot\b", "P0001", "INVALID_ARGUMENT: Unknown statement"),
        # .../dml-syntax
        Refusal(lambda statement: statement.ctes_that_write > 0, "P0001",
                "INVALID_ARGUMENT: DML statements are not supported in common table expressions"),
        Refusal(r"^(?:with .* )?update (?:\w+ \. )?\w+ (?:as \w+ |\w+ )?set (?:(?!\bwhere\b|\( select).)*\bfrom\b",
                "P0001", "INVALID_ARGUMENT: <FROM> clause is not supported in <UPDATE> statement."),
        Refusal(r"^(?:with .* )?delete from (?:\w+ \. )?\w+ (?:as \w+ )?using\b", "P0001",
                "INVALID_ARGUMENT: <USING> clause is not supported in <DELETE> statement."),
        Refusal(r"\bfor (?:share|no key update|key share)\b", "P0001",
                "INVALID_ARGUMENT: only FOR UPDATE is supported"),
        Refusal(r"^copy \( ", "P0001", "INVALID_ARGUMENT: COPY of a query is not supported"),
        Refusal(rules.name_in("ctid", "xmin", "xmax", "tableoid"), "P0001",
                'INVALID_ARGUMENT: [ERROR] column "{what}" does not exist'),
        Refusal(rules.name_in("pg_stat_activity", "pg_stat_bgwriter", "pg_stat_database", "pg_locks",
                              "pg_stat_statements"), "P0001",
                'INVALID_ARGUMENT: [ERROR] relation "{what}" does not exist'),
        # https://cloud.google.com/spanner/docs/isolation-levels
        Refusal(rules.isolation_but("serializable", "repeatable read"), "P0001",
                "INVALID_ARGUMENT: isolation level {what} is not supported"),
        # SavepointSupport FAIL_AFTER_ROLLBACK: what follows on it would fail.
        Refusal(r"^rollback (work |transaction )?to\b", "P0001",
                "FAILED_PRECONDITION: Using a read/write transaction after rolling back to a savepoint is not supported"),
    ),
    missing_functions=all_of(_SPANNER_FUNCTIONS, "P0001",
                             "INVALID_ARGUMENT: [ERROR] function {name} does not exist"),
    # docs/ddl.md, the default mode "Batch"
    ddl="outside",
    isolation="serializable",
    # https://cloud.google.com/spanner/quotas#limits-for: mutations in a commit; its size.
    # https://cloud.google.com/spanner/docs/transactions: an idle transaction may be aborted after ten seconds.
    limits=Limits(mutations=80_000, bytes=100 << 20, idle_in_transaction_s=10),
    # https://cloud.google.com/spanner/docs/reference/postgresql/functions: spanner.generate_uuid()
    shadow=shadow.SPANNER,
    shadowed=shadow.SPANNER_NAMES,
    settings=Settings(own={"spanner.autocommit_dml_mode": "transactional", "spanner.readonly_staleness": "strong",
                           "spanner.ddl_transaction_mode": "batch", "spanner.statement_tag": "",
                           "spanner.transaction_tag": "", "spanner.max_commit_delay": ""}),
    translations=(translations.bigints_only,),
    ends_idle_with="40001",
    conflict="ABORTED: Transaction was aborted.",
)

DIALECTS = {dialect.name: dialect for dialect in (POSTGRES, COCKROACHDB, YUGABYTEDB, CITUS, DSQL, SPANNER)}
