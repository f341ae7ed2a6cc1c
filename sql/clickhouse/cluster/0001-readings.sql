-- Generated from ../0001-readings.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

CREATE TABLE IF NOT EXISTS readings_local ON CLUSTER '{cluster}'
(
    enterprise  UInt32 CODEC(ZSTD(1)),
    sensor      UInt32 CODEC(ZSTD(1)),
    at          DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    channels    Array(UInt16) CODEC(ZSTD(1)),
    values      Array(Float64) CODEC(ZSTD(1)),
    longitude   Float64 CODEC(ZSTD(1)),
    latitude    Float64 CODEC(ZSTD(1)),
    received_at DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    keep_days   UInt16 CODEC(ZSTD(1))
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/readings', '{replica}', received_at)
PARTITION BY toYYYYMM(at)
ORDER BY (sensor, at)
TTL toDateTime(at) + toIntervalDay(keep_days)
SETTINGS replicated_deduplication_window = 10000,
         fsync_after_insert = 1,
         fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS readings ON CLUSTER '{cluster}' AS readings_local
ENGINE = Distributed('{cluster}', currentDatabase(), readings_local, intHash64(sensor))
SETTINGS fsync_after_insert = 1;

ALTER USER IF EXISTS groundwave ON CLUSTER '{cluster}'
    SETTINGS distributed_foreground_insert = 1, insert_quorum = 'auto', prefer_localhost_replica = 1, distributed_product_mode = 'global';

CREATE TABLE IF NOT EXISTS sensors ON CLUSTER '{cluster}'
(
    sensor        UInt32,
    sensor_id     String,
    enterprise    UInt32,
    enterprise_id String,
    asset_id      String,
    asset_name    String,
    version       UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/sensors', '{shard}-{replica}', version)
ORDER BY sensor;

CREATE TABLE IF NOT EXISTS channels ON CLUSTER '{cluster}'
(
    enterprise  UInt32,
    sensor      UInt32,
    channel     UInt16,
    name        String,
    measurement LowCardinality(String),
    unit        String,
    version     UInt64
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/all/{database}/channels', '{shard}-{replica}', version)
ORDER BY (sensor, channel);

CREATE VIEW IF NOT EXISTS positions ON CLUSTER '{cluster}' SQL SECURITY INVOKER AS
SELECT enterprise, sensor, at, longitude, latitude
FROM readings FINAL
WHERE NOT isNaN(longitude);

CREATE VIEW IF NOT EXISTS readings_named ON CLUSTER '{cluster}' SQL SECURITY INVOKER AS
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
