-- Readings aggregated by minute, only for hours in which a channel has at least 600 values (ten per minute). In other
-- hours there would be about as many minutes as readings, and aggregating the readings themselves is as fast.
CREATE TABLE IF NOT EXISTS rollup_minute
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
PARTITION BY toYYYYMM(bucket)
ORDER BY (sensor, channel, bucket)
TTL bucket + INTERVAL 1 MINUTE + toIntervalDay(keep_days);

ALTER TABLE rollup_minute MODIFY COMMENT 'Readings put together by minutes in UTC, of hours with 600 values of a channel or more; with FINAL';

-- Computes the minutes of the hours that are stored already.
INSERT INTO rollup_waiting (sensor, hour)
SELECT DISTINCT sensor, bucket FROM rollup_hour FINAL WHERE count >= 600;
