-- Alert rules beside zone rules, alerts, and silences that hold back what alerts deliver.
-- The tables of rules keep their first names: an earlier release reads them too.
ALTER TABLE zone_rules
  ALTER COLUMN layer_id DROP NOT NULL,
  ALTER COLUMN event DROP NOT NULL,
  DROP CONSTRAINT zone_rules_event_check,
  ADD CONSTRAINT zone_rules_event_check CHECK (event IN ('enter', 'leave', 'inside', 'outside', 'dwell')),
  ADD COLUMN kind text NOT NULL DEFAULT 'zone' CHECK (kind IN ('threshold', 'silence', 'change', 'zone')),
  ADD COLUMN severity text NOT NULL DEFAULT 'warning' CHECK (severity IN ('info', 'warning', 'critical')),
  -- what to do
  ADD COLUMN note text NOT NULL DEFAULT '',
  -- besides zone_rule_sensors: sensors that have any of these tags
  ADD COLUMN tags text[] NOT NULL DEFAULT '{}',
  -- {tz, weekly: [{days, from, to}]}; null: always
  ADD COLUMN schedule jsonb,
  -- the fields of the kind, as the API names them, without layerId and when
  ADD COLUMN definition jsonb NOT NULL DEFAULT '{}';

CREATE TABLE alerts (
  -- made from rule, sensor, polygon and onset, so that repeated work makes the same alert
  id              text PRIMARY KEY,
  enterprise_id   text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  -- alerts outlive their rule and their sensor
  rule_id         text NOT NULL,
  sensor_id       text NOT NULL,
  -- id of the polygon of a dwell rule
  polygon         text,
  severity        text NOT NULL CHECK (severity IN ('info', 'warning', 'critical')),
  -- started, fired and resolved: the sensor's clock, or the server's where the end has nothing to do with a reading
  started_at      timestamptz NOT NULL,
  fired_at        timestamptz NOT NULL,
  -- when the alert was stored
  detected_at     timestamptz NOT NULL DEFAULT now(),
  resolved_at     timestamptz,
  resolved_by     text CHECK (resolved_by IN ('cleared', 'rule-changed', 'rule-deleted', 'sensor-deleted', 'sensor-off')),
  -- the channel of the first condition at fired_at; null for rules without a channel
  value           double precision,
  -- {channel: value}
  "values"        jsonb NOT NULL DEFAULT '{}',
  late            boolean NOT NULL DEFAULT false,
  acknowledged_by text,
  acknowledged_at timestamptz,
  comment         text,
  -- when the row was written last, for streams
  changed_at      timestamptz NOT NULL DEFAULT now(),
  CHECK ((resolved_at IS NULL) = (resolved_by IS NULL))
);
CREATE INDEX alerts_enterprise ON alerts (enterprise_id, fired_at DESC, id DESC);
CREATE INDEX alerts_rule ON alerts (rule_id, fired_at DESC, id DESC);
CREATE INDEX alerts_sensor ON alerts (sensor_id, fired_at DESC, id DESC);
CREATE INDEX alerts_changed ON alerts (enterprise_id, changed_at, id);
CREATE INDEX alerts_firing ON alerts (enterprise_id, rule_id, sensor_id) WHERE resolved_at IS NULL;

CREATE FUNCTION note_alert_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_at := now();
  RETURN NEW;
END $$;
CREATE TRIGGER alert_changed BEFORE UPDATE ON alerts FOR EACH ROW EXECUTE FUNCTION note_alert_change();

CREATE TABLE alert_silences (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  -- a silence holds for an alert that matches any of the three lists
  sensor_ids    text[] NOT NULL DEFAULT '{}',
  tags          text[] NOT NULL DEFAULT '{}',
  rule_ids      text[] NOT NULL DEFAULT '{}',
  starts_at     timestamptz NOT NULL,
  ends_at       timestamptz NOT NULL CHECK (ends_at > starts_at),
  comment       text NOT NULL DEFAULT '',
  created_by    text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX alert_silences_enterprise ON alert_silences (enterprise_id, id);
