-- Blocks of requests that are already counted in api_request_days and that an instance holds in memory, to give them to
-- calls. The unused part of a block goes back to its day within seconds.
CREATE TABLE api_request_blocks (
  id          text PRIMARY KEY,
  owner_id    text NOT NULL,
  day         date NOT NULL,
  instance_id text NOT NULL,
  size        integer NOT NULL,
  taken_at    timestamptz NOT NULL DEFAULT now()
);
