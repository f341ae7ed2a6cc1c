/**
 * Files of the portal's map that are not bundled: MapLibre's worker and style, our own worker, and the outline of the
 * world. The browser's code gets their addresses as the constant PORTAL_MAP_FILES.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Feature, FeatureCollection, MultiLineString, MultiPolygon, Polygon, Position } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { unwrapped } from './antimeridian.ts'
import { hashedName } from './portal-fonts.ts'
import { worldTiles } from './world-tiles.ts'

export type MapFiles = {
  library: string
  style: string
  assets: string
  layer: string
  /** URL template of the tiles of the world's outline, with `{z}`, `{x}` and `{y}`. */
  world: string
}

const BASE = '/portal/assets/'
/** Lines along the edge of the map are cuts, not coasts. */
const EDGE_LONGITUDE = 179.99
const EDGE_LATITUDE = -89.9

const isEdge = ([longitude = 0, latitude = 0]: Position): boolean =>
  Math.abs(longitude) > EDGE_LONGITUDE || latitude < EDGE_LATITUDE

/** A longer step crosses the antimeridian, and would be drawn around the world. */
const isCut = ([a = 0]: Position, [b = 0]: Position): boolean => Math.abs(a - b) > 180

/** Removes the segments that lie on the edge of the map, or cross it. */
function withoutEdges({ coordinates }: MultiLineString): Position[][] {
  const lines: Position[][] = []
  for (const line of coordinates) {
    let kept: Position[] = []
    for (const [i, position] of line.entries()) {
      const before = line[i - 1]
      if (before !== undefined && (isCut(before, position) || (isEdge(before) && isEdge(position)))) {
        if (kept.length > 1) lines.push(kept)
        kept = []
      }
      kept.push(position)
    }
    if (kept.length > 1) lines.push(kept)
  }
  return lines
}

const polygonsOf = (shape: Polygon | MultiPolygon): Position[][][] =>
  shape.type === 'Polygon' ? [shape.coordinates] : shape.coordinates

/** Land as polygons; coasts and borders as lines. From Natural Earth 1:50 million, which is in the public domain. */
async function worldOutline(root: string): Promise<Record<'land' | 'lines', FeatureCollection>> {
  const text = await readFile(join(root, 'node_modules/world-atlas/countries-50m.json'), 'utf8')
  const world = JSON.parse(text) as Topology<{ countries: GeometryCollection; land: GeometryCollection }>
  const { countries, land } = world.objects
  const line = (kind: string, coordinates: Position[][]): Feature => ({
    type: 'Feature',
    properties: { kind },
    geometry: { type: 'MultiLineString', coordinates },
  })
  const features = [
    line('coast', withoutEdges(mesh(world, countries, (a, b) => a === b))),
    line('border', withoutEdges(mesh(world, countries, (a, b) => a !== b))),
  ]
  const polygons = feature(world, land).features.flatMap(({ geometry }) =>
    polygonsOf(geometry as Polygon | MultiPolygon).map(unwrapped),
  )
  const shape: Feature = {
    type: 'Feature',
    properties: {},
    geometry: { type: 'MultiPolygon', coordinates: polygons },
  }
  return {
    land: { type: 'FeatureCollection', features: [shape] },
    lines: { type: 'FeatureCollection', features },
  }
}

/** @returns the address of the tiles, with one hash for all of them */
async function writeWorld(root: string, outdir: string): Promise<string> {
  const tiles = [...worldTiles(await worldOutline(root))]
  const nameOf = hashedName('world.pbf', Buffer.concat(tiles.map(({ bytes }) => bytes))).replace(/\.pbf$/, '')
  for (const { zoom, x, y, bytes } of tiles) await writeFile(join(outdir, `${nameOf}-${zoom}-${x}-${y}.pbf`), bytes)
  return `${BASE}${nameOf}-{z}-{x}-{y}.pbf`
}

/** @param outdir the folder of hashed files. @returns their addresses */
export async function buildMapFiles(root: string, outdir: string, isDevelopment: boolean): Promise<MapFiles> {
  const write = async (name: string, content: string): Promise<string> => {
    const bytes = Buffer.from(content)
    const hashed = hashedName(name, bytes)
    await writeFile(join(outdir, hashed), bytes)
    return BASE + hashed
  }
  const maplibre = async (name: string): Promise<string> => {
    const text = await readFile(join(root, 'node_modules/maplibre-gl/dist', name), 'utf8')
    return write(name, text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
  }
  const workerOf = async (path: string): Promise<string> => {
    const worker = await Bun.build({
      entrypoints: [join(root, path)],
      outdir,
      target: 'browser',
      minify: !isDevelopment,
      naming: '[name]-[hash].[ext]',
    })
    const [script] = worker.outputs
    if (!worker.success || script === undefined)
      throw new Error(`The worker ${path} could not be built:\n${worker.logs.join('\n')}`)
    return BASE + basename(script.path)
  }
  return {
    library: await maplibre('maplibre-gl-worker.mjs'),
    style: await maplibre('maplibre-gl.css'),
    assets: await workerOf('src/portal/features/map/engine/assets-worker.ts'),
    layer: await workerOf('src/portal/features/data/layers/layer-worker.ts'),
    world: await writeWorld(root, outdir),
  }
}
