/** What the senders in clients/ do with each answer of a server. */
import { afterAll, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSender } from '../../clients/typescript/groundwave.ts'
import { ROOT } from '../support/processes.ts'
import { python } from '../support/python.ts'
import { until } from '../support/until.ts'

type Call = { path: string; key: string | null; body: string; ms: number }
let calls: Call[] = []
let answers: (() => Response)[] = []
const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const { pathname: path } = new URL(request.url)
    calls.push({ path, key: request.headers.get('authorization'), body: await request.text(), ms: performance.now() })
    return (answers.shift() ?? (() => result()))()
  },
})
const result = (refused: object[] = []): Response => Response.json({ data: { accepted: [], duplicates: [], refused } })
const url = `http://127.0.0.1:${server.port}`
const home = mkdtempSync(join(tmpdir(), 'groundwave-senders-'))
afterAll(async () => {
  await server.stop(true)
  rmSync(home, { recursive: true })
})
beforeEach(() => {
  calls = []
  answers = []
})

type Use = { spool: string; sensor?: string; readings: object[]; hasFaultyCallback?: boolean }
/** Adds readings and sends them. @returns the lists of refused readings */
const SENDERS: Record<string, (use: Use) => Promise<unknown[]>> = {
  async TypeScript({ spool, sensor, readings, hasFaultyCallback = false }) {
    const refused: unknown[] = []
    const to = sensor === undefined ? {} : { sensor }
    function onRefused(list: unknown): void {
      refused.push(list)
      if (hasFaultyCallback) throw new TypeError('a fault of the program')
    }
    const sender = await openSender({ url, key: 'k', spool, ...to, onRefused })
    await sender.add(...(readings as { at: string }[]))
    await sender.flush()
    await sender.close()
    return refused
  },
  async Python({ spool, sensor, readings, hasFaultyCallback = false }) {
    const program = `
import json, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
from groundwave import Sender
url, spool, sensor, readings, is_faulty = json.load(open(sys.argv[2]))
refused = []
def on_refused(found):
    refused.append(found)
    if is_faulty:
        raise OSError('a fault of the program')
sender = Sender(url, 'k', spool, sensor, on_refused=on_refused)
sender.add(*readings)
sender.flush()
sender.close()
print(json.dumps(refused))`
    const given = join(home, 'given.json')
    writeFileSync(given, JSON.stringify([url, spool, sensor ?? null, readings, hasFaultyCallback]))
    return JSON.parse(await python(program, join(ROOT, 'clients/python'), given)) as unknown[]
  },
}

const at = '2026-01-31T12:00:00.000Z'
const readings = [
  { at, values: { a: 1.5 } },
  { at: '2026-01-31T12:00:01.000Z', values: { a: 2, on: true }, location: [31.2, 30.1] },
]

for (const [name, send] of Object.entries(SENDERS)) {
  test(`${name}: the same batch is sent again until it is answered, and not before Retry-After`, async () => {
    const spool = join(home, `${name}-again`)
    answers = [
      () => new Response('{}', { status: 503, headers: { 'retry-after': '1' } }),
      () => new Response('{}', { status: 401 }),
      () => new Response('<html>', { status: 200 }),
    ]
    expect(await send({ spool, sensor: 'sen 1', readings })).toEqual([])
    expect(calls.length).toBe(4)
    const [first, second] = calls as [Call, Call]
    expect(first).toMatchObject({ path: '/sensors/sen%201/readings', key: 'Bearer k' })
    expect(JSON.parse(first.body)).toEqual({ readings })
    expect(new Set(calls.map(({ body }) => body)).size).toBe(1)
    expect(second.ms - first.ms).toBeGreaterThanOrEqual(1_000)
    expect(readdirSync(spool)).toEqual([])
  }, 60_000)

  test(`${name}: refused readings are reported, and are not sent again`, async () => {
    const refused = [{ at, reason: 'SENSOR_READING_TOO_OLD' }]
    answers = [() => result(refused)]
    expect(await send({ spool: join(home, `${name}-refused`), sensor: 's', readings })).toEqual([refused])
    expect(calls.length).toBe(1)
  }, 60_000)

  test(`${name}: a callback that fails does not make a batch be sent again`, async () => {
    const refused = [{ at, reason: 'SENSOR_READING_TOO_OLD' }]
    answers = [() => result(refused)]
    const spool = join(home, `${name}-callback`)
    expect(await send({ spool, sensor: 's', readings, hasFaultyCallback: true })).toEqual([refused])
    expect([calls.length, readdirSync(spool)]).toEqual([1, []])
  }, 60_000)

  test(`${name}: a batch that the server cannot read is kept, and does not stop later ones`, async () => {
    const spool = join(home, `${name}-unreadable`)
    answers = [() => Response.json({ ok: false, code: 'SENSOR_READINGS_BATCH_INVALID' }, { status: 400 })]
    for (let batch = 0; batch < 2; batch++) await send({ spool, sensor: 's', readings })
    expect(calls.length).toBe(2)
    const [kept, ...others] = readdirSync(spool)
    expect([kept, others]).toEqual(['000000000000001.ndjson.unreadable', []])
    const lines = readFileSync(join(spool, kept as string), 'utf8')
      .trim()
      .split('\n')
    expect(lines.map((line) => JSON.parse(line))).toEqual(readings)
  }, 60_000)

  test(`${name}: a code that does not come from the server is no reason to stop`, async () => {
    const spool = join(home, `${name}-proxy`)
    answers = ['<html>', '{"ok":true}', 'null'].map(
      (text, i) => () => new Response(text, { status: i === 0 ? 400 : 413 }),
    )
    await send({ spool, sensor: 's', readings })
    expect(calls.length).toBe(4)
    expect(readdirSync(spool)).toEqual([])
  }, 60_000)

  test(`${name}: with a fleet key, a batch has up to 5,000 readings and 500 kB; without, 500 readings`, async () => {
    const many = Array.from({ length: 5_001 }, (_, i) => ({ ...readings[0], sensor: `s${i}` }))
    await send({ spool: join(home, `${name}-fleet`), readings: many })
    const sizes = (): number[] => calls.map(({ body }) => (JSON.parse(body) as { readings: object[] }).readings.length)
    expect(calls.map(({ path }) => path)).toEqual(['/ingest/readings', '/ingest/readings'])
    expect(sizes()).toEqual([5_000, 1])
    calls = []
    await send({ spool: join(home, `${name}-own`), sensor: 's', readings: many.slice(0, 501) })
    expect(sizes()).toEqual([500, 1])
    calls = []
    const wide = Array.from({ length: 3 }, () => ({ at, values: { ['c'.repeat(200_000)]: 1 } }))
    await send({ spool: join(home, `${name}-wide`), sensor: 's', readings: wide })
    expect(sizes()).toEqual([2, 1])
  }, 60_000)

  test(`${name}: what an earlier process left is sent first, without an unfinished last line`, async () => {
    const spool = join(home, `${name}-left`)
    await send({ spool, sensor: 's', readings: [] })
    writeFileSync(join(spool, '000000000000007.ndjson'), '{"at":"1"}\n{"at":"2"}\n{"at":')
    await send({ spool, sensor: 's', readings })
    expect(calls.map(({ body }) => JSON.parse(body))).toEqual([{ readings: [{ at: '1' }, { at: '2' }] }, { readings }])
    expect(readdirSync(spool)).toEqual([])
  }, 60_000)
}

test('TypeScript: a file that cannot be closed is sent all the same', async () => {
  const spool = join(home, 'unclosed')
  const handle = await open(join(home, 'any'), 'w')
  const prototype = Object.getPrototypeOf(handle) as FileHandle
  const { close } = prototype
  await handle.close()
  let closed = 0
  prototype.close = async function () {
    await close.call(this)
    // the first one is the folder
    if (++closed === 2) throw new Error('EIO')
  }
  const sender = await openSender({ url, key: 'k', spool, sensor: 's', intervalMs: 10 })
  try {
    await sender.add(...(readings as { at: string }[]))
    await until(() => calls.length === 1, 'sending the batch', 5_000)
    expect(JSON.parse(calls[0]?.body ?? '')).toEqual({ readings })
  } finally {
    prototype.close = close
    await sender.close()
  }
}, 60_000)
