-- Activity of a fleet for the portal: how often each sensor usually sends, refusals with their reasons, and numbers of
-- readings. Every instance writes its own observations, a few rows every two seconds
-- (analytics/fleet/sensor-rhythms.ts, analytics/fleet/activity.ts).

-- The usual time between calls of a sensor; the newest row counts. A row is written only after a real change.
CREATE TABLE IF NOT EXISTS sensor_rhythms
(
    enterprise  UInt32,
    sensor      UInt32,
    interval_ms UInt64,
    made_at     DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree(made_at)
ORDER BY (enterprise, sensor);

-- Counts of short periods. Sensor 0 stands for the whole enterprise: its accepted readings, in periods of ten seconds.
-- Other rows count refused readings and calls of a sensor by reason, in periods of a minute.
CREATE TABLE IF NOT EXISTS sensor_activity
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
ENGINE = AggregatingMergeTree
ORDER BY (enterprise, sensor, outcome, period)
TTL period + INTERVAL 3 HOUR;

ALTER TABLE sensor_rhythms MODIFY COMMENT 'How often sensors usually send; use FINAL';
ALTER TABLE sensor_rhythms
    COMMENT COLUMN enterprise 'Number of the enterprise; its id is in sensors',
    COMMENT COLUMN sensor 'Number of the sensor; its id and asset are in sensors',
    COMMENT COLUMN interval_ms 'Median time between its last calls, by the newest reading of each',
    COMMENT COLUMN made_at 'When it was computed';
ALTER TABLE sensor_activity MODIFY COMMENT 'Accepted readings of enterprises and refused readings of sensors in the last hours; sum the counts';
ALTER TABLE sensor_activity
    COMMENT COLUMN enterprise 'Number of the enterprise; its id is in sensors',
    COMMENT COLUMN sensor 'Number of the sensor; 0 for the whole enterprise',
    COMMENT COLUMN outcome 'accepted, or the code of the reason',
    COMMENT COLUMN period 'Start of the period, in UTC',
    COMMENT COLUMN count 'Readings; calls for reasons that concern whole calls',
    COMMENT COLUMN last_at 'When the last one arrived',
    COMMENT COLUMN call_at 'When a call was last refused as a whole',
    COMMENT COLUMN example 'What was sent, at most 1 kB; empty in most rows';
