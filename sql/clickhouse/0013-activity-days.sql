-- Counts of whole enterprises are kept for two days, for the curve of a day beside the day before: 17,280 rows at most
-- for each enterprise. Counts of single sensors are many, and needed for an hour.
ALTER TABLE sensor_activity
    MODIFY TTL period + INTERVAL 3 HOUR DELETE WHERE sensor != 0, period + INTERVAL 50 HOUR DELETE WHERE sensor = 0;
