/**
 * Properties that each format keeps: every cell of the table in docs/formats.md, written by one call and read by the
 * next.
 */
import { describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../support/processes.ts'
import { box, geojson, point, runTool } from '../../../support/workers/engine.ts'

type Rows = [Record<string, unknown>, unknown, (string | number)?][]

const line = {
  type: 'LineString',
  coordinates: [
    [0, 0],
    [1, 1],
  ],
}
const lineZ = {
  type: 'LineString',
  coordinates: [
    [0, 0, 1],
    [1, 1, 2],
  ],
}
const here = point(1, 1)
const LAYERS: Record<string, Rows> = {
  'Order of features': [5, 1, 9, 3].map((x) => [{ x }, point(x, 50 - x)]),
  'Ids that are texts': [
    [{ a: 1 }, here, 'way/7'],
    [{ a: 2 }, here, 'way/5'],
  ],
  'Ids that are XML names': [
    [{ a: 1 }, here, 'w7'],
    [{ a: 2 }, here, 'w5'],
  ],
  'Ids that are whole numbers': [
    [{ a: 1 }, here, 2 ** 40],
    [{ a: 2 }, here, 7],
  ],
  'Features without geometry': [
    [{ a: 1 }, here],
    [{ a: 2 }, null],
    [{ a: 3 }, here],
  ],
  'Empty geometries': [
    [{ a: 1 }, line],
    [{ a: 2 }, { type: 'LineString', coordinates: [] }],
    [{ a: 3 }, line],
  ],
  'Heights (Z) of all geometries': [
    [{ a: 1 }, lineZ],
    [{ a: 2 }, lineZ],
  ],
  'Heights (Z) of some geometries': [
    [{ a: 1 }, line],
    [{ a: 2 }, lineZ],
  ],
  'Points, lines and polygons mixed': [
    [{ a: 1 }, here],
    [{ a: 2 }, box(0, 0, 1, 1)],
    [{ a: 3 }, line],
    [{ a: 4 }, here],
  ],
  'Geometry collections': [
    [{ a: 1 }, { type: 'GeometryCollection', geometries: [here, line] }],
    [{ a: 2 }, here],
  ],
  'Column names with other characters': [[{ 'code-1': 1, 'a b': 2, اسم: 3, '2nd': 4, '<x>': 5, 'q"q': 6 }, here]],
  'Column names of any length': [[{ aRatherLongName: 1, aRatherLongNoun: 2 }, here]],
  'Columns that differ in case': [[{ code: 1, Code: 2, CODE: 3 }, here]],
  'Columns named fid, geom, geometry': [
    [{ fid: 7, geom: 'g', geometry: 'x', ogc_fid: 3, wkt: 'w' }, line],
    [{ fid: 5, geom: 'h', geometry: 'y', ogc_fid: 3, wkt: 'v' }, line],
  ],
  'Missing values': [
    [{ a: 'x', b: null, c: 1 }, here],
    [{ a: null, b: 2.5, c: null }, here],
  ],
  'Columns without any value': [[{ a: 'x', b: null }, here]],
  'Dates and times': [[{ d: '2024-02-29', t: '2024-02-29T12:34:56Z' }, here]],
  'Integers up to 2^53': [[{ a: 9_007_199_254_740_991, b: -9_007_199_254_740_991, c: 2 ** 31 }, here]],
  'Numbers of any size': [[{ a: 1e300, b: 0.1, c: -1.25e-20 }, here]],
  Booleans: [
    [{ a: true, b: null }, here],
    [{ a: false, b: true }, here],
  ],
  'Lists and objects': [[{ a: [1, 2], b: { x: 1 } }, here]],
  'Long texts': [[{ a: 'ä'.repeat(300) }, here]],
  'Empty texts': [
    [{ a: '', b: 'x' }, here],
    [{ a: 'y', b: 'x' }, here],
  ],
}

const table = readFileSync(join(ROOT, 'docs/formats.md'), 'utf8')
  .split('\n')
  .filter((row) => row.startsWith('|'))
  .map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
const [head, , ...body] = table as [string[], string[], ...string[][]]

test('the table has a row for every layer, and a column for every format', () => {
  expect(body.map(([what]) => what)).toEqual(Object.keys(LAYERS))
  expect(head.slice(1)).toEqual(['geojson', 'shp', 'kml', 'kmz', 'gml', 'gpkg', 'fgb', 'parquet', 'csv'])
})

const isSorted = 'Order of features'

describe.each(body.map((cells) => ({ what: cells[0] as string, cells: cells.slice(1) })))(
  '$what',
  ({ what, cells }) => {
    test.each(cells.map((expected, i) => ({ format: head[i + 1] as string, expected })))(
      'in $format: $expected',
      async ({ format, expected }) => {
        const rows = LAYERS[what] as Rows
        // explode would split collections, so the tool that only checks geometries reads the file
        const tool = format === 'csv' ? 'export.workspace-export' : 'vector.validate'
        const written = await runTool(tool, { file: geojson(rows), target_format: format })
        const file = { name: written.filename, content: readFileSync(written.path) }
        const read = await runTool('vector.validate', { file, target_format: 'geojson' })
        const hasIds = rows.some(([, , id]) => id !== undefined)
        const came = read.geojson().features.map(({ id, properties, geometry }) => {
          const { is_valid, is_valid_2, reason, reason_2, ...own } = properties
          // a layer without ids gets keys in a GeoPackage
          return hasIds && id !== undefined ? [own, geometry, id] : [own, geometry]
        })
        const inOrder = (list: unknown[]) =>
          what === isSorted ? list : list.map((row) => Bun.inspect(row, { depth: 20, sorted: true })).sort()
        const isKept = Bun.deepEquals(inOrder(came), inOrder(rows))
        const warnings = [...written.warnings, ...read.warnings].filter((text) => !text.includes('CSV names no CRS'))
        const found = isKept ? 'yes' : warnings.length > 0 ? 'warns' : 'no'
        expect({ found, came, warnings }).toEqual({ found: expected, came, warnings })
      },
    )
  },
)
