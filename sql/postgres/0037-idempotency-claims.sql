-- The request that holds a key or has answered it, so that no other request of the same instance can release or answer
-- it. Null in rows of earlier releases.
ALTER TABLE idempotency_keys ADD COLUMN claim_id text;
