-- Named JSON documents that people make: dashboards, saved views of lists, chains of tools.
CREATE TABLE saved_documents (
  id            text PRIMARY KEY,
  enterprise_id text NOT NULL REFERENCES enterprises (id) ON DELETE CASCADE,
  -- the member whose private document it is; null for one that is shared with the enterprise
  member_id     text REFERENCES members (id) ON DELETE CASCADE,
  kind          text NOT NULL,
  name          text NOT NULL,
  document      jsonb NOT NULL,
  created_at    timestamptz NOT NULL DEFAULT now(),
  updated_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX saved_documents_enterprise ON saved_documents (enterprise_id, kind, id);
CREATE INDEX saved_documents_member ON saved_documents (member_id);
