-- Why the operator suspended an enterprise or a person, for the people affected.
ALTER TABLE enterprises ADD COLUMN suspended_reason text;
ALTER TABLE people ADD COLUMN suspended_reason text;
