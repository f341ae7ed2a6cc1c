-- What an account chose for how the portal looks: language, theme, digits, zone. Missing ones follow the device.
ALTER TABLE accounts ADD COLUMN preferences jsonb NOT NULL DEFAULT '{}';
