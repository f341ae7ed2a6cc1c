-- Pearson's correlation of two channels of a sensor, computed from their means per minute.
SELECT sensor_id, corr(a, b) AS correlation, count() AS minutes
FROM
(
    SELECT sensor_id, toStartOfMinute(at) AS minute,
           avgIf(value, channel = {channel:String}) AS a, avgIf(value, channel = {other:String}) AS b
    FROM readings_named
    WHERE channel IN ({channel:String}, {other:String}) AND at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}
    GROUP BY sensor_id, minute
    HAVING countIf(channel = {channel:String}) > 0 AND countIf(channel = {other:String}) > 0
)
GROUP BY sensor_id
ORDER BY sensor_id
