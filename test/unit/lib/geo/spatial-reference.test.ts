/** Layers and rasters have the CRS of their file, whatever files the process has read before. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshPath, gdal } from '../../../support/formats/rasters.ts'
import { outputOf } from '../../../support/program.ts'
import { rounds } from '../../../support/rounds.ts'
import { NODE } from '../../../support/workers/engine.ts'

const READER = join(import.meta.dir, '../../../support/formats/read-many-systems.ts')
const POINT = { type: 'Feature', properties: { a: 1 }, geometry: { type: 'Point', coordinates: [13, 52] } }

test('layers in several systems, read in turn into several systems, are read as at first', () => {
  const source = freshPath('point.geojson')
  writeFileSync(source, JSON.stringify({ type: 'FeatureCollection', features: [POINT] }))
  const files = ['4326', '25833', '3857', '2180'].flatMap((code) =>
    [
      ['FlatGeobuf', 'fgb'],
      ['GPKG', 'gpkg'],
    ].map(([format, extension]) => {
      const path = freshPath(`point.${extension}`)
      gdal('ogr2ogr', '-f', format as string, '-t_srs', `EPSG:${code}`, path, source)
      return { path, code }
    }),
  )
  const lines = outputOf(NODE, [READER, String(rounds(20, 100)), ...files.map(({ path }) => path)])
    .toString()
    .trim()
    .split('\n')
  const first = JSON.parse(lines.pop() as string) as Record<string, string>
  expect(lines).toEqual([])
  for (const { path, code } of files) {
    expect(first[`${path} to undefined`]).toStartWith(`EPSG:${code} `)
    for (const target of ['EPSG:4326', 'EPSG:3857', 'EPSG:25833'])
      expect(first[`${path} to ${target}`]).toStartWith(`${target} `)
  }
}, 60_000)
