-- Objects that an instance writes into the file store. The transaction that stores the record of an object deletes its
-- row, so that an object of a lost instance has either a record or a row here, by which it is removed
-- (runs/file-writes.ts).
CREATE TABLE file_writes (
  key         text PRIMARY KEY,
  instance_id text NOT NULL,
  begun_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX file_writes_instance ON file_writes (instance_id);

-- The instance that makes a file of a complete upload, and the number of attempts: an earlier attempt stores nothing.
ALTER TABLE uploads ADD COLUMN instance_id text, ADD COLUMN attempts integer NOT NULL DEFAULT 0;
-- the number of attempts: an earlier attempt cannot complete the deletion
ALTER TABLE reading_deletions ADD COLUMN attempts integer NOT NULL DEFAULT 0;

-- The check that runs, credits, jobs and files agree (src/monitoring/ledger-checks.ts): its start, its results, and its
-- position in the file store.
CREATE TABLE ledger_checks (
  is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  begun_at   timestamptz NOT NULL DEFAULT 'epoch',
  -- all records that ended before this time were checked
  checked_to timestamptz NOT NULL DEFAULT 'epoch',
  ended_at   timestamptz,
  listed_to  text,
  -- number of violations by the name of the rule
  found      jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO ledger_checks DEFAULT VALUES;

-- for recent changes
CREATE INDEX jobs_finished ON jobs (finished_at) WHERE finished_at IS NOT NULL;
CREATE INDEX run_days_day ON run_days (day);

-- The clock of the database may be behind the clock of a server: a run belongs to the month that its credits were
-- charged in, also at the beginning of the month.
CREATE OR REPLACE FUNCTION day_of_run(started_at timestamptz, period_start timestamptz) RETURNS date LANGUAGE sql IMMUTABLE AS $$
  SELECT greatest((period_start AT TIME ZONE 'UTC')::date,
    least((started_at AT TIME ZONE 'UTC')::date, (period_start AT TIME ZONE 'UTC' + interval '1 month' - interval '1 day')::date))
$$;
