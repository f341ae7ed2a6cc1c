-- Creating a sensor looks up its asset by name, and deleting an asset checks that it has no sensors. Without these
-- indexes both scan all assets of the enterprise, or all sensors.
CREATE INDEX assets_name ON assets (enterprise_id, name);
CREATE INDEX sensors_asset ON sensors (asset_id);
