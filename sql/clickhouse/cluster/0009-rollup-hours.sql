-- Generated from ../0009-rollup-hours.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

CREATE TABLE IF NOT EXISTS rollup_hours_local ON CLUSTER '{cluster}'
(
    enterprise SimpleAggregateFunction(max, UInt32),
    sensor     UInt32,
    hour       DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
    changed_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    rolled_at  SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(ZSTD(1))
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/{database}/rollup_hours', '{replica}')
ORDER BY (sensor, hour)
TTL toDateTime(rolled_at) + INTERVAL 1 DAY DELETE WHERE rolled_at >= changed_at;

CREATE TABLE IF NOT EXISTS rollup_hours ON CLUSTER '{cluster}' AS rollup_hours_local
ENGINE = Distributed('{cluster}', currentDatabase(), rollup_hours_local, intHash64(sensor));

DROP VIEW IF EXISTS rollup_waiting_of_readings ON CLUSTER '{cluster}';

CREATE MATERIALIZED VIEW IF NOT EXISTS rollup_hours_of_readings ON CLUSTER '{cluster}' TO rollup_hours_local AS
SELECT max(r.enterprise) AS enterprise, r.sensor AS sensor, toStartOfHour(toDateTime(r.at)) AS hour, now64(3) AS changed_at,
       fromUnixTimestamp64Milli(toInt64(0), 'UTC') AS rolled_at
FROM readings_local AS r
GROUP BY sensor, hour;

CREATE OR REPLACE VIEW readings_by_hour ON CLUSTER '{cluster}' SQL SECURITY INVOKER AS
WITH (SELECT groupArray((sensor, hour)) FROM (SELECT sensor, hour FROM rollup_hours GROUP BY sensor, hour HAVING max(changed_at) > max(rolled_at))) AS waiting
SELECT s.enterprise_id AS enterprise_id, s.sensor_id AS sensor_id, s.asset_name AS asset_name,
       c.name AS channel, c.measurement AS measurement, c.unit AS unit,
       r.bucket AS hour, r.count AS count, r.sum / r.count AS avg, r.sum AS sum, r.min AS min, r.max AS max,
       r.first AS first, r.last AS last
FROM
(
    SELECT sensor, channel, bucket, count, sum, min, max, first, last
    FROM rollup_hour FINAL
    WHERE (sensor, bucket) NOT IN waiting
    UNION ALL
    SELECT sensor, channel, toStartOfHour(toDateTime(at)) AS bucket, count() AS count, sum(value) AS sum, min(value) AS min,
           max(value) AS max, argMin(value, at) AS first, argMax(value, at) AS last
    FROM (SELECT sensor, at, channels, values FROM readings FINAL WHERE (sensor, toStartOfHour(toDateTime(at))) IN waiting)
    ARRAY JOIN channels AS channel, values AS value
    GROUP BY sensor, channel, bucket
) AS r
INNER JOIN (SELECT sensor, sensor_id, enterprise_id, asset_name FROM sensors FINAL) AS s ON s.sensor = r.sensor
INNER JOIN (SELECT sensor, channel, name, measurement, unit FROM channels FINAL) AS c
    ON c.sensor = r.sensor AND c.channel = r.channel;

CREATE OR REPLACE VIEW readings_by_day ON CLUSTER '{cluster}' SQL SECURITY INVOKER AS
WITH (SELECT groupArray((sensor, hour)) FROM (SELECT sensor, hour FROM rollup_hours GROUP BY sensor, hour HAVING max(changed_at) > max(rolled_at))) AS waiting,
     arrayDistinct(arrayMap(w -> (w.1, toStartOfDay(w.2)), waiting)) AS waiting_days
SELECT s.enterprise_id AS enterprise_id, s.sensor_id AS sensor_id, s.asset_name AS asset_name,
       c.name AS channel, c.measurement AS measurement, c.unit AS unit,
       r.bucket AS day, r.count AS count, r.sum / r.count AS avg, r.sum AS sum, r.min AS min, r.max AS max,
       r.first AS first, r.last AS last
FROM
(
    SELECT sensor, channel, bucket, count, sum, min, max, first, last
    FROM rollup_day FINAL
    WHERE (sensor, bucket) NOT IN waiting_days
    UNION ALL
    SELECT sensor, channel, toStartOfDay(start) AS bucket, sum(n) AS count, sum(total) AS sum, min(low) AS min,
           max(high) AS max, argMin(opening, opening_at) AS first, argMax(closing, closing_at) AS last
    FROM
    (
        SELECT sensor, channel, bucket AS start, count AS n, sum AS total, min AS low, max AS high,
               first_at AS opening_at, first AS opening, last_at AS closing_at, last AS closing
        FROM rollup_hour FINAL
        WHERE (sensor, toStartOfDay(bucket)) IN waiting_days AND (sensor, bucket) NOT IN waiting
        UNION ALL
        SELECT sensor, channel, toDateTime(at) AS start, toUInt64(1) AS n, value AS total, value AS low, value AS high,
               at AS opening_at, value AS opening, at AS closing_at, value AS closing
        FROM (SELECT sensor, at, channels, values FROM readings FINAL WHERE (sensor, toStartOfHour(toDateTime(at))) IN waiting)
        ARRAY JOIN channels AS channel, values AS value
    )
    GROUP BY sensor, channel, bucket
) AS r
INNER JOIN (SELECT sensor, sensor_id, enterprise_id, asset_name FROM sensors FINAL) AS s ON s.sensor = r.sensor
INNER JOIN (SELECT sensor, channel, name, measurement, unit FROM channels FINAL) AS c
    ON c.sensor = r.sensor AND c.channel = r.channel;
