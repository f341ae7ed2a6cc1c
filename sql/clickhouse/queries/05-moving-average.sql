-- A channel smoothed over the last twelve readings of each sensor.
SELECT sensor_id, at, value,
       avg(value) OVER (PARTITION BY sensor_id ORDER BY at ROWS BETWEEN 11 PRECEDING AND CURRENT ROW) AS smooth
FROM readings_named
WHERE channel = {channel:String} AND at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}
ORDER BY sensor_id, at
