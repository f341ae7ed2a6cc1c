-- Gaps: periods longer than a given number of seconds in which a sensor sent nothing.
SELECT sensor, before_at AS since, at AS until, dateDiff('second', since, until) AS seconds
FROM
(
    SELECT sensor, at,
           lagInFrame(at) OVER readings_of_sensor AS before_at,
           row_number() OVER readings_of_sensor AS place
    FROM readings FINAL
    WHERE at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}
    WINDOW readings_of_sensor AS (PARTITION BY sensor ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
)
WHERE place > 1 AND seconds > {seconds:UInt32}
ORDER BY sensor, since
