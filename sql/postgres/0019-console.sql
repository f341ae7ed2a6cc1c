-- Usage by runs of tools per day (UTC), so that no query has to sum all runs. Triggers count a run when it ends.
CREATE TABLE run_days (
  enterprise_id  text REFERENCES enterprises (id) ON DELETE CASCADE,
  person_id      text REFERENCES people (id) ON DELETE CASCADE,
  owner_id       text NOT NULL GENERATED ALWAYS AS (coalesce(enterprise_id, person_id)) STORED,
  day            date NOT NULL,
  tool_id        text NOT NULL,
  -- empty for calls of accounts
  application_id text NOT NULL,
  runs           integer NOT NULL,
  failures       integer NOT NULL,
  credits        bigint NOT NULL,
  PRIMARY KEY (owner_id, day, tool_id, application_id)
);
CREATE INDEX run_days_application ON run_days (application_id, day) WHERE application_id <> '';

-- The day on which a run began. Its credits belong to the month in which they were charged, so a run that was recorded
-- just after the end of that month counts for its last day.
CREATE FUNCTION day_of_run(started_at timestamptz, period_start timestamptz) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT least((started_at AT TIME ZONE 'UTC')::date,
    (period_start AT TIME ZONE 'UTC' + interval '1 month' - interval '1 day')::date)
$$;

CREATE FUNCTION count_run_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO run_days (enterprise_id, person_id, day, tool_id, application_id, runs, failures, credits)
  SELECT enterprise_id, person_id, day_of_run(started_at, period_start) AS day, tool_id, coalesce(application_id, '') AS application,
    count(*), count(*) FILTER (WHERE status = 'failed'), sum(credits)
  FROM ended WHERE status <> 'running'
  GROUP BY enterprise_id, person_id, day, tool_id, application
  -- in a fixed order, so that two statements cannot deadlock
  ORDER BY coalesce(enterprise_id, person_id), day, tool_id, application
  ON CONFLICT (owner_id, day, tool_id, application_id) DO UPDATE SET runs = run_days.runs + EXCLUDED.runs,
    failures = run_days.failures + EXCLUDED.failures, credits = run_days.credits + EXCLUDED.credits;
  RETURN NULL;
END
$$;

CREATE FUNCTION count_ended_run_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO run_days (enterprise_id, person_id, day, tool_id, application_id, runs, failures, credits)
  SELECT ended.enterprise_id, ended.person_id, day_of_run(ended.started_at, ended.period_start) AS day, ended.tool_id,
    coalesce(ended.application_id, '') AS application, count(*), count(*) FILTER (WHERE ended.status = 'failed'), sum(ended.credits)
  FROM ended JOIN begun ON begun.id = ended.id AND begun.status = 'running'
  WHERE ended.status <> 'running'
  GROUP BY ended.enterprise_id, ended.person_id, day, ended.tool_id, application
  ORDER BY coalesce(ended.enterprise_id, ended.person_id), day, ended.tool_id, application
  ON CONFLICT (owner_id, day, tool_id, application_id) DO UPDATE SET runs = run_days.runs + EXCLUDED.runs,
    failures = run_days.failures + EXCLUDED.failures, credits = run_days.credits + EXCLUDED.credits;
  RETURN NULL;
END
$$;

INSERT INTO run_days (enterprise_id, person_id, day, tool_id, application_id, runs, failures, credits)
SELECT enterprise_id, person_id, day_of_run(started_at, period_start) AS day, tool_id, coalesce(application_id, '') AS application,
  count(*), count(*) FILTER (WHERE status = 'failed'), sum(credits)
FROM runs WHERE status <> 'running'
GROUP BY enterprise_id, person_id, day, tool_id, application;

CREATE TRIGGER run_days_inserted AFTER INSERT ON runs
  REFERENCING NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION count_run_days();
CREATE TRIGGER run_days_ended AFTER UPDATE ON runs
  REFERENCING OLD TABLE AS begun NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION count_ended_run_days();

-- Requests with the key pairs of an application per day (UTC).
CREATE TABLE application_days (
  application_id text NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
  day            date NOT NULL,
  requests       integer NOT NULL,
  PRIMARY KEY (application_id, day)
);

-- Readings that each instance accepted per day (UTC), by the time they were received. An instance replaces its own count.
CREATE TABLE reading_days (
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  day           date NOT NULL,
  instance_id   text NOT NULL,
  readings      bigint NOT NULL,
  PRIMARY KEY (enterprise_id, day, instance_id)
);

-- the sum of a person's files
CREATE INDEX stored_files_person ON stored_files (person_id) INCLUDE (bytes) WHERE person_id IS NOT NULL;

-- Fills in the owner in the audit log of sensors and assets that were created together.
UPDATE audit SET owner_id = after ->> 'enterpriseId'
WHERE owner_id IS NULL AND action = 'create' AND subject_kind IN ('sensor', 'asset');

-- An owner's part of the audit log by who, what and which kind of record.
CREATE INDEX audit_owner_actor ON audit (owner_id, actor, id);
CREATE INDEX audit_owner_action ON audit (owner_id, action, id);
CREATE INDEX audit_owner_kind ON audit (owner_id, subject_kind, id);
