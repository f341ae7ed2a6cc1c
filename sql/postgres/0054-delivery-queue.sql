-- Looks at deliveries whose cost does not grow with what waits. A delivery behind another one of its subject waits: it is
-- out of the index of what is due until it is the first one.
ALTER TABLE deliveries
  ADD COLUMN waits boolean NOT NULL DEFAULT false,
  -- of the first one of a subject: when a newer state takes its place
  ADD COLUMN replaces_at timestamptz;

DROP INDEX deliveries_due;
CREATE INDEX deliveries_due ON deliveries (destination_id, next_attempt_at, number) WHERE status = 'pending' AND NOT waits;
CREATE INDEX deliveries_replaced ON deliveries (replaces_at) WHERE status = 'pending' AND replaces_at IS NOT NULL;

-- Wakes all instances when deliveries are committed.
CREATE FUNCTION announce_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM made) THEN
    PERFORM pg_notify('deliveries', '');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER deliveries_announced AFTER INSERT ON deliveries REFERENCING NEW TABLE AS made
  FOR EACH STATEMENT EXECUTE FUNCTION announce_deliveries();
