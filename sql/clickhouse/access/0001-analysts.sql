-- A role for analysts who query a ClickHouse server with SQL: each sees only the rows of their own enterprise. An
-- administrator runs this file by hand, and again after an update of Groundwave. On a cluster, add ON CLUSTER to every
-- statement and create the same policies on the tables whose names end in _local.
--
-- The analyst's user carries the enterprise's number as a constant setting; without it every query fails:
--
--   CREATE USER ana IDENTIFIED BY '…' DEFAULT ROLE groundwave_analyst SETTINGS SQL_enterprise = 7 CONST;
--
-- (the server's configuration must allow the prefix: <custom_settings_prefixes>SQL_</custom_settings_prefixes>)
-- on a cluster, subqueries see the rows of all shards; ClickHouse rejects them by default
CREATE ROLE IF NOT EXISTS groundwave_analyst
    SETTINGS readonly = 1, max_execution_time = 60, max_memory_usage = 4000000000, max_result_rows = 10000000,
             distributed_product_mode = 'global';

GRANT SELECT ON readings TO groundwave_analyst;
GRANT SELECT ON sensors TO groundwave_analyst;
GRANT SELECT ON channels TO groundwave_analyst;
GRANT SELECT ON latest_positions TO groundwave_analyst;
GRANT SELECT ON latest_values TO groundwave_analyst;
GRANT SELECT ON rollup_minute TO groundwave_analyst;
GRANT SELECT ON rollup_hour TO groundwave_analyst;
GRANT SELECT ON rollup_day TO groundwave_analyst;
GRANT SELECT ON rollup_hours TO groundwave_analyst;
GRANT SELECT ON zone_events TO groundwave_analyst;
-- views run with the rights of the user who queries them, so the policies apply to them too
GRANT SELECT ON positions TO groundwave_analyst;
GRANT SELECT ON readings_named TO groundwave_analyst;
GRANT SELECT ON readings_by_hour TO groundwave_analyst;
GRANT SELECT ON readings_by_day TO groundwave_analyst;
GRANT SELECT ON latest_named TO groundwave_analyst;
GRANT SELECT ON live_named TO groundwave_analyst;
GRANT SELECT ON zone_events_named TO groundwave_analyst;

CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON readings
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON sensors
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON channels
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON latest_positions
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON latest_values
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON rollup_minute
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON rollup_hour
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON rollup_day
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON rollup_hours
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON zone_events
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;

-- Once a table has a policy, users without one see no rows; this lets all other users, such as Groundwave, see all.
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON readings USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON sensors USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON channels USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON latest_positions USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON latest_values USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON rollup_minute USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON rollup_hour USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON rollup_day USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON rollup_hours USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON zone_events USING 1 TO ALL EXCEPT groundwave_analyst;
