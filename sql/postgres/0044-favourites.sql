-- Sensors that a member marked as favourites.
CREATE TABLE favourites (
  member_id  text NOT NULL REFERENCES members (id) ON DELETE CASCADE,
  sensor_id  text NOT NULL REFERENCES sensors (id) ON DELETE CASCADE,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (member_id, sensor_id)
);
CREATE INDEX favourites_sensor ON favourites (sensor_id);
