-- The planner used this index for the oldest waiting jobs of an owner, and read the jobs of all other owners on the
-- way.
DROP INDEX jobs_open;
