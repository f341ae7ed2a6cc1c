-- An account's display preferences for the portal: language, theme, digits, zone. Missing ones follow the device.
ALTER TABLE accounts ADD COLUMN preferences jsonb NOT NULL DEFAULT '{}';
