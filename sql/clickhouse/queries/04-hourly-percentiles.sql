-- Median, 95th and 99th percentile of a channel per hour, over all assets.
SELECT toStartOfHour(at) AS hour, quantilesExactInclusive(0.5, 0.95, 0.99)(value) AS percentiles
FROM readings_named
WHERE channel = {channel:String} AND at >= {from:DateTime64(3, 'UTC')} AND at < {to:DateTime64(3, 'UTC')}
GROUP BY hour
ORDER BY hour
