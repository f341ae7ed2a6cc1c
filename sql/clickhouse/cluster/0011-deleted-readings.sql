-- Generated from ../0011-deleted-readings.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

CREATE TABLE IF NOT EXISTS newest_before_deletion_local ON CLUSTER '{cluster}'
(
    enterprise UInt32,
    sensor     UInt32,
    at         DateTime64(3, 'UTC')
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/newest_before_deletion', '{replica}', at)
ORDER BY sensor;

CREATE TABLE IF NOT EXISTS newest_before_deletion ON CLUSTER '{cluster}' AS newest_before_deletion_local
ENGINE = Distributed('{cluster}', currentDatabase(), newest_before_deletion_local, intHash64(sensor));
