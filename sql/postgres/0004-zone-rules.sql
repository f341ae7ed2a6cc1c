-- Rules that compare the positions of sensors with a polygon layer. layer_id stays set when the layer is deleted.
CREATE TABLE zone_rules (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  name          text NOT NULL,
  layer_id      text NOT NULL,
  event         text NOT NULL CHECK (event IN ('enter', 'leave', 'inside', 'outside')),
  -- true: every sensor of the enterprise, including future ones; false: the sensors in zone_rule_sensors
  all_sensors   boolean NOT NULL,
  enabled       boolean NOT NULL DEFAULT true,
  -- readings received before this time are not checked: the rule was created, changed or enabled then
  since         timestamptz NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX zone_rules_enterprise ON zone_rules (enterprise_id, id);

CREATE TABLE zone_rule_sensors (
  rule_id   text NOT NULL REFERENCES zone_rules (id) ON DELETE CASCADE,
  sensor_id text NOT NULL REFERENCES sensors (id) ON DELETE CASCADE,
  PRIMARY KEY (rule_id, sensor_id)
);
CREATE INDEX zone_rule_sensors_sensor ON zone_rule_sensors (sensor_id);
