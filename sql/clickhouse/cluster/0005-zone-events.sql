-- Generated from ../0005-zone-events.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

CREATE TABLE IF NOT EXISTS zone_events_local ON CLUSTER '{cluster}'
(
    enterprise    UInt32 CODEC(ZSTD(1)),
    rule          LowCardinality(String),
    sensor        UInt32 CODEC(ZSTD(1)),
    at            DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    event         LowCardinality(String),
    longitude     Float64 CODEC(ZSTD(1)),
    latitude      Float64 CODEC(ZSTD(1)),
    zones         Array(String) CODEC(ZSTD(1)),
    layer         LowCardinality(String),
    layer_version UInt32 CODEC(ZSTD(1)),
    detected_at   DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    keep_days     UInt16 CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/zone_events', '{replica}')
PARTITION BY toYYYYMM(at)
ORDER BY (enterprise, rule, at, sensor)
TTL toDateTime(at) + toIntervalDay(keep_days)
SETTINGS fsync_after_insert = 1,
         fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS zone_events ON CLUSTER '{cluster}' AS zone_events_local
ENGINE = Distributed('{cluster}', currentDatabase(), zone_events_local, intHash64(sensor))
SETTINGS fsync_after_insert = 1;
