-- Whether a plan or tier includes Tool APIs.
ALTER TABLE tiers ADD COLUMN tool_apis boolean NOT NULL DEFAULT false;
UPDATE tiers SET tool_apis = true WHERE kind = 'enterprise' OR name IN ('pro', 'max');

-- Map layers of an enterprise or a person. Every edit creates a new version.
CREATE TABLE layers (
  id             text PRIMARY KEY,
  enterprise_id  text REFERENCES enterprises (id) ON DELETE CASCADE,
  person_id      text REFERENCES people (id) ON DELETE CASCADE,
  owner_id       text NOT NULL GENERATED ALWAYS AS (coalesce(enterprise_id, person_id)) STORED,
  name           text NOT NULL,
  version        integer NOT NULL DEFAULT 1,
  -- the oldest version since which changes can be listed feature by feature
  complete_since integer NOT NULL DEFAULT 1,
  next_place     bigint NOT NULL DEFAULT 0,
  feature_count  integer NOT NULL DEFAULT 0,
  -- dimensions of its geometries: 0 points, 1 lines, 2 polygons
  dimensions     jsonb NOT NULL DEFAULT '[]',
  -- names of properties, in the order in which they first appeared
  fields         jsonb NOT NULL DEFAULT '[]',
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(enterprise_id, person_id) = 1)
);
CREATE INDEX layers_owner ON layers (owner_id, id);

-- Geometry is well-known binary in WGS 84. A removed feature stays as a tombstone until the whole layer is replaced.
CREATE TABLE layer_features (
  layer_id   text NOT NULL REFERENCES layers (id) ON DELETE CASCADE,
  feature_id text NOT NULL,
  -- its position in the layer
  place      bigint NOT NULL,
  -- the layer's version in which the feature last changed
  version    integer NOT NULL,
  gone       boolean NOT NULL DEFAULT false,
  dimension  smallint,
  properties json,
  geometry   bytea,
  PRIMARY KEY (layer_id, feature_id)
);
CREATE UNIQUE INDEX layer_features_place ON layer_features (layer_id, place);
CREATE INDEX layer_features_version ON layer_features (layer_id, version);

-- Files of an enterprise or a person; tools read only versions that were scanned clean.
CREATE TABLE owner_files (
  id            text PRIMARY KEY,
  enterprise_id text REFERENCES enterprises (id) ON DELETE CASCADE,
  person_id     text REFERENCES people (id) ON DELETE CASCADE,
  owner_id      text NOT NULL GENERATED ALWAYS AS (coalesce(enterprise_id, person_id)) STORED,
  name          text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(enterprise_id, person_id) = 1)
);
CREATE INDEX owner_files_owner ON owner_files (owner_id, id);

CREATE TABLE owner_file_versions (
  -- the storage key
  id          text PRIMARY KEY,
  file_id     text NOT NULL REFERENCES owner_files (id) ON DELETE CASCADE,
  version     integer NOT NULL,
  filename    text NOT NULL,
  bytes       bigint NOT NULL,
  -- detected from the content: vector, raster, image, document, table or archive
  kind        text,
  scan_status text NOT NULL DEFAULT 'pending' CHECK (scan_status IN ('pending', 'clean', 'infected', 'failed')),
  scan_reason text,
  scanned_at  timestamptz,
  created_at  timestamptz NOT NULL DEFAULT now(),
  UNIQUE (file_id, version)
);
CREATE INDEX owner_file_versions_open ON owner_file_versions (created_at) WHERE scan_status IN ('pending', 'failed');

-- Tools saved as APIs.
CREATE TABLE tool_apis (
  id               text PRIMARY KEY,
  enterprise_id    text REFERENCES enterprises (id) ON DELETE CASCADE,
  person_id        text REFERENCES people (id) ON DELETE CASCADE,
  owner_id         text NOT NULL GENERATED ALWAYS AS (coalesce(enterprise_id, person_id)) STORED,
  name             text NOT NULL,
  tool_id          text NOT NULL,
  settings         jsonb NOT NULL,
  -- {kind, id, version?}: the source of the second input, which may have been deleted
  binding          jsonb,
  rule             jsonb,
  reference_fields jsonb,
  enabled          boolean NOT NULL DEFAULT true,
  held             boolean NOT NULL DEFAULT false,
  held_reason      text,
  created_at       timestamptz NOT NULL DEFAULT now(),
  updated_at       timestamptz NOT NULL DEFAULT now(),
  CHECK (num_nonnulls(enterprise_id, person_id) = 1)
);
CREATE INDEX tool_apis_owner ON tool_apis (owner_id, id);

CREATE TABLE tool_api_keys (
  id          text PRIMARY KEY,
  tool_api_id text NOT NULL REFERENCES tool_apis (id) ON DELETE CASCADE,
  key_sha256  text NOT NULL,
  last_four   text NOT NULL,
  created_at  timestamptz NOT NULL DEFAULT now(),
  revoked_at  timestamptz
);
CREATE INDEX tool_api_keys_tool_api ON tool_api_keys (tool_api_id);

-- API requests of an owner per day (UTC).
CREATE TABLE api_request_days (
  owner_id text NOT NULL,
  day      date NOT NULL,
  used     integer NOT NULL,
  PRIMARY KEY (owner_id, day)
);

-- Accepted calls of a Tool API per day (UTC); failures are calls without a result.
CREATE TABLE tool_api_days (
  tool_api_id text NOT NULL REFERENCES tool_apis (id) ON DELETE CASCADE,
  day         date NOT NULL,
  calls       integer NOT NULL,
  failures    integer NOT NULL,
  duration_ms double precision NOT NULL,
  PRIMARY KEY (tool_api_id, day)
);
