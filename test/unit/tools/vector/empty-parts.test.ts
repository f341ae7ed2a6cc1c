/** Empty geometries, rings and parts, and rings with too few positions, in every vector tool and every format. */
import { describe, expect, test } from 'bun:test'
import { AppError } from '../../../../src/errors.ts'
import { loadRegistry } from '../../../../src/tools/registry.ts'
import { box, geojson, point, runTool } from '../../../support/workers/engine.ts'

const [shell] = box(0, 0, 4, 4).coordinates
const EMPTY = {
  point: { type: 'Point', coordinates: [] },
  line: { type: 'LineString', coordinates: [] },
  polygon: { type: 'Polygon', coordinates: [] },
  multipoint: { type: 'MultiPoint', coordinates: [] },
  multiline: { type: 'MultiLineString', coordinates: [] },
  multipolygon: { type: 'MultiPolygon', coordinates: [] },
  collection: { type: 'GeometryCollection', geometries: [] },
  'polygon of an empty ring': { type: 'Polygon', coordinates: [[]] },
  'multiline of an empty line': { type: 'MultiLineString', coordinates: [[]] },
  'multipolygon of an empty polygon': { type: 'MultiPolygon', coordinates: [[]] },
  'multipolygon of an empty ring': { type: 'MultiPolygon', coordinates: [[[]]] },
  'collection of an empty point': { type: 'GeometryCollection', geometries: [{ type: 'Point', coordinates: [] }] },
} as const
const WITH_EMPTY_PARTS = {
  'polygon with an empty hole': { type: 'Polygon', coordinates: [shell, []] },
  'multipolygon with an empty part': { type: 'MultiPolygon', coordinates: [[shell], []] },
  'multipolygon that begins with an empty ring': { type: 'MultiPolygon', coordinates: [[[]], [shell]] },
} as const
const TOO_SHORT = {
  'polygon of one position': { type: 'Polygon', coordinates: [[[1, 1]]] },
  'polygon of two positions': {
    type: 'Polygon',
    coordinates: [
      [
        [1, 1],
        [2, 2],
      ],
    ],
  },
  'polygon of three positions': {
    type: 'Polygon',
    coordinates: [
      [
        [1, 1],
        [2, 2],
        [1, 1],
      ],
    ],
  },
  'polygon with a hole of two positions': {
    type: 'Polygon',
    coordinates: [
      shell,
      [
        [1, 1],
        [1, 1],
      ],
    ],
  },
  'line of one position': { type: 'LineString', coordinates: [[1, 1]] },
  'multiline with a line of one position': {
    type: 'MultiLineString',
    coordinates: [
      [
        [0, 0],
        [1, 1],
      ],
      [[1, 1]],
    ],
  },
} as const
const SHAPES = { ...EMPTY, ...WITH_EMPTY_PARTS, ...TOO_SHORT }

const { tools } = await loadRegistry()
const squares = geojson([[{ k: 1 }, box(-1, -1, 3, 3)]])
const SECOND: Record<string, unknown> = { mask: squares, overlay: squares, join: squares, reference: squares }
const TOOLS = tools.filter(({ id, input }) => /^(vector|convert\.validate)/.test(id) && 'file' in input.properties)

/** The answer of a tool: its feature count or the code of an error of the file; anything else fails the test. */
async function outcome(id: string, input: Record<string, unknown>): Promise<string> {
  try {
    const { data } = await runTool(id, input)
    return `done ${data.featureCount ?? ''}`
  } catch (error) {
    return error instanceof AppError ? `${error.code} ${error.message}` : String(error)
  }
}

describe.each(TOOLS.map(({ id, input }) => ({ id, input })))('$id', ({ id, input }) => {
  const second = Object.fromEntries(Object.entries(SECOND).filter(([field]) => field in input.properties))
  const format = 'target_format' in input.properties ? { target_format: 'geojson' } : {}
  const rule = 'rule' in input.properties ? { rule: 'inside' } : {}
  // the extent has thousands of cells of the default size
  const size = 'cell_size_m' in input.properties ? { cell_size_m: 50_000 } : {}

  test('as the main input', async () => {
    for (const [name, shape] of Object.entries(SHAPES)) {
      const file = geojson([
        [{ a: 1 }, shape],
        [{ a: 2 }, box(1, 1, 2, 2)],
      ])
      expect([name, await outcome(id, { file, ...second, ...format, ...rule, ...size })]).toEqual([
        name,
        expect.stringMatching(/^(done|INPUT_UNREADABLE file: (must contain polygons|must contain lines|feature 0))/),
      ])
    }
  })

  if (Object.keys(second).length === 0) return
  test('as the second input', async () => {
    for (const [name, shape] of Object.entries(SHAPES)) {
      const other = geojson([
        [{ a: 1 }, shape],
        [{ a: 2 }, box(1, 1, 2, 2)],
      ])
      const others = Object.fromEntries(Object.keys(second).map((field) => [field, other]))
      expect([name, await outcome(id, { file: squares, ...others, ...format, ...rule, ...size })]).toEqual([
        name,
        expect.stringMatching(/^(done|INPUT_UNREADABLE \w+: must contain polygons)/),
      ])
    }
  })
})

test.each(['geojson', 'shp', 'kml', 'gml', 'gpkg', 'fgb', 'kmz', 'parquet'])(
  '%s contains the remaining features',
  async (format) => {
    for (const [name, shape] of Object.entries({ ...EMPTY, ...WITH_EMPTY_PARTS })) {
      const file = geojson([
        [{ a: 1 }, shape],
        [{ a: 2 }, point(1, 2)],
      ])
      // GDAL 3.6 writes no FlatGeobuf features without a geometry (docs/formats.md)
      const left = format === 'fgb' && Object.hasOwn(EMPTY, name) ? 1 : 2
      expect([name, await outcome('vector.validate', { file, target_format: format })]).toEqual([name, `done ${left}`])
    }
  },
)
