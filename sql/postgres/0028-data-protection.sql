-- Deletions of readings may name several channels. `channel` remains for a single channel, as earlier versions write
-- it.
ALTER TABLE reading_deletions ADD COLUMN channels text[];
UPDATE reading_deletions SET channels = ARRAY[channel] WHERE channel IS NOT NULL;

-- Keys of the file store whose records were deleted, until the objects are removed (runs/file-removals.ts). Triggers
-- note them in the transaction that deletes the records, including the deletion of an owner, so that a kill at any
-- moment leaves no object without a record.
CREATE TABLE file_removals (
  key          text PRIMARY KEY,
  requested_at timestamptz NOT NULL DEFAULT now(),
  -- Removed for the first time. A call that was still running may have written it after that, so it is removed twice.
  removed_at   timestamptz
);
CREATE INDEX file_removals_next ON file_removals (removed_at NULLS FIRST);

CREATE FUNCTION note_file_removals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO file_removals (key) SELECT %I FROM gone WHERE %s ON CONFLICT DO NOTHING', TG_ARGV[0], TG_ARGV[1]);
  RETURN NULL;
END
$$;
CREATE TRIGGER stored_files_removed AFTER DELETE ON stored_files
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_file_removals('id', 'true');
CREATE TRIGGER owner_file_versions_removed AFTER DELETE ON owner_file_versions
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_file_removals('id', 'true');
CREATE TRIGGER upload_pieces_removed AFTER DELETE ON upload_pieces
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_file_removals('key', 'true');
-- a stored upload has become a stored file with the same key
CREATE TRIGGER uploads_removed AFTER DELETE ON uploads
  REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION note_file_removals('key', 'state <> ''stored''');
