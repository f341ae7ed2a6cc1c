-- Imports of sensors that are too long for one answer. Their rows wait in parts. The transaction that stores the rows of a
-- part deletes the part and counts its rows, so that each row is stored once.
CREATE TABLE sensor_imports (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  requested_by  text NOT NULL,
  status        text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'running', 'done')),
  created       integer NOT NULL DEFAULT 0,
  updated       integer NOT NULL DEFAULT 0,
  refused       integer NOT NULL DEFAULT 0,
  -- the first ones
  errors        jsonb NOT NULL DEFAULT '[]',
  created_at    timestamptz NOT NULL DEFAULT now(),
  finished_at   timestamptz,
  -- when the next part is due
  next_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sensor_imports_enterprise ON sensor_imports (enterprise_id, id);
CREATE INDEX sensor_imports_unfinished ON sensor_imports (next_at) WHERE status <> 'done';
CREATE TABLE sensor_import_parts (
  import_id text NOT NULL REFERENCES sensor_imports (id) ON DELETE CASCADE,
  number    integer NOT NULL,
  -- a list, as JSON
  rows      text NOT NULL,
  PRIMARY KEY (import_id, number)
);
