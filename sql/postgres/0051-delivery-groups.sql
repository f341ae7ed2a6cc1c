-- Events of a rule in one message, repeated alerts, and destinations of single jobs.
ALTER TABLE destinations
  -- events of a rule that follow its first one within this time are sent together; 0: each by itself
  ADD COLUMN group_seconds  integer NOT NULL DEFAULT 0 CHECK (group_seconds BETWEEN 0 AND 3600),
  -- null: firing alerts are not sent again
  ADD COLUMN repeat_seconds integer CHECK (repeat_seconds BETWEEN 60 AND 86400),
  -- the pause before a repetition does not begin earlier
  ADD COLUMN repeats_since  timestamptz NOT NULL DEFAULT now(),
  ADD CHECK (group_seconds = 0 OR format <> 'pagerduty');
UPDATE destinations SET group_seconds = 10 WHERE format IN ('slack', 'teams');

-- The newest first event of a rule at a destination, and until when others follow it.
CREATE TABLE delivery_windows (
  destination_id text NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
  rule_id        text NOT NULL,
  ends_at        timestamptz NOT NULL,
  PRIMARY KEY (destination_id, rule_id)
);

ALTER TABLE deliveries
  -- of an event that follows another one of its rule, and of a group
  ADD COLUMN rule_id  text,
  -- waits for the end of its window, and then for earlier events of its subject; it is sent in a group or by itself
  ADD COLUMN held     boolean NOT NULL DEFAULT false,
  -- the end of that window
  ADD COLUMN ready_at timestamptz,
  -- the event of the group in which it is sent. The delivery of the group has the type `group`
  ADD COLUMN group_id text;
CREATE INDEX deliveries_held ON deliveries (next_attempt_at) WHERE held AND status = 'pending';
CREATE INDEX deliveries_in_group ON deliveries (destination_id, group_id, number) WHERE group_id IS NOT NULL;
CREATE INDEX deliveries_of_groups ON deliveries (destination_id) WHERE type = 'group' AND status = 'pending';

-- How often a destination got a firing alert again.
CREATE TABLE alert_repeats (
  destination_id text NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
  alert_id       text NOT NULL REFERENCES alerts (id) ON DELETE CASCADE,
  repeats        integer NOT NULL,
  repeated_at    timestamptz NOT NULL,
  PRIMARY KEY (destination_id, alert_id)
);
CREATE INDEX alert_repeats_alert ON alert_repeats (alert_id);

-- A destination that gets the end of this job besides those that subscribe to it.
ALTER TABLE jobs ADD COLUMN callback text;
