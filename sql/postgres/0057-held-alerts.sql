-- Firing alerts whose event a silence held back from destinations. They are sent when no silence holds them any more.
CREATE TABLE held_alerts (
  alert_id      text PRIMARY KEY REFERENCES alerts (id) ON DELETE CASCADE,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE
);
CREATE INDEX held_alerts_enterprise ON held_alerts (enterprise_id);
INSERT INTO held_alerts SELECT DISTINCT a.id, a.enterprise_id FROM events e JOIN alerts a ON a.id = e.data ->> 'id'
  WHERE e.type = 'alert.firing' AND e.data ->> 'silenced' = 'true' AND a.resolved_at IS NULL;
