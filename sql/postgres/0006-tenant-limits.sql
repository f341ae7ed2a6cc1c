-- Enterprises take turns with their jobs: the enterprise whose newest start is longest ago comes first.
CREATE INDEX jobs_started ON jobs (enterprise_id, started_at);
