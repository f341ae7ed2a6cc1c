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

-- Where events of an enterprise are sent.
CREATE TABLE destinations (
  id              text PRIMARY KEY,
  enterprise_id   text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  kind            text NOT NULL CHECK (kind IN ('webhook')),
  name            text NOT NULL,
  url             text NOT NULL,
  format          text NOT NULL CHECK (format IN ('standard', 'slack', 'teams', 'pagerduty')),
  -- types of events
  events          text[] NOT NULL,
  -- these restrict only events that have a severity, a rule or a sensor
  min_severity    text CHECK (min_severity IN ('info', 'warning', 'critical')),
  rule_ids        text[] NOT NULL DEFAULT '{}',
  tags            text[] NOT NULL DEFAULT '{}',
  header_names    text[] NOT NULL DEFAULT '{}',
  public_key      text NOT NULL,
  -- signing keys and values of headers, encrypted with the server's secret
  sealed_secrets  text NOT NULL,
  enabled         boolean NOT NULL DEFAULT true,
  disabled_reason text CHECK (disabled_reason IN ('gone', 'failing', 'owner')),
  -- the first failure since the last success
  failing_since   timestamptz,
  -- when an event that took the place of an older one was tried last
  replaced_at     timestamptz,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  CHECK (enabled = (disabled_reason IS NULL))
);
CREATE INDEX destinations_enterprise ON destinations (enterprise_id, id);

CREATE TABLE deliveries (
  -- begins with the time, so that ids sort by it
  id              text PRIMARY KEY,
  destination_id  text NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
  enterprise_id   text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  event_id        text NOT NULL,
  -- of the event; deliveries of a subject follow it
  number          bigint NOT NULL,
  type            text NOT NULL,
  subject         text NOT NULL,
  status          text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed', 'replaced')),
  -- the newer event that is delivered in its place
  replaced_by     text,
  attempts        integer NOT NULL DEFAULT 0,
  first_attempt_at timestamptz,
  status_code     integer,
  -- why there was no status
  failure         text,
  duration_ms     integer,
  answer          text,
  next_attempt_at timestamptz DEFAULT now(),
  -- what the receiver asked for
  not_before      timestamptz,
  -- the attempt that is under way
  lease           text,
  leased_until    timestamptz,
  -- what is sent, from the first attempt on; never with a routing key. Of a test: the event
  body            bytea,
  created_at      timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX deliveries_log ON deliveries (destination_id, id);
CREATE INDEX deliveries_of_subject ON deliveries (destination_id, subject, number, id) WHERE status = 'pending';
CREATE INDEX deliveries_due ON deliveries (destination_id, next_attempt_at, number) WHERE status = 'pending';
CREATE INDEX deliveries_under_way ON deliveries (destination_id) WHERE leased_until IS NOT NULL;
CREATE INDEX deliveries_of_event ON deliveries (destination_id, event_id);
CREATE INDEX deliveries_created ON deliveries (created_at);
