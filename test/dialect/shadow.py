"""What the gate makes in the server, in the schema drover_gate: functions and views that a relative of PostgreSQL has
and PostgreSQL has not, or has otherwise. Dropped and made anew each time that a gate begins."""

BEGIN = "DROP SCHEMA IF EXISTS drover_gate CASCADE; CREATE SCHEMA drover_gate; GRANT USAGE ON SCHEMA drover_gate TO public;"


def version(text):
    return (f"CREATE FUNCTION drover_gate.version() RETURNS text LANGUAGE sql IMMUTABLE AS $$SELECT '{text}'::text$$;")


# Session advisory locks hold nothing; ids of sessions are 32 hexadecimal digits; statistics are there and empty.
COCKROACHDB = """
CREATE FUNCTION drover_gate.pg_advisory_lock(int8) RETURNS void LANGUAGE sql AS $$$$;
CREATE FUNCTION drover_gate.pg_try_advisory_lock(int8) RETURNS bool LANGUAGE sql AS $$SELECT true$$;
CREATE FUNCTION drover_gate.pg_advisory_unlock(int8) RETURNS bool LANGUAGE sql AS $$SELECT true$$;
CREATE FUNCTION drover_gate.session_id() RETURNS text LANGUAGE sql AS $$SELECT lpad(to_hex(pg_backend_pid()), 32, '0')$$;
CREATE FUNCTION drover_gate.pid_of(text) RETURNS int LANGUAGE sql AS
    $$SELECT ('x' || right($1, 8))::bit(32)::int$$;
CREATE VIEW drover_gate.sessions AS SELECT 1 AS node_id, lpad(to_hex(pid), 32, '0') AS session_id,
    usename::text AS user_name, coalesce(client_addr::text, '') AS client_address, application_name::text,
    CASE WHEN state <> 'idle' THEN query ELSE '' END AS active_queries, query AS last_active_query,
    0 AS num_txns_executed, backend_start AS session_start, query_start AS active_query_start,
    xact_start::text AS kv_txn, 0::int8 AS alloc_bytes, 0::int8 AS max_alloc_bytes,
    CASE WHEN state = 'idle' THEN 'IDLE' ELSE 'ACTIVE' END AS status, NULL::timestamptz AS session_end
    FROM pg_catalog.pg_stat_activity WHERE backend_type = 'client backend' AND datname = current_database();
CREATE VIEW drover_gate.pg_stat_activity AS SELECT * FROM pg_catalog.pg_stat_activity WHERE false;
CREATE VIEW drover_gate.pg_stat_database AS SELECT * FROM pg_catalog.pg_stat_database WHERE false;
CREATE VIEW drover_gate.pg_stat_bgwriter AS SELECT * FROM pg_catalog.pg_stat_bgwriter WHERE false;
CREATE VIEW drover_gate.pg_stat_user_tables AS SELECT * FROM pg_catalog.pg_stat_user_tables WHERE false;
"""
COCKROACHDB_NAMES = {
    **{f"{name}(": f"drover_gate.{replacement}" for name, replacement in (
        ("version", "version"), ("pg_advisory_lock", "pg_advisory_lock"),
        ("pg_advisory_lock_shared", "pg_advisory_lock"), ("pg_try_advisory_lock", "pg_try_advisory_lock"),
        ("pg_try_advisory_lock_shared", "pg_try_advisory_lock"), ("pg_advisory_unlock", "pg_advisory_unlock"),
        ("pg_advisory_xact_lock", "pg_advisory_lock"), ("pg_try_advisory_xact_lock", "pg_try_advisory_lock"))},
    **{name: f"drover_gate.{name}" for name in (
        "pg_stat_activity", "pg_stat_database", "pg_stat_bgwriter", "pg_stat_user_tables")},
    "cluster_sessions": "drover_gate.sessions", "node_sessions": "drover_gate.sessions",
}

# https://docs.citusdata.com/en/stable/develop/api_udf.html and api_metadata.html; messages of
# src/backend/distributed/commands/create_distributed_table.c and multi_copy.c.
CITUS = """
CREATE SEQUENCE drover_gate.colocations;
CREATE TABLE drover_gate.pg_dist_partition (logicalrelid regclass PRIMARY KEY, partmethod "char" NOT NULL, partkey text,
    colocationid int NOT NULL, repmodel "char" NOT NULL DEFAULT 's');
CREATE FUNCTION drover_gate.check_distributable(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM drover_gate.pg_dist_partition WHERE logicalrelid = relation) THEN
        RAISE EXCEPTION 'table "%" is already distributed', relation USING ERRCODE = 'invalid_table_definition';
    END IF;
    IF (SELECT relkind <> 'r' OR relpersistence = 't' FROM pg_class WHERE oid = relation) THEN
        RAISE EXCEPTION 'cannot distribute relation: %', relation USING ERRCODE = 'wrong_object_type';
    END IF;
END $$;
CREATE FUNCTION drover_gate.check_keys(relation regclass, key name) RETURNS void LANGUAGE plpgsql AS $$
DECLARE one name;
BEGIN
    SELECT c.relname INTO one FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
    WHERE indrelid = relation AND indisunique AND NOT EXISTS (SELECT FROM pg_attribute
        WHERE attrelid = relation AND attname = key AND attnum = ANY (indkey::int2[]));
    IF FOUND THEN
        RAISE EXCEPTION 'cannot create constraint on "%"', relation USING ERRCODE = 'feature_not_supported',
            DETAIL = 'Distributed relations cannot have UNIQUE, EXCLUDE, or PRIMARY KEY constraints that do not include '
                     'the partition column (with an equality operator if EXCLUDE).';
    END IF;
END $$;
CREATE FUNCTION drover_gate.check_references(relation regclass) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    own drover_gate.pg_dist_partition;
    other drover_gate.pg_dist_partition;
    one pg_constraint;
BEGIN
    FOR one IN SELECT * FROM pg_constraint WHERE contype = 'f' AND (conrelid = relation OR confrelid = relation) LOOP
        SELECT * INTO own FROM drover_gate.pg_dist_partition WHERE logicalrelid = one.conrelid;
        SELECT * INTO other FROM drover_gate.pg_dist_partition WHERE logicalrelid = one.confrelid;
        CONTINUE WHEN other.partmethod = 'n' OR own IS NULL;
        IF other IS NULL OR other.colocationid <> own.colocationid THEN
            RAISE EXCEPTION 'cannot create foreign key constraint since relations are not colocated or not referencing a reference table'
                USING ERRCODE = 'feature_not_supported',
                DETAIL = 'A distributed table can only have foreign keys if it is referencing another colocated hash '
                         'distributed table or a reference table';
        END IF;
        IF NOT EXISTS (SELECT FROM unnest(one.conkey, one.confkey) AS k(a, b)
            JOIN pg_attribute x ON x.attrelid = one.conrelid AND x.attnum = a AND x.attname = own.partkey
            JOIN pg_attribute y ON y.attrelid = one.confrelid AND y.attnum = b AND y.attname = other.partkey) THEN
            RAISE EXCEPTION 'cannot create foreign key constraint' USING ERRCODE = 'feature_not_supported',
                DETAIL = 'Foreign keys are supported in two cases, either in between two colocated tables including '
                         'partition column in the same ordinal in the both tables or from distributed to reference tables';
        END IF;
    END LOOP;
END $$;
CREATE FUNCTION drover_gate.create_distributed_table(table_name regclass, distribution_column text,
    distribution_type text DEFAULT 'hash', colocate_with text DEFAULT 'default', shard_count int DEFAULT NULL)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE colocation int;
BEGIN
    PERFORM drover_gate.check_distributable(table_name);
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = table_name AND attname = distribution_column
        AND attnum > 0) THEN
        RAISE EXCEPTION 'column "%" of relation "%" does not exist', distribution_column, table_name
            USING ERRCODE = 'undefined_column';
    END IF;
    PERFORM drover_gate.check_keys(table_name, distribution_column::name);
    IF colocate_with IN ('default', 'none') THEN
        SELECT colocationid INTO colocation FROM drover_gate.pg_dist_partition p JOIN pg_attribute a
            ON a.attrelid = p.logicalrelid AND a.attname = p.partkey JOIN pg_attribute own
            ON own.attrelid = table_name AND own.attname = distribution_column
            WHERE colocate_with = 'default' AND partmethod = 'h' AND a.atttypid = own.atttypid LIMIT 1;
    ELSE
        SELECT colocationid INTO colocation FROM drover_gate.pg_dist_partition
            WHERE logicalrelid = colocate_with::regclass AND partmethod = 'h';
        IF NOT FOUND THEN
            RAISE EXCEPTION 'relation % is not distributed', colocate_with USING ERRCODE = 'invalid_table_definition';
        END IF;
        IF EXISTS (SELECT FROM drover_gate.pg_dist_partition p JOIN pg_attribute a ON a.attrelid = p.logicalrelid
            AND a.attname = p.partkey JOIN pg_attribute own ON own.attrelid = table_name
            AND own.attname = distribution_column WHERE logicalrelid = colocate_with::regclass
            AND a.atttypid <> own.atttypid) THEN
            RAISE EXCEPTION 'cannot colocate tables % and %', colocate_with, table_name
                USING ERRCODE = 'internal_error',
                DETAIL = 'Distribution column types don''t match for the two tables';
        END IF;
    END IF;
    INSERT INTO drover_gate.pg_dist_partition VALUES (table_name, 'h', distribution_column,
        coalesce(colocation, nextval('drover_gate.colocations')));
    PERFORM drover_gate.check_references(table_name);
END $$;
CREATE FUNCTION drover_gate.create_reference_table(table_name regclass) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM drover_gate.check_distributable(table_name);
    INSERT INTO drover_gate.pg_dist_partition VALUES (table_name, 'n', NULL, 0, 't');
END $$;
CREATE FUNCTION drover_gate.undistribute_table(table_name regclass) RETURNS void LANGUAGE sql AS
    $$DELETE FROM drover_gate.pg_dist_partition WHERE logicalrelid = table_name$$;
CREATE FUNCTION drover_gate.citus_version() RETURNS text LANGUAGE sql IMMUTABLE AS
    $$SELECT 'Citus 13.2.2 on x86_64-pc-linux-gnu, compiled by gcc (Debian 12.2.0-14) 12.2.0, 64-bit'$$;
CREATE FUNCTION drover_gate.citus_relation_size(regclass) RETURNS int8 LANGUAGE sql AS
    $$SELECT pg_catalog.pg_relation_size($1)$$;
CREATE FUNCTION drover_gate.citus_total_relation_size(regclass) RETURNS int8 LANGUAGE sql AS
    $$SELECT pg_catalog.pg_total_relation_size($1)$$;
-- The coordinator has only the shell of a distributed table.
CREATE FUNCTION drover_gate.pg_relation_size(one regclass) RETURNS int8 LANGUAGE sql AS
    $$SELECT CASE WHEN EXISTS (SELECT FROM drover_gate.pg_dist_partition WHERE logicalrelid = one) THEN 0
      ELSE pg_catalog.pg_relation_size(one) END$$;
CREATE VIEW drover_gate.pg_extension AS SELECT oid, extname, extowner, extnamespace, extrelocatable, extversion,
    extconfig, extcondition FROM pg_catalog.pg_extension
    UNION ALL SELECT 0, 'citus', 10, 11, false, '13.2-1', NULL, NULL;
CREATE VIEW drover_gate.pg_dist_node AS SELECT 1 AS nodeid, 1 AS groupid, 'localhost'::text AS nodename, 5432 AS nodeport,
    true AS isactive, 'primary'::text AS noderole, true AS shouldhaveshards;
CREATE VIEW drover_gate.pg_dist_local_group AS SELECT 0 AS groupid;
CREATE VIEW drover_gate.pg_dist_shard AS SELECT logicalrelid, shardid FROM drover_gate.pg_dist_partition,
    pg_catalog.generate_series(102008, 102039) AS shardid WHERE partmethod = 'h';
CREATE VIEW drover_gate.citus_tables AS SELECT logicalrelid AS table_name, CASE partmethod WHEN 'n' THEN 'reference'
    ELSE 'distributed' END AS citus_table_type, coalesce(partkey, '<none>') AS distribution_column,
    colocationid AS colocation_id, 32 AS shard_count FROM drover_gate.pg_dist_partition;
"""
CITUS_NAMES = {
    **{f"{name}(": f"drover_gate.{name}" for name in (
        "create_distributed_table", "create_reference_table", "undistribute_table", "citus_version",
        "citus_relation_size", "citus_total_relation_size", "pg_relation_size")},
    **{name: f"drover_gate.{name}" for name in (
        "pg_dist_partition", "pg_dist_node", "pg_dist_local_group", "pg_dist_shard", "citus_tables", "pg_extension")},
}
