-- Deletions of readings may name several channels. `channel` stays for one alone, which earlier versions write.
ALTER TABLE reading_deletions ADD COLUMN channels text[];
UPDATE reading_deletions SET channels = ARRAY[channel] WHERE channel IS NOT NULL;
