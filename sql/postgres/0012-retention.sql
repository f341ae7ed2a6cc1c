-- How far the deletion of an enterprise's old readings has followed its retention. A shorter retention hides readings at
-- once, but they are deleted after a grace period (src/stores/clickhouse/maintenance/retention.ts).
CREATE TABLE retentions (
  enterprise_id  text PRIMARY KEY REFERENCES enterprises (id) ON DELETE CASCADE,
  -- the retention of the enterprise or of its tier, and the time since which it has this value
  setting_days   integer NOT NULL,
  set_at         timestamptz NOT NULL DEFAULT now(),
  -- no younger reading has been or will be deleted
  kept_days      integer NOT NULL,
  -- older readings are being deleted; a longer retention takes effect when the deletion is done
  is_deleting    boolean NOT NULL DEFAULT false,
  -- how often kept_days was extended; at the last extension, readings from before this time may have been deleted
  extensions     integer NOT NULL DEFAULT 0,
  deleted_before timestamptz
);
INSERT INTO retentions (enterprise_id, setting_days, kept_days)
SELECT e.id, r.days, r.days
FROM enterprises AS e
JOIN tiers AS t ON t.name = e.tier
CROSS JOIN LATERAL (SELECT coalesce(e.retention_days, t.retention_days, 0) AS days) AS r;
