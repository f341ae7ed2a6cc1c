/** `bun run doctor`: ports, folders and stores that are not what their variables say. */
import { afterAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { examined, of } from '../../support/doctor.ts'
import { pmtilesOf, vectorPmtilesOf } from '../../support/formats/pmtiles.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { startBucket } from '../../support/stores/bucket.ts'

const NOTHING = { type: 'FeatureCollection' as const, features: [] }
const home = mkdtempSync(join(tmpdir(), 'groundwave-doctor-'))
const instance = await sharedInstance()
afterAll(() => {
  rmSync(home, { recursive: true, force: true })
})

test('reports ports that are in use or forbidden, and a host that is not of this machine', async () => {
  const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response() })
  try {
    const report = await examined({ PORT: String(other.port), ADMIN_HOST: '192.0.2.1', ADMIN_PORT: '9000' })
    expect(report.code).toBe(1)
    expect(of(report, 'ports')).toMatchObject([
      { state: 'problem', found: `PORT=${other.port} is in use by another program` },
      { state: 'problem', found: 'ADMIN_HOST=192.0.2.1 is no address of this machine (EADDRNOTAVAIL)' },
    ])
    const own = await examined({ DATA_DIR: instance.dir, PORT: String(instance.port()) })
    expect(of(own, 'ports')).toMatchObject([{ state: 'ok', found: expect.stringContaining('a server runs on this') }])
  } finally {
    await other.stop(true)
  }
}, 60_000)

test('reports a missing bucket, other programs at a store’s address, and a file in place of the folder', async () => {
  const bucket = await startBucket(join(home, 'bucket'))
  const page = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('<!DOCTYPE HTML>', { status: 404 }),
  })
  const place = `127.0.0.1:${page.port}`
  writeFileSync(join(home, 'file'), '')
  try {
    const variables = { CLICKHOUSE_URL: `http://a:b@${place}`, REDIS_URL: `redis://:b@${place}` }
    const report = await examined({ S3_URL: bucket.url.replace('/files/', '/other/'), ...variables })
    expect(of(report, 'files')[0]?.found).toBe(`${new URL(bucket.url).host}: The specified bucket does not exist`)
    expect(of(report, 'ClickHouse')[0]?.found).toBe(`${place}: another program than ClickHouse answers there`)
    // the connection may be closed before the answer is read
    expect(of(report, 'Redis')[0]?.found).toStartWith(`${place}: `)
    expect(of(report, 'Redis')[0]?.advice).toBe('Check REDIS_URL and that the server runs.')
    const file = await examined({ S3_URL: bucket.url, DATA_DIR: join(home, 'file') })
    expect(of(file, 'files')[0]?.state).toBe('ok')
    expect(of(file, 'data folder')).toMatchObject([
      { state: 'problem', found: `${join(home, 'file')} is not a folder` },
    ])
    expect(of(file, 'disk speed')).toEqual([])
  } finally {
    bucket.kill()
    await page.stop(true)
  }
}, 60_000)

test('reports a folder whose path is too long for sockets, before it exists and afterwards', async () => {
  const long = join(home, 'x'.repeat(100 - home.length))
  const found = (path: string) => ({ state: 'problem', found: expect.stringContaining(path) })
  expect(of(await examined({ DATA_DIR: long }), 'data folder')).toMatchObject([found(join(long, 'run/postgres'))])
  mkdirSync(long, { mode: 0o700 })
  const report = await examined({ DATA_DIR: long })
  expect([report.code, of(report, 'data folder')]).toMatchObject([1, [found(join(long, 'run/postgres'))]])
  expect(of(report, 'data folder')[0]?.advice).toContain('shorter path')
  // 107 bytes with the socket's name: the longest that PostgreSQL can use
  const longest = join(home, 'y'.repeat(107 - '/run/postgres/.s.PGSQL.5432'.length - home.length - 1))
  expect(of(await examined({ DATA_DIR: longest }), 'data folder')[0]?.state).toBe('ok')
}, 60_000)

test('reports a base map that is missing, unreadable or no map', async () => {
  const path = join(home, 'map.pmtiles')
  const state = async (): Promise<unknown[]> =>
    of(await examined({ MAP_PMTILES: path }), 'base map').map((finding) => [finding.state, finding.found])
  expect(await state()).toEqual([['problem', `${path} cannot be read: there is no such file`]])
  writeFileSync(path, '<!DOCTYPE html><title>Not found</title>')
  expect(await state()).toEqual([['problem', `${path} is not a PMTiles file of version 3`]])
  writeFileSync(path, Buffer.concat([Buffer.from('PMTiles'), Buffer.from([3]), Buffer.alloc(119)]))
  expect(await state()).toMatchObject([['problem', expect.stringContaining(`${path} is incomplete or damaged`)]])
  const layers = { earth: NOTHING, water: NOTHING, roads: NOTHING, places: NOTHING }
  writeFileSync(path, vectorPmtilesOf(layers, [31.25, 30]))
  expect(await state()).toEqual([
    ['ok', `${path}: vector tiles (Protomaps), zooms 0 to 12, bounds 30.75, 29.5, 31.75, 30.5`],
  ])
  writeFileSync(path, vectorPmtilesOf({ earth: NOTHING, water: NOTHING, places: NOTHING }, [31.25, 30]))
  expect(await state()).toEqual([
    ['warning', `${path}: its vector tiles (Protomaps) lack "roads"; zooms 0 to 12, bounds 30.75, 29.5, 31.75, 30.5`],
  ])
  writeFileSync(path, pmtilesOf(new Uint8Array(1)))
  expect(await state()).toEqual([['ok', `${path}: pictures, zooms 0 to 0, bounds -180, -85, 180, 85`]])
  expect(of(await examined({ MAP_PMTILES: 'https://tiles.example/map.pmtiles' }), 'base map')).toMatchObject([
    { state: 'skipped' },
  ])
}, 60_000)
