-- Readings aggregated by hour and by day, in UTC. Groundwave always recomputes a whole hour or day inside ClickHouse
-- (stores/clickhouse/maintenance/rollups.ts), and the row computed last replaces the others, so a segment that is stored twice and
-- readings that arrive late still give correct values. Minutes are in 0007-minutes.sql, for busy hours only.
CREATE TABLE IF NOT EXISTS rollup_hour
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
ENGINE = ReplacingMergeTree(made_at)
PARTITION BY toYear(bucket)
ORDER BY (sensor, channel, bucket)
TTL bucket + INTERVAL 1 HOUR + toIntervalDay(keep_days);

CREATE TABLE IF NOT EXISTS rollup_day
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
ENGINE = ReplacingMergeTree(made_at)
PARTITION BY toYear(bucket)
ORDER BY (sensor, channel, bucket)
TTL bucket + INTERVAL 1 DAY + toIntervalDay(keep_days);

-- Hours of sensors that have new readings and must be recomputed, and when they were inserted.
CREATE TABLE IF NOT EXISTS rollup_waiting
(
    sensor      UInt32,
    hour        DateTime('UTC'),
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = MergeTree
ORDER BY inserted_at
TTL toDateTime(inserted_at) + INTERVAL 7 DAY;

CREATE MATERIALIZED VIEW IF NOT EXISTS rollup_waiting_of_readings TO rollup_waiting AS
SELECT sensor, toStartOfHour(toDateTime(at)) AS hour
FROM readings
GROUP BY sensor, hour;

-- All rows of rollup_waiting up to this time are in the rollups.
CREATE TABLE IF NOT EXISTS rollup_done
(
    until DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY until
TTL toDateTime(until) + INTERVAL 7 DAY;

INSERT INTO rollup_waiting (sensor, hour)
SELECT sensor, toStartOfHour(toDateTime(at)) AS hour
FROM readings
GROUP BY sensor, hour;
