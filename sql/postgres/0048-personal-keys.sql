-- Keys of people, which act for their person alone (src/access/personal-keys.ts).
CREATE TABLE personal_keys (
  id           text PRIMARY KEY,
  person_id    text NOT NULL REFERENCES people (id) ON DELETE CASCADE,
  name         text NOT NULL DEFAULT 'Key',
  key_sha256   text NOT NULL UNIQUE,
  last_four    text NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz,
  last_used_at timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX personal_keys_person ON personal_keys (person_id);
