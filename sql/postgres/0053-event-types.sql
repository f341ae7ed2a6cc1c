-- Events of people, who have no destinations: they get them by e-mail.
CREATE TABLE person_events (
  -- made from what makes the event, so that repeated work makes the same event
  id              text PRIMARY KEY,
  person_id       text NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  type            text NOT NULL,
  data            jsonb NOT NULL,
  stored_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
  attempts        integer NOT NULL DEFAULT 0,
  -- null: the mail was sent, or no attempt is left
  next_attempt_at timestamptz DEFAULT now()
);
CREATE INDEX person_events_person ON person_events (person_id);
CREATE INDEX person_events_due ON person_events (next_attempt_at) WHERE next_attempt_at IS NOT NULL;

-- Until when the ends of keys were looked at: one row.
CREATE TABLE key_ends_checked (
  until timestamptz NOT NULL
);
INSERT INTO key_ends_checked VALUES (now());
CREATE INDEX sensor_keys_end ON sensor_keys (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX application_keys_end ON application_keys (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX tool_api_keys_end ON tool_api_keys (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;
CREATE INDEX personal_keys_end ON personal_keys (expires_at) WHERE expires_at IS NOT NULL AND revoked_at IS NULL;

-- Calls of Tool APIs with a key in the last minutes, and how many of them were refused.
CREATE TABLE tool_api_minutes (
  tool_api_id text NOT NULL REFERENCES tool_apis (id) ON DELETE CASCADE,
  minute      timestamptz NOT NULL,
  calls       bigint NOT NULL,
  refused     bigint NOT NULL,
  PRIMARY KEY (tool_api_id, minute)
);
-- Tool APIs that refuse half of their calls.
CREATE TABLE refusing_tool_apis (
  tool_api_id text PRIMARY KEY REFERENCES tool_apis (id) ON DELETE CASCADE,
  since       timestamptz NOT NULL
);

-- The states of sensors that were seen last.
CREATE TABLE sensor_states (
  sensor_id     text PRIMARY KEY REFERENCES sensors (id) ON DELETE CASCADE,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  state         text NOT NULL,
  since         timestamptz NOT NULL
);
CREATE INDEX sensor_states_enterprise ON sensor_states (enterprise_id);
-- The one instance, of several, that looks at the states of sensors: one row.
CREATE TABLE sensor_state_watch (
  term         bigint NOT NULL,
  instance_id  text,
  -- of the last look
  seen_at      timestamptz NOT NULL,
  -- the last time without looks, which makes no sensor late or silent
  away_from    timestamptz NOT NULL,
  away_until   timestamptz NOT NULL
);
INSERT INTO sensor_state_watch VALUES (0, NULL, now(), now(), now());
