-- Descriptions of tables and columns for analysts; SHOW CREATE TABLE, DESCRIBE and system.columns show them.
-- 0008-plain-comments.sql replaces these texts.
ALTER TABLE readings MODIFY COMMENT 'One row for each reading of a sensor; FINAL, or the views, leave out copies that are not merged yet';
ALTER TABLE readings
    COMMENT COLUMN enterprise 'Number of the enterprise; sensors tells its id',
    COMMENT COLUMN sensor 'Number of the sensor; sensors tells its id and asset',
    COMMENT COLUMN at 'When it was measured, in UTC; with the sensor it names the reading',
    COMMENT COLUMN channels 'Numbers of the channels; channels tells their names and units',
    COMMENT COLUMN values 'A value for each of them; yes and no as 1 and 0',
    COMMENT COLUMN longitude 'Degrees east in WGS 84; NaN where the reading has no location',
    COMMENT COLUMN latitude 'Degrees north in WGS 84; NaN where the reading has no location',
    COMMENT COLUMN received_at 'When the server took it, in UTC',
    COMMENT COLUMN keep_days 'Days after which it is deleted';
ALTER TABLE sensors MODIFY COMMENT 'What the numbers of sensors stand for; with FINAL';
ALTER TABLE sensors
    COMMENT COLUMN sensor 'Number of the sensor',
    COMMENT COLUMN sensor_id 'Its id',
    COMMENT COLUMN enterprise 'Number of its enterprise',
    COMMENT COLUMN enterprise_id 'Id of its enterprise',
    COMMENT COLUMN asset_id 'Id of the asset that it is on',
    COMMENT COLUMN asset_name 'Name of that asset',
    COMMENT COLUMN version 'Of several rows the one with the highest stands';
ALTER TABLE channels MODIFY COMMENT 'What the numbers of channels stand for, sensor by sensor; with FINAL';
ALTER TABLE channels
    COMMENT COLUMN enterprise 'Number of the enterprise',
    COMMENT COLUMN sensor 'Number of the sensor',
    COMMENT COLUMN channel 'Number of the channel within its sensor',
    COMMENT COLUMN name 'Its name',
    COMMENT COLUMN measurement 'number, whole or boolean',
    COMMENT COLUMN unit 'Its unit, where it has one',
    COMMENT COLUMN version 'Of several rows the one with the highest stands';
ALTER TABLE latest_positions MODIFY COMMENT 'Where each sensor was last; with FINAL';
ALTER TABLE latest_values MODIFY COMMENT 'What each channel of a sensor said last; with FINAL';
ALTER TABLE rollup_hour MODIFY COMMENT 'Readings put together by hours in UTC, half a minute behind at most; with FINAL';
ALTER TABLE rollup_day MODIFY COMMENT 'Readings put together by days in UTC, half a minute behind at most; with FINAL';
ALTER TABLE rollup_waiting MODIFY COMMENT 'Hours of sensors that are to be put together anew';
ALTER TABLE rollup_done MODIFY COMMENT 'Up to when that is done';
ALTER TABLE positions MODIFY COMMENT 'The readings that have a location, each once';
ALTER TABLE readings_named MODIFY COMMENT 'For analysts: a row for each value, with the names of sensor, asset and channel';
