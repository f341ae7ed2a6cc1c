-- Files of people have a lifetime too. A change of a lifetime deletes nothing before the end of a grace period
-- (src/stores/postgres/files/stored-files.ts), so the time of the last change is recorded: for enterprises and people
-- by a trigger, which also works with the previous release, and for the server at its start.
ALTER TABLE people ADD COLUMN stored_days integer, ADD COLUMN stored_days_set_at timestamptz;
ALTER TABLE enterprises ADD COLUMN stored_days_set_at timestamptz;

CREATE FUNCTION note_stored_days() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.stored_days_set_at := now();
  RETURN NEW;
END
$$;
CREATE TRIGGER enterprises_stored_days BEFORE UPDATE ON enterprises FOR EACH ROW
  WHEN (OLD.stored_days IS DISTINCT FROM NEW.stored_days) EXECUTE FUNCTION note_stored_days();
CREATE TRIGGER people_stored_days BEFORE UPDATE ON people FOR EACH ROW
  WHEN (OLD.stored_days IS DISTINCT FROM NEW.stored_days) EXECUTE FUNCTION note_stored_days();

-- STORED_DAYS of the server: one row
CREATE TABLE server_stored_days (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  days    integer NOT NULL,
  set_at  timestamptz NOT NULL DEFAULT now()
);
