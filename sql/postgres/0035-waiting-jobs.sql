-- The oldest waiting job of each owner, and jobs whose lease is over.
CREATE INDEX jobs_waiting ON jobs (owner_id, created_at, id) WHERE status = 'accepted';
CREATE INDEX jobs_leased ON jobs (leased_until) WHERE status = 'running';
