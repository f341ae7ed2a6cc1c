-- The time until which each instance is known to be alive. An instance of an earlier release has no row and is never
-- taken for lost.
CREATE TABLE instance_leases (
  instance_id  text PRIMARY KEY,
  leased_until timestamptz NOT NULL
);
