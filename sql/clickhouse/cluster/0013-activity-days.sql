-- Generated from ../0013-activity-days.sql by "bun run cluster-sql"; do not edit.
--
-- Run these files once, in order, on any node of the cluster, before Groundwave starts with CLICKHOUSE_URL on the
-- database. {cluster}, {shard} and {replica} are macros of each node.

ALTER TABLE sensor_activity_local ON CLUSTER '{cluster}' MODIFY TTL period + INTERVAL 3 HOUR DELETE WHERE sensor != 0, period + INTERVAL 50 HOUR DELETE WHERE sensor = 0;
