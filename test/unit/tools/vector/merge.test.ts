/** Merged layers: columns by name, one CRS, and the source of each feature. */
import { expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outputOf } from '../../../support/program.ts'
import { geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'
import { FIXTURES } from '../../../support/workers/tools.ts'

test('has the features of both; columns with the same name are combined, with the widest type', async () => {
  const a = { ...(geojson([[{ id: 1, only_a: 'x', mixed: 5 }, point(1, 1)]]) as object), name: 'a.geojson' } as never
  const b = { ...(geojson([[{ id: 2.5, mixed: 'five' }, point(2, 2)]]) as object), name: 'b.geojson' } as never
  const { data, geojson: read } = await runTool('vector.merge', { files: [a, b], target_format: 'geojson' })
  expect(data).toMatchObject({ fileCount: 2, featureCount: 2 })
  expect(read().features.map(({ properties }) => properties)).toEqual([
    { id: 1, only_a: 'x', mixed: '5', source_file: 'a.geojson' },
    { id: 2.5, only_a: null, mixed: 'five', source_file: 'b.geojson' },
  ])
})

test('the second file is reprojected to the CRS of the first', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-merge-'))
  const path = join(dir, 'utm.gpkg')
  outputOf('ogr2ogr', ['-t_srs', 'EPSG:25833', path, join(FIXTURES, 'stations.geojson')])
  const utm = { name: 'utm.gpkg', content: readFileSync(path) }
  rmSync(dir, { recursive: true })
  const { data, path: out } = await runTool('vector.merge', { files: [utm, 'stations.geojson'], target_format: 'gpkg' })
  expect(data).toMatchObject({ crs: 'EPSG:25833', featureCount: 10 })
  const sql = 'SELECT count(DISTINCT round(ST_X(geom), 2) || round(ST_Y(geom), 2)) AS n FROM utm_merged'
  const reported = outputOf('ogrinfo', ['-q', '-dialect', 'sqlite', '-sql', sql, out]).toString()
  expect(reported).toContain('n (Integer) = 5')
})

test('rejects one file and six files, and names an invalid one', async () => {
  const one = 'stations.geojson'
  for (const files of [[one], [one, one, one, one, one, one]])
    expect(await refusal('vector.merge', { files, target_format: 'geojson' })).toMatchObject({
      field: 'files',
      rule: 'items',
    })
  const broken = { name: 'broken.geojson', content: '{"type":' }
  expect(await refusal('vector.merge', { files: [one, broken], target_format: 'geojson' })).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'files.1',
  })
})
