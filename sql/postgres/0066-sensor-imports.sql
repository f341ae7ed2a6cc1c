-- Imports of sensors that are too long for one answer. An instance carries one out at a time, and continues after the last
-- rows that were stored.
CREATE TABLE sensor_imports (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  requested_by  text NOT NULL,
  status        text NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'running', 'done')),
  -- each in a line, as JSON; null once all are stored
  rows          text,
  -- how many of the rows are stored or refused
  position      integer NOT NULL DEFAULT 0,
  created       integer NOT NULL DEFAULT 0,
  updated       integer NOT NULL DEFAULT 0,
  refused       integer NOT NULL DEFAULT 0,
  -- the first ones
  errors        jsonb NOT NULL DEFAULT '[]',
  created_at    timestamptz NOT NULL DEFAULT now(),
  finished_at   timestamptz,
  lease_until   timestamptz,
  attempts      integer NOT NULL DEFAULT 0
);
CREATE INDEX sensor_imports_enterprise ON sensor_imports (enterprise_id, id);
CREATE INDEX sensor_imports_unfinished ON sensor_imports (created_at) WHERE status <> 'done';
