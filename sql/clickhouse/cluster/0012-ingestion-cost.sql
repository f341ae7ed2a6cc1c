-- Generated from ../0012-ingestion-cost.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

ALTER TABLE readings_local ON CLUSTER '{cluster}' MODIFY COLUMN enterprise UInt32 CODEC(LZ4),
    MODIFY COLUMN sensor UInt32 CODEC(LZ4),
    MODIFY COLUMN at DateTime64(3, 'UTC') CODEC(DoubleDelta, LZ4),
    MODIFY COLUMN channels Array(UInt16) CODEC(LZ4),
    MODIFY COLUMN values Array(Float64) CODEC(LZ4),
    MODIFY COLUMN longitude Float64 CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN latitude Float64 CODEC(Delta, ZSTD(1)),
    MODIFY COLUMN received_at DateTime64(3, 'UTC') CODEC(Delta, LZ4),
    MODIFY COLUMN keep_days UInt16 CODEC(LZ4);

ALTER TABLE readings_local ON CLUSTER '{cluster}' MODIFY SETTING vertical_merge_algorithm_min_columns_to_activate = 1, merge_selector_base = 10;

ALTER TABLE readings_local ON CLUSTER '{cluster}' ADD COLUMN IF NOT EXISTS superseded UInt8 EPHEMERAL 0;

ALTER TABLE readings ON CLUSTER '{cluster}' ADD COLUMN IF NOT EXISTS superseded UInt8 EPHEMERAL 0;

ALTER TABLE readings_local ON CLUSTER '{cluster}' ADD COLUMN IF NOT EXISTS is_superseded Bool MATERIALIZED superseded CODEC(LZ4);

ALTER TABLE readings ON CLUSTER '{cluster}' ADD COLUMN IF NOT EXISTS is_superseded Bool MATERIALIZED superseded;

ALTER TABLE latest_positions_of_readings ON CLUSTER '{cluster}' MODIFY QUERY
SELECT r.enterprise AS enterprise, r.sensor AS sensor, max(r.at) AS at, argMax(r.longitude, r.at) AS longitude, argMax(r.latitude, r.at) AS latitude,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings_local AS r
WHERE NOT r.is_superseded AND NOT isNaN(r.longitude)
GROUP BY enterprise, sensor;

ALTER TABLE latest_values_of_readings ON CLUSTER '{cluster}' MODIFY QUERY
SELECT r.enterprise AS enterprise, r.sensor AS sensor, channel, max(r.at) AS at, argMax(value, r.at) AS value,
       argMax(r.keep_days, r.at) AS keep_days
FROM readings_local AS r
ARRAY JOIN r.channels AS channel, r.values AS value
WHERE NOT r.is_superseded
GROUP BY enterprise, sensor, channel;

ALTER TABLE rollup_hours_of_readings ON CLUSTER '{cluster}' MODIFY QUERY
SELECT max(r.enterprise) AS enterprise, r.sensor AS sensor, toStartOfHour(toDateTime(r.at)) AS hour, now64(3) AS changed_at,
       fromUnixTimestamp64Milli(toInt64(0), 'UTC') AS rolled_at
FROM readings_local AS r
WHERE NOT r.is_superseded
GROUP BY sensor, hour;
