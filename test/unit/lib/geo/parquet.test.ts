/** GeoParquet with broken geometries: rejected, or read as geometries that can be processed. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { GeoJsonWriter } from '../../../../src/lib/geo/formats/geojson/geojson-write.ts'
import { readGeoParquet } from '../../../../src/lib/geo/formats/parquet/parquet.ts'
import { requirePositions } from '../../../../src/lib/geo/formats/positions.ts'
import { loadGeos } from '../../../../src/lib/geo/geometry/geos.ts'
import { forEachRun, partsOf, vertexCount, type Wkb } from '../../../../src/lib/geo/geometry/wkb.ts'
import { WGS84 } from '../../../../src/lib/geo/layers/layer.ts'
import { InputError } from '../../../../src/lib/input-error.ts'
import { type AnyGeometry, anyGeometry, type WkbVariant, wkbOf } from '../../../support/formats/any-geometry.ts'
import { mutated, runs, succeedsOrRejects } from '../../../support/fuzz.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-parquet-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const path = join(home, 'one.parquet')

const geo = JSON.stringify({
  version: '1.1.0',
  primary_column: 'geometry',
  columns: { geometry: { encoding: 'WKB', geometry_types: [] } },
})

const fileOf = (geometries: readonly Uint8Array[]): Uint8Array =>
  new Uint8Array(
    parquetWriteBuffer({
      columnData: [
        { name: 'i', type: 'INT32', data: geometries.map((_, i) => i) },
        { name: 'geometry', type: 'BYTE_ARRAY', data: [...geometries] },
      ],
      kvMetadata: [{ key: 'geo', value: geo }],
    }),
  )

async function read(file: Uint8Array): Promise<(Wkb | null)[]> {
  writeFileSync(path, file)
  const { features } = await readGeoParquet(path, 1_000)
  requirePositions({ features, crs: { ...WGS84, geographic: false } })
  return features.map(({ geometry }) => geometry)
}

const variant: fc.Arbitrary<WkbVariant> = fc.record({
  little: fc.boolean(),
  z: fc.constantFrom('iso' as const, 'bit' as const),
  m: fc.boolean(),
  srid: fc.constant(false),
})
const ISO: WkbVariant = { little: true, z: 'iso', m: false, srid: false }
const POINT: AnyGeometry = { type: 'Point', coordinates: [1, 2] }

test('a broken geometry is rejected, or can be processed', async () => {
  const geos = await loadGeos()
  const seeds = fc.sample(fc.tuple(anyGeometry({ axes: 3, empty: true }), variant), { numRuns: 60, seed: 1 })
  await fc.assert(
    fc.asyncProperty(mutated(...seeds.map(([geometry, how]) => wkbOf(geometry, 3, how))), async (wkb) => {
      const geometries = await succeedsOrRejects(() => read(fileOf([wkb])))
      for (const geometry of geometries ?? []) {
        if (geometry === null) continue
        expect(vertexCount(geometry)).toBeLessThan(wkb.length)
        forEachRun(geometry, (_view, offset, count, stride) => {
          expect(offset + count * stride).toBeLessThanOrEqual(geometry.byteLength)
        })
        expect(partsOf(geometry).length).toBeGreaterThanOrEqual(0)
        const writer = new GeoJsonWriter()
        writer.geometry(geometry)
        expect(JSON.parse(writer.take().toString())).toHaveProperty('type')
        await succeedsOrRejects(() => geos.free(geos.read(geometry)))
      }
    }),
    runs(1_500),
  )
})

const littleEndian = (...numbers: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length)
  for (const [i, number] of numbers.entries()) bytes.writeUInt32LE(number, 4 * i)
  return bytes
}
const head = (type: number, count: number): Buffer => Buffer.concat([Buffer.of(1), littleEndian(type, count)])
const nested = (depth: number): Buffer => Buffer.concat([...Array(depth).fill(head(7, 1)), wkbOf(POINT, 2, ISO)])

test.each<[string, Uint8Array]>([
  ['nothing', new Uint8Array(0)],
  ['a curve', head(8, 0)],
  ['a type that no geometry has', head(215, 1)],
  ['a collection in a collection, ten thousand times', nested(10_000)],
  ['more points than there are bytes', head(2, 0xffff_ffff)],
  ['more rings than there are bytes', head(3, 0xffff_ffff)],
  ['a line among points', Buffer.concat([head(4, 1), head(2, 0)])],
  ['half a point', wkbOf(POINT, 2, ISO).subarray(0, 13)],
])('%s is refused', async (_, wkb) => {
  await expect(read(fileOf([wkb]))).rejects.toThrow(InputError)
})

test('members of another byte order are read', async () => {
  const big = wkbOf(POINT, 2, { ...ISO, little: false })
  const [geometry] = await read(fileOf([Buffer.concat([head(4, 1), big])]))
  const expected = wkbOf({ type: 'MultiPoint', coordinates: [[1, 2]] }, 2, ISO)
  expect(Buffer.from(geometry as Wkb)).toEqual(Buffer.from(expected))
})
