/** A system moves from embedded stores to servers and back, through a folder and through a bucket. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fail, filesIn, metadataIn, READINGS, rowsIn, sendTo, startOn, succeed } from '../support/backups.ts'
import { stopServer, untilUnused } from '../support/processes.ts'
import { createInstance, type MadeSensor } from '../support/server/instance.ts'
import { ownedThings } from '../support/server/owned-things.ts'
import { startBucket } from '../support/stores/bucket.ts'
import { startSharedStores } from '../support/stores/shared-stores.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const START_MS = Math.floor(Date.now() / 1000) * 1000 - 5 * 86_400_000
const readings = Array.from({ length: 500 }, (_, i) => ({
  at: new Date(START_MS + i * 60_000).toISOString(),
  values: { a: i },
}))

let sensor: MadeSensor

const home = mkdtempSync(join(tmpdir(), 'groundwave-move-'))
const [source, stores, bucket] = await Promise.all([
  createInstance(),
  startSharedStores(false),
  startBucket(join(home, 'objects')),
])
beforeAll(async () => {
  const organization = await source.organization()
  sensor = await source.sensor(organization.id, CHANNELS)
  await sendTo(source.url(), sensor, readings)
  const make = ownedThings(source)
  await make.file(organization.id)
  await make.layer(organization.id)
}, 600_000)
afterAll(async () => {
  await source.remove()
  await stores.remove()
  bucket.kill()
  await untilUnused(home)
  rmSync(home, { recursive: true, force: true })
})

function variables(name: string, env: Record<string, string>): string {
  const path = join(home, `${name}.env`)
  writeFileSync(
    path,
    `${Object.entries(env)
      .map(([key, value]) => `${key}=${value}`)
      .join('\n')}\n`,
  )
  return path
}

/** The metadata, except the place of the secret, which is a file with embedded stores. */
async function metadataOf(name: string, env: Record<string, string>) {
  const archive = join(home, `archive-${name}`)
  await succeed(['backup', archive], env)
  const { portal_secret: _, ...tables } = await metadataIn(archive)
  return tables
}

test('a system moves to servers and back with its readings, files and keys', async () => {
  const embedded = { DATA_DIR: source.dir }
  const servers = { ...stores.env, DATA_DIR: join(home, 'servers'), S3_URL: bucket.url }
  const back = { DATA_DIR: join(home, 'back') }
  const [from, to, again] = [variables('from', embedded), variables('to', servers), variables('back', back)] as const
  expect(await fail(['move', '--from', from, '--to', to], {})).toContain('A server runs on')
  await source.kill('SIGTERM')
  const [before, rows, files] = [
    await metadataOf('before', embedded),
    rowsIn(source.dir, READINGS),
    filesIn(join(source.dir, 'files')),
  ]
  expect(rows).toHaveLength(readings.length)
  expect(Object.keys(files)).toHaveLength(1)

  // left over from another system on the same Redis
  await stores.redis.command('SET', 'gw:{s1}:old', '1')
  expect(await succeed(['move', '--from', from, '--to', to], {})).toContain('Moved.')
  expect(await stores.redis.command('KEYS', 'gw:*')).toEqual([])
  expect(readdirSync(servers.DATA_DIR)).not.toContain('move')
  expect(await metadataOf('servers', servers)).toEqual(before)
  const server = await startOn(servers, home)
  expect(await sendTo(server.url, sensor, readings)).toEqual({ accepted: 0, duplicates: readings.length })
  const newer = [{ at: new Date(START_MS - 60_000).toISOString(), values: { a: -1 } }]
  expect(await sendTo(server.url, sensor, newer)).toEqual({ accepted: 1, duplicates: 0 })
  await stopServer(server)
  expect(await fail(['move', '--from', from, '--to', to], {})).toContain('The system is not empty')

  const via = bucket.url.replace(/groundwave$/, 'archive')
  expect(await succeed(['move', '--from', to, '--to', again, '--via', via], {})).toContain('Moved.')
  expect(await succeed(['verify', via], back)).toContain('is complete')
  const after = rowsIn(back.DATA_DIR, READINGS)
  // the new reading is the oldest
  expect(after.slice(1)).toEqual(rows)
  expect(after).toHaveLength(readings.length + 1)
  expect(Object.values(filesIn(join(back.DATA_DIR, 'files')))).toEqual(Object.values(files))
  expect(readFileSync(join(back.DATA_DIR, 'portal.secret'), 'utf8')).toBe(
    readFileSync(join(source.dir, 'portal.secret'), 'utf8'),
  )
  const home2 = await startOn(back, home)
  expect(await sendTo(home2.url, sensor, [...newer, ...readings.slice(1)])).toEqual({
    accepted: 0,
    duplicates: readings.length,
  })
  await stopServer(home2)
}, 600_000)
