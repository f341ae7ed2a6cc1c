/** Deterministic vector layers for the tools bench. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { star } from '../../test/support/formats/geometries.ts'
import { seeded } from '../../test/support/random.ts'

export const SIZES = [10, 1_000, 100_000]

type Feature = { type: 'Feature'; properties: Record<string, unknown>; geometry: unknown }

const rounded = (ring: number[][]): number[][] =>
  ring.map(([x, y]) => [+(x as number).toFixed(7), +(y as number).toFixed(7)])

/** Stars of 8 to 20 corners on a grid; neighbours overlap slightly. */
function polygons(count: number, seed: number): Feature[] {
  const random = seeded(seed)
  const side = Math.ceil(Math.sqrt(count))
  const step = 4 / Math.max(side, 20)
  return Array.from({ length: count }, (_, i) => {
    const x = 7 + ((i % side) + random()) * step
    const y = 48 + (Math.floor(i / side) + random()) * step
    const ring = rounded(star(random, x, y, step * 0.7, 8 + Math.floor(random() * 13)))
    const properties = { id: i, name: `parcel ${i}`, region: i % 50, value: Math.round(random() * 1e6) / 1e3 }
    return { type: 'Feature', properties, geometry: { type: 'Polygon', coordinates: [ring] } }
  })
}

function pairs(count: number): Feature[] {
  const all = polygons(count * 2, 5)
  return Array.from({ length: count }, (_, i) => {
    const [a, b] = [all[2 * i], all[2 * i + 1]] as [Feature, Feature]
    const parts = [a, b].map(({ geometry }) => (geometry as { coordinates: unknown }).coordinates)
    return { ...a, geometry: { type: 'MultiPolygon', coordinates: parts } }
  })
}

function lines(count: number): Feature[] {
  return polygons(count, 9).map((feature) => {
    const [ring] = (feature.geometry as { coordinates: number[][][] }).coordinates
    return { ...feature, geometry: { type: 'LineString', coordinates: (ring as number[][]).slice(0, -1) } }
  })
}

export type ToolData = Record<'parcels' | 'others' | 'pairs' | 'lines' | 'mask' | 'csv', string>

/** Writes the layers of a size. @returns their paths */
export function writeToolData(dir: string, count: number): ToolData {
  const write = (name: string, features: Feature[]): string => {
    const path = join(dir, `${name}_${count}.geojson`)
    writeFileSync(path, JSON.stringify({ type: 'FeatureCollection', features }))
    return path
  }
  const side = Math.ceil(Math.sqrt(count)) * (4 / Math.max(Math.ceil(Math.sqrt(count)), 20))
  const outline = rounded(star(seeded(3), 7 + side / 2, 48 + side / 2, side * 0.45, 200))
  const mask: Feature = { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [outline] } }
  const csv = join(dir, `points_${count}.csv`)
  const random = seeded(11)
  const rows = Array.from(
    { length: count },
    (_, i) => `${i},${(7 + random() * 4).toFixed(7)},${(48 + random() * 4).toFixed(7)}`,
  )
  writeFileSync(csv, `id,lon,lat\n${rows.join('\n')}\n`)
  return {
    parcels: write('parcels', polygons(count, 1)),
    others: write('others', polygons(count, 2)),
    pairs: write('pairs', pairs(count)),
    lines: write('lines', lines(count)),
    mask: write('mask', [mask]),
    csv,
  }
}
