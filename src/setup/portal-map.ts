/**
 * Files of the portal's map that are no part of a bundle: MapLibre's worker and style, our own worker, and the outline of
 * the world. The browser's code gets their addresses as the constant PORTAL_MAP_FILES.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { MultiLineString, Position } from 'geojson'
import { feature, mesh } from 'topojson-client'
import type { GeometryCollection, Topology } from 'topojson-specification'
import { hashedName } from './portal-fonts.ts'

export type MapFiles = {
  library: string
  style: string
  assets: string
  layer: string
  land: string
  lines: string
}

const BASE = '/portal/assets/'
/** A hundred metres, which is finer than the outline. */
const DECIMALS = 1e3
/** Lines along the edge of the map are cuts and no coasts. */
const EDGE_LONGITUDE = 179.99
const EDGE_LATITUDE = -89.9

const rounded = (text: string): string =>
  JSON.stringify(JSON.parse(text), (_, value) =>
    typeof value === 'number' && !Number.isInteger(value) ? Math.round(value * DECIMALS) / DECIMALS : value,
  )

const isEdge = ([longitude = 0, latitude = 0]: Position): boolean =>
  Math.abs(longitude) > EDGE_LONGITUDE || latitude < EDGE_LATITUDE

/** A line across the antimeridian would otherwise be drawn around the world. */
const isCut = ([a = 0]: Position, [b = 0]: Position): boolean => Math.abs(a - b) > 180

/** Without the stretches that lie on the edge of the map, or cross it. */
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

/** Land as polygons; coasts and borders as lines. From Natural Earth 1:50 million, which is in the public domain. */
async function worldOutline(root: string): Promise<{ land: string; lines: string }> {
  const text = await readFile(join(root, 'node_modules/world-atlas/countries-50m.json'), 'utf8')
  const world = JSON.parse(text) as Topology<{ countries: GeometryCollection; land: GeometryCollection }>
  const { countries, land } = world.objects
  const line = (kind: string, coordinates: Position[][]) => ({
    type: 'Feature',
    properties: { kind },
    geometry: { type: 'MultiLineString', coordinates },
  })
  const lines = {
    type: 'FeatureCollection',
    features: [
      line('coast', withoutEdges(mesh(world, countries, (a, b) => a === b))),
      line('border', withoutEdges(mesh(world, countries, (a, b) => a !== b))),
    ],
  }
  return { land: rounded(JSON.stringify(feature(world, land))), lines: rounded(JSON.stringify(lines)) }
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
  const world = await worldOutline(root)
  return {
    library: await maplibre('maplibre-gl-worker.mjs'),
    style: await maplibre('maplibre-gl.css'),
    assets: await workerOf('src/portal/map/assets-worker.ts'),
    layer: await workerOf('src/portal/layers/layer-worker.ts'),
    land: await write('world-land.json', world.land),
    lines: await write('world-lines.json', world.lines),
  }
}
