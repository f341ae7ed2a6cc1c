-- Less work for each reading. Measured with segments of 500,000 readings of three values and a location, ClickHouse
-- takes half the CPU of before (bench/loading.ts), and the table is 4 % smaller.

-- LZ4 takes a third of ZSTD's time. Neighbouring positions of a sensor differ little, so that their differences take
-- half the space of the positions themselves.
ALTER TABLE readings
    MODIFY COLUMN enterprise UInt32 CODEC(LZ4),
    MODIFY COLUMN sensor UInt32 CODEC(LZ4),
    MODIFY COLUMN at DateTime64(3, 'UTC') CODEC(DoubleDelta, LZ4),
    MODIFY COLUMN channels Array(UInt16) CODEC(LZ4),
    MODIFY COLUMN values Array(Float64) CODEC(LZ4),
    MODIFY COLUMN longitude Float64 CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN latitude Float64 CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN received_at DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    MODIFY COLUMN keep_days UInt16 CODEC(LZ4);

-- Vertical merges copy runs of rows instead of single rows. A higher base merges more parts at once, so that each row is
-- written half as often; a month has some more parts for it.
ALTER TABLE readings MODIFY SETTING vertical_merge_algorithm_min_columns_to_activate = 1, merge_selector_base = 10;

-- Of a call with many readings, usually only the last one matters to the views below. The log marks the others
-- (ingest/superseded.ts). An insert that does not name the column has no such rows.
ALTER TABLE readings ADD COLUMN IF NOT EXISTS superseded UInt8 EPHEMERAL 0;
ALTER TABLE readings ADD COLUMN IF NOT EXISTS is_superseded Bool MATERIALIZED superseded CODEC(LZ4);
ALTER TABLE readings
    COMMENT COLUMN superseded 'Only in inserts: 1 for is_superseded',
    COMMENT COLUMN is_superseded 'Whether the next reading of the same call is later, in the same hour, and has the same channels; for the views of newest values';

ALTER TABLE latest_positions_of_readings MODIFY QUERY
SELECT r.enterprise AS enterprise, r.sensor AS sensor, max(r.at) AS at, argMax(r.longitude, r.at) AS longitude, argMax(r.latitude, r.at) AS latitude,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings AS r
WHERE NOT r.is_superseded AND NOT isNaN(r.longitude)
GROUP BY enterprise, sensor;

ALTER TABLE latest_values_of_readings MODIFY QUERY
SELECT r.enterprise AS enterprise, r.sensor AS sensor, channel, max(r.at) AS at, argMax(value, r.at) AS value,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings AS r
ARRAY JOIN r.channels AS channel, r.values AS value
WHERE NOT r.is_superseded
GROUP BY enterprise, sensor, channel;

ALTER TABLE rollup_hours_of_readings MODIFY QUERY
SELECT max(r.enterprise) AS enterprise, r.sensor AS sensor, toStartOfHour(toDateTime(r.at)) AS hour, now64(3) AS changed_at,
       fromUnixTimestamp64Milli(toInt64(0), 'UTC') AS rolled_at
FROM readings AS r
WHERE NOT r.is_superseded
GROUP BY sensor, hour;
