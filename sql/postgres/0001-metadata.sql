-- The limits of each tier and plan; values set on an enterprise override those of its tier.
CREATE TABLE tiers (
  name                 text PRIMARY KEY,
  kind                 text NOT NULL CHECK (kind IN ('enterprise', 'person')),
  api_requests_per_day integer,
  readings_per_day     bigint,
  retention_days       integer,
  credits_per_month    bigint
);
INSERT INTO tiers (name, kind, api_requests_per_day, readings_per_day, retention_days, credits_per_month) VALUES
  ('starter',  'enterprise', 10000,   1000000,    90,   1000),
  ('business', 'enterprise', 100000,  50000000,   365,  50000),
  ('scale',    'enterprise', 1000000, 1000000000, 1825, 1000000),
  ('free',     'person', NULL,  NULL, NULL, NULL),
  ('plus',     'person', NULL,  NULL, NULL, NULL),
  ('pro',      'person', 1000,  NULL, NULL, NULL),
  ('max',      'person', 10000, NULL, NULL, NULL);

-- ClickHouse refers to enterprises, sensors and channels by number; numbers are never reused.
CREATE TABLE enterprises (
  id                   text PRIMARY KEY,
  number               integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  name                 text NOT NULL,
  tier                 text NOT NULL REFERENCES tiers (name),
  status               text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  assets_held          boolean NOT NULL DEFAULT false,
  held_reason          text,
  retention_days       integer,
  readings_per_day     bigint,
  api_requests_per_day integer,
  credits              bigint,
  created_at           timestamptz NOT NULL DEFAULT now(),
  updated_at           timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE members (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  email         text NOT NULL,
  role          text NOT NULL CHECK (role IN ('owner', 'admin', 'member')),
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX members_email ON members (enterprise_id, lower(email));

CREATE TABLE people (
  id            text PRIMARY KEY,
  email         text NOT NULL,
  plan          text NOT NULL REFERENCES tiers (name),
  status        text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  password_hash text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX people_email ON people (lower(email));

CREATE TABLE applications (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  name          text NOT NULL,
  tools         jsonb NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX applications_enterprise ON applications (enterprise_id, id);

-- Only the SHA-256 and the last four characters of a secret are stored.
CREATE TABLE application_keys (
  id             text PRIMARY KEY,
  application_id text NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  public_key     text NOT NULL UNIQUE,
  secret_sha256  text NOT NULL,
  last_four      text NOT NULL,
  created_at     timestamptz NOT NULL DEFAULT now(),
  revoked_at     timestamptz
);
CREATE INDEX application_keys_application ON application_keys (application_id);

CREATE TABLE assets (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  name          text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX assets_enterprise ON assets (enterprise_id, id);

CREATE TABLE sensors (
  id            text PRIMARY KEY,
  number        integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  asset_id      text NOT NULL REFERENCES assets (id),
  enabled       boolean NOT NULL DEFAULT true,
  held          boolean NOT NULL DEFAULT false,
  held_reason   text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sensors_enterprise ON sensors (enterprise_id, id);

-- A channel that is removed from its sensor becomes inactive, so that its stored readings still have a name.
CREATE TABLE channels (
  sensor_id   text NOT NULL REFERENCES sensors (id) ON DELETE CASCADE,
  number      integer NOT NULL,
  name        text NOT NULL,
  measurement text NOT NULL CHECK (measurement IN ('number', 'whole', 'boolean')),
  unit        text,
  active      boolean NOT NULL DEFAULT true,
  PRIMARY KEY (sensor_id, number)
);

CREATE TABLE sensor_keys (
  id         text PRIMARY KEY,
  sensor_id  text NOT NULL REFERENCES sensors (id) ON DELETE CASCADE,
  key_sha256 text NOT NULL,
  last_four  text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  revoked_at timestamptz
);
CREATE INDEX sensor_keys_sensor ON sensor_keys (sensor_id);

-- Every change of the configuration: who, what, when, before and after. Keys and passwords never appear here.
CREATE TABLE audit (
  id           text PRIMARY KEY,
  at           timestamptz NOT NULL DEFAULT now(),
  actor        text NOT NULL,
  action       text NOT NULL,
  subject_kind text NOT NULL,
  subject_id   text NOT NULL,
  before       jsonb,
  after        jsonb
);
CREATE INDEX audit_subject ON audit (subject_id, id);
