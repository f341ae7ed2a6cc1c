-- Events of an enterprise in the order in which they were committed, for pulling and for deliveries.
CREATE TABLE events (
  -- made from what makes the event, so that repeated work makes the same event
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  -- assigned under a lock of the enterprise that lasts until the commit: a later event of the enterprise has a higher one
  number        bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  type          text NOT NULL,
  -- what the event is about; events of a subject are numbered one by one
  subject       text NOT NULL,
  sequence      bigint NOT NULL,
  severity      text CHECK (severity IN ('info', 'warning', 'critical')),
  rule_id       text,
  sensor_id     text,
  -- without `sequence` and `link`
  data          jsonb NOT NULL,
  stored_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX events_enterprise ON events (enterprise_id, number);
CREATE INDEX events_stored ON events (stored_at);

-- The newest number of each subject, which outlives its events.
CREATE TABLE event_subjects (
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  subject       text NOT NULL,
  sequence      bigint NOT NULL,
  changed_at    timestamptz NOT NULL,
  PRIMARY KEY (enterprise_id, subject)
);
