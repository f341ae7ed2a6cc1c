-- People sign in with an account; nothing ever used this hash.
ALTER TABLE people DROP COLUMN password_hash;
