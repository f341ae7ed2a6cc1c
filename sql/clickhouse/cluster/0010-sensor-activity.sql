-- Generated from ../0010-sensor-activity.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

CREATE TABLE IF NOT EXISTS sensor_rhythms_local ON CLUSTER '{cluster}'
(
    enterprise  UInt32,
    sensor      UInt32,
    interval_ms UInt64,
    made_at     DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/sensor_rhythms', '{replica}', made_at)
ORDER BY (enterprise, sensor);

CREATE TABLE IF NOT EXISTS sensor_rhythms ON CLUSTER '{cluster}' AS sensor_rhythms_local
ENGINE = Distributed('{cluster}', currentDatabase(), sensor_rhythms_local, intHash64(sensor));

CREATE TABLE IF NOT EXISTS sensor_activity_local ON CLUSTER '{cluster}'
(
    enterprise UInt32,
    sensor     UInt32,
    outcome    LowCardinality(String),
    period     DateTime('UTC'),
    count      SimpleAggregateFunction(sum, UInt64),
    last_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
    call_at    SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
    example    SimpleAggregateFunction(max, String)
)
ENGINE = ReplicatedAggregatingMergeTree('/clickhouse/tables/{shard}/{database}/sensor_activity', '{replica}')
ORDER BY (enterprise, sensor, outcome, period)
TTL period + INTERVAL 3 HOUR;

CREATE TABLE IF NOT EXISTS sensor_activity ON CLUSTER '{cluster}' AS sensor_activity_local
ENGINE = Distributed('{cluster}', currentDatabase(), sensor_activity_local, intHash64(sensor));
