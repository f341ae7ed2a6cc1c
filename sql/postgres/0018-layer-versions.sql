-- Earlier versions of map layers. An edit keeps the features that it replaces, so it stores only its changes, not a
-- copy of the layer.
ALTER TABLE layers ADD COLUMN changed_by text;
-- The size of its earlier versions, which counts towards the quota of an enterprise.
ALTER TABLE layers ADD COLUMN history_bytes bigint NOT NULL DEFAULT 0;
-- The version in which the feature got its current content. `version` also changes when the same content is sent again.
ALTER TABLE layer_features ADD COLUMN since integer NOT NULL DEFAULT 1;

-- The content of a feature from version `since` (inclusive) to version `until` (exclusive).
CREATE TABLE layer_history (
  layer_id   text NOT NULL REFERENCES layers (id) ON DELETE CASCADE,
  feature_id text NOT NULL,
  since      integer NOT NULL,
  until      integer NOT NULL,
  place      bigint NOT NULL,
  dimension  smallint,
  properties json NOT NULL,
  geometry   bytea,
  PRIMARY KEY (layer_id, until, feature_id)
);
CREATE INDEX layer_history_since ON layer_history (layer_id, since);
CREATE INDEX layer_history_place ON layer_history (layer_id, place);

-- The versions that are kept, with the current one.
CREATE TABLE layer_versions (
  layer_id      text NOT NULL REFERENCES layers (id) ON DELETE CASCADE,
  version       integer NOT NULL,
  -- null for versions from before this table, where it is unknown
  actor         text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  feature_count integer NOT NULL,
  fields        jsonb NOT NULL,
  added         integer,
  changed       integer,
  removed       integer,
  -- the version whose features it restored
  restored      integer,
  -- size of the rows of layer_history that end with this version
  bytes         bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (layer_id, version)
);
INSERT INTO layer_versions (layer_id, version, created_at, feature_count, fields)
SELECT id, version, updated_at, feature_count, fields FROM layers;

-- Uses of a layer or a file.
CREATE INDEX zone_rules_layer ON zone_rules (layer_id);
CREATE INDEX tool_apis_bound ON tool_apis ((binding ->> 'id'));
