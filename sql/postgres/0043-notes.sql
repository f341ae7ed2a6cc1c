-- Notes of people on the time axis of charts, for one sensor or for all sensors of the enterprise.
CREATE TABLE notes (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  -- the member whose private note it is; null for one that is shared with the enterprise
  member_id     text REFERENCES members (id) ON DELETE CASCADE,
  sensor_id     text REFERENCES sensors (id) ON DELETE CASCADE,
  starts_at     timestamptz NOT NULL,
  -- null for a moment
  ends_at       timestamptz CHECK (ends_at > starts_at),
  text          text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX notes_enterprise ON notes (enterprise_id, id);
CREATE INDEX notes_member ON notes (member_id);
CREATE INDEX notes_sensor ON notes (sensor_id);
