-- Generated from ../0003-rollups.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

CREATE TABLE IF NOT EXISTS rollup_hour_local ON CLUSTER '{cluster}'
(
    enterprise UInt32 CODEC(ZSTD(1)),
    sensor     UInt32 CODEC(ZSTD(1)),
    channel    UInt16 CODEC(ZSTD(1)),
    bucket     DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
    count      UInt64 CODEC(ZSTD(1)),
    sum        Float64 CODEC(ZSTD(1)),
    min        Float64 CODEC(ZSTD(1)),
    max        Float64 CODEC(ZSTD(1)),
    first_at   DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    first      Float64 CODEC(ZSTD(1)),
    last_at    DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    last       Float64 CODEC(ZSTD(1)),
    keep_days  UInt16 CODEC(ZSTD(1)),
    made_at    DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/rollup_hour', '{replica}', made_at)
PARTITION BY toYear(bucket)
ORDER BY (sensor, channel, bucket)
TTL bucket + INTERVAL 1 HOUR + toIntervalDay(keep_days);

CREATE TABLE IF NOT EXISTS rollup_hour ON CLUSTER '{cluster}' AS rollup_hour_local
ENGINE = Distributed('{cluster}', currentDatabase(), rollup_hour_local, intHash64(sensor));

CREATE TABLE IF NOT EXISTS rollup_day_local ON CLUSTER '{cluster}'
(
    enterprise UInt32 CODEC(ZSTD(1)),
    sensor     UInt32 CODEC(ZSTD(1)),
    channel    UInt16 CODEC(ZSTD(1)),
    bucket     DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
    count      UInt64 CODEC(ZSTD(1)),
    sum        Float64 CODEC(ZSTD(1)),
    min        Float64 CODEC(ZSTD(1)),
    max        Float64 CODEC(ZSTD(1)),
    first_at   DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    first      Float64 CODEC(ZSTD(1)),
    last_at    DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    last       Float64 CODEC(ZSTD(1)),
    keep_days  UInt16 CODEC(ZSTD(1)),
    made_at    DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/rollup_day', '{replica}', made_at)
PARTITION BY toYear(bucket)
ORDER BY (sensor, channel, bucket)
TTL bucket + INTERVAL 1 DAY + toIntervalDay(keep_days);

CREATE TABLE IF NOT EXISTS rollup_day ON CLUSTER '{cluster}' AS rollup_day_local
ENGINE = Distributed('{cluster}', currentDatabase(), rollup_day_local, intHash64(sensor));

CREATE TABLE IF NOT EXISTS rollup_waiting_local ON CLUSTER '{cluster}'
(
    sensor      UInt32,
    hour        DateTime('UTC'),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{shard}/{database}/rollup_waiting', '{replica}')
ORDER BY inserted_at
TTL toDateTime(inserted_at) + INTERVAL 7 DAY;

CREATE TABLE IF NOT EXISTS rollup_waiting ON CLUSTER '{cluster}' AS rollup_waiting_local
ENGINE = Distributed('{cluster}', currentDatabase(), rollup_waiting_local, intHash64(sensor));

CREATE MATERIALIZED VIEW IF NOT EXISTS rollup_waiting_of_readings ON CLUSTER '{cluster}' TO rollup_waiting_local AS
SELECT sensor, toStartOfHour(toDateTime(at)) AS hour
FROM readings_local
GROUP BY sensor, hour;

CREATE TABLE IF NOT EXISTS rollup_done ON CLUSTER '{cluster}'
(
    until DateTime64(3, 'UTC')
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/all/{database}/rollup_done', '{shard}-{replica}')
ORDER BY until
TTL toDateTime(until) + INTERVAL 7 DAY;
