-- Links that show one dashboard without an account. A link ends with its dashboard, and does not work while the maker may
-- not share (src/stores/postgres/documents/share-links.ts).
CREATE TABLE share_links (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  document_id   text NOT NULL REFERENCES saved_documents (id) ON DELETE CASCADE,
  maker_id      text NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  token_sha256  text NOT NULL UNIQUE,
  created_at    timestamptz NOT NULL DEFAULT now(),
  expires_at    timestamptz NOT NULL,
  revoked_at    timestamptz
);
CREATE INDEX share_links_document ON share_links (document_id, id);
CREATE INDEX share_links_enterprise ON share_links (enterprise_id);
CREATE INDEX share_links_maker ON share_links (maker_id);
