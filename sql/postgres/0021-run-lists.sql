-- A job refers to its run, so that lists show a piece of work once.
ALTER TABLE jobs ADD COLUMN run_id text;
UPDATE jobs SET run_id = newest.id
FROM (SELECT job_id, max(id) AS id FROM runs WHERE job_id IS NOT NULL GROUP BY job_id) AS newest
WHERE newest.job_id = jobs.id;
-- jobs that no run represents: waiting, running, or dismissed before they began
CREATE INDEX jobs_without_run ON jobs (owner_id, id) WHERE run_id IS NULL OR status = 'running';

-- So that filters of lists read only matching rows; ids sort by time.
CREATE INDEX runs_of_tool ON runs (owner_id, tool_id, id);
CREATE INDEX runs_of_member ON runs (owner_id, member_id, id);
CREATE INDEX runs_of_application ON runs (owner_id, application_id, id);
CREATE INDEX runs_failed ON runs (owner_id, id) WHERE status = 'failed';
CREATE INDEX runs_running ON runs (owner_id, id) WHERE status = 'running';
CREATE INDEX jobs_of_tool ON jobs (owner_id, tool_id, id);
CREATE INDEX jobs_of_member ON jobs (owner_id, member_id, id);

-- A name that a person gives to a run, to find its result again.
ALTER TABLE runs ADD COLUMN name text;
CREATE INDEX runs_named ON runs (owner_id, id) WHERE name IS NOT NULL;

-- The answer of a run without a job to a signed-in person, for the page of the run. It is kept as long as files.
CREATE TABLE run_answers (
  run_id     text PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE,
  status     integer NOT NULL,
  -- the data of a success, or the code, message and fields of a failure
  answer     jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX run_answers_created ON run_answers (created_at);
