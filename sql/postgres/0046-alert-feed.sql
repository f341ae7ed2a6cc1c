-- What storing alerts needs besides the alerts.
ALTER TABLE alerts
  -- when the severity changed last, by the sensor's clock: judging the same readings again changes nothing
  ADD COLUMN severity_at timestamptz,
  -- the highest severity that was reached; null: `severity`
  ADD COLUMN highest_severity text CHECK (highest_severity IN ('info', 'warning', 'critical'));

-- When it was switched off, held or suspended, and when that ended last: silences are counted anew.
ALTER TABLE sensors
  ADD COLUMN quiet_since timestamptz,
  ADD COLUMN active_since timestamptz;
ALTER TABLE enterprises
  ADD COLUMN quiet_since timestamptz,
  ADD COLUMN active_since timestamptz;
UPDATE sensors SET quiet_since = now() WHERE held OR NOT enabled;
UPDATE enterprises SET quiet_since = now() WHERE assets_held OR status <> 'active';
