-- Assets whose sensors have sent nothing for more than an hour.
SELECT s.asset_name AS asset_name, max(r.at) AS last_heard
FROM readings AS r
INNER JOIN (SELECT sensor, asset_name FROM sensors FINAL) AS s ON s.sensor = r.sensor
GROUP BY asset_name
HAVING last_heard < {to:DateTime64(3, 'UTC')} - INTERVAL 1 HOUR
ORDER BY last_heard
