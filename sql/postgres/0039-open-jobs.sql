-- The planner took this index for the oldest waiting jobs of an owner, and read those of all others on the way.
DROP INDEX jobs_open;
