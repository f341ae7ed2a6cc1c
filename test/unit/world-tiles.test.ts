/** The outline of the world as tiles: known places are on land or at sea in every zoom, and the tiles agree with each other. */
import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { VectorTile } from '@mapbox/vector-tile'
import { PbfReader } from 'pbf'
import { buildMapFiles } from '../../src/setup/portal-map.ts'
import { WORLD_ZOOM } from '../../src/setup/world-tiles.ts'

/** Far from every coast, so that the coarse outline of a low zoom is correct there too. */
const LAND: [string, longitude: number, latitude: number][] = [
  ['Khartoum', 32.56, 15.5],
  ['Moscow', 37.62, 55.75],
  ['Denver', -104.99, 39.74],
  ['Alice Springs', 133.88, -23.7],
  ['Brasília', -47.88, -15.79],
  ['the South Pole, nearly', 20, -84],
  // land that continues beyond the antimeridian
  ['Salamanca', -5.66, 40.96],
  ['Bamako', -8, 12.64],
  ['Chukotka', 172, 67],
]
const SEA: [string, longitude: number, latitude: number][] = [
  ['the middle Atlantic', -35, 30],
  ['the Pacific', -150, 0],
  ['the Indian Ocean', 80, -25],
  ['the Arctic Ocean', 170, 84],
  ['the Bay of Bengal', 88, 14],
  // as far north and south as land at the antimeridian
  ['the Norwegian Sea', 4, 71.2],
  ['the Denmark Strait', -27, 67],
  ['the Indian Ocean, north of Mauritius', 60, -16.6],
]

/** Web Mercator (EPSG:3857) as parts of the world. */
function mercator(longitude: number, latitude: number): [x: number, y: number] {
  const sine = Math.sin((latitude * Math.PI) / 180)
  return [longitude / 360 + 0.5, 0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)]
}

test('known places are on land or at sea in every zoom', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'groundwave-world-'))
  try {
    const { world } = await buildMapFiles(join(import.meta.dir, '../..'), folder, true)
    const names = readdirSync(folder).filter((name) => /^world.*\.pbf$/.test(name))
    // 1 + 4 + 16 + …: a missing tile would be a failed request of every map
    expect(names.length).toBe((4 ** (WORLD_ZOOM + 1) - 1) / 3)

    function isLand(zoom: number, longitude: number, latitude: number): boolean {
      const [x, y] = mercator(longitude, latitude).map((part) => part * 2 ** zoom) as [number, number]
      const name = basename(world)
        .replace('{z}', String(zoom))
        .replace('{x}', String(Math.floor(x)))
        .replace('{y}', String(Math.floor(y)))
      const { land } = new VectorTile(new PbfReader(readFileSync(join(folder, name)))).layers
      if (land === undefined) return false
      const [px, py] = [(x % 1) * land.extent, (y % 1) * land.extent]
      let isInside = false
      for (let i = 0; i < land.length; i++)
        for (const ring of land.feature(i).loadGeometry())
          for (const [k, b] of ring.entries()) {
            const a = ring[k === 0 ? ring.length - 1 : k - 1] as typeof b
            if (a.y > py !== b.y > py && px < ((b.x - a.x) * (py - a.y)) / (b.y - a.y) + a.x) isInside = !isInside
          }
      return isInside
    }
    for (let zoom = 0; zoom <= WORLD_ZOOM; zoom++) {
      for (const [name, ...place] of LAND) expect([zoom, name, isLand(zoom, ...place)]).toEqual([zoom, name, true])
      for (const [name, ...place] of SEA) expect([zoom, name, isLand(zoom, ...place)]).toEqual([zoom, name, false])
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}, 120_000)
