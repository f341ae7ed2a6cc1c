-- Limits of an enterprise's stored files; without a value, the server's limits apply.
ALTER TABLE enterprises ADD COLUMN stored_mb integer, ADD COLUMN stored_days integer;
-- the sum of an enterprise's files, and the files that have expired
CREATE INDEX stored_files_enterprise ON stored_files (enterprise_id) INCLUDE (bytes);
CREATE INDEX stored_files_created ON stored_files (created_at);
