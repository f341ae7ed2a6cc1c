-- The newest value of every channel, with its unit and its age in seconds.
SELECT asset_name, channel, argMax(value, at) AS newest, any(unit) AS unit, dateDiff('second', max(at), {to:DateTime64(3, 'UTC')}) AS age
FROM readings_named
WHERE at < {to:DateTime64(3, 'UTC')}
GROUP BY asset_name, channel
ORDER BY asset_name, channel
