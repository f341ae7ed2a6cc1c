-- Sensors have a name and tags; keys of sensors have a name, may expire, and note when they were last used.
ALTER TABLE sensors ADD COLUMN name text;
UPDATE sensors SET name = assets.name FROM assets WHERE assets.id = sensors.asset_id;
ALTER TABLE sensors ALTER COLUMN name SET NOT NULL;
ALTER TABLE sensors ADD COLUMN tags text[] NOT NULL DEFAULT '{}';
CREATE INDEX sensors_tags ON sensors USING gin (tags);
ALTER TABLE sensor_keys ADD COLUMN name text NOT NULL DEFAULT 'Key';
ALTER TABLE sensor_keys ADD COLUMN expires_at timestamptz;
ALTER TABLE sensor_keys ADD COLUMN last_used_at timestamptz;
