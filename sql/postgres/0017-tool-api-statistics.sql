-- Keys of applications and Tool APIs get the columns of sensors' keys: a name, an optional expiry, and the time of the
-- last use.
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
  -- trial calls from the portal with a session
  is_trial    boolean NOT NULL,
  starts_at   timestamptz NOT NULL,
  code        text NOT NULL,
  calls       bigint NOT NULL,
  -- number of features in the results
  features    bigint NOT NULL,
  -- duration of the longest call
  longest_ms  double precision NOT NULL,
  -- calls by duration, in the buckets of src/tool-apis/latency.ts, without trailing empty buckets
  durations   integer[] NOT NULL,
  last_at     timestamptz NOT NULL,
  PRIMARY KEY (tool_api_id, step, is_trial, starts_at, code)
);
-- for the deletion of old rows
CREATE INDEX tool_api_statistics_age ON tool_api_statistics (step, starts_at);

-- The newest call of a Tool API that was refused or failed, for each code. Contains no part of the input.
CREATE TABLE tool_api_refusals (
  tool_api_id text NOT NULL REFERENCES tool_apis (id) ON DELETE CASCADE,
  code        text NOT NULL,
  at          timestamptz NOT NULL,
  message     text NOT NULL,
  request_id  text NOT NULL,
  is_trial    boolean NOT NULL,
  PRIMARY KEY (tool_api_id, code)
);
