-- Destinations that send mails, and mails to owners of enterprises.
ALTER TABLE destinations DROP CONSTRAINT destinations_kind_check, ADD CHECK (kind IN ('webhook', 'email')),
  ALTER url DROP NOT NULL, ALTER format DROP NOT NULL, ALTER public_key DROP NOT NULL, ALTER sealed_secrets DROP NOT NULL,
  ADD language text CHECK (language IN ('en', 'ar')),
  ADD CHECK (CASE kind WHEN 'email' THEN language IS NOT NULL AND num_nonnulls(url, format, public_key, sealed_secrets) = 0
    ELSE language IS NULL AND num_nulls(url, format, public_key, sealed_secrets) = 0 END);

CREATE TABLE destination_addresses (
  id              text PRIMARY KEY,
  destination_id  text NOT NULL REFERENCES destinations (id) ON DELETE CASCADE,
  enterprise_id   text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  email           text NOT NULL,
  -- an address that left stays, so that it gets mails again only after it has confirmed
  state           text NOT NULL CHECK (state IN ('unconfirmed', 'confirmed', 'unsubscribed')),
  -- of the link that confirms
  token_sha256    text UNIQUE,
  token_expires_at timestamptz,
  -- after a mail, or after an attempt that failed
  next_mail_at    timestamptz NOT NULL DEFAULT now(),
  -- attempts that failed since the last mail
  attempts        integer NOT NULL DEFAULT 0,
  first_failed_at timestamptz,
  -- the attempt that is under way
  lease           text,
  leased_until    timestamptz,
  UNIQUE (destination_id, email)
);
CREATE INDEX destination_addresses_enterprise ON destination_addresses (enterprise_id);
CREATE INDEX destination_addresses_next ON destination_addresses (next_mail_at) WHERE state = 'confirmed';

-- Of a mail: each address has its own delivery.
ALTER TABLE deliveries ADD recipient text;
CREATE INDEX deliveries_of_recipient ON deliveries (destination_id, recipient, number)
  WHERE status = 'pending' AND recipient IS NOT NULL;

-- Mails to owners of enterprises, until they are sent.
CREATE TABLE owner_mails (
  id              text PRIMARY KEY,
  enterprise_id   text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  email           text NOT NULL,
  -- of the event
  type            text NOT NULL,
  data            jsonb NOT NULL,
  stored_at       timestamptz NOT NULL DEFAULT now(),
  attempts        integer NOT NULL DEFAULT 0,
  -- null: the mail was sent, or no attempt is left. While an attempt is under way: when another instance may make it
  next_attempt_at timestamptz DEFAULT now()
);
CREATE INDEX owner_mails_enterprise ON owner_mails (enterprise_id);
CREATE INDEX owner_mails_due ON owner_mails (next_attempt_at) WHERE next_attempt_at IS NOT NULL;
