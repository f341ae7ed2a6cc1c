-- Data frames of LoRaWAN devices that came in the last hour, and the times under which their readings are stored.
CREATE TABLE device_frames (
  sensor_id text NOT NULL REFERENCES sensors (id) ON DELETE CASCADE,
  session   text NOT NULL,
  -- the uplink's frame counter
  counter   bigint NOT NULL,
  -- in milliseconds since 1970
  at_ms     bigint NOT NULL,
  seen_at   timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (sensor_id, session, counter)
);
