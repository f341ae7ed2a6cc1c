-- Input files of a run that were stored before it: a list of {field, key, storageKey, filename, bytes}. Null for runs
-- whose files were all sent with the call; their inputs are in stored_files.
ALTER TABLE runs ADD COLUMN inputs jsonb;

-- Files of resumable uploads have no run.
ALTER TABLE stored_files ALTER COLUMN run_id DROP NOT NULL,
  DROP CONSTRAINT stored_files_role_check,
  ADD CONSTRAINT stored_files_role_check CHECK (role IN ('input', 'output', 'preview', 'upload'));

-- Resumable uploads. They outlive their owner's record until they expire, so that their bytes are removed too.
CREATE TABLE uploads (
  id            text PRIMARY KEY,
  enterprise_id text,
  person_id     text,
  owner_id      text NOT NULL GENERATED ALWAYS AS (coalesce(enterprise_id, person_id)) STORED,
  member_id     text,
  filename      text NOT NULL,
  -- as the client sent it
  metadata      text NOT NULL,
  bytes         bigint NOT NULL,
  received      bigint NOT NULL DEFAULT 0,
  -- the storage key of the complete file
  key           text NOT NULL,
  state         text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'stored', 'refused')),
  -- why the scanner refused it
  reason        text,
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL,
  CHECK (num_nonnulls(enterprise_id, person_id) = 1),
  CHECK (received BETWEEN 0 AND bytes)
);
CREATE INDEX uploads_open ON uploads (owner_id) INCLUDE (bytes) WHERE state = 'open';
CREATE INDEX uploads_owner ON uploads (owner_id, id);
CREATE INDEX uploads_expiry ON uploads (expires_at);

-- Pieces of an upload in the file store, under their storage keys. A piece is recorded before it is written, and counts
-- once the upload has received it.
CREATE TABLE upload_pieces (
  key         text PRIMARY KEY,
  upload_id   text NOT NULL REFERENCES uploads (id) ON DELETE CASCADE,
  starts_at   bigint NOT NULL,
  bytes       bigint NOT NULL,
  is_received boolean NOT NULL DEFAULT false
);
CREATE INDEX upload_pieces_upload ON upload_pieces (upload_id, starts_at);
