-- Whether an application may read sensors and readings. Without a value, one that may run all tools may, and one that is
-- limited to some tools may not.
ALTER TABLE applications ADD COLUMN assets boolean;
