-- Alert rules with several instances: the stored segments of all of them in one order, and the instance that judges.
CREATE TABLE alert_judge (
  is_only      boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- grows with each holder of the lease: what an earlier holder stores is refused
  term         bigint NOT NULL DEFAULT 0,
  instance_id  text,
  leased_until timestamptz NOT NULL DEFAULT 'epoch',
  -- the newest segment of the feed whose alerts are stored
  judged       bigint NOT NULL DEFAULT 0,
  -- when a holder was alive last, in milliseconds since 1970; null while there are no rules
  alive_ms     double precision,
  -- times without a holder, as [[from, to], …]
  downtimes    jsonb NOT NULL DEFAULT '[]'
);
INSERT INTO alert_judge DEFAULT VALUES;

-- The newest number of the feed. The lock of this row makes numbers visible in their order.
CREATE TABLE alert_feed_end (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  serial  bigint NOT NULL DEFAULT 0
);
INSERT INTO alert_feed_end DEFAULT VALUES;

CREATE TABLE alert_feed (
  serial      bigint PRIMARY KEY,
  -- an instance that was killed may hand a segment over again
  segment_id  text NOT NULL UNIQUE,
  -- of the segment, before compression
  bytes       bigint NOT NULL,
  -- numbers of the enterprises with readings in it
  enterprises integer[] NOT NULL,
  -- the segment, compressed with zstd; null once a snapshot includes it
  content     bytea,
  fed_at      timestamptz NOT NULL DEFAULT now()
);
-- it is compressed already
ALTER TABLE alert_feed ALTER COLUMN content SET STORAGE EXTERNAL;

-- The state of all rules after the segment `serial`, compressed with zstd.
CREATE TABLE alert_snapshots (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  serial  bigint NOT NULL,
  content bytea NOT NULL
);
ALTER TABLE alert_snapshots ALTER COLUMN content SET STORAGE EXTERNAL;

CREATE TABLE alert_feeders (
  instance_id text PRIMARY KEY,
  -- all readings that the instance received before are in the feed; milliseconds since 1970
  fed_to_ms   double precision NOT NULL,
  seen_at     timestamptz NOT NULL DEFAULT now()
);
