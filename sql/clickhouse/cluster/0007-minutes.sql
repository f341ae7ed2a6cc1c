-- Generated from ../0007-minutes.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

CREATE TABLE IF NOT EXISTS rollup_minute_local ON CLUSTER '{cluster}'
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
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/rollup_minute', '{replica}', made_at)
PARTITION BY toYYYYMM(bucket)
ORDER BY (sensor, channel, bucket)
TTL bucket + INTERVAL 1 MINUTE + toIntervalDay(keep_days);

CREATE TABLE IF NOT EXISTS rollup_minute ON CLUSTER '{cluster}' AS rollup_minute_local
ENGINE = Distributed('{cluster}', currentDatabase(), rollup_minute_local, intHash64(sensor));
