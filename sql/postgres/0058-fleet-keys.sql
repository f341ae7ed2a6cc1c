-- Fleet keys send for many sensors of an enterprise; sensors have ids of the enterprise's own choice.
ALTER TABLE sensors ADD COLUMN external_id text CHECK (char_length(external_id) BETWEEN 1 AND 200);
-- the last event of a device that was no reading, as {kind, at}
ALTER TABLE sensors ADD COLUMN last_event jsonb;
CREATE UNIQUE INDEX sensors_external_id ON sensors (enterprise_id, external_id);
-- a DevEUI is written in any case
CREATE INDEX sensors_external_id_folded ON sensors (enterprise_id, lower(external_id)) WHERE external_id IS NOT NULL;

CREATE TABLE fleet_keys (
  id               text PRIMARY KEY,
  enterprise_id    text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  name             text NOT NULL,
  -- the key sends for sensors with one of these tags; without tags for all sensors
  tags             text[] NOT NULL DEFAULT '{}',
  auto_create      text NOT NULL DEFAULT 'off' CHECK (auto_create IN ('off', 'pending', 'on')),
  -- {channels, tags} of sensors that are made
  template         jsonb,
  sensor_tag       text,
  -- a template such as {host}.{measurement}
  sensor           text,
  channel_names    text NOT NULL DEFAULT 'field' CHECK (channel_names IN ('field', 'measurement.field')),
  channel_tags     text[] NOT NULL DEFAULT '{}',
  unknown_channels text NOT NULL DEFAULT 'refuse' CHECK (unknown_channels IN ('refuse', 'ignore')),
  -- since the key was made
  calls            bigint NOT NULL DEFAULT 0,
  refused          bigint NOT NULL DEFAULT 0,
  -- sensors that the key made on this UTC day
  made_on          date,
  made             integer NOT NULL DEFAULT 0,
  created_at       timestamptz NOT NULL DEFAULT now(),
  updated_at       timestamptz NOT NULL DEFAULT now(),
  revoked_at       timestamptz,
  CHECK (sensor_tag IS NULL OR sensor IS NULL)
);
CREATE INDEX fleet_keys_enterprise ON fleet_keys (enterprise_id, id);

-- A rotation adds one, and ends the earlier ones after 24 hours.
CREATE TABLE fleet_key_secrets (
  id           text PRIMARY KEY,
  fleet_key_id text NOT NULL REFERENCES fleet_keys (id) ON DELETE CASCADE,
  name         text NOT NULL DEFAULT 'Key',
  key_sha256   text NOT NULL UNIQUE,
  last_four    text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX fleet_key_secrets_fleet_key ON fleet_key_secrets (fleet_key_id);

-- Refusals that belong to no sensor: the newest of each key.
CREATE TABLE fleet_refusals (
  fleet_key_id text NOT NULL REFERENCES fleet_keys (id) ON DELETE CASCADE,
  reason       text NOT NULL,
  -- the sensor as it was sent; empty if the refusal names none
  name         text NOT NULL DEFAULT '',
  count        bigint NOT NULL,
  first_at     timestamptz NOT NULL,
  last_at      timestamptz NOT NULL,
  -- of the newest one
  line         integer,
  detail       text,
  PRIMARY KEY (fleet_key_id, reason, name)
);
CREATE INDEX fleet_refusals_newest ON fleet_refusals (fleet_key_id, last_at);

-- Devices that wait for approval. They store nothing.
CREATE TABLE pending_sensors (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  fleet_key_id  text NOT NULL REFERENCES fleet_keys (id) ON DELETE CASCADE,
  external_id   text NOT NULL,
  first_at      timestamptz NOT NULL,
  last_at       timestamptz NOT NULL,
  -- the first reading
  sent          jsonb,
  UNIQUE (fleet_key_id, external_id)
);
CREATE INDEX pending_sensors_enterprise ON pending_sensors (enterprise_id, id);
CREATE INDEX pending_sensors_external_id ON pending_sensors (enterprise_id, external_id);
