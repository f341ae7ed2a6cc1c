-- Whether an application may read sensors and readings. Without a value, an application that may run all tools may do
-- so, and an application that is limited to some tools may not.
ALTER TABLE applications ADD COLUMN assets boolean;
