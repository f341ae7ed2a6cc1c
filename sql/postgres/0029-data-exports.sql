-- Full exports of an enterprise's or a person's data, made in the background by one instance at a time
-- (archives/exports.ts). If an instance dies during an export, its lease expires, and the archive is begun again.
CREATE TABLE data_exports (
  id            text PRIMARY KEY,
  enterprise_id text REFERENCES enterprises (id) ON DELETE CASCADE,
  person_id     text REFERENCES people (id) ON DELETE CASCADE,
  owner_id      text NOT NULL GENERATED ALWAYS AS (coalesce(enterprise_id, person_id)) STORED,
  -- where the archive will be in the file store
  key           text NOT NULL,
  status        text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'running', 'done', 'failed', 'removed')),
  -- parts written, and their total number; they have very different sizes
  parts         integer,
  parts_done    integer NOT NULL DEFAULT 0,
  bytes         bigint,
  attempts      integer NOT NULL DEFAULT 0,
  requested_by  text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  lease_until   timestamptz,
  finished_at   timestamptz,
  -- when the archive is deleted, with this row
  expires_at    timestamptz NOT NULL,
  CHECK (num_nonnulls(enterprise_id, person_id) = 1)
);
CREATE INDEX data_exports_owner ON data_exports (owner_id, id);
CREATE INDEX data_exports_open ON data_exports (created_at) WHERE status IN ('waiting', 'running');
CREATE INDEX data_exports_expiry ON data_exports (expires_at);

CREATE TRIGGER data_exports_deleted AFTER DELETE ON data_exports
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_file_removals('key', 'true');
