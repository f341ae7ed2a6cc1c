-- One row for each reading. Measured against a row for each value (bench/table-shape.ts): a third of the CPU on
-- insert at the same size on disk, and "sensor and at" is the key by which a reading is one.
--
-- Numbers, not names: enterprise, sensor and channel numbers come from Postgres and are never used twice; `sensors`
-- and `channels` below tell what they stand for, `readings_named` puts both together.
CREATE TABLE IF NOT EXISTS readings
(
    enterprise  UInt32 CODEC(ZSTD(1)),
    sensor      UInt32 CODEC(ZSTD(1)),
    at          DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    channels    Array(UInt16) CODEC(ZSTD(1)),
    values      Array(Float64) CODEC(ZSTD(1)),   -- yes/no as 1/0; whole numbers up to 2^53 are exact
    longitude   Float64 CODEC(ZSTD(1)),          -- degrees, WGS 84; NaN where the reading has no location
    latitude    Float64 CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    keep_days   UInt16 CODEC(ZSTD(1))            -- the enterprise's retention when the reading came
)
ENGINE = ReplacingMergeTree(received_at)
PARTITION BY toYYYYMM(at)
ORDER BY (sensor, at)
TTL toDateTime(at) + toIntervalDay(keep_days)
SETTINGS non_replicated_deduplication_window = 10000,
         fsync_after_insert = 1,
         fsync_part_directory = 1;

-- What the numbers stand for, as of the newest version.
CREATE TABLE IF NOT EXISTS sensors
(
    sensor        UInt32,
    sensor_id     String,
    enterprise    UInt32,
    enterprise_id String,
    asset_id      String,
    asset_name    String,
    version       UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY sensor;

CREATE TABLE IF NOT EXISTS channels
(
    enterprise  UInt32,
    sensor      UInt32,
    channel     UInt16,
    name        String,
    measurement LowCardinality(String),
    unit        String,
    version     UInt64
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (sensor, channel);

-- Where sensors were: the readings that have a location.
CREATE VIEW IF NOT EXISTS positions SQL SECURITY INVOKER AS
SELECT enterprise, sensor, at, longitude, latitude
FROM readings FINAL
WHERE NOT isNaN(longitude);

-- For analysts: a row for each value, with names.
CREATE VIEW IF NOT EXISTS readings_named SQL SECURITY INVOKER AS
SELECT s.enterprise_id AS enterprise_id,
       s.sensor_id AS sensor_id,
       s.asset_name AS asset_name,
       c.name AS channel,
       c.measurement AS measurement,
       c.unit AS unit,
       r.at AS at,
       r.value AS value
FROM
(
    SELECT sensor, at, channel, value
    FROM (SELECT sensor, at, channels, values FROM readings FINAL)
    ARRAY JOIN channels AS channel, values AS value
) AS r
INNER JOIN (SELECT sensor, sensor_id, enterprise_id, asset_name FROM sensors FINAL) AS s ON s.sensor = r.sensor
INNER JOIN (SELECT sensor, channel, name, measurement, unit FROM channels FINAL) AS c
    ON c.sensor = r.sensor AND c.channel = r.channel;
