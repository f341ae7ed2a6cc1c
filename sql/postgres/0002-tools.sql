-- Runs of tools: which tool, for whom, its settings and outcome.
CREATE TABLE runs (
  id             text PRIMARY KEY,
  enterprise_id  text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  application_id text NOT NULL,
  member_id      text,
  tool_id        text NOT NULL,
  tool_version   text NOT NULL,
  request_id     text NOT NULL,
  job_id         text,
  status         text NOT NULL CHECK (status IN ('running', 'successful', 'failed')),
  settings       jsonb NOT NULL,
  credits        integer NOT NULL,
  period_start   timestamptz NOT NULL,
  file_count     integer NOT NULL,
  input_bytes    bigint NOT NULL,
  output_bytes   bigint NOT NULL DEFAULT 0,
  code           text,
  -- the process that runs it, which marks interrupted runs as failed when it starts again
  instance_id    text NOT NULL,
  started_at     timestamptz NOT NULL DEFAULT now(),
  finished_at    timestamptz,
  duration_ms    double precision
);
CREATE INDEX runs_enterprise ON runs (enterprise_id, id);
CREATE INDEX runs_recent_files ON runs (enterprise_id, started_at) WHERE file_count > 0;
CREATE INDEX runs_cut_off ON runs (instance_id) WHERE status = 'running';

-- Input and output files of runs; the id is the storage key.
CREATE TABLE stored_files (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  member_id     text,
  run_id        text NOT NULL,
  -- an output's id among the artifacts of its run
  artifact_id   text UNIQUE,
  role          text NOT NULL CHECK (role IN ('input', 'output', 'preview')),
  field         text,
  filename      text NOT NULL,
  media_type    text NOT NULL,
  crs           text,
  bytes         bigint NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX stored_files_run ON stored_files (run_id);

-- Credits that an enterprise used in a calendar month (UTC).
CREATE TABLE credit_periods (
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  starts_at     timestamptz NOT NULL,
  used          bigint NOT NULL,
  PRIMARY KEY (enterprise_id, starts_at)
);

-- Stored responses for requests that are repeated with the same Idempotency-Key.
CREATE TABLE idempotency_keys (
  key_pair_id    text NOT NULL,
  route          text NOT NULL,
  key            text NOT NULL,
  request_sha256 text NOT NULL,
  instance_id    text NOT NULL,
  -- null while the request is running
  status         integer,
  headers        jsonb,
  body           text,
  created_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (key_pair_id, route, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

-- Asynchronous tool runs.
CREATE TABLE jobs (
  id             text PRIMARY KEY,
  enterprise_id  text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  application_id text NOT NULL,
  member_id      text,
  tool_id        text NOT NULL,
  tool_version   text NOT NULL,
  -- route, request id and fields of the request; files as {key, filename, bytes}
  call           jsonb NOT NULL,
  status         text NOT NULL CHECK (status IN ('accepted', 'running', 'successful', 'failed', 'dismissed')),
  progress       integer NOT NULL DEFAULT 0,
  -- the envelope that the synchronous route would have returned
  result_status  integer,
  result         jsonb,
  -- the process that works on it, and the end of its lease
  instance_id    text,
  leased_until   timestamptz,
  attempts       integer NOT NULL DEFAULT 0,
  created_at     timestamptz NOT NULL DEFAULT now(),
  started_at     timestamptz,
  finished_at    timestamptz,
  updated_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX jobs_enterprise ON jobs (enterprise_id, id);
CREATE INDEX jobs_open ON jobs (created_at) WHERE status IN ('accepted', 'running');
