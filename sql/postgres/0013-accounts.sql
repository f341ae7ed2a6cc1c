-- Accounts of the portal. An account belongs to a person who signs in; its linked rows in members and people define its
-- rights.
CREATE TABLE accounts (
  id             text PRIMARY KEY,
  -- in lower case
  email          text NOT NULL UNIQUE,
  name           text NOT NULL,
  -- whether somebody has proved that they can read its mail
  email_verified boolean NOT NULL DEFAULT false,
  is_operator    boolean NOT NULL DEFAULT false,
  image          text,
  created_at     timestamptz NOT NULL DEFAULT now(),
  updated_at     timestamptz NOT NULL DEFAULT now()
);

-- How an account signs in: with a password (provider "credential") or through OpenID Connect (provider "oidc").
CREATE TABLE account_logins (
  id                       text PRIMARY KEY,
  account_id               text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  provider                 text NOT NULL,
  subject                  text NOT NULL,
  password_hash            text,
  access_token             text,
  refresh_token            text,
  id_token                 text,
  access_token_expires_at  timestamptz,
  refresh_token_expires_at timestamptz,
  scope                    text,
  created_at               timestamptz NOT NULL DEFAULT now(),
  updated_at               timestamptz NOT NULL DEFAULT now(),
  UNIQUE (provider, subject)
);
CREATE INDEX account_logins_account ON account_logins (account_id);

CREATE TABLE sessions (
  id           text PRIMARY KEY,
  token_sha256 text NOT NULL UNIQUE,
  account_id   text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  address      text,
  user_agent   text,
  expires_at   timestamptz NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sessions_account ON sessions (account_id);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Sign-ins through OpenID Connect that are under way.
CREATE TABLE sign_in_states (
  id         text PRIMARY KEY,
  identifier text NOT NULL,
  value      text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_states_identifier ON sign_in_states (identifier);

CREATE TABLE one_time_links (
  id            text PRIMARY KEY,
  token_sha256  text NOT NULL UNIQUE,
  kind          text NOT NULL CHECK (kind IN ('operator', 'invitation', 'person', 'sign-up', 'reset')),
  -- the recipient; null only for the first operator, who enters an address
  email         text,
  -- for an invitation
  enterprise_id text REFERENCES enterprises (id) ON DELETE CASCADE,
  role          text CHECK (role IN ('owner', 'admin', 'member')),
  person_id     text REFERENCES people (id) ON DELETE CASCADE,
  -- for a reset
  account_id    text REFERENCES accounts (id) ON DELETE CASCADE,
  -- whether it was sent by mail and shown to nobody, so that its use proves access to the mail
  mailed_only   boolean NOT NULL DEFAULT false,
  created_by    text NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL,
  used_at       timestamptz,
  revoked_at    timestamptz
);
CREATE INDEX one_time_links_enterprise ON one_time_links (enterprise_id);
CREATE INDEX one_time_links_account ON one_time_links (account_id);
CREATE INDEX one_time_links_person ON one_time_links (person_id);
CREATE INDEX one_time_links_expiry ON one_time_links (expires_at);

-- The secret that signs cookies, for instances that share this database and have no PORTAL_SECRET.
CREATE TABLE portal_secret (
  is_only    boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  secret     text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

ALTER TABLE members ADD COLUMN account_id text REFERENCES accounts (id) ON DELETE SET NULL;
CREATE INDEX members_account ON members (account_id);
ALTER TABLE people ADD COLUMN account_id text REFERENCES accounts (id) ON DELETE SET NULL;
CREATE UNIQUE INDEX people_account ON people (account_id);
