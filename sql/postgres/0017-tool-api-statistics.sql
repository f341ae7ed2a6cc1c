-- Keys of applications and Tool APIs have what keys of sensors have: a name, an optional end, and when they were last
-- used.
ALTER TABLE application_keys ADD COLUMN name text NOT NULL DEFAULT 'Key';
ALTER TABLE application_keys ADD COLUMN expires_at timestamptz;
ALTER TABLE application_keys ADD COLUMN last_used_at timestamptz;
ALTER TABLE tool_api_keys ADD COLUMN name text NOT NULL DEFAULT 'Key';
ALTER TABLE tool_api_keys ADD COLUMN expires_at timestamptz;
ALTER TABLE tool_api_keys ADD COLUMN last_used_at timestamptz;

-- Calls of a Tool API by the code that they were answered with, per hour and per day (UTC). Hours are kept for two
-- days, days for ninety (src/tool-apis/usage.ts).
CREATE TABLE tool_api_statistics (
  tool_api_id text NOT NULL REFERENCES tool_apis (id) ON DELETE CASCADE,
  step        text NOT NULL CHECK (step IN ('hour', 'day')),
  -- sent from the portal with a session, to try the Tool API
  is_trial    boolean NOT NULL,
  starts_at   timestamptz NOT NULL,
  code        text NOT NULL,
  calls       bigint NOT NULL,
  -- in the results
  features    bigint NOT NULL,
  -- of the longest call
  longest_ms  double precision NOT NULL,
  -- calls by duration, in the buckets of src/tool-apis/latency.ts; those at the end that are empty are left out
  durations   integer[] NOT NULL,
  last_at     timestamptz NOT NULL,
  PRIMARY KEY (tool_api_id, step, is_trial, starts_at, code)
);
-- for the deletion of old ones
CREATE INDEX tool_api_statistics_age ON tool_api_statistics (step, starts_at);

-- The newest call of a Tool API that was refused or failed, for each code. Contains nothing of what was sent.
CREATE TABLE tool_api_refusals (
  tool_api_id text NOT NULL REFERENCES tool_apis (id) ON DELETE CASCADE,
  code        text NOT NULL,
  at          timestamptz NOT NULL,
  message     text NOT NULL,
  request_id  text NOT NULL,
  is_trial    boolean NOT NULL,
  PRIMARY KEY (tool_api_id, code)
);
