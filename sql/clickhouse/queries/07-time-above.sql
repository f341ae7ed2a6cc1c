-- Seconds per day that a channel was above a threshold; a value holds until the next reading of its sensor.
SELECT sensor_id, toDate(at) AS day, sum(held) AS seconds_above
FROM
(
    SELECT sensor_id, at, value,
           (toUnixTimestamp64Milli(leadInFrame(at) OVER readings_of_sensor) - toUnixTimestamp64Milli(at)) / 1000 AS held,
           count() OVER readings_of_sensor AS left_over
    FROM readings_named
    WHERE channel = {channel:String} AND at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}
    WINDOW readings_of_sensor AS (PARTITION BY sensor_id ORDER BY at ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
)
WHERE value > {threshold:Float64} AND left_over > 1
GROUP BY sensor_id, day
ORDER BY sensor_id, day
