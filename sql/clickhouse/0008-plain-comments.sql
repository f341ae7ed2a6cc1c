-- Replaces the descriptions of the earlier files with plainer ones.
ALTER TABLE readings MODIFY COMMENT 'One row per sensor reading; use FINAL or the views to exclude duplicates that are not merged yet';
ALTER TABLE readings
    COMMENT COLUMN enterprise 'Number of the enterprise; its id is in sensors',
    COMMENT COLUMN sensor 'Number of the sensor; its id and asset are in sensors',
    COMMENT COLUMN at 'Time of measurement, in UTC; unique per sensor',
    COMMENT COLUMN channels 'Numbers of the channels; their names and units are in channels',
    COMMENT COLUMN values 'One value per channel, in the same order; booleans are 1 and 0',
    COMMENT COLUMN longitude 'Degrees east, WGS 84; NaN if the reading has no location',
    COMMENT COLUMN latitude 'Degrees north, WGS 84; NaN if the reading has no location',
    COMMENT COLUMN received_at 'Time at which the server received it, in UTC',
    COMMENT COLUMN keep_days 'Retention: the row is deleted this many days after its time';
ALTER TABLE sensors MODIFY COMMENT 'Ids and assets of sensors by number; use FINAL';
ALTER TABLE sensors
    COMMENT COLUMN sensor 'Number of the sensor',
    COMMENT COLUMN sensor_id 'Id of the sensor',
    COMMENT COLUMN enterprise 'Number of its enterprise',
    COMMENT COLUMN enterprise_id 'Id of its enterprise',
    COMMENT COLUMN asset_id 'Id of its asset',
    COMMENT COLUMN asset_name 'Name of its asset',
    COMMENT COLUMN version 'The row with the highest version counts';
ALTER TABLE channels MODIFY COMMENT 'Names and units of channels by sensor and number; use FINAL';
ALTER TABLE channels
    COMMENT COLUMN enterprise 'Number of the enterprise',
    COMMENT COLUMN sensor 'Number of the sensor',
    COMMENT COLUMN channel 'Number of the channel within its sensor',
    COMMENT COLUMN name 'Name of the channel',
    COMMENT COLUMN measurement 'number, whole or boolean',
    COMMENT COLUMN unit 'Unit; empty if it has none',
    COMMENT COLUMN version 'The row with the highest version counts';
ALTER TABLE latest_positions MODIFY COMMENT 'Last position of each sensor; use FINAL';
ALTER TABLE latest_values MODIFY COMMENT 'Last value of each channel of a sensor; use FINAL';
ALTER TABLE rollup_minute MODIFY COMMENT 'Readings aggregated by minute (UTC), only for hours in which a channel has at least 600 values; use FINAL';
ALTER TABLE rollup_hour MODIFY COMMENT 'Readings aggregated by hour (UTC), up to half a minute late; use FINAL';
ALTER TABLE rollup_day MODIFY COMMENT 'Readings aggregated by day (UTC), up to half a minute late; use FINAL';
ALTER TABLE rollup_waiting MODIFY COMMENT 'Hours of sensors that must be aggregated again';
ALTER TABLE rollup_done MODIFY COMMENT 'Time up to which rollup_waiting is processed';
ALTER TABLE positions MODIFY COMMENT 'Readings that have a location, without duplicates';
ALTER TABLE readings_named MODIFY COMMENT 'For analysts: one row per value, with the names of sensor, asset and channel';
ALTER TABLE readings_by_hour MODIFY COMMENT 'For analysts: one row per channel and hour (UTC), up to half a minute late';
ALTER TABLE readings_by_day MODIFY COMMENT 'For analysts: one row per channel and day (UTC), up to half a minute late';
ALTER TABLE latest_named MODIFY COMMENT 'For analysts: the last value of each channel';
ALTER TABLE live_named MODIFY COMMENT 'For analysts: the last position of each sensor';
ALTER TABLE zone_events MODIFY COMMENT 'Events detected by zone rules, one row each; use FINAL';
ALTER TABLE zone_events
    COMMENT COLUMN enterprise 'Number of the enterprise; its id is in sensors',
    COMMENT COLUMN rule 'Id of the rule',
    COMMENT COLUMN sensor 'Number of the sensor; its id and asset are in sensors',
    COMMENT COLUMN at 'Time of the reading, in UTC',
    COMMENT COLUMN event 'enter, leave, inside or outside',
    COMMENT COLUMN longitude 'Degrees east, WGS 84',
    COMMENT COLUMN latitude 'Degrees north, WGS 84',
    COMMENT COLUMN zones 'Ids of the layer features that the sensor entered, left or was in',
    COMMENT COLUMN layer 'Id of the layer',
    COMMENT COLUMN layer_version 'Version of the layer when the reading was checked',
    COMMENT COLUMN detected_at 'Time of the check, in UTC',
    COMMENT COLUMN keep_days 'Retention: the row is deleted this many days after its time';
ALTER TABLE zone_events_named MODIFY COMMENT 'For analysts: events detected by zone rules';
