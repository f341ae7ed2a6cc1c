-- Days on which an enterprise spent its readings: rules about silence count again from their end.
CREATE TABLE spent_days (
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  -- UTC
  day           date NOT NULL,
  -- when the limit was raised; null for the end of the day
  until         timestamptz,
  PRIMARY KEY (enterprise_id, day)
);
