-- Kilometres that each sensor travelled: the sum of the distances on the ellipsoid between consecutive positions.
SELECT sensor, sum(geoDistance(longitude_before, latitude_before, longitude, latitude)) / 1000 AS kilometres
FROM
(
    SELECT sensor, longitude, latitude,
           lagInFrame(longitude) OVER positions_of_sensor AS longitude_before,
           lagInFrame(latitude) OVER positions_of_sensor AS latitude_before,
           row_number() OVER positions_of_sensor AS place
    FROM positions
    WHERE at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}
    WINDOW positions_of_sensor AS (PARTITION BY sensor ORDER BY at ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
)
WHERE place > 1
GROUP BY sensor
ORDER BY sensor
