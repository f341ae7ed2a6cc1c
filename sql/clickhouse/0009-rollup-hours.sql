-- Hours of sensors with readings that are not yet in the rollups. An hour waits as long as `changed_at` is later than
-- `rolled_at`; queries compute waiting hours from the readings, so no result depends on how late the rollups are. An
-- hour is aggregated once, after it is over and its readings have stopped arriving
-- (stores/clickhouse/maintenance/rollups.ts).
CREATE TABLE IF NOT EXISTS rollup_hours
(
    enterprise SimpleAggregateFunction(max, UInt32),
    sensor     UInt32,
    hour       DateTime('UTC') CODEC(DoubleDelta, ZSTD(1)),
    changed_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(ZSTD(1)),
    rolled_at  SimpleAggregateFunction(max, DateTime64(3, 'UTC')) CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
ORDER BY (sensor, hour)
TTL toDateTime(rolled_at) + INTERVAL 1 DAY DELETE WHERE rolled_at >= changed_at;

ALTER TABLE rollup_hours MODIFY COMMENT 'Hours of sensors with changes that the rollups may not contain: those whose max(changed_at) is later than max(rolled_at)';
ALTER TABLE rollup_hours
    COMMENT COLUMN enterprise 'Number of the enterprise; its id is in sensors',
    COMMENT COLUMN sensor 'Number of the sensor; its id and asset are in sensors',
    COMMENT COLUMN hour 'Start of the hour, in UTC',
    COMMENT COLUMN changed_at 'When readings of the hour were last inserted',
    COMMENT COLUMN rolled_at 'The rollups contain what was inserted until then';

DROP VIEW IF EXISTS rollup_waiting_of_readings;

CREATE MATERIALIZED VIEW IF NOT EXISTS rollup_hours_of_readings TO rollup_hours AS
SELECT max(r.enterprise) AS enterprise, r.sensor AS sensor, toStartOfHour(toDateTime(r.at)) AS hour, now64(3) AS changed_at,
       fromUnixTimestamp64Milli(toInt64(0), 'UTC') AS rolled_at
FROM readings AS r
GROUP BY sensor, hour;

-- Takes over the waiting hours from the tables of 0003-rollups.sql, which are no longer used and empty themselves. An
-- hour that was not over when they were last processed has no minutes yet.
INSERT INTO rollup_hours (enterprise, sensor, hour, changed_at, rolled_at)
SELECT max(s.enterprise), w.sensor, w.hour, now64(3), fromUnixTimestamp64Milli(toInt64(0), 'UTC')
FROM rollup_waiting AS w
LEFT JOIN sensors AS s ON s.sensor = w.sensor
WHERE inserted_at > (SELECT max(until) - INTERVAL 20 SECOND FROM rollup_done)
   OR hour >= (SELECT toStartOfHour(toDateTime(max(until))) FROM rollup_done)
GROUP BY w.sensor, w.hour;
ALTER TABLE rollup_waiting MODIFY COMMENT 'Not used any more; rollup_hours replaces it';
ALTER TABLE rollup_done MODIFY COMMENT 'Not used any more; rollup_hours replaces it';

-- The same figures as before, up to date at any moment: hours that wait are computed from the readings.
CREATE OR REPLACE VIEW readings_by_hour SQL SECURITY INVOKER AS
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

CREATE OR REPLACE VIEW readings_by_day SQL SECURITY INVOKER AS
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

ALTER TABLE rollup_minute MODIFY COMMENT 'Readings aggregated by minute (UTC), only for hours in which a sensor has at least 600 readings, without waiting hours (rollup_hours); use FINAL';
ALTER TABLE rollup_hour MODIFY COMMENT 'Readings aggregated by hour (UTC), without waiting hours (rollup_hours); use FINAL, or readings_by_hour';
ALTER TABLE rollup_day MODIFY COMMENT 'Readings aggregated by day (UTC), without waiting hours (rollup_hours); use FINAL, or readings_by_day';
ALTER TABLE readings_by_hour MODIFY COMMENT 'For analysts: one row per channel and hour (UTC)';
ALTER TABLE readings_by_day MODIFY COMMENT 'For analysts: one row per channel and day (UTC)';
