-- Runs, jobs and stored files belong to an enterprise or to a person. Calls of signed-in accounts have no application.
ALTER TABLE runs ALTER COLUMN enterprise_id DROP NOT NULL, ALTER COLUMN application_id DROP NOT NULL,
  ADD COLUMN person_id text REFERENCES people (id) ON DELETE CASCADE;
ALTER TABLE runs ADD COLUMN owner_id text NOT NULL GENERATED ALWAYS AS (coalesce(enterprise_id, person_id)) STORED,
  ADD CHECK (num_nonnulls(enterprise_id, person_id) = 1);
DROP INDEX runs_enterprise;
CREATE INDEX runs_owner ON runs (owner_id, id);
DROP INDEX runs_recent_files;
CREATE INDEX runs_recent_files ON runs (owner_id, started_at) WHERE file_count > 0;

ALTER TABLE stored_files ALTER COLUMN enterprise_id DROP NOT NULL,
  ADD COLUMN person_id text REFERENCES people (id) ON DELETE CASCADE;
ALTER TABLE stored_files ADD COLUMN owner_id text NOT NULL GENERATED ALWAYS AS (coalesce(enterprise_id, person_id)) STORED,
  ADD CHECK (num_nonnulls(enterprise_id, person_id) = 1);

ALTER TABLE jobs ALTER COLUMN enterprise_id DROP NOT NULL, ALTER COLUMN application_id DROP NOT NULL,
  ADD COLUMN person_id text REFERENCES people (id) ON DELETE CASCADE;
ALTER TABLE jobs ADD COLUMN owner_id text NOT NULL GENERATED ALWAYS AS (coalesce(enterprise_id, person_id)) STORED,
  ADD CHECK (num_nonnulls(enterprise_id, person_id) = 1);
DROP INDEX jobs_enterprise;
CREATE INDEX jobs_owner ON jobs (owner_id, id);
DROP INDEX jobs_started;
CREATE INDEX jobs_started ON jobs (owner_id, started_at);

-- The owner of the changed record, so that owners can read their part of the audit log.
ALTER TABLE audit ADD COLUMN owner_id text;
UPDATE audit SET owner_id = coalesce(
  after ->> 'ownerId', before ->> 'ownerId', after ->> 'enterpriseId', before ->> 'enterpriseId',
  CASE WHEN subject_kind IN ('enterprise', 'person') THEN subject_id END);
CREATE INDEX audit_owner ON audit (owner_id, id);
