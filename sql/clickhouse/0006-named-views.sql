-- For analysts: rollups, last values, last positions and zone events with names, as readings_named has readings.
CREATE VIEW IF NOT EXISTS readings_by_hour SQL SECURITY INVOKER AS
SELECT s.enterprise_id AS enterprise_id, s.sensor_id AS sensor_id, s.asset_name AS asset_name,
       c.name AS channel, c.measurement AS measurement, c.unit AS unit,
       r.bucket AS hour, r.count AS count, r.sum / r.count AS avg, r.sum AS sum, r.min AS min, r.max AS max,
       r.first AS first, r.last AS last
FROM (SELECT sensor, channel, bucket, count, sum, min, max, first, last FROM rollup_hour FINAL) AS r
INNER JOIN (SELECT sensor, sensor_id, enterprise_id, asset_name FROM sensors FINAL) AS s ON s.sensor = r.sensor
INNER JOIN (SELECT sensor, channel, name, measurement, unit FROM channels FINAL) AS c
    ON c.sensor = r.sensor AND c.channel = r.channel;

CREATE VIEW IF NOT EXISTS readings_by_day SQL SECURITY INVOKER AS
SELECT s.enterprise_id AS enterprise_id, s.sensor_id AS sensor_id, s.asset_name AS asset_name,
       c.name AS channel, c.measurement AS measurement, c.unit AS unit,
       r.bucket AS day, r.count AS count, r.sum / r.count AS avg, r.sum AS sum, r.min AS min, r.max AS max,
       r.first AS first, r.last AS last
FROM (SELECT sensor, channel, bucket, count, sum, min, max, first, last FROM rollup_day FINAL) AS r
INNER JOIN (SELECT sensor, sensor_id, enterprise_id, asset_name FROM sensors FINAL) AS s ON s.sensor = r.sensor
INNER JOIN (SELECT sensor, channel, name, measurement, unit FROM channels FINAL) AS c
    ON c.sensor = r.sensor AND c.channel = r.channel;

CREATE VIEW IF NOT EXISTS latest_named SQL SECURITY INVOKER AS
SELECT s.enterprise_id AS enterprise_id, s.sensor_id AS sensor_id, s.asset_name AS asset_name,
       c.name AS channel, c.measurement AS measurement, c.unit AS unit, v.at AS at, v.value AS value
FROM (SELECT sensor, channel, at, value FROM latest_values FINAL) AS v
INNER JOIN (SELECT sensor, sensor_id, enterprise_id, asset_name FROM sensors FINAL) AS s ON s.sensor = v.sensor
INNER JOIN (SELECT sensor, channel, name, measurement, unit FROM channels FINAL) AS c
    ON c.sensor = v.sensor AND c.channel = v.channel;

CREATE VIEW IF NOT EXISTS live_named SQL SECURITY INVOKER AS
SELECT s.enterprise_id AS enterprise_id, s.sensor_id AS sensor_id, s.asset_id AS asset_id, s.asset_name AS asset_name,
       p.at AS at, p.longitude AS longitude, p.latitude AS latitude
FROM (SELECT sensor, at, longitude, latitude FROM latest_positions FINAL) AS p
INNER JOIN (SELECT sensor, sensor_id, enterprise_id, asset_id, asset_name FROM sensors FINAL) AS s ON s.sensor = p.sensor;

CREATE VIEW IF NOT EXISTS zone_events_named SQL SECURITY INVOKER AS
SELECT s.enterprise_id AS enterprise_id, e.rule AS rule_id, e.event AS event, s.sensor_id AS sensor_id,
       s.asset_name AS asset_name, e.at AS at, e.longitude AS longitude, e.latitude AS latitude, e.zones AS zones,
       e.layer AS layer_id, e.layer_version AS layer_version
FROM (SELECT rule, sensor, at, event, longitude, latitude, zones, layer, layer_version FROM zone_events FINAL) AS e
INNER JOIN (SELECT sensor, sensor_id, enterprise_id, asset_name FROM sensors FINAL) AS s ON s.sensor = e.sensor;

ALTER TABLE readings_by_hour MODIFY COMMENT 'For analysts: a row for each hour (UTC) of a channel, half a minute behind at most';
ALTER TABLE readings_by_day MODIFY COMMENT 'For analysts: a row for each day (UTC) of a channel, half a minute behind at most';
ALTER TABLE latest_named MODIFY COMMENT 'For analysts: what each channel said last';
ALTER TABLE live_named MODIFY COMMENT 'For analysts: where each sensor was last';
ALTER TABLE zone_events_named MODIFY COMMENT 'For analysts: what zone rules saw';
