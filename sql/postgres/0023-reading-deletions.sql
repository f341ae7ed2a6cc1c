-- Deletions of stored readings: of a period of a sensor, or of all data of a deleted sensor or enterprise in
-- ClickHouse. Carried out in the background, by one instance at a time (stores/clickhouse/maintenance/deletions.ts).
-- Numbers are stored here because the sensor or enterprise may be gone. Finished deletions stay: `refill` tells claims
-- since when the sensor's times may be sent again.
CREATE TABLE reading_deletions (
  id                text PRIMARY KEY,
  enterprise_id     text NOT NULL,
  enterprise_number integer NOT NULL,
  sensor_id         text,                -- null: of the whole enterprise
  sensor_number     integer,
  from_at           timestamptz,         -- null: everything
  to_at             timestamptz,
  channel           text,                -- null: all channels, and the position
  channel_numbers   integer[],           -- all that the name ever had
  refill            boolean NOT NULL DEFAULT false,
  status            text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'running', 'done')),
  readings          bigint,
  requested_by      text NOT NULL,
  created_at        timestamptz NOT NULL DEFAULT now(),
  finished_at       timestamptz,
  lease_until       timestamptz,
  CHECK ((sensor_id IS NULL) = (sensor_number IS NULL)),
  CHECK ((from_at IS NULL) = (to_at IS NULL))
);
CREATE INDEX reading_deletions_sensor ON reading_deletions (sensor_id, id);
CREATE INDEX reading_deletions_open ON reading_deletions (created_at) WHERE status <> 'done';
CREATE INDEX reading_deletions_refill ON reading_deletions (sensor_id) WHERE refill AND status = 'done';
