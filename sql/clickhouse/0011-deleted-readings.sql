-- Deleted readings stay in `readings` without values and position, so that the same reading sent again is still a
-- duplicate. Their times are missing from the newest values and positions. This table has the newest time of each
-- sensor with deleted readings, so that these tables together have the newest stored time of every sensor.
CREATE TABLE IF NOT EXISTS newest_before_deletion
(
    enterprise UInt32,
    sensor     UInt32,
    at         DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(at)
ORDER BY sensor;

ALTER TABLE newest_before_deletion MODIFY COMMENT 'Newest reading of each sensor at the time of its last deletion of readings';
ALTER TABLE newest_before_deletion
    COMMENT COLUMN enterprise 'Number of the enterprise; its id is in sensors',
    COMMENT COLUMN sensor 'Number of the sensor; its id and asset are in sensors',
    COMMENT COLUMN at 'Time of its newest reading then, in UTC';
