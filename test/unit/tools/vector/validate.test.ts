/** Validity and reasons, compared with PostGIS. */
import { expect, test } from 'bun:test'
import { AWKWARD } from '../../../support/formats/geometries.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { geojson, runTool } from '../../../support/workers/engine.ts'

test('validity and reasons match PostGIS, and geometries are unchanged', async () => {
  const shapes = [
    ...AWKWARD,
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [4, 0],
          [4, 4],
          [0, 4],
          [0, 0],
        ],
        [
          [5, 5],
          [6, 5],
          [6, 6],
          [5, 5],
        ],
      ],
    },
  ]
  const sql = await postgis()
  const truth: { valid: boolean; reason: string }[] = await sql`
    SELECT ST_IsValid(ST_GeomFromGeoJSON(g)) AS valid, ST_IsValidReason(ST_GeomFromGeoJSON(g)) AS reason
    FROM json_array_elements(${JSON.stringify(shapes)}::text::json) WITH ORDINALITY AS all_(g, n) ORDER BY n`
  const { data, geojson: read } = await runTool('vector.validate', {
    file: geojson(shapes.map((g, i) => [{ i }, g])),
    target_format: 'geojson',
  })
  const invalid = truth.flatMap(({ valid, reason }, index) => (valid ? [] : [{ index, reason }]))
  expect(data).toMatchObject({
    validCount: shapes.length - invalid.length,
    invalidCount: invalid.length,
    emptyCount: 0,
    problems: invalid,
  })
  expect(read().features.map(({ properties: { is_valid, reason } }) => [is_valid, reason])).toEqual(
    truth.map(({ valid, reason }) => [valid, valid ? null : reason]),
  )
  const [bowtie] = read().features.filter(({ properties }) => properties.is_valid === false)
  expect(bowtie?.geometry as unknown).toEqual(shapes[invalid[0]?.index ?? -1])
})
