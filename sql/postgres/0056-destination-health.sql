-- When a destination took an event last; recorded at most once a minute.
ALTER TABLE destinations ADD COLUMN last_success_at timestamptz;

-- Pages of the log by status: few deliveries fail or are replaced among many that arrive.
CREATE INDEX deliveries_by_status ON deliveries (destination_id, status, id) WHERE status IN ('failed', 'replaced');
