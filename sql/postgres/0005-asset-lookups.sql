-- A sensor is created on the asset of a given name, and an asset is deleted only when it has no sensors. Without these
-- indexes both read all assets of the enterprise, or all sensors.
CREATE INDEX assets_name ON assets (enterprise_id, name);
CREATE INDEX sensors_asset ON sensors (asset_id);
