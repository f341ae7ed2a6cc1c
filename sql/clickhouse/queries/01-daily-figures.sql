-- Lowest, mean and highest value of a channel per day and asset.
SELECT asset_name, toDate(at) AS day, min(value) AS lowest, avg(value) AS mean, max(value) AS highest
FROM readings_named
WHERE channel = {channel:String} AND at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}
GROUP BY asset_name, day
ORDER BY asset_name, day
