/**
 * The same operations in PostGIS: one statement each, on a FeatureCollection as text and a table zones (i, name, value,
 * geom).
 */
type Sql = InstanceType<typeof Bun.SQL>

export const STATEMENTS = {
  'inside-check': (sql: Sql, collection: string) => sql`
    WITH input AS (
      SELECT n, ST_SetSRID(ST_GeomFromGeoJSON(f ->> 'geometry'), 4326) AS g
      FROM json_array_elements(${collection}::text::json -> 'features') WITH ORDINALITY AS t (f, n)
    ), shares AS (
      SELECT n, matches, name, CASE WHEN covered THEN 100 WHEN matches = 0 THEN 0
        ELSE 100 * ST_Area(ST_Transform(ST_Intersection(g, u), 6933)) / ST_Area(ST_Transform(g, 6933)) END AS percent
      FROM input, LATERAL (
        SELECT count(*) AS matches, bool_or(ST_CoveredBy(g, geom)) AS covered, ST_Union(geom) AS u,
          (array_agg(name ORDER BY ST_Area(ST_Intersection(geom, g)) DESC, i))[1] AS name
        FROM zones WHERE ST_Intersects(geom, g)
      ) AS met
    )
    SELECT json_agg(json_build_object('index', n - 1, 'percentInside', round(percent::numeric, 6), 'pass', percent > 0,
      'matchCount', matches, 'reference', json_build_object('name', name)) ORDER BY n)::text AS answer FROM shares`,
  clip: (sql: Sql, collection: string) => sql`
    WITH input AS (
      SELECT n, f -> 'properties' AS properties, ST_SetSRID(ST_GeomFromGeoJSON(f ->> 'geometry'), 4326) AS g
      FROM json_array_elements(${collection}::text::json -> 'features') WITH ORDINALITY AS t (f, n)
    ), cut AS (
      SELECT n, properties, CASE WHEN covered THEN g ELSE ST_Intersection(g, u) END AS g
      FROM input, LATERAL (
        SELECT count(*) AS matches, bool_or(ST_CoveredBy(g, geom)) AS covered, ST_Union(geom) AS u
        FROM zones WHERE ST_Intersects(geom, g)
      ) AS met WHERE matches > 0
    )
    SELECT json_build_object('type', 'FeatureCollection', 'features', json_agg(json_build_object('type', 'Feature',
      'properties', properties, 'geometry', ST_AsGeoJSON(g)::json) ORDER BY n))::text AS answer FROM cut`,
  intersect: (sql: Sql, collection: string) => sql`
    WITH input AS (
      SELECT n, (f -> 'properties')::jsonb AS properties, ST_SetSRID(ST_GeomFromGeoJSON(f ->> 'geometry'), 4326) AS g
      FROM json_array_elements(${collection}::text::json -> 'features') WITH ORDINALITY AS t (f, n)
    )
    SELECT json_build_object('type', 'FeatureCollection', 'features', json_agg(json_build_object('type', 'Feature',
      'properties', properties || jsonb_build_object('name', name, 'value', value), 'geometry',
      ST_AsGeoJSON(CASE WHEN ST_CoveredBy(g, geom) THEN g ELSE ST_Intersection(g, geom) END)::json) ORDER BY n, i))::text AS answer
    FROM input JOIN zones ON ST_Intersects(geom, g)`,
  'spatial-join': (sql: Sql, collection: string) => sql`
    WITH input AS (
      SELECT n, (f -> 'properties')::jsonb AS properties, ST_SetSRID(ST_GeomFromGeoJSON(f ->> 'geometry'), 4326) AS g
      FROM json_array_elements(${collection}::text::json -> 'features') WITH ORDINALITY AS t (f, n)
    )
    SELECT json_build_object('type', 'FeatureCollection', 'features', json_agg(json_build_object('type', 'Feature',
      'properties', properties || jsonb_build_object('name', name, 'value', value), 'geometry', ST_AsGeoJSON(g)::json)
      ORDER BY n, i))::text AS answer
    FROM input JOIN zones ON ST_Intersects(geom, g)`,
} as const

export type Operation = keyof typeof STATEMENTS
