-- The envelope of a finished job as text, compressed if it is long; `result` is used by jobs of earlier releases.
ALTER TABLE jobs ADD COLUMN result_text text;
