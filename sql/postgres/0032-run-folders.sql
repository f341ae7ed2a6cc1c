-- The folder into which a person put the result of a run. It exists while it is not empty.
ALTER TABLE runs ADD COLUMN folder text;
CREATE INDEX runs_in_folder ON runs (owner_id, folder, id) WHERE folder IS NOT NULL;
