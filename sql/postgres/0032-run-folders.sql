-- A folder that a person puts the result of a run into. It exists as long as something is in it.
ALTER TABLE runs ADD COLUMN folder text;
CREATE INDEX runs_in_folder ON runs (owner_id, folder, id) WHERE folder IS NOT NULL;
