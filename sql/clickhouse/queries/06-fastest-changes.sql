-- Where a channel changed fastest: the ten largest changes per second between consecutive readings.
SELECT sensor_id, at, (value - before) / ((toUnixTimestamp64Milli(at) - toUnixTimestamp64Milli(before_at)) / 1000) AS a_second
FROM
(
    SELECT sensor_id, at, value,
           lagInFrame(value) OVER readings_of_sensor AS before,
           lagInFrame(at) OVER readings_of_sensor AS before_at,
           row_number() OVER readings_of_sensor AS place
    FROM readings_named
    WHERE channel = {channel:String} AND at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}
    WINDOW readings_of_sensor AS (PARTITION BY sensor_id ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
)
WHERE place > 1
ORDER BY abs(a_second) DESC, sensor_id, at
LIMIT 10
