-- Analysts with SQL on a ClickHouse server: each sees the rows of its own enterprise and nothing else. To be run by
-- hand by an administrator; on a cluster add ON CLUSTER to every statement, and a policy on readings_local as well.
--
-- An analyst's user carries the enterprise's number as a constant that it cannot change; without it every query fails:
--
--   CREATE USER ana IDENTIFIED BY '…' DEFAULT ROLE groundwave_analyst SETTINGS SQL_enterprise = 7 CONST;
--
-- (the server's configuration must allow the prefix: <custom_settings_prefixes>SQL_</custom_settings_prefixes>)
CREATE ROLE IF NOT EXISTS groundwave_analyst
    SETTINGS readonly = 1, max_execution_time = 60, max_memory_usage = 4000000000, max_result_rows = 10000000;

GRANT SELECT ON readings TO groundwave_analyst;
GRANT SELECT ON sensors TO groundwave_analyst;
GRANT SELECT ON channels TO groundwave_analyst;
-- the views read with the rights, and so under the policies, of whoever asks
GRANT SELECT ON positions TO groundwave_analyst;
GRANT SELECT ON readings_named TO groundwave_analyst;

CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON readings
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON sensors
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_analyst ON channels
    USING enterprise = toUInt32(getSetting('SQL_enterprise')) TO groundwave_analyst;

-- A table with a policy shuts out those who have none, so whoever else reads (Groundwave itself) is let through.
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON readings USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON sensors USING 1 TO ALL EXCEPT groundwave_analyst;
CREATE ROW POLICY IF NOT EXISTS groundwave_others ON channels USING 1 TO ALL EXCEPT groundwave_analyst;
