-- Events detected by zone rules. There is one event per rule, sensor and time, however often readings are checked.
CREATE TABLE IF NOT EXISTS zone_events
(
    enterprise    UInt32 CODEC(ZSTD(1)),
    rule          LowCardinality(String),
    sensor        UInt32 CODEC(ZSTD(1)),
    at            DateTime64(3, 'UTC') CODEC(DoubleDelta, ZSTD(1)),
    event         LowCardinality(String),
    longitude     Float64 CODEC(ZSTD(1)),
    latitude      Float64 CODEC(ZSTD(1)),
    zones         Array(String) CODEC(ZSTD(1)),
    layer         LowCardinality(String),
    layer_version UInt32 CODEC(ZSTD(1)),
    detected_at   DateTime64(3, 'UTC') CODEC(Delta, ZSTD(1)),
    keep_days     UInt16 CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toYYYYMM(at)
ORDER BY (enterprise, rule, at, sensor)
TTL toDateTime(at) + toIntervalDay(keep_days)
SETTINGS fsync_after_insert = 1,
         fsync_part_directory = 1;

ALTER TABLE zone_events MODIFY COMMENT 'What zone rules saw: one row for each event; with FINAL';
ALTER TABLE zone_events
    COMMENT COLUMN enterprise 'Number of the enterprise; sensors tells its id',
    COMMENT COLUMN rule 'Id of the rule',
    COMMENT COLUMN sensor 'Number of the sensor; sensors tells its id and asset',
    COMMENT COLUMN at 'Time of the reading, in UTC',
    COMMENT COLUMN event 'enter, leave, inside or outside',
    COMMENT COLUMN longitude 'Degrees east in WGS 84',
    COMMENT COLUMN latitude 'Degrees north in WGS 84',
    COMMENT COLUMN zones 'Ids of the layer''s features that the sensor entered, left or was in',
    COMMENT COLUMN layer 'Id of the layer',
    COMMENT COLUMN layer_version 'Its version when the reading was checked',
    COMMENT COLUMN detected_at 'When the reading was checked, in UTC',
    COMMENT COLUMN keep_days 'Days after which it is deleted';
