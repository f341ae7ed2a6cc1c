-- The size of a layer's features, which counts towards the quota of an enterprise. Triggers maintain it with every
-- change, because summing all features would take longer than the change itself.
ALTER TABLE layers ADD COLUMN bytes bigint NOT NULL DEFAULT 0;

UPDATE layers SET bytes = features.bytes
FROM (
  SELECT layer_id, sum(octet_length(feature_id) + coalesce(octet_length(properties::text), 0) + coalesce(octet_length(geometry), 0)) AS bytes
  FROM layer_features GROUP BY layer_id
) AS features
WHERE layers.id = features.layer_id;

CREATE FUNCTION count_layer_bytes() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    UPDATE layers SET bytes = layers.bytes - removed.bytes
    FROM (
      SELECT layer_id, sum(octet_length(feature_id) + coalesce(octet_length(properties::text), 0) + coalesce(octet_length(geometry), 0)) AS bytes
      FROM old_features GROUP BY layer_id
    ) AS removed
    WHERE layers.id = removed.layer_id;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    UPDATE layers SET bytes = layers.bytes + added.bytes
    FROM (
      SELECT layer_id, sum(octet_length(feature_id) + coalesce(octet_length(properties::text), 0) + coalesce(octet_length(geometry), 0)) AS bytes
      FROM new_features GROUP BY layer_id
    ) AS added
    WHERE layers.id = added.layer_id;
  END IF;
  RETURN NULL;
END
$$;

CREATE TRIGGER layer_bytes_inserted AFTER INSERT ON layer_features
  REFERENCING NEW TABLE AS new_features FOR EACH STATEMENT EXECUTE FUNCTION count_layer_bytes();
CREATE TRIGGER layer_bytes_updated AFTER UPDATE ON layer_features
  REFERENCING OLD TABLE AS old_features NEW TABLE AS new_features FOR EACH STATEMENT EXECUTE FUNCTION count_layer_bytes();
CREATE TRIGGER layer_bytes_deleted AFTER DELETE ON layer_features
  REFERENCING OLD TABLE AS old_features FOR EACH STATEMENT EXECUTE FUNCTION count_layer_bytes();
