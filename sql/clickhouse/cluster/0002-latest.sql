-- Generated from ../0002-latest.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

CREATE TABLE IF NOT EXISTS latest_positions_local ON CLUSTER '{cluster}'
(
    enterprise  UInt32,
    sensor      UInt32,
    at          DateTime64(3, 'UTC'),
    longitude   Float64,
    latitude    Float64,
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3),
    keep_days   UInt16
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/latest_positions', '{replica}', at)
ORDER BY (enterprise, sensor)
TTL toDateTime(at) + toIntervalDay(keep_days)
SETTINGS fsync_after_insert = 1,
         fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS latest_positions ON CLUSTER '{cluster}' AS latest_positions_local
ENGINE = Distributed('{cluster}', currentDatabase(), latest_positions_local, intHash64(sensor));

CREATE MATERIALIZED VIEW IF NOT EXISTS latest_positions_of_readings ON CLUSTER '{cluster}' TO latest_positions_local AS
SELECT r.enterprise AS enterprise, r.sensor AS sensor, max(r.at) AS at, argMax(r.longitude, r.at) AS longitude, argMax(r.latitude, r.at) AS latitude,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings_local AS r
WHERE NOT isNaN(r.longitude)
GROUP BY enterprise, sensor;

CREATE TABLE IF NOT EXISTS latest_values_local ON CLUSTER '{cluster}'
(
    enterprise UInt32,
    sensor     UInt32,
    channel    UInt16,
    at         DateTime64(3, 'UTC'),
    value      Float64,
    keep_days  UInt16
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/latest_values', '{replica}', at)
ORDER BY (enterprise, sensor, channel)
TTL toDateTime(at) + toIntervalDay(keep_days)
SETTINGS fsync_after_insert = 1,
         fsync_part_directory = 1;

CREATE TABLE IF NOT EXISTS latest_values ON CLUSTER '{cluster}' AS latest_values_local
ENGINE = Distributed('{cluster}', currentDatabase(), latest_values_local, intHash64(sensor));

CREATE MATERIALIZED VIEW IF NOT EXISTS latest_values_of_readings ON CLUSTER '{cluster}' TO latest_values_local AS
SELECT r.enterprise AS enterprise, r.sensor AS sensor, channel, max(r.at) AS at, argMax(value, r.at) AS value,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings_local AS r
ARRAY JOIN r.channels AS channel, r.values AS value
GROUP BY enterprise, sensor, channel;
