/**
 * `bun run test:upgrade [commit]`: starts an earlier release, fills a data folder, starts this version on it, then the
 * earlier release again, as in a rollback, and this version once more. Each run ends by SIGKILL with readings that only
 * its log has, so that the next one reads the log of another version. The earlier release is a commit of this
 * repository's history. Takes about two minutes.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { $ } from 'bun'
import { manage, ROOT, type Server, startServer, stopServer, untilUnused } from './support/processes.ts'
import type { Envelope, MadeSensor, Organization } from './support/server/instance.ts'
import { until } from './support/until.ts'
import { callTool, fetchFile } from './support/workers/tools.ts'

const PREVIOUS = '6667c17'
const commit = process.argv[2] ?? PREVIOUS
const READINGS = 50
const START_AT = Date.UTC(2026, 0, 1)

const home = mkdtempSync(join(tmpdir(), 'groundwave-upgrade-'))
const dir = join(home, 'data')
const earlier = join(home, 'earlier')
let server: Server | undefined
let starts = 0
const startedMs = performance.now()
const say = (text: string): void => {
  process.stdout.write(`[${Math.round((performance.now() - startedMs) / 1000)} s] ${text}\n`)
}

function equal(found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected))
    throw new Error(`${what}\nexpected: ${JSON.stringify(expected)}\nfound:    ${JSON.stringify(found)}`)
}

async function cloneEarlier(): Promise<void> {
  await $`git clone --quiet --no-checkout ${ROOT} ${earlier}`
  await $`git -C ${earlier} checkout --quiet ${commit}`
  // links if the disk is the same; its workers see only files below its own folder
  const linked = await $`cp -al ${join(ROOT, 'node_modules')} ${join(earlier, 'node_modules')}`.quiet().nothrow()
  if (linked.exitCode !== 0) await $`cp -a ${join(ROOT, 'node_modules')} ${earlier}/`
}

const logFile = (): string => join(home, `log-${starts}`)

async function start(root: string, name: string): Promise<void> {
  starts++
  const env = { DATA_DIR: dir, PORT: '0', LOAD_INTERVAL_MS: '60000', LOG_LEVEL: 'info' }
  server = await startServer([join(root, 'src/main.ts')], env, logFile())
  say(`${name} runs`)
}

const running = (): Server => server as Server
const client = { url: () => running().url }
const operatorToken = (): string => readFileSync(join(dir, 'operator.token'), 'utf8').trim()
const operate = <T>(method: string, path: string, body?: object): Promise<T> =>
  manage<T>(running().url, operatorToken(), method, path, body)

async function kill(): Promise<void> {
  await stopServer(running(), 'SIGKILL')
  await untilUnused(home)
}

type Sent = { at: string; value: number }

/** Sends readings that only this version has, and repeats one earlier reading, which must be a duplicate. */
async function send(sensor: MadeSensor, all: Sent[]): Promise<void> {
  const first = all.length
  const fresh = Array.from({ length: READINGS }, (_, i) => ({
    at: new Date(START_AT + (first + i) * 60_000).toISOString(),
    value: first + i + 0.5,
  }))
  const again = all.length === 0 ? [] : [all[all.length - 1] as Sent]
  const response = await fetch(`${running().url}/sensors/${sensor.id}/readings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${sensor.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ readings: [...again, ...fresh].map(({ at, value }) => ({ at, values: { level: value } })) }),
  })
  const { data, message } = (await response.json()) as Envelope<{ accepted: string[]; duplicates: string[] }>
  equal(response.status, 200, message)
  equal([data.accepted.length, data.duplicates.length], [READINGS, again.length], 'accepted readings and duplicates')
  all.push(...fresh)
}

async function storedReadings(organization: Organization, sensor: MadeSensor): Promise<Sent[]> {
  const found: Sent[] = []
  for (let cursor = ''; ; ) {
    const response = await fetch(
      `${running().url}/enterprise/v1/assets/sensors/${sensor.id}/readings?from=${new Date(START_AT).toISOString()}&to=${new Date(START_AT + 86_400_000).toISOString()}&limit=1000${cursor}`,
      { headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey } },
    )
    const { data, message } = (await response.json()) as Envelope<{
      items: { at: string; values: { level: number } }[]
      nextCursor: string | null
    }>
    equal(response.status, 200, message)
    found.push(...data.items.map(({ at, values }) => ({ at, value: values.level })))
    if (data.nextCursor === null) return found.sort((a, b) => a.value - b.value)
    cursor = `&cursor=${data.nextCursor}`
  }
}

/** Every reading that any version accepted, exactly once. */
async function checkReadings(organization: Organization, sensor: MadeSensor, all: Sent[]): Promise<void> {
  await until(async () => (await storedReadings(organization, sensor)).length >= all.length, 'loading the log')
  equal(await storedReadings(organization, sensor), all, 'the stored readings')
  say(`all ${all.length} readings are there, once`)
}

async function runTool(organization: Organization): Promise<Stored> {
  const input = { file: 'stations.geojson', target_format: 'geojson' }
  const { data, message, ok } = (await (
    await callTool(client, organization, '/buffer', input, true)
  ).json()) as Envelope<{ key: string }>
  equal(ok, true, message)
  return { key: data.key, bytes: await fetchFile(client, organization, data.key) }
}

type Stored = { key: string; bytes: Buffer }
type Layer = { id: string; version: number; featureCount: number }

const feature = (id: string, x: number): object => ({
  type: 'Feature',
  id,
  properties: { x },
  geometry: { type: 'Point', coordinates: [x, 1] },
})

async function featuresOf(owner: string, layer: string): Promise<string[]> {
  const { items } = await operate<{ items: { id: string }[] }>('GET', `/owners/${owner}/layers/${layer}/features`)
  return items.map(({ id }) => id)
}

function warnings(): string[] {
  return readFileSync(logFile(), 'utf8')
    .split('\n')
    .filter((line) => /"level":(?:[45]\d|60)/.test(line))
    .map((line) => line.slice(0, 300))
}

try {
  await cloneEarlier()
  const features: string[] = []
  const readings: Sent[] = []
  const files: Stored[] = []
  await start(earlier, `${commit}, on an empty folder,`)
  const owner = (await operate<{ id: string }>('POST', '/enterprises', { name: 'Upgrade', tier: 'business' })).id
  const made = await operate<{ id: string; publicKey: string; secretKey: string }>(
    'POST',
    `/enterprises/${owner}/applications`,
    { name: 'Upgrade', tools: 'all' },
  )
  const organization = { ...made, id: owner, applicationId: made.id }
  const channels = [{ name: 'level', measurement: 'number' }]
  const sensor = await operate<MadeSensor>('POST', `/enterprises/${owner}/sensors`, { assetName: 'Asset', channels })
  const collection = { type: 'FeatureCollection', features: [] }
  const layer = await operate<Layer>('POST', `/owners/${owner}/layers`, { name: 'Layer', geojson: collection })

  /** Checks that a version still has all earlier data, then adds more. */
  const use = async (name: string): Promise<void> => {
    if (readings.length > 0) await checkReadings(organization, sensor, readings)
    for (const { key, bytes } of files)
      equal((await fetchFile(client, organization, key)).equals(bytes), true, `${name}: the file ${key}`)
    equal(await featuresOf(owner, layer.id), features, `${name}: the features of the layer`)
    files.push(await runTool(organization))
    const id = `feature-${features.length}`
    await operate('PATCH', `/owners/${owner}/layers/${layer.id}/features`, { upsert: [feature(id, features.length)] })
    features.push(id)
    await send(sensor, readings)
    const segments = [...new Bun.Glob('*.rows').scanSync(join(dir, 'log'))]
    equal(segments.length > 0, true, `${name}: the last readings are in the log only`)
    say(`${name}: readings, files, tools and layers work; warnings: ${warnings().join('\n') || 'none'}`)
    await kill()
  }
  await use(commit)
  await start(ROOT, 'this version, after the upgrade,')
  await use('this version')
  await start(earlier, `${commit}, after the rollback,`)
  await use(`${commit}, after the rollback`)
  await start(ROOT, 'this version, upgraded again,')
  await use('this version, upgraded again')
  await start(ROOT, 'this version')
  await checkReadings(organization, sensor, readings)
  const path = `/owners/${owner}/layers/${layer.id}/versions`
  const versions = await operate<{ items: { version: number }[] }>('GET', path)
  // the earlier release changed the layer without noting a version
  equal(
    versions.items.map(({ version }) => version),
    [5, 3, 2],
    'the versions of the layer',
  )
  const newest = await operate<{ items: { id: string }[] }>('GET', `${path}/5/features`)
  equal(
    newest.items.map(({ id }) => id),
    features,
    'the features of the newest version',
  )
  const old = await operate<{ items: { id: string }[] }>('GET', `${path}/3/features`)
  say(`version 3 of the layer, from before the rollback, lists ${old.items.map(({ id }) => id).join(', ')}`)
  await kill()
  say('passed')
} catch (error) {
  if (existsSync(logFile())) process.stderr.write(`${readFileSync(logFile(), 'utf8').slice(-3_000)}\n`)
  throw error
} finally {
  if (server !== undefined) await stopServer(server, 'SIGKILL')
  await untilUnused(home)
  rmSync(home, { recursive: true, force: true })
}
