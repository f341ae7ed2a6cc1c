-- The rights on which a link or an operator token was made, so that they can be checked again when it is used. Links of
-- earlier releases whose maker is no longer known do not work.
ALTER TABLE one_time_links
  -- server: the server's token, the server itself, or a person who can read the mail of the address; otherwise the role
  -- of an account
  ADD COLUMN maker_role text,
  ADD COLUMN maker_id text REFERENCES accounts (id) ON DELETE CASCADE,
  ADD COLUMN maker_token_id text REFERENCES operator_tokens (id) ON DELETE CASCADE,
  -- for a reset that was made for a member
  ADD COLUMN member_id text REFERENCES members (id) ON DELETE CASCADE;
CREATE INDEX one_time_links_maker ON one_time_links (maker_id);
CREATE INDEX one_time_links_maker_token ON one_time_links (maker_token_id);
CREATE INDEX one_time_links_member ON one_time_links (member_id);

UPDATE one_time_links SET maker_id = accounts.id, maker_role = split_part(created_by, ' ', 1) FROM accounts
WHERE created_by IN ('operator ' || accounts.email, 'owner ' || accounts.email, 'admin ' || accounts.email);
UPDATE one_time_links SET maker_role = 'operator', maker_token_id = operator_tokens.id FROM operator_tokens
WHERE one_time_links.created_by = 'operator token ' || operator_tokens.name;
UPDATE one_time_links SET maker_role = 'server'
WHERE maker_role IS NULL AND (mailed_only OR created_by IN ('system', 'operator') OR created_by LIKE 'operator %')
  AND created_by NOT LIKE 'operator token %';

-- the state of a sign-in is in a cookie now; the previous release needs the table
DELETE FROM sign_in_states WHERE expires_at < now();

ALTER TABLE operator_tokens ADD COLUMN maker_id text REFERENCES accounts (id) ON DELETE CASCADE;
CREATE INDEX operator_tokens_maker ON operator_tokens (maker_id);
UPDATE operator_tokens SET maker_id = accounts.id FROM accounts WHERE created_by = 'operator ' || accounts.email;
