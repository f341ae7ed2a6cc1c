-- The last position of each sensor, for the live layer. Repeated inserts and late readings change nothing, because the
-- newest row of a sensor replaces all others.
CREATE TABLE IF NOT EXISTS latest_positions
(
    enterprise  UInt32,
    sensor      UInt32,
    at          DateTime64(3, 'UTC'),
    longitude   Float64,
    latitude    Float64,
    inserted_at DateTime64(3, 'UTC') DEFAULT now64(3),
    keep_days   UInt16
)
ENGINE = ReplacingMergeTree(at)
ORDER BY (enterprise, sensor)
TTL toDateTime(at) + toIntervalDay(keep_days)
SETTINGS fsync_after_insert = 1,
         fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS latest_positions_of_readings TO latest_positions AS
SELECT r.enterprise AS enterprise, r.sensor AS sensor, max(r.at) AS at, argMax(r.longitude, r.at) AS longitude, argMax(r.latitude, r.at) AS latitude,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings AS r
WHERE NOT isNaN(r.longitude)
GROUP BY enterprise, sensor;

INSERT INTO latest_positions (enterprise, sensor, at, longitude, latitude, keep_days)
SELECT r.enterprise AS enterprise, r.sensor AS sensor, max(r.at) AS at, argMax(r.longitude, r.at) AS longitude, argMax(r.latitude, r.at) AS latitude,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings AS r
WHERE NOT isNaN(r.longitude)
GROUP BY enterprise, sensor;

-- The last value of each channel of a sensor.
CREATE TABLE IF NOT EXISTS latest_values
(
    enterprise UInt32,
    sensor     UInt32,
    channel    UInt16,
    at         DateTime64(3, 'UTC'),
    value      Float64,
    keep_days  UInt16
)
ENGINE = ReplacingMergeTree(at)
ORDER BY (enterprise, sensor, channel)
TTL toDateTime(at) + toIntervalDay(keep_days)
SETTINGS fsync_after_insert = 1,
         fsync_part_directory = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS latest_values_of_readings TO latest_values AS
SELECT r.enterprise AS enterprise, r.sensor AS sensor, channel, max(r.at) AS at, argMax(value, r.at) AS value,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings AS r
ARRAY JOIN r.channels AS channel, r.values AS value
GROUP BY enterprise, sensor, channel;

INSERT INTO latest_values (enterprise, sensor, channel, at, value, keep_days)
SELECT r.enterprise AS enterprise, r.sensor AS sensor, channel, max(r.at) AS at, argMax(value, r.at) AS value,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings AS r
ARRAY JOIN r.channels AS channel, r.values AS value
GROUP BY enterprise, sensor, channel;
